package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestTheorem2UnbiasedVerdict(t *testing.T) {
	c, err := check(t, Theorem2Unbiased())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Fails || c.Corrected == "" || !strings.Contains(c.Sentence, "6 of 30") {
		t.Errorf("%s; corrected: %s", c, c.Corrected)
	}
	smallest := math.Log(3/(1+2*math.Exp(-2))) / 2 // as in TestTheorem1Verdict: here SCL-PU, PUCL and ssCL are one
	near(t, "number", c.Number.Value, smallest, 1e-14)
	// With α = 3/4 a positive anchor meets (3e + e⁻¹)/4, a negative one (e + 3e⁻¹)/4, an ideal one e⁻¹.
	limit := 0.75*math.Log(0.75*math.E+0.25/math.E) + 0.25*math.Log(0.25*math.E+0.75/math.E) + 1
	for name, want := range map[string]float64{
		"classes at ±1, m = 1, u = 1: bias of ssCL":                                       smallest,
		"classes at ±1, m = 0, u = 2: bias of PUCL":                                       smallest,
		"classes at ±1, m = 0, u = 1: bias of PUCL":                                       0,
		"classes at ±1, γ = 1: bias in the limit of large batches":                        limit,
		"of these, cases without labeled examples":                                        6,
		"cases of 30 whose loss has the claimed bias":                                     0,
		"m = u = 1: least distance to an ideal loss with any N (at N = 7)":                math.Log(3*(1+2*math.Exp(-2)))/2 - math.Log(1+7*math.Exp(-2)),
		"single data set with a random number of labels: largest |E α − π|, in rationals": 0,
	} {
		near(t, name, findMeasured(t, c.Finding, name), want, 1e-12)
	}
	near(t, "extrapolated bias", findMeasured(t, c.Finding,
		"classes at ±1, γ = 1: bias extrapolated from batches of 8 and 16, the rest fading like 1/b"), limit, 0.03)
	last := 0.0
	for _, name := range []string{"2", "4", "8", "16"} {
		bias := findMeasured(t, c.Finding, "classes at ±1, γ = 1, batch of "+name+": bias of PUCL")
		if !(bias > last && bias < limit) {
			t.Errorf("bias of a batch of %s is %g after %g; it should grow towards %g", name, bias, last, limit)
		}
		last = bias
	}
}

func TestTheorem2AttractionAgainstLoops(t *testing.T) {
	world := randomPlanes(2, 8)[0]
	for _, d := range []theory.Design{
		{Labeled: 2, Unlabeled: 1, Prior: 0.2}, {Unlabeled: 2, Prior: 0.6},
		{Labeled: 2, Unlabeled: 1, Prior: 0.6, Scheme: theory.SingleDataset, LabelRate: 0.5},
	} {
		got, err := Theorem2Attraction(world, d, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		_, ideal := loopIdeal(world, d.Prior, 0, 0.5)
		for _, name := range []string{"ssCL", "PUCL"} {
			near(t, name, got, loopStudy(world, d, 0.5, loopRules[name]).mean[0]-ideal, 1e-12)
		}
	}
}

// The verdict follows the numbers: the bias that loops find is a claim that holds.
func TestTheorem2UnbiasedVerdictFollowsTheNumbers(t *testing.T) {
	// The mean losses of ssCL and PUCL are the same under independent views; ssCL's loops are used for both.
	f := theorem2UnbiasedFinding(&subject{eng: openEngine(t)}, func(p theory.Population, d theory.Design, tau float64) (float64, error) {
		ideal, _ := loopIdeal(p, d.Prior, d.Negatives(), tau)
		return loopStudy(p, d, tau, loopRules["ssCL"]).mean[2] - ideal, nil
	})
	if f.Verdict != Holds || f.Counterexample != "" {
		t.Errorf("%s: %s", f.Verdict, f.Sentence)
	}
}
