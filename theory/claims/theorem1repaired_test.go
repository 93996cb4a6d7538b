package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestTheorem1RepairedVerdict(t *testing.T) {
	c, err := check(t, Theorem1Repaired())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Holds || !strings.Contains(c.Explain(), "**Proof.**\n\n1. A loss is") {
		t.Errorf("%s", c)
	}
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
		if err != nil || math.IsNaN(limit+rate) {
			t.Errorf("%g, %g, %v", limit, rate, err)
		}
	}
	// All labeled: Z/2b is e, that of the ideal loss 1/e; both attract by 1. δ = −e there; here e − 2/e, of 1/e.
	limit, rate, _ := Theorem1Limit(TwoPoints(), theory.Design{Labeled: 3, Prior: 0.5}, 1)
	near(t, "limit", limit, 2, 1e-14)
	near(t, "rate", rate, -0.5-(math.E*math.E-2)/2, 1e-13)
	_, _, err := Theorem1Limit(TwoPoints(), theory.Design{}, 1)
	wantError(t, "no batch", err, "neither may be negative")
}
