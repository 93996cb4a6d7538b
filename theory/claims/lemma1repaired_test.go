package claims

import (
	"math"
	"math/big"
	"testing"
)

func TestLemma1RepairedVerdict(t *testing.T) {
	c, err := check(t, Lemma1Repaired())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	near(t, "number", c.Number.Value, math.Sqrt(0.81/1000+1.0/8000), 1e-15)
	near(t, "at the best ratio", findMeasured(t, c.Finding, "π = 0.9, n_P = 1929, n_U = 1071: root of the bound"), 1.4/math.Sqrt(3000), 1e-6)
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

func TestBestRatios(t *testing.T) {
	if wrong, tried := bestRatios(whole(2)); wrong != 0 || tried != 20 {
		t.Errorf("%d of %d", wrong, tried)
	}
	if wrong, tried := bestRatios(big.NewRat(1, 1)); wrong != tried {
		t.Errorf("γ = π: %d of %d", wrong, tried)
	}
}
