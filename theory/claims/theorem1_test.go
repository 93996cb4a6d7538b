package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
)

func TestTheorem1Verdict(t *testing.T) {
	c := check(t, Theorem1())
	expect.That(t, c.Verdict == Fails && strings.Contains(c.Corrected, "(2u−2)/(2u−1)") &&
		strings.Contains(c.Sentence, "attractions alone"), "%s; corrected: %s", c, c.Corrected)
	// With classes at ±1 two examples of one class give log 3 and two of different classes log(1+2e⁻²), which is the ideal
	// loss as well; half of the batches are of either kind.
	near(t, "number", c.Number.Value, math.Log(3/(1+2*math.Exp(-2)))/2, 1e-14)
	for name, want := range map[string]float64{
		"smallest batch: bias of the loss":                                                        math.Log(3/(1+2*math.Exp(-2))) / 2,
		"smallest batch: printed formula":                                                         -0.5,
		"smallest batch: bias of the attraction":                                                  0,
		"classes at ±1, m = u = 2: bias of the attraction":                                        -0.5 * 2 / 3,
		"classes at ±1, m = u = 8: bias of the attraction":                                        -0.5 * 14 / 15,
		"cases of 20 that agree: attractions alone, ideal anchors mixed as in the batch":          0,
		"cases of 12 that agree: the same, times (2u−1)/(2u−2)":                                   12,
		"single data set, large-batch attraction: cases of 8 that agree with π(1−c)/(1−πc) for π": 8,
	} {
		measured(t, c.Finding, name, want, 1e-12)
	}
}

// The corrected formula against loops over all batches, in both schemes.
func TestTheorem1AttractionAgainstLoops(t *testing.T) {
	world := randomPlanes(2, 8)[1]
	for _, d := range []theory.Design{
		{Labeled: 1, Unlabeled: 1, Prior: 0.2},
		{Labeled: 2, Unlabeled: 2, Prior: 0.6},
		{Unlabeled: 3, Prior: 0.6},
		{Labeled: 2, Prior: 0.3},
		{Labeled: 1, Unlabeled: 2, Prior: 0.6, Scheme: theory.SingleDataset, LabelRate: 0.5},
	} {
		got := expect.Must(Theorem1Attraction(world, d, 0.5))(t)
		_, ideal := loopIdeal(world, d.Prior, 0, 0.5)
		near(t, "bias of the attraction", got, loopStudy(world, d, 0.5, "SCL-PU").Mean[0]-ideal, 1e-12)
	}
	expect.That(t, expect.Err(Theorem1Attraction(theory.Population{}, theory.Design{Unlabeled: 1}, 1)) != nil,
		"no population: no error")
	expect.That(t, expect.Err(Theorem1Printed(theory.Population{}, theory.Design{Unlabeled: 1}, 1)) != nil,
		"no population: no error")
}

// The verdict follows the numbers: what loops find, (5) a loss and (3) the reward that is printed, is a formula that holds.
func TestTheorem1VerdictFollowsTheNumbers(t *testing.T) {
	f := theorem1Finding(onBench(t), func(p theory.Population, d theory.Design, tau float64) (float64, error) {
		if d.Examples() > 4 {
			return 1, nil // beyond the loops; these sizes do not decide
		}
		ideal, _ := loopIdeal(p, d.Prior, d.Negatives(), tau)
		return loopStudy(p, d, tau, "SCL-PU").Mean[2] + ideal, nil
	})
	expect.That(t, f.Verdict == Holds && f.Counterexample == "", "%s: %s", f.Verdict, f.Sentence)
	for _, tt := range []struct {
		agree []int
		want  Verdict
		says  string
	}{
		{[]int{0, 20, 0, 3, 0}, Conditional, "both losses"},
		{[]int{0, 0, 20, 3, 0}, Conditional, "both rewards"},
		{[]int{19, 19, 19, 20, 20}, Fails, "not even between their attractions"},
	} {
		theorem1Judge(&f, tt.agree, 20, false, theorem1Case{}, 1)
		expect.That(t, f.Verdict == tt.want && strings.Contains(f.Sentence, tt.says),
			"%v: %s, %s", tt.agree, f.Verdict, f.Sentence)
	}
}

func TestTheorem1RepairedVerdict(t *testing.T) {
	c := check(t, Theorem1Repaired())
	expect.That(t, c.Verdict == Holds && strings.Contains(c.Explain(), "**Proof.**\n\n1. A loss is"), "%s", c)
	for _, m := range c.Measured {
		if strings.Contains(m.Name, "extra") {
			t.Log(m.Name, m.Value)
		}
	}
	// Of a batch of classes at ±1 three quarters are positive; the ideal partition over 2b is e^−1.
	limit := 0.75*math.Log(0.75*math.E+0.25/math.E) + 0.25*math.Log(0.25*math.E+0.75/math.E) + 1 + 0.5
	near(t, "limit", c.Number.Value, limit, 1e-13)
}

// The limit without anything unlabeled or labeled, and what cannot be a batch.
func TestTheorem1Limit(t *testing.T) {
	for _, d := range []theory.Design{{Labeled: 3, Prior: 0.5}, {Unlabeled: 3, Prior: 0.5}} {
		limit, rate, err := Theorem1Limit(TwoPoints(), d, 1)
		expect.That(t, err == nil && !math.IsNaN(limit+rate), "%g, %g, %v", limit, rate, err)
	}
	// All labeled: Z/2b is e, that of the ideal loss 1/e; both attract by 1. δ = −e there; here e − 2/e, of 1/e.
	limit, rate, _ := Theorem1Limit(TwoPoints(), theory.Design{Labeled: 3, Prior: 0.5}, 1)
	near(t, "limit", limit, 2, 1e-14)
	near(t, "rate", rate, -0.5-(math.E*math.E-2)/2, 1e-13)
	_, _, err := Theorem1Limit(TwoPoints(), theory.Design{}, 1)
	wantError(t, "no batch", err, "neither may be negative")
}
