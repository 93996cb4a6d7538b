package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

// Four rows far from 0 have the clusters of the same rows near 0, and so have rows beyond the range of float32.
func TestRowsFarFromZero(t *testing.T) {
	for _, at := range []struct{ offset, scale float64 }{
		{0, 1}, {1e6, 1}, {1e9, 1}, {1.7e9, 1}, {-1e12, 1}, {1e15, 1}, {0, 0x1p-500}, {0, 0x1p+500}, {0x1p+540, 0x1p+500},
	} {
		x := mat.NewDense(4, 1, []float64{0, 31, 33, 34})
		x.Apply(func(_, _ int, v float64) float64 { return v*at.scale + at.offset }, x)
		p := expect.Must(KMeans{K: 2, Seed: 1, Restarts: 5}.Fit(Dense(x)))(t)
		expect.Equal(t, p.Counts[p.Labels[1]], 3, "%v: labels %v", at, p.Labels)
		center := (p.Centers.At(p.Labels[1], 0) - at.offset) / at.scale
		expect.Near(t, center, 98.0/3, 0.1, "%v", at)
		expect.Near(t, p.Potential, 14.0/3*at.scale*at.scale, 1e-6*at.scale*at.scale, "%v", at)
		given := expect.Must(KMeans{K: 2, Centers: x.Slice(0, 2, 0, 1).(*mat.Dense)}.Fit(Dense(x)))(t)
		expect.Equal(t, given.Labels, []int{0, 1, 1, 1}, "%v", at)
		if at.scale == 1 {
			c := expect.Must(PUPL(x, []bool{true, false, false, false}, Config{Seed: 1}))(t)
			expect.Equal(t, c.Positive, []bool{true, false, false, false}, "%v", at)
			expect.Near(t, c.NegativeCenter[0]-at.offset, 98.0/3, 0.1, "%v", at)
			expect.Near(t, c.Potential, 14.0/3, 1e-12, "%v", at)
		}
	}
}

// Whole numbers keep all digits when a constant is added. The constant must not change the results of k-means, of PUPL
// and of its seeding weights, and neither must an exchange of columns. Scaling each row must not change k-center.
func TestConstantsChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for range 100 {
		n, d := 6+rng.IntN(15), 1+rng.IntN(3)
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(1001)) }, x)
		for j := range d { // equal ranges, so that all columns are far or none is
			x.Set(0, j, 0)
			x.Set(1, j, 1000)
		}
		labeled := make([]bool, n)
		for i := range n / 3 {
			labeled[i] = true
		}
		offset := math.Trunc(rng.NormFloat64() * math.Pow(10, 15*rng.Float64()))
		moved := mat.DenseCopyOf(x)
		moved.Apply(func(i, j int, v float64) float64 { return x.At(i, d-1-j) + offset }, moved)
		want, err := KMeans{K: 2, Seed: 3}.Fit(Dense(x))
		got, failed := KMeans{K: 2, Seed: 3}.Fit(Dense(moved))
		expect.That(t, err == nil && failed == nil, "%v, %v", err, failed)
		if math.Abs(offset) >= 2e6 || math.Abs(offset) < 1e4 { // else float32 rounds the sum of offset and entry
			expect.Near(t, got.Potential, want.Potential, 1e-6*want.Potential+1e-3)
		}
		a, err := PUPL(x, labeled, Config{Seed: 5})
		b, failed := PUPL(moved, labeled, Config{Seed: 5})
		expect.That(t, (err == nil) == (failed == nil), "%v, %v", err, failed)
		if err == nil {
			expect.Near(t, b.Potential, a.Potential, 1e-9*a.Potential)
			expect.Equal(t, b.StartRow, a.StartRow)
		}
		wantWeights, err := SeedingWeights(x, labeled)
		gotWeights, failed := SeedingWeights(moved, labeled)
		expect.That(t, err == nil && failed == nil, "%v, %v", err, failed)
		for i, w := range wantWeights {
			expect.Near(t, gotWeights[i], w, 1e-6)
		}
		for i := range n {
			x.Set(i, 0, x.At(i, 0)+1) // no row is 0
		}
		scaled := mat.DenseCopyOf(x)
		for i := range n {
			scale := math.Ldexp(1, rng.IntN(1800)-900)
			scaled.Apply(func(at, _ int, v float64) float64 {
				if at == i {
					return v * scale
				}
				return v
			}, scaled)
		}
		one, err := KCenter{K: 3}.Choose(Dense(x), nil)
		two, failed := KCenter{K: 3}.Choose(Dense(scaled), nil)
		expect.That(t, err == nil && failed == nil, "%v, %v", err, failed)
		expect.Equal(t, two.Rows, one.Rows)
	}
}
