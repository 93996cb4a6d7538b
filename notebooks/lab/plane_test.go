package lab

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// All points lie within the axes.
func TestPlane(t *testing.T) {
	p := Plane("Two points", mat.NewDense(2, 2, []float64{-3, 1, 4, -2}), []bool{true, false})
	if p.Title.Text != "Two points" || !(p.X.Min <= -3 && p.X.Max >= 4 && p.Y.Min <= -2 && p.Y.Max >= 1) {
		t.Errorf("%q from %g to %g and %g to %g", p.Title.Text, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}
