package claims

import (
	"math"
	"slices"
	"testing"
)

// Labels at ±3 and a point at 4: the ratios are those of the exact potentials; the rounds do not mend the seeding, k-means++ needs none.
func TestSeedingRatios(t *testing.T) {
	o, err := LabelsApart(3).Outcome()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "settled", o.SettledRatio(), decimal(over(o.Settled.Free, o.Optimal)), 1e-15)
	near(t, "k-means++", o.PlusPlusRatio(), decimal(over(o.PlusPlus, o.Optimal)), 1e-15)
	if o.PlusPlusRatio() > 5 || o.SettledRatio() <= 16 {
		t.Errorf("ratios %g and %g", o.PlusPlusRatio(), o.SettledRatio())
	}
}

func TestLeastPlacements(t *testing.T) {
	if got := leastPlacements([]float64{2, 1, 1 + 1e-12, 1.1}); !slices.Equal(got, []bool{false, true, true, false}) {
		t.Error(got)
	}
}

// With one point a class nothing is random but the mean over all data, and with one draw of it everything is by hand: π = ½,
// points ±1 and e^(1/τ) = 2, so that the mean is 2 or ½, the debiased one 2·mean − 2 or its floor ½, and the true one ½.
func TestDCLGap(t *testing.T) {
	p := TwoPoints()
	got, err := DCLGap(p, 0.5, halfTau, 1, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(mean float64) float64 { return math.Log1p(mean / 2) }
	near(t, "gap", got, (loss(2)+loss(0.5))/2-loss(0.5), 1e-12)
	_, err = DCLGap(p, 0.5, 0, 1, 1, 1)
	wantError(t, "temperature", err, "τ = 0")
}
