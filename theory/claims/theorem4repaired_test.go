package claims

import (
	"math/big"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestTheorem4RepairedVerdict(t *testing.T) {
	c, err := check(t, Theorem4Repaired())
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// Two unlabeled examples of identical views, π = ½: P is 0, 1, 2 with probability ¼, ½, ¼, and f(2) = 4/3.
func TestTheorem4Supervised(t *testing.T) {
	positive, negative := Theorem4Supervised(theory.Design{Unlabeled: 2, Prior: 0.5, SameView: theory.IdenticalViews})
	near(t, "C_P", positive, 1.0/6, 1e-15)
	near(t, "C_N", negative, 1.0/6, 1e-15)
	d := theory.Design{Labeled: 3, Prior: 0.5, SameView: 0.5}
	positive, negative = Theorem4Supervised(d)
	near(t, "C_P without unlabeled examples", positive, Theorem4Factor(d), 1e-15)
	near(t, "C_N without unlabeled examples", negative, 0, 0)
	if broken, even, cases := supervisedGrid(whole(1), whole(1)); broken > 0 || even == 0 || cases == 0 {
		t.Errorf("%d of %d broken, %d equal", broken, cases, even)
	}
	if broken, _, _ := supervisedGrid(big.NewRat(65, 64), whole(1)); broken == 0 {
		t.Error("a larger κ is not noticed")
	}
}

func TestTheorem4VarianceVerdict(t *testing.T) {
	c, err := check(t, Theorem4Variance())
	if err != nil || c.Verdict != Holds || !(c.Number.Value > 0 && c.Number.Value < 1) {
		t.Fatalf("%s, %v", c, err)
	}
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
}

// PUCL against itself: nothing between the covariances, and nothing between the means.
func TestCovarianceGapOfOneObjective(t *testing.T) {
	again := pucl.PUCL()
	again.Name = "PUCL again"
	meters := metersOf(t, pucl.PUCL(), again)
	c := contrastCase{randomPlanes(1, 3)[0], theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}}
	gap, traces := covarianceGap(meters, c)
	near(t, "eigenvalue", theory.LeastEigenvalue(gap), 0, 1e-15)
	near(t, "traces", traces[0]-traces[1], 0, 0)
	near(t, "distance", distance(meters, c), 0, 0)
}
