package claims

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

var (
	openEngine = enginetest.Open
	near       = theorytest.Near
	wantError  = theorytest.WantError
)

// Checks make much garbage in a small heap, which is collected less often than by default.
func TestMain(m *testing.M) {
	debug.SetGCPercent(300)
	m.Run()
}

// metersOf returns meters of the objectives at temperature 1, until the end of the test.
func metersOf(t *testing.T, objectives ...pucl.Objective) []*meter {
	s := &subject{eng: openEngine(t), bench: newBench()}
	t.Cleanup(s.bench.close)
	return s.meters(1, objectives...)
}

// half is one of two sets of claims that are checked in parallel: claims that measure, and claims that only count. It
// caches findings, since compiling takes longer than measuring and a claim's finding is the same for all tests.
type half struct {
	*bench
	sync.Mutex
	found map[string]Claim
}

var (
	measuring = &half{bench: newBench(), found: map[string]Claim{}}
	counting  = &half{bench: newBench(), found: map[string]Claim{}}
)

// counted names the claims whose checks need no engine.
var counted = strings.Fields("theorem-3 theorem-3-repaired lemma-2 lemma-3 noise-rate pupl-variants dcl-limit-repaired " +
	"lpos-identity lpos-recovers lpos-limit lpos-limit-repaired lpos-mi lpos-mi-repaired")

// halfOf returns the half that a claim belongs to, and the engine for its check, or nil.
func halfOf(t *testing.T, c Claim) (*half, *engine.Engine) {
	if slices.Contains(counted, c.ID) {
		return counting, nil
	}
	return measuring, openEngine(t)
}

// slowClaims take more than a second to check, with and without injected bugs.
var slowClaims = strings.Fields("theorem-1-repaired theorem-2-unbiased theorem-3 theorem-3-repaired hypercube " +
	"pupl-variants dcl-limit infonce-mi lpos-limit pu-debiased-error")

// eachClaim runs a test of every claim, the halves in parallel.
func eachClaim(t *testing.T, test func(*testing.T, Claim)) {
	t.Run("claims", func(t *testing.T) {
		for name, h := range map[string]*half{"measuring": measuring, "counting": counting} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, c := range All() {
					if own, _ := halfOf(t, c); own == h {
						t.Run(c.ID, func(t *testing.T) { test(t, c) })
					}
				}
			})
		}
	})
}

// onBench returns a subject without an injected bug, which shares the compiled and counted results of claims that
// measure.
func onBench(t *testing.T) *subject { return &subject{eng: openEngine(t), bench: measuring.bench} }

// onCounts is onBench for claims that only count.
func onCounts() *subject { return &subject{bench: counting.bench} }

// check returns the claim with its finding, which is computed once for all tests. With -short it skips the tests of
// slow claims.
func check(t *testing.T, c Claim) Claim {
	t.Helper()
	if slices.Contains(slowClaims, c.ID) {
		expect.Slow(t)
	}
	h, eng := halfOf(t, c)
	h.Lock()
	defer h.Unlock()
	known, ok := h.found[c.ID]
	if !ok {
		known = expect.Must(c.checkOn(h.bench, eng, Plant{}))(t)
		h.found[c.ID] = known
	}
	return known
}

// checkAs is check for a claim whose verdict is known.
func checkAs(t *testing.T, want Verdict, c Claim) Claim {
	t.Helper()
	c = check(t, c)
	expect.Require(t, c.Verdict == want, "%s", c)
	return c
}

// value returns the finite number measured under a name.
func value(t *testing.T, f Finding, name string) float64 {
	t.Helper()
	for _, m := range f.Measured {
		if m.Name == name {
			expect.That(t, !math.IsNaN(m.Value.Value) && !math.IsInf(m.Value.Value, 0), "%s is %g", name, m.Value.Value)
			return m.Value.Value
		}
	}
	t.Fatalf("nothing was measured under the name %q", name)
	return math.NaN()
}

// measured compares the number measured under a name with a known one.
func measured(t *testing.T, f Finding, name string, want, tol float64) {
	t.Helper()
	near(t, name, value(t, f, name), want, tol)
}

func TestLeastPlacements(t *testing.T) {
	got := leastPlacements([]float64{2, 1, 1 + 1e-12, 1.1})
	expect.That(t, slices.Equal(got, []bool{false, true, true, false}), "%v", got)
}

// With one point per class only the mean over all data is random, and with one draw of it everything can be calculated
// by hand. π = ½, points ±1 and e^(1/τ) = 2, so that the mean is 2 or ½, the debiased one 2·mean − 2 or its floor ½,
// and the true one ½.
func TestDCLGap(t *testing.T) {
	p := TwoPoints()
	got := expect.Must(DCLGap(p, 0.5, halfTau, 1, 1, 1))(t)
	loss := func(mean float64) float64 { return math.Log1p(mean / 2) }
	near(t, "gap", got, (loss(2)+loss(0.5))/2-loss(0.5), 1e-12)
	wantError(t, "temperature", expect.Err(DCLGap(p, 0.5, 0, 1, 1, 1)), "τ = 0")
}

// The counted errors equal those over all batches, and the crossing lies at the measured crossing of the errors.
func TestCountedErrors(t *testing.T) {
	c := debiasedCases()[2].contrastCase
	for _, size := range [][2]int{{2, 2}, {3, 2}} {
		d := theory.Design{Labeled: size[0], Unlabeled: size[1], Prior: 0.3}
		s := onBench(t)
		e := s.squaredErrors(c.world, d)
		plain, debiased := countedErrors(c.world, d)
		near(t, fmt.Sprintf("PUCL, %v", size), plain, e.plain, 1e-12)
		near(t, fmt.Sprintf("PU-debiased, %v", size), debiased, e.debiased, 1e-12)
	}
	at := countedCrossing(c, 90, 114)
	expect.That(t, at > 100 && at < 104, "the errors cross at %g examples", at)
}

func TestPUPLVariants(t *testing.T) {
	c := check(t, PUPLVariants())
	expect.That(t, c.Verdict == Fails && c.Corrected != "", "%s; corrected %q", c, c.Corrected)
	// A label at the origin and two unlabeled points at a right angle, derived by hand below.
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

// Label (0, 0), unlabeled (0, 1) and (1, 0), whose mean (½, ½) is nearer to both (½ < 1): the pseudo code labels both
// negative. Algorithm 1(B) starts at one, with equal probability; the other is at squared distance 1 from the label, 2
// from it.
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

// Algorithm 1(B) itself, from one fixed start, always has the labels of some start; if cases with different ends are
// excluded as well, it has the labels of every start.
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

// Touching clusters rarely get the labels of both variants. Distant clusters do, except for the few starts in the
// labeled cluster. One seed gives one result.
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
