package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/pucl/risk"
)

func TestLemma1(t *testing.T) {
	c, err := check(t, Lemma1())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Corrected == "" || !strings.Contains(c.Counterexample, "γ = 0.5 ≤ 0.8") {
		t.Errorf("%s; corrected %q, counterexample %q", c, c.Corrected, c.Counterexample)
	}
	near(t, "number", c.Number.Value, math.Sqrt(0.81/1000+0.25/2000), 1e-15)
	for name, want := range map[string]float64{
		// γ = 1, ¼, ½ and 1 against π − ½ = −0.4, −0.2, 0, 0.1, 0.25, 0.4, 0.45, doubled.
		"γ ≤ 2π − 1: cases of π, n_P and n_U":                                       6,
		"γ > 2π − 1: cases":                                                         22,
		"cases of π and γ":                                                          144,
		"cases in which the expected share of wrong labels is π/(1+γ)":              144,
		"cases in which that share is ½ or more exactly if γ ≤ 2π − 1":              144,
		"cases below it with half of the positives mislabeled or fewer":             0,
		"largest difference of the risks of a pair below the threshold":             0.3, // π = 0.6 and 0.9 at γ = 1/10
		"largest difference of the risks of a pair above it":                        0.8, // π = 0.1 and 0.9 at γ ≥ 1
		"n_P = 1000, n_U = 2000, π = 0.9: root of π²/n_P + 1/(4n_U)":                c.Number.Value,
		"cases above the threshold with more than half of the positives mislabeled": 13,
	} {
		near(t, name, measuredAs(t, c.Finding, name), want, 1e-15)
	}
	for _, name := range []string{"γ ≤ 2π − 1: largest variance, as a share of π²/n_P + 1/(4n_U)", "γ > 2π − 1: largest " +
		"variance, as a share of π²/n_P + 1/(4n_U)"} {
		if share := measuredAs(t, c.Finding, name); !(share > 0.05 && share < 1) {
			t.Errorf("%s = %g", name, share)
		}
	}
	_, err = Lemma1().Check(nil)
	wantError(t, "no engine", err, "no engine")
}

// An estimate that is biased refutes nothing, and proves nothing either.
func TestLemma1VerdictFollowsTheNumbers(t *testing.T) {
	f := lemma1Finding(&subject{eng: openEngine(t)}, func(float64) risk.Risk { return risk.PN(risk.SigmoidLoss) })
	if f.Verdict != Undecided || math.Abs(f.Number.Value) < 0.01 || f.Corrected != "" {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
}

// One labeled and two unlabeled examples, one logit for each class: the data sets differ in the number k of positives
// among the unlabeled only. With s = σ(t) the sigmoid losses are 1−s for the right label and s for the wrong one.
func TestRiskWorldByHand(t *testing.T) {
	const prior, logit = 0.9, 1.0
	world := RiskWorld{Positive: []LogitAtom{{logit, 1}}, Negative: []LogitAtom{{-logit, 1}}, Labeled: 1, Unlabeled: 2}
	uPU := func(prior float64) risk.Risk { return risk.UPU(prior, risk.SigmoidLoss) }
	measured, err := world.Measure(openEngine(t), uPU, 0.2, prior)
	if err != nil {
		t.Fatal(err)
	}
	m := measured[1]
	s := 1 / (1 + math.Exp(-logit))
	truth := 1 - s
	mean, square, largest := 0.0, 0.0, 0.0
	for k, p := range []float64{(1 - prior) * (1 - prior), 2 * prior * (1 - prior), prior * prior} {
		estimate := prior*(1-s) + (float64(k)*s+float64(2-k)*(1-s))/2 - prior*s
		mean += p * estimate
		square += p * (estimate - truth) * (estimate - truth)
		largest = max(largest, math.Abs(estimate-truth))
	}
	near(t, "prior", m.Prior, prior, 0)
	near(t, "risk", m.Risk, truth, 1e-14)
	near(t, "mean", m.Mean, truth, 1e-14)
	near(t, "mean by hand", mean, truth, 1e-14)
	near(t, "variance", m.Variance, square, 1e-14)
	near(t, "formula", m.Formula, prior*(1-prior)*(2*s-1)*(2*s-1)/2, 1e-14) // the labeled one never varies
	near(t, "largest error", m.Largest, largest, 1e-14)
	near(t, "probability", m.Total, 1, 1e-14)
	for what, broken := range map[string]RiskWorld{
		"0 labeled":            {Positive: world.Positive, Negative: world.Negative, Unlabeled: 1},
		"at most 6":            {Positive: world.Positive, Negative: world.Negative, Labeled: 3, Unlabeled: 4},
		"0 negative logits":    {Positive: world.Positive, Labeled: 1, Unlabeled: 1},
		"probabilities add up": {Positive: []LogitAtom{{1, 0.5}}, Negative: world.Negative, Labeled: 1, Unlabeled: 1},
		"must not be negative": {Positive: []LogitAtom{{1, 1.5}, {2, -0.5}}, Negative: world.Negative, Labeled: 1,
			Unlabeled: 1},
		"must be a finite": {Positive: []LogitAtom{{math.NaN(), 1}}, Negative: world.Negative, Labeled: 1, Unlabeled: 1},
	} {
		_, err := broken.Measure(openEngine(t), uPU, prior)
		wantError(t, what, err, what)
	}
	_, err = world.Measure(openEngine(t), uPU, 1.5)
	wantError(t, "prior", err, "1.5")
}
