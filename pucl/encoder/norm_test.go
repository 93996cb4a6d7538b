package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// normLoops returns batch normalization of rows·channels numbers by its definition.
func normLoops(x, gamma, beta []float64) (y, mean, variance []float64) {
	channels := len(gamma)
	count := float64(len(x) / channels)
	mean, variance, y = make([]float64, channels), make([]float64, channels), make([]float64, len(x))
	for i, a := range x {
		mean[i%channels] += a / count
	}
	for i, a := range x {
		variance[i%channels] += (a - mean[i%channels]) * (a - mean[i%channels]) / count
	}
	for i, a := range x {
		c := i % channels
		y[i] = (a-mean[c])/math.Sqrt(variance[c]+1e-5)*gamma[c] + beta[c]
	}
	return y, mean, variance
}

// Values are compared with loops and gradients with central differences of the loops. The engine's method is tested for
// sizes that are cut into few slices, many slices, a prime number of slices, and not at all; products for numbers of
// rows with and without divisors.
func TestBatchNormAgainstLoops(t *testing.T) {
	type normalize func(x, gamma, beta *Node) (y, mean, variance *Node)
	type tolerances struct{ y, statistics, gradient float64 }
	check := func(backend compute.Backend, dims []int, dtype dtypes.DType, f normalize, tol tolerances) {
		rng := rand.New(rand.NewPCG(1, 9))
		channels, size := dims[len(dims)-1], sizeOf(dims)
		x, gamma, beta, v := normals(rng, size), normals(rng, channels), normals(rng, channels), normals(rng, size)
		floats.AddConst(3, x)
		floats.AddConst(1, gamma)
		out := outputs(t, backend, func(in []*Node) []*Node {
			for i, a := range in {
				in[i] = ConvertDType(a, dtype)
			}
			y, mean, variance := f(in[0], in[1], in[2])
			return append([]*Node{y, mean, variance}, Gradient(ReduceAllSum(Mul(y, in[3])), in[:3]...)...)
		}, tensorOf(x, dims...), gamma, beta, tensorOf(v, dims...))
		slope := func(of []float64) []float64 {
			return slopes(of, 1e-5, func() float64 {
				y, _, _ := normLoops(x, gamma, beta)
				return floats.Dot(y, v)
			})
		}
		y, mean, variance := normLoops(x, gamma, beta)
		for i, tt := range []struct {
			want []float64
			tol  float64
		}{
			{y, tol.y}, {mean, tol.statistics}, {variance, tol.statistics},
			{slope(x), tol.gradient}, {slope(gamma), tol.gradient}, {slope(beta), tol.gradient},
		} {
			near(t, fmt.Sprintf("%v in %s, result %d", dims, dtype, i), out[i], tt.want, tt.tol)
		}
	}
	for _, dims := range [][]int{{9, 3}, {4, 1, 1, 2}, {3, 4, 2}, {2, 7, 7, 3}, {2, 6, 17, 2}, {3, 1, 67, 2}, {2, 16, 16, 2}} {
		check(enginetest.Open(t).Backend, dims, dtypes.Float64, normalizeBatch, tolerances{1e-7, 1e-7, 1e-7})
		check(enginetest.Open(t).Backend, dims, dtypes.Float32, normalizeBatch, tolerances{2e-5, 2e-5, 2e-5})
	}
	for _, dims := range [][]int{{7, 3}, {2, 3, 4, 2}, {128, 1}, {1, 1, 1, 2}} {
		check(pureGo(t), dims, dtypes.Float64, normalizeBatchByProducts, tolerances{1e-11, 1e-13, 1e-6})
	}
}

// ReLU on the pure-Go engine: the gradient passes where the output is positive, however small or large, and NaN stays
// NaN.
func TestReLUOnGo(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	out := outputs(t, pureGo(t), func(in []*Node) []*Node {
		y := ReLU(in[0])
		return []*Node{y, Gradient(ReduceAllSum(MulScalar(y, 5)), in[0])[0]}
	}, []float32{-2, 0, 1e-30, 3, 1e30, -inf, nan})
	for k, want := range [][]float32{{0, 0, 1e-30, 3, 1e30, 0, nan}, {0, 0, 5, 5, 5, 0, nan}} {
		expect.Equal(t, fmt.Sprint(out[k].Value()), fmt.Sprint(want))
	}
}

// A NaN pixel makes its channel NaN, and no other one, in the result and in every gradient.
func TestBatchNormPassesNaN(t *testing.T) {
	x := make([]float32, 2*3*4*2)
	for i := range x {
		x[i] = float32(i * i % 7)
	}
	x[10] = float32(math.NaN()) // channel 0
	out := outputs(t, enginetest.Open(t).Backend, func(in []*Node) []*Node {
		y, _, _ := normalizeBatch(in[0], in[1], in[2])
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, y)), in...)...)
	}, tensors.FromFlatDataAndDimensions(x, 2, 3, 4, 2), []float32{1, 2}, []float32{3, 4})
	for i, result := range out {
		for k, a := range numbers(result) {
			expect.Require(t, math.IsNaN(a) == (k%2 == 0), "result %d, number %d is %g", i, k, a)
		}
	}
}

// Images in bfloat16 with the rest in float32 give the results of float32, to bfloat16's eight bits; statistics keep
// float32's digits.
func TestConvolutionAndNormInBFloat16(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		t.Run(eng.Kind, func(t *testing.T) { checkBFloat16(t, eng) })
	}
}

func checkBFloat16(t *testing.T, eng *engine.Engine) {
	rng := rand.New(rand.NewPCG(3, 1))
	quarters := func(n int, by float32) []float32 { // exact in bfloat16
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.IntN(16)-8) / by
		}
		return x
	}
	x, w := quarters(4*8*7*3, 4), quarters(3*3*3*4, 8)
	out := outputs(t, eng.Backend, func(in []*Node) []*Node {
		step := func(dtype dtypes.DType) []*Node {
			x, w := ConvertDType(in[0], dtype), ConvertDType(in[1], dtype)
			y, mean, variance := normalizeBatch(convolveAsEngine(x, w, 2, 1), in[2], in[3])
			if y.DType() != dtype || mean.DType() != dtypes.Float32 || variance.DType() != dtypes.Float32 {
				panic(fmt.Errorf("%s: results are %s, %s, %s", dtype, y.DType(), mean.DType(), variance.DType()))
			}
			loss := ReduceAllSum(Square(ConvertDType(y, dtypes.Float32)))
			return append([]*Node{ConvertDType(y, dtypes.Float32), mean, variance}, Gradient(loss, in[2:4]...)...)
		}
		return append(step(dtypes.Float32), step(dtypes.BFloat16)...)
	}, tensors.FromFlatDataAndDimensions(x, 4, 8, 7, 3), tensors.FromFlatDataAndDimensions(w, 3, 3, 3, 4),
		[]float32{1, 2, 1.5, 1}, []float32{1, -1, 0.5, 2})
	for i, exact := range out[:5] {
		want, got := numbers(exact), numbers(out[5+i])
		expect.That(t, floats.Distance(got, want, math.Inf(1)) <= 0.02*largest(want) && !floats.HasNaN(got),
			"result %d: %v in bfloat16, %v in float32", i, got, want)
	}
}

// The product of a dense layer and both gradients are compared with plain loops in float64.
func TestProduct(t *testing.T) {
	const n, k, m = 6, 4, 3
	rng := rand.New(rand.NewPCG(7, 7))
	x, w, v := normals(rng, n*k), normals(rng, k*m), normals(rng, n*m)
	out := outputs(t, pureGo(t), func(in []*Node) []*Node {
		y := product(in[0], in[1])
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[2])), in[:2]...)...)
	}, tensorOf(x, n, k), tensorOf(w, k, m), tensorOf(v, n, m))
	y, dx, dw := make([]float64, n*m), make([]float64, n*k), make([]float64, k*m)
	for i := range n {
		for j := range k {
			for l := range m {
				y[i*m+l] += x[i*k+j] * w[j*m+l]
				dx[i*k+j] += v[i*m+l] * w[j*m+l]
				dw[j*m+l] += x[i*k+j] * v[i*m+l]
			}
		}
	}
	for i, want := range [][]float64{y, dx, dw} {
		near(t, fmt.Sprintf("output %d", i), out[i], want, 1e-12)
	}
}

// Products of columns are compared with plain loops, with sums that are and are not cut into a batch, and either factor
// the narrower one.
func TestColumnProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, size := range [][3]int{{1, 2, 3}, {7, 3, 2}, {256, 2, 5}, {768, 5, 4}, {4096, 3, 3}} {
		m, a, b := size[0], size[1], size[2]
		x, y := normals(rng, m*a), normals(rng, m*b)
		got := expect.Must(ExecOnce(pureGo(t), columnProducts, tensorOf(x, m, a), tensorOf(y, m, b)))(t)
		expect.Equal(t, got.Shape().Dimensions, []int{a, b})
		want := make([]float64, a*b)
		for row := range m {
			for k := range want {
				want[k] += x[row*a+k/b] * y[row*b+k%b]
			}
		}
		near(t, fmt.Sprint(size), got, want, 1e-11)
	}
}
