package claims

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

func TestPUPLVariants(t *testing.T) {
	c := check(t, PUPLVariants())
	expect.That(t, c.Verdict == Fails && c.Corrected != "", "%s; corrected %q", c, c.Corrected)
	// A label at the origin and two unlabeled points at a right angle, worked out by hand below.
	expect.Equal(t, c.Counterexample,
		"labeled {(0, 0)}, unlabeled {(0, 1), (1, 0)}: the variant labels the unlabeled −− and the labeled +; "+
			"Algorithm 1(B) gives the unlabeled −+ from row 0, +− from row 1", "counterexample")
	details := strings.Join(c.Details, "\n")
	for _, want := range []string{"labeled {0, 1}, unlabeled {0, 1, 3}", "labeled {0, 1}, unlabeled {0}: the variant " +
		"labels the unlabeled − and the labeled −+"} {
		expect.That(t, strings.Contains(details, want), "details %q lack %q", details, want)
	}
	measured(t, c.Finding, "of them with other labels than the groups", 0, 0)
	n := value(t, c.Finding, "random pairs of groups with f·D > 2δ")
	expect.That(t, n >= 50, "only %g pairs of groups were far enough apart", n)
	var agreement []float64
	for _, m := range c.Measured {
		if strings.HasSuffix(m.Name, "probability of the same labels") {
			agreement = append(agreement, m.Value.Value)
		}
	}
	expect.That(t, len(agreement) == 4 && slices.IsSorted(agreement) && agreement[0] <= 0.2 && agreement[3] >= 0.95,
		"agreement by separation %v", agreement)
}

// Label (0, 0), unlabeled (0, 1) and (1, 0), whose mean (½, ½) is nearer to both (½ < 1): the pseudo code takes both for
// negative. Algorithm 1(B) starts at one, with equal probability; the other is at squared distance 1 from the label, 2 from it.
func TestVariantAgreement(t *testing.T) {
	agreement := func(labeled, columns int, x ...float64) (probability float64, leaves bool, err error) {
		mask := make([]bool, len(x)/columns)
		for i := range labeled {
			mask[i] = true
		}
		return VariantAgreement(mat.NewDense(len(mask), columns, x), mask)
	}
	probability, leaves, err := agreement(1, 2, 0, 0, 0, 1, 1, 0)
	expect.That(t, err == nil && probability == 0 && !leaves,
		"right angle: probability %g, leaves %v, %v", probability, leaves, err)
	probability, leaves, err = agreement(2, 1, 0, 1, 0)
	expect.That(t, err == nil && probability == 1 && leaves,
		"labels 0 and 1, unlabeled 0: probability %g, leaves %v, %v", probability, leaves, err)
	// Label 0, unlabeled 1, 9 and 10 with weights 1, 81 and 100, mean 20/3. The pseudo code ends with {1} | {9, 10}, and so
	// does Algorithm 1(B) from 9 and 10. From 1 all are negative first, with mean 20/3; then 1 goes to the label: the same.
	probability, leaves, err = agreement(1, 1, 0, 1, 9, 10)
	expect.That(t, err == nil && !leaves, "leaves %v, %v", leaves, err)
	near(t, "two groups", probability, 1, 1e-15)
	_, _, err = agreement(2, 1, 0, 2, 1)
	wantError(t, "unlabeled at the mean", err, "nothing to draw")
	_, _, err = agreement(1, 1, 0, 0)
	wantError(t, "collapsed", err, "all 2 rows are the same")
	_, _, err = agreement(1, 1, 0)
	wantError(t, "nothing unlabeled", err, "1 labeled and 0 unlabeled")
}

// Algorithm 1(B) itself, from one fixed start, has the labels of some start always; where cases with different ends are left
// out as well, it has those of every start.
func TestPUPLVariantsVerdictFollowsTheNumbers(t *testing.T) {
	expect.Slow(t)
	algorithm := func(skipRandom bool) puplVariant {
		return func(labeled, unlabeled theory.RationalPoints) (*theory.RationalClustering, error) {
			s := must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled))
			out := &theory.RationalClustering{Labels: s.Starts[0].Labels, Labeled: slices.Repeat([]bool{true}, len(labeled))}
			for _, start := range s.Starts {
				out.Tied = out.Tied || skipRandom && !slices.Equal(start.Labels, out.Labels)
			}
			return out, nil
		}
	}
	for skipRandom, want := range map[bool]Verdict{false: Conditional, true: Holds} {
		f := puplVariantsFinding(onCounts(), algorithm(skipRandom))
		expect.That(t, f.Verdict == want && f.Counterexample == "",
			"%s, want %s: %s (%s)", f.Verdict, want, f.Sentence, f.Counterexample)
	}
}

// Clusters that touch rarely get the labels of both variants, clusters far apart do but for the few starts in the
// labeled cluster; one seed gives one result.
func TestAgreementApart(t *testing.T) {
	measure := func(apart float64) (agreement float64, left int) {
		agreement, left = expect.Must2(AgreementApart(apart, 5, 1))(t)
		return agreement, left
	}
	near, _ := measure(0)
	far, left := measure(20)
	expect.That(t, near <= 0.2 && far >= 0.99 && left == 0,
		"agreement %g where the clusters touch, %g far apart, with %d labeled points that leave", near, far, left)
	again, _ := measure(0)
	expect.That(t, again == near, "drawn again, %g and not %g", again, near)
}
