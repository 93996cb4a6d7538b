package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestInfoNCEHolds(t *testing.T) {
	c := check(t, InfoNCEMutualInformation())
	expect.That(t, c.Verdict == Conditional && c.Corrected != "" && c.Number.Value > 0 && c.Counterexample == "",
		"%s; %q", c, c.Counterexample)
	for _, name := range []string{"cases that break the bound, negatives from p(y)", "cases that break bound ≤ I " +
		"+ KL(p(y)‖q), negatives from q", "cases that break log N − L ≤ I"} {
		expect.Equal(t, value(t, c.Finding, name), 0, "%s", name)
	}
	got := value(t, c.Finding, "cases that break bound ≤ I, negatives from another q")
	expect.That(t, got > 100, "another noise distribution breaks the bound in %g cases only", got)
	// Five examples at ±1, K of the other four at the anchor's point: log 9 − E log(1 + 2K) − log 2.
	excess := math.Log(9) - (4*math.Log(3)+6*math.Log(5)+4*math.Log(7)+math.Log(9))/16 - math.Ln2
	expect.Require(t, excess > 0.002, "the closed form is %g", excess)
	measured(t, c.Finding, "batch of 5, ±1, equal views: bound − I", excess, 1e-12)
	measured(t, c.Finding, "perfect critic, ±1, equal views, b = 5: bound − I", excess, 1e-14)
	near(t, "batch of 2, counted", value(t, c.Finding, "perfect critic, ±1, equal views, b = 2: bound − I"),
		math.Log(3)/2-math.Ln2, 1e-14)
	if got := value(t, c.Finding, "batches of 2 to 4 with the best critic: largest log b − L − I"); !(got < 0) {
		t.Errorf("log b − L − I reaches %g", got)
	}
}

func TestInfoNCEFollowsTheNumbers(t *testing.T) {
	over := infoNCEFinding(onCounts(), func(n int) float64 { return math.Log(float64(n) + 2) })
	expect.That(t, over.Verdict == Fails && strings.Contains(over.Counterexample, "I = "),
		"%s: %s", over.Verdict, over.Sentence)
	under := infoNCEFinding(onCounts(), func(n int) float64 { return math.Log(float64(n)) })
	expect.That(t, under.Verdict == Conditional, "%s: %s", under.Verdict, under.Sentence)
}

// The loss of a batch with a free critic equals that of pucl.SSCL if the critic is cos/τ; its derivatives equal finite
// differences.
func TestBatchLossIsThatOfSSCL(t *testing.T) {
	const tau, prior, same = 0.7, 0.4, 0.3
	p := theory.Population{
		Positive: []theory.Atom{{Z: []float64{1, 0}, P: 0.3}, {Z: []float64{1, 2}, P: 0.7}},
		Negative: theory.Uniform([]float64{-2, 1}),
	}
	views, points := expect.Must2(theory.ViewsJoint(p, prior, same))(t)
	critic := cosineCritic(points, tau)
	for b := 2; b <= 3; b++ {
		want, err := theory.Exact(openEngine(t), pucl.SSCL(), p, theory.Design{Unlabeled: b, Prior: prior, SameView: same}, tau)
		expect.NoError(t, err)
		negatives, loss, slopes := batchNegatives(views, b), 0.0, make([]float64, 3)
		for x := range views {
			loss += batchLoss(views, negatives, x, critic[x], slopes)
			for y := range critic[x] {
				const step = 1e-5
				near := make([]float64, 3)
				move := func(by float64) float64 {
					moved := append([]float64(nil), critic[x]...)
					moved[y] += by
					return batchLoss(views, negatives, x, moved, near)
				}
				got, want := slopes[y], (move(step)-move(-step))/(2*step)
				expect.That(t, math.Abs(got-want) <= 1e-9, "b = %d: slope %g, by differences %g", b, got, want)
			}
		}
		near(t, fmt.Sprintf("loss, b = %d", b), loss, want.Loss.Mean.Value, 1e-12)
	}
}

// The search finds the known optimum: for equal views of ±1 the perfect critic is best.
func TestBestBatchLoss(t *testing.T) {
	views := theory.Joint{{0.5, 0}, {0, 0.5}}
	for _, b := range []int{3, 5} {
		excess := perfectBatchExcess(b)
		found := math.Log(float64(2*b-1)) - bestBatchLoss(views, b) - math.Ln2
		expect.That(t, found <= excess+1e-12 && found >= excess-5e-3,
			"b = %d: the search reaches %g, the perfect critic %g", b, found, excess)
	}
}

func TestInfoNCEBatch(t *testing.T) {
	information, bound := expect.Must2(InfoNCEBatch(openEngine(t), 2, 1))(t)
	near(t, "information", information, math.Ln2, 1e-15)
	near(t, "bound", bound, math.Log(3)-(math.Log(3)+math.Log1p(2*math.Exp(-2)))/2, 1e-13)
	_, _, err := InfoNCEBatch(openEngine(t), 2, 0)
	wantError(t, "temperature", err, "τ = 0")
	_, _, err = InfoNCEBatch(openEngine(t), 0, 1)
	wantError(t, "examples", err, "0 unlabeled")
}

func TestRandomDistributions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		j := randomViews(rng, 3)
		expect.NoError(t, j.Validate())
		for x := range j {
			for y := range j {
				near(t, "symmetry", j[x][y], j[y][x], 1e-15)
			}
		}
	}
	near(t, "divergence", divergence([]float64{0.5, 0.5, 0}, []float64{0.25, 0.5, 0.25}), math.Ln2/2, 1e-15)
}

// For every number of negatives the density ratio is the best critic, for any noise distribution; the others are worse.
func TestBestCritic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		j := randomJoint(rng, 3, 2, 1)
		_, py := j.Marginals()
		for _, noise := range [][]float64{py, {0.3, 0.7}} {
			scores := critics(rng, j, noise)
			for _, n := range []int{1, 4} {
				best := expect.Must(theory.CriticLoss(j, scores["best"], n, noise))(t)
				for name, critic := range scores {
					loss := expect.Must(theory.CriticLoss(j, critic, n, noise))(t)
					expect.That(t, name == "best" || loss > best,
						"%s critic, N = %d: loss %g, that of the density ratio %g", name, n, loss, best)
				}
			}
		}
	}
}

// For classes with one atom each, at cosine 0.6, only the number of positive unlabeled examples varies. π = 0.3, a
// quarter of the examples labeled.
const (
	nearby  = 0.6
	oneProb = 0.3
)

func TestPUDebiasedBias(t *testing.T) {
	c := checkAs(t, Holds, PUDebiasedBias())
	own, other := math.E, math.Exp(nearby)
	hidden := 2 * oneProb * (1 - oneProb) * (own - other) * (own - other)
	measured(t, c.Finding, "classes at cosine 0.6: c", -oneProb/4*(4.0/3)*hidden/math.Pow((1-oneProb)*other, 2), 1e-14)
	// A fraction 0.475 of the anchors is positive; both classes have attraction 1, and the negatives of (3) are at 0.6.
	const share = 0.25 + 0.75*oneProb
	limit := share*math.Log(share*own+(1-share)*other) + (1-share)*math.Log((1-share)*own+share*other) - nearby
	measured(t, c.Finding, "classes at cosine 0.6, PUCL: bias as the batch grows without limit", limit, 1e-14)
	// DCL subtracts 0.3e from the means.
	log := func(mean float64) float64 { return math.Log((mean - oneProb*math.E) / (1 - oneProb)) }
	limit = share*log(share*own+(1-share)*other) + (1-share)*log((1-share)*own+share*other) - nearby
	measured(t, c.Finding, "classes at cosine 0.6, DCL: bias as the batch grows without limit", limit, 1e-14)
	// At ±1, γ = 1: the number of positives among the unlabeled ones has variance 0.21 u, and g = 1/e + (e − 1/e)·(its
	// fraction − 0.3)/0.7 above 1/e.
	deviation := (math.E - 1/math.E) / (1 - oneProb) * math.Sqrt(2*oneProb*(1-oneProb))
	measured(t, c.Finding, "the same: a", oneProb*deviation*math.E/math.Sqrt(2*math.Pi), 1e-14)
}

func TestPUDebiasedPrior(t *testing.T) {
	c := checkAs(t, Holds, PUDebiasedPrior())
	near(t, "k", c.Number.Value, 1-nearby+oneProb/(1-oneProb)*(math.Exp(1-nearby)-1), 1e-14)
	limit, _ := debiasedPriorLimit(debiasedCases()[0].world, oneProb, oneProb, 1)
	near(t, "told the true prior", limit, 0, 1e-15)
}

func TestPUDebiasedError(t *testing.T) {
	c := checkAs(t, Holds, PUDebiasedError())
	// To first order, one more positive among the unlabeled examples changes the loss like an error of the prior.
	slope := 1 - nearby + oneProb/(1-oneProb)*(math.Exp(1-nearby)-1)
	measured(t, c.Finding, "classes at cosine 0.6: v", 4.0/3*oneProb*(1-oneProb)*slope*slope, 1e-14)
	few, many := c.Number.Value, value(t, c.Finding, "positives between two negatives: b*")
	expect.That(t, few < 5 && many > 100, "PU-debiased is nearer from %g and from %g examples on", few, many)
}

// Labeled anchors are positive also if the unlabeled examples contain no positive, or only positives.
func TestDebiasedMeanAtExtremePriors(t *testing.T) {
	o := pucl.PUDebiased(0.2)
	o.Name = "PU-debiased, π = 0.2"
	m := metersOf(t, o)[0]
	for _, prior := range []float64{0, 1} {
		d := theory.Design{Labeled: 2, Unlabeled: 2, Prior: prior}
		r := expect.Must(m.Exact(TwoPoints(), d))(t)
		mean := expect.Must(DebiasedMean(TwoPoints(), d, 0.2, 1))(t)
		near(t, fmt.Sprintf("π = %g", prior), mean, r.Loss.Mean.Value, 1e-12)
	}
}

func TestDebiasedMeanRefuses(t *testing.T) {
	for what, tt := range map[string]struct {
		design theory.Design
		told   float64
	}{
		"one labeled":     {theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.5}, 0.5},
		"all labeled":     {theory.Design{Labeled: 2, Prior: 0.5}, 0.5},
		"identical views": {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5, SameView: theory.IdenticalViews}, 0.5},
		"one data set":    {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.5}, 0.5},
		"told 1":          {theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.5}, 1},
	} {
		_, err := DebiasedMean(TwoPoints(), tt.design, tt.told, 1)
		wantError(t, what, err, "case-control", "two labeled examples or more")
	}
	wantError(t, "no batch", expect.Err(DebiasedMean(TwoPoints(), theory.Design{}, 0.5, 1)), "neither may be negative")
}
