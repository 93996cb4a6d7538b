package theory

import (
	"fmt"
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
)

// nearGradient holds a gradient against central differences of f, which sees every coordinate of every atom moved alone.
func nearGradient(t *testing.T, what string, got PointGradient, p Population, f func(Population) float64) {
	t.Helper()
	const h = 1e-5
	for class, atoms := range [][]Atom{p.Positive, p.Negative} {
		rows := got.Positive
		if class == 1 {
			rows = got.Negative
		}
		if len(rows) != len(atoms) {
			t.Fatalf("%s: %d rows for %d atoms", what, len(rows), len(atoms))
		}
		for i := range atoms {
			for k, x := range atoms[i].Z {
				step := h * math.Hypot(atoms[i].Z[0], atoms[i].Z[1])
				atoms[i].Z[k] = x + step
				up := f(p)
				atoms[i].Z[k] = x - step
				down := f(p)
				atoms[i].Z[k] = x
				near(t, fmt.Sprintf("%s: class %d, atom %d, coordinate %d", what, class, i, k), rows[i][k], (up-down)/(2*step), 1e-8)
			}
		}
	}
}

func TestGradientAgainstFiniteDifferences(t *testing.T) {
	const tau = 0.5
	for _, tt := range []struct {
		objective pucl.Objective
		design    Design
	}{
		{pucl.PUCL(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.35, SameView: 0.3}},
		{pucl.SCLPU(), Design{Labeled: 2, Unlabeled: 1, Prior: 0.35, Scheme: SingleDataset, LabelRate: 0.5}},
	} {
		p := quartet()
		got, err := meterOf(t, tt.objective, tau).Gradient(p, tt.design)
		if err != nil {
			t.Fatal(err)
		}
		nearGradient(t, tt.objective.Name, got, p, func(p Population) float64 {
			return referenceStudy(p, tt.design, tau, []string{tt.objective.Name}, everyAnchor)[tt.objective.Name].mean[2]
		})
	}
}

// The gradient for an atom tells what moving it alone does, also while another atom lies on the same point.
func TestGradientTellsAtomsOnOnePointApart(t *testing.T) {
	p := quartet()
	p.Negative[1].Z = []float64{2, 0} // where the first positive atom is
	d := Design{Labeled: 1, Unlabeled: 1, Prior: 0.35}
	got, err := meterOf(t, pucl.PUCL(), 0.5).Gradient(p, d)
	if err != nil {
		t.Fatal(err)
	}
	nearGradient(t, "PUCL", got, p, func(p Population) float64 {
		return referenceStudy(p, d, 0.5, []string{"PUCL"}, everyAnchor)["PUCL"].mean[2]
	})
}

func TestIdealGradientAgainstFiniteDifferences(t *testing.T) {
	p := quartet()
	for _, negatives := range []int{0, 4} {
		got, err := IdealGradient(p, 0.35, negatives, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		nearGradient(t, fmt.Sprintf("ideal loss with %d negatives", negatives), got, p, func(p Population) float64 {
			attraction, partition := referenceIdeal(p, 0.35, negatives, 0.5)
			return partition - attraction
		})
	}
}

func TestPointGradientArithmetic(t *testing.T) {
	a := PointGradient{[][]float64{{3, 1}}, [][]float64{{0, 7}, {2, 2}}}
	b := PointGradient{[][]float64{{1, 1}}, [][]float64{{0, 3}, {2, -2}}}
	d := a.Minus(b)
	if d.Positive[0][0] != 2 || d.Negative[0][1] != 4 || d.Negative[1][1] != 4 {
		t.Errorf("%v", d)
	}
	near(t, "norm", d.Norm(), 6, 1e-15) // √(4 + 16 + 16)
}
