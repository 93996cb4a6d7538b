package claims

import (
	"math"
	"testing"
)

func TestLPosLimitRepairedVerdict(t *testing.T) {
	c, err := LPosLimitRepaired().Check(nil)
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	near(t, "number", c.Number.Value, math.Log(1.25)/2, 1e-14)
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

func TestLPosMutualInformationRepairedVerdict(t *testing.T) {
	c, err := LPosMutualInformationRepaired().Check(nil)
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// Classes at ±1, balanced, e^(1/τ) = 2: q(c|x) of the own class is 2/(2 + ½) = 4/5 with N = 1, and 2/(2 + 2·½) = 2/3 with N = 2, where
// that of the other class is ½/(½ + 4) = 1/9.
func TestLPosBoundByHand(t *testing.T) {
	for n, want := range map[float64]float64{1: math.Log(2 * 4.0 / 5), 2: math.Log(2 * (2.0 / 3) / (2.0/3 + 1.0/9))} {
		got, err := LPosBound(TwoPoints(), 0.5, halfTau, func(float64) float64 { return n })
		if err != nil {
			t.Fatal(err)
		}
		near(t, "bound", got, want, 1e-14)
	}
	_, err := LPosBound(TwoPoints(), 1, 1, func(float64) float64 { return 1 })
	wantError(t, "one class", err, "π = 1")
}
