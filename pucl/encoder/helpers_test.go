package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// pureGo opens the pure-Go engine, whichever the other tests run on.
func pureGo(t testing.TB) compute.Backend {
	t.Setenv(compute.ConfigEnvVar, "go")
	return expect.Must(engine.Open())(t).Backend
}

// outputs runs a graph once.
func outputs(t *testing.T, backend compute.Backend, graph func(in []*Node) []*Node, in ...any) []*tensors.Tensor {
	t.Helper()
	return expect.Must(CallOnceN(backend, graph, in...))(t)
}

// tensorOf returns numbers as a tensor of the given sizes.
func tensorOf(x []float64, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(x, dims...)
}

// sizeOf returns how many numbers a tensor of the given sizes holds.
func sizeOf(dims []int) int { return float32s(dims...).Size() }

// normals returns n numbers drawn from the standard normal distribution.
func normals(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

// numbers returns the numbers of a tensor of float32 or float64.
func numbers(x *tensors.Tensor) []float64 {
	if x.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](x)
	}
	var out []float64
	for _, a := range tensors.MustCopyFlatData[float32](x) {
		out = append(out, float64(a))
	}
	return out
}

// near compares all numbers of a tensor with those of a reference, allowing tol·max(1, |want|).
func near(t *testing.T, what string, got *tensors.Tensor, want []float64, tol float64) {
	t.Helper()
	flat := numbers(got)
	expect.Require(t, len(flat) == len(want), "%s: %d numbers, want %d", what, len(flat), len(want))
	for i, w := range want {
		expect.Require(t, math.Abs(flat[i]-w) <= tol*max(1, math.Abs(w)), "%s: number %d is %g, want %g", what, i, flat[i], w)
	}
}

// slopes returns the central differences of f by each number of x.
func slopes(x []float64, h float64, f func() float64) []float64 {
	out := make([]float64, len(x))
	for i, was := range x {
		x[i] = was + h
		up := f()
		x[i] = was - h
		out[i] = (up - f()) / (2 * h)
		x[i] = was
	}
	return out
}

// largest returns the greatest absolute value.
func largest(x []float64) (most float64) {
	for _, a := range x {
		most = max(most, math.Abs(a))
	}
	return most
}
