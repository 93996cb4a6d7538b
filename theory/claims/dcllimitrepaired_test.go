package claims

import (
	"math"
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestDCLLimitRepairedVerdict(t *testing.T) {
	c, err := DCLLimitRepaired().Check(nil)
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
	// At (1, 0) the mean over v is 2 or 1 and g = 2 + 1.5 − v, so 1.5 or 2.5 for 2; at (0, 1) v is 1 or 2 and g is ½ or 1½ for 1.
	log := func(g, e float64) float64 { return math.Log1p(g / e) }
	first := (log(1.5, 2)+log(2.5, 2)+log(1.5, 1)+log(2.5, 1))/4 - (log(2, 2)+log(2, 1))/2
	second := (log(0.5, 1)+log(1.5, 1)+log(0.5, 2)+log(1.5, 2))/4 - (log(1, 1)+log(1, 2))/2
	near(t, "left at M = 1", c.Number.Value, (first+second)/4, 1e-12) // half of the anchors are negatives, for which v is constant
}

// At M = 1 nothing is left of a population that the floor lifts as much as Jensen's inequality lowers it, though s(x, ·) is not
// constant on p⁺ and the mean over negatives, 1 at every anchor, lies above the floor, ½. From some M on something is.
func TestDCLLimitAtAFewPositives(t *testing.T) {
	w := world{dclFloored(), dclEvenPrior()}
	near(t, "above the floor", w.meanOver(halfTau, func(a theory.Anchor) float64 { return theory.MeanExp(a.Other) }), 1, 1e-12)
	left := func(m int) float64 {
		return dclLimitDifference(w, dclSchedule{m: always(m), q: weightOne}, halfTau, debiasedMean)
	}
	near(t, "left at M = 1", left(1), 0, 1e-12)
	if rate := dclRate(w, halfTau); !(rate > 0.01) || !(left(64) < -rate/128) {
		t.Errorf("w = %g, left at M = 64: %g", rate, left(64))
	}
	for _, side := range []float64{0.1, 0.9} {
		if gap, err := DCLOnePositiveGap(dclFloored(), side, halfTau, 1); err != nil || (gap < 0) != (side < 0.5) {
			t.Errorf("π = %g: %g, %v", side, gap, err)
		}
	}
}

// The classes of onePoint have nothing that varies.
func TestDCLRateOfOnePoint(t *testing.T) {
	near(t, "w", dclRate(onePoint(), 1), 0, 0)
	if aboveFloor(world{TwoPoints(), 0.5}, 1) {
		t.Error("of opposite points the mean over negatives is the floor")
	}
}
