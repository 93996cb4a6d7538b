package probe

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/risk"
)

// The mean of a thousand times 0.1 is not 0.1, by rounding, and that of many rows is further off. Such a column is still one that never
// changes: its entries become 0, not the ratio of two roundings, and nothing is learned from it.
func TestColumnThatOnlyRoundingVaries(t *testing.T) {
	const n = 1000
	x, truth := cloud(rand.New(rand.NewPCG(3, 3)), n, 0.5, []float64{1, 0})
	for i := range n {
		x.Set(i, 1, 0.1)
	}
	flat, mean, std := standardize(x)
	if mean[1] == 0.1 {
		t.Fatal("the mean is exact; the case below wants one that is rounded")
	}
	vectortest.Near(t, "mean", mean[1], 0.1, 1e-12)
	if std[1] != 1 {
		t.Errorf("the deviation counts as %g, want 1", std[1])
	}
	for i := range n {
		if flat[2*i+1] != 0 {
			t.Fatalf("row %d has %g, want 0", i, flat[2*i+1])
		}
	}
	p := must[*Probe](t)(FitPU(enginetest.Open(t), x, truth, risk.CrossEntropy, Config{}))
	if w := p.Weights.At(0, 1); w != 0 || !(math.Abs(p.Bias[0]) < 1) || !(math.Abs(p.Weights.At(0, 0)) < 4) {
		t.Errorf("weights %v and bias %g, want 2 and 0, and 0", mat.Formatted(p.Weights), p.Bias[0])
	}
}

// However many the rows, a column of equal numbers never changes; nor does one whose numbers differ as 0.1 + 0.2 and 0.3 do, or whose
// deviations have squares that are too small for a float64.
func TestColumnsThatHardlyVary(t *testing.T) {
	const n = 100_000
	x := mat.NewDense(n, 3, nil)
	a, b := 0.1, 0.2
	for i := range n {
		x.SetRow(i, []float64{0.1, 0.3, 0})
		if i%2 == 1 {
			x.SetRow(i, []float64{0.1, a + b, 1e-200})
		}
	}
	if x.At(0, 1) == x.At(1, 1) {
		t.Fatal("the sum is exact; the case below wants one that is rounded")
	}
	flat, _, std := standardize(x)
	for j, deviation := range std {
		if deviation != 1 || flat[j] != 0 || flat[3+j] != 0 {
			t.Errorf("column %d: deviation %g, entries %g and %g; want 1, 0 and 0", j, deviation, flat[j], flat[3+j])
		}
	}
}

// A column that varies by little beside its mean is none that rounding alone varies.
func TestColumnThatVariesLittle(t *testing.T) {
	flat, _, std := standardize(mat.NewDense(2, 1, []float64{1e6, 1e6 + 1e-3}))
	vectortest.Near(t, "deviation", std[0], 1e-3/math.Sqrt2, 1e-9)
	vectortest.Near(t, "first entry", float64(flat[0]), -1/math.Sqrt2, 1e-6)
	vectortest.Near(t, "second entry", float64(flat[1]), 1/math.Sqrt2, 1e-6)
}
