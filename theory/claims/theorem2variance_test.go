package claims

import (
	"math/big"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestTheorem2VarianceVerdict(t *testing.T) {
	c, err := check(t, Theorem2Variance())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Fails || !strings.Contains(c.Sentence, "Δσ ≥ 0 is right") ||
		!strings.Contains(c.Corrected, "ζ₂") || !strings.Contains(c.Counterexample, "4/27") {
		t.Errorf("%s; corrected: %s; counterexample: %s", c, c.Corrected, c.Counterexample)
	}
	near(t, "number", c.Number.Value, 27.0/8, 1e-13)
	for name, want := range map[string]float64{
		"cases with Δσ < 0":                                                                  0,
		"signs, m = 2, u = 1: Δσ of the loss (18 batches)":                                   4.0 / 27,
		"cases of 16 where Δσ is the formula, n_PL = labeled examples, m":                    4, // those with m = 1, where both are 0
		"cases of 16 where Δσ is the formula, n_PL = labeled rows, 2m":                       0,
		"signs: Δσ of one labeled anchor's attraction, m = 2":                                2.0 / 3,
		"positives at −1 with probability 1/4: Δσ of one labeled anchor's attraction, m = 2": 2.0 / 3 * (15.0/16 - 3.0/16),
		// Of identical signs ssCL's attraction does not vary; of PUCL's labeled anchors 2 of 3 pairs are of different examples,
		// all with the same sign, so the batch mean varies by (2/3 · 2/3)².
		"signs, m = 2, u = 1, views the same with probability 1: Δσ of the attraction": -16.0 / 81,
	} {
		near(t, name, findMeasured(t, c.Finding, name), want, 1e-12)
	}
	if loss := findMeasured(t, c.Finding, "signs, m = 2, u = 1, views the same with probability 1: Δσ of the "+
		"loss"); loss > -0.04 {
		t.Errorf("identical views: Δσ of the loss is %g", loss)
	}
}

// The exact gap against loops over all batches, for attraction and loss.
func TestTheorem2GapAgainstLoops(t *testing.T) {
	world := randomPlanes(2, 8)[0]
	v, _, err := world.PairVariance(0.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []theory.Design{
		{Labeled: 2, Unlabeled: 1, Prior: 0.3},
		{Labeled: 3, Unlabeled: 1, Prior: 0.6},
		{Labeled: 1, Unlabeled: 2, Prior: 0.3},
		{Unlabeled: 2, Prior: 0.5},
	} {
		own, all := loopStudy(world, d, 0.5, loopRules["ssCL"]), loopStudy(world, d, 0.5, loopRules["PUCL"])
		near(t, "Δσ of the attraction", Theorem2Gap(v, d), own.variance[0]-all.variance[0], 1e-12)
		near(t, "Δσ of the loss", Theorem2Gap(v, d), own.variance[2]-all.variance[2], 1e-12)
	}
}

// One pair of two signs is ±1, variance 1; of two examples the own pairs are two separate ones, variance 1/2. The sum over
// all six pairs of four signs is ((Σ)² − 4)/2, which is 6, 0, −2 with probability 1/8, 1/2, 3/8: the mean varies by 1/6.
func TestSignVariances(t *testing.T) {
	separate, all := signVariances(2)
	if separate.Cmp(big.NewRat(1, 2)) != 0 || all.Cmp(big.NewRat(1, 6)) != 0 {
		t.Errorf("separate %s, all %s", separate.RatString(), all.RatString())
	}
}

// The verdict follows the numbers.
func TestTheorem2VarianceVerdictFollowsTheNumbers(t *testing.T) {
	f := theorem2VarianceFinding(&subject{eng: openEngine(t)}, func(v theory.PairVariance, d theory.Design, _ int) float64 {
		m, b := float64(d.Labeled), float64(d.Examples())
		return 2 * m * (m - 1) / ((2*m - 1) * b * b) * (v.Total - 2*v.Linear)
	})
	if f.Verdict != Holds || f.Counterexample != "" {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
	// A formula that is right, but of gaps that may be negative: identical views, by way of the judge alone.
	theorem2VarianceJudge(&f, []int{0, 0, 0}, 3, 16, 1, signGap{big.NewRat(1, 2), 1, "x"})
	if f.Verdict != Fails || !strings.Contains(f.Sentence, "negative in 3 of 16") {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
}

// Where the second view is the first, the inequality can fail for the whole loss: the loops say so too.
func TestVarianceGapOfIdenticalViews(t *testing.T) {
	c := contrastCase{TwoSigns(), theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5, SameView: theory.IdenticalViews}}
	own, all := loopStudy(c.world, c.design, 1, loopRules["ssCL"]), loopStudy(c.world, c.design, 1, loopRules["PUCL"])
	meters := metersOf(t, pucl.SSCL(), pucl.PUCL())
	attraction, loss := varianceGaps(meters, c)
	near(t, "attraction", attraction, own.variance[0]-all.variance[0], 1e-12)
	near(t, "loss", loss, own.variance[2]-all.variance[2], 1e-12)
}
