package claims

import (
	"math"
	"testing"
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

// The classes of onePoint have nothing that varies.
func TestDCLRateOfOnePoint(t *testing.T) {
	near(t, "w", dclRate(onePoint(), 1), 0, 0)
	if aboveFloor(world{TwoPoints(), 0.5}, 1) {
		t.Error("of opposite points the mean over negatives is the floor")
	}
}
