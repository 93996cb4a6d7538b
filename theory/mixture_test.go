package theory

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
)

// On the diagonal stand squared bias plus variance, as the meters of the objectives measure them; beside it what makes the
// error of the sum.
func TestSquaredErrors(t *testing.T) {
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0.5})}
	d := Design{Labeled: 2, Unlabeled: 1, Prior: 0.4}
	parts := []pucl.Part{{Weight: 0.3, Objective: pucl.PUDebiased(0.4)}, {Weight: 0.7, Objective: pucl.SCL()}}
	m, err := NewErrorMeter(eng, []pucl.Objective{parts[0].Objective, parts[1].Objective}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	loss, gradient, err := m.SquaredErrors(world, d)
	if err != nil {
		t.Fatal(err)
	}
	mixed := func(m *mat.SymDense) float64 {
		return 0.09*m.At(0, 0) + 0.49*m.At(1, 1) + 0.42*m.At(0, 1)
	}
	for _, tt := range []struct {
		o              pucl.Objective
		loss, gradient float64
	}{
		{parts[0].Objective, loss.At(0, 0), gradient.At(0, 0)},
		{parts[1].Objective, loss.At(1, 1), gradient.At(1, 1)},
		{pucl.WeightedSum("mixed", parts...), mixed(loss), mixed(gradient)},
	} {
		one, err := NewMeter(eng, tt.o, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		r, err := one.Exact(world, d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, tt.o.Name+", loss", tt.loss, r.Loss.Variance.Value+r.Bias.Value*r.Bias.Value, 1e-12)
		covariance, err := one.GradientCovariance(world, d)
		if err != nil {
			t.Fatal(err)
		}
		bias, err := one.GradientBias(world, d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, tt.o.Name+", gradient", tt.gradient, mat.Trace(covariance)+bias*bias, 1e-12)
	}
}

// No other weights that add up to 1 do better than the best ones.
func TestBestMixture(t *testing.T) {
	m := mat.NewSymDense(3, []float64{2, 1, 0.5, 1, 3, -0.5, 0.5, -0.5, 1})
	weights, least, err := BestMixture(m)
	if err != nil {
		t.Fatal(err)
	}
	of := func(w []float64) float64 { v := mat.NewVecDense(3, w); return mat.Inner(v, m, v) }
	near(t, "sum", weights[0]+weights[1]+weights[2], 1, 1e-15)
	near(t, "error", of(weights), least, 1e-15)
	for k := range 12 {
		angle := 2 * math.Pi * float64(k) / 12
		x, y := 0.01*math.Cos(angle), 0.01*math.Sin(angle)
		if other := of([]float64{weights[0] + x, weights[1] + y, weights[2] - x - y}); !(other > least) {
			t.Errorf("moved by %g and %g the error is %g, not above %g", x, y, other, least)
		}
	}
	_, _, err = BestMixture(mat.NewSymDense(2, []float64{1, 1, 1, 1}))
	wantError(t, "the same objective twice", err, "no one best mixture", "leave out")
	_, _, err = BestMixture(mat.NewSymDense(2, []float64{1, 1, 1, 1 + 1e-14}))
	wantError(t, "the same objective but for rounding", err, "no one best mixture")
	_, _, err = BestMixture(mat.NewSymDense(2, []float64{0, 0, 0, 1}))
	wantError(t, "one without errors", err, "without any error")
	_, _, err = BestMixture(&mat.SymDense{})
	wantError(t, "nothing", err, "no one best mixture")
}

func TestErrorMeterRefuses(t *testing.T) {
	_, err := NewErrorMeter(openEngine(t), nil, 1)
	wantError(t, "no objectives", err, "no objectives")
	_, err = NewErrorMeter(nil, []pucl.Objective{pucl.SSCL()}, 1)
	wantError(t, "no engine", err, "engine.Open")
	_, err = NewErrorMeter(openEngine(t), []pucl.Objective{pucl.SSCL()}, 0)
	wantError(t, "τ", err, "τ = 0")
	broken := pucl.SSCL()
	broken.Attract = pucl.Scale(math.Inf(1), broken.Attract)
	m, err := NewErrorMeter(openEngine(t), []pucl.Objective{broken}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	world := Population{Positive: Uniform([]float64{1}), Negative: Uniform([]float64{-1})}
	_, _, err = m.SquaredErrors(world, Design{Unlabeled: 2, Prior: 0.5})
	wantError(t, "infinite", err, `"ssCL"`, "not finite")
	m.MaxBatches = 1
	_, _, err = m.SquaredErrors(world, Design{Unlabeled: 2, Prior: 0.5})
	wantError(t, "too many batches", err, "more than the 1 ", "MaxBatches")
	_, _, err = m.SquaredErrors(world, Design{})
	wantError(t, "no batch", err, "neither may be negative")
	if strings.Contains(err.Error(), "panic") {
		t.Error(err)
	}
}
