package pucl

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
)

// extremes are batches of five examples in two views that break losses written carelessly.
func extremes(tau float64) map[string]sample {
	all := map[string]sample{}
	for pattern, p := range batches {
		all[p.name] = draw(pattern, 2, tau)
	}
	zeros := draw(0, 2, tau)
	for _, i := range []int{0, 2, 5} { // both views of the first example, one of the third
		zeros.z[i] = make([]float64, 3)
	}
	all["zero rows"] = zeros
	onlyZeros := draw(0, 2, tau)
	for i := range onlyZeros.z {
		onlyZeros.z[i] = make([]float64, 3)
	}
	all["only zero rows"] = onlyZeros
	sizes := draw(0, 2, tau)
	for k := range 3 {
		sizes.z[1][k] *= 1e-30
		sizes.z[8][k] *= 1e30
	}
	all["tiny and huge rows"] = sizes
	constant := draw(3, 2, tau)
	for i := range constant.z {
		constant.z[i] = []float64{1, -2, 3}
	}
	all["constant rows"] = constant
	return all
}

// At τ = 0.01 similarities reach ±100, where float32 holds them to some 1e-5 and exponentials overflow. The cosine of unit
// rows is off by a few roundings of 2⁻²⁴, so a similarity, and with it a loss, by a few times 2⁻²⁴/τ: 32 of them are allowed,
// 2e-4. Losses that do not divide by τ are allowed the same.
func TestFloat32AtTinyTemperature(t *testing.T) {
	const tau = 0.01
	c := scorer{views: 2, tau: tau, dtype: dtypes.Float32}
	for name, s := range extremes(tau) {
		for _, row := range s.z {
			for k, x := range row {
				row[k] = float64(float32(x))
			}
		}
		for _, got := range c.score(t, s) {
			what := got.objective.Name + ", " + name
			if want := got.reference(s); !(math.Abs(got.value-want) <= 32*0x1p-24/tau) {
				t.Errorf("%s = %.9g, want %.9g", what, got.value, want)
			}
			checkFinite(t, what, got.grad)
		}
	}
}

func TestBFloat16(t *testing.T) {
	c := scorer{views: 2, tau: 0.5, dtype: dtypes.BFloat16}
	for name, s := range extremes(0.5) {
		for _, row := range s.z {
			for k, x := range row {
				row[k] = float64(bfloat16.FromFloat32(float32(x)).Float32())
			}
		}
		for _, got := range c.score(t, s) {
			what := got.objective.Name + ", " + name
			near(t, what, got.value, got.reference(s), 2e-6) // the rows are exact, the loss is worked out in float32
			checkFinite(t, what, got.grad)
		}
	}
}

func checkFinite(t *testing.T, what string, grad [][]float64) {
	t.Helper()
	for i, row := range grad {
		for _, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s: gradient of row %d is %v", what, i, row)
			}
		}
	}
}
