package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/internal/enginetest"
)

// normLoops is batch normalisation of rows·channels numbers by its definition.
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

// Values against loops and gradients against central differences of the loops, for sizes that are cut into slices in every way:
// not at all, into few, many and a prime number of them.
func TestBatchNormAgainstLoops(t *testing.T) {
	eng := enginetest.Open(t)
	for _, dims := range [][]int{{9, 3}, {4, 1, 1, 2}, {3, 4, 2}, {2, 7, 7, 3}, {2, 6, 17, 2}, {3, 1, 67, 2}, {2, 16, 16, 2}} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 9))
			channels, size := dims[len(dims)-1], 1
			for _, d := range dims {
				size *= d
			}
			draw := func(n int, offset float64) []float64 {
				out := make([]float64, n)
				for i := range out {
					out[i] = offset + rng.NormFloat64()
				}
				return out
			}
			x, gamma, beta, v := draw(size, 3), draw(channels, 1), draw(channels, 0), draw(size, 0)
			exec := MustNewExec(eng.Backend, func(in []*Node) []*Node {
				y, mean, variance := normalised(in[0], in[1], in[2])
				out := append([]*Node{y, mean, variance}, Gradient(ReduceAllSum(Mul(y, in[3])), in[:3]...)...)
				for i, a := range in {
					in[i] = ConvertDType(a, dtypes.Float32)
				}
				y, mean, variance = normalised(in[0], in[1], in[2])
				return append(append(out, y, mean, variance), Gradient(ReduceAllSum(Mul(y, in[3])), in[:3]...)...)
			})
			defer exec.Finalize()
			out, err := exec.Call(tensors.FromFlatDataAndDimensions(x, dims...), gamma, beta, tensors.FromFlatDataAndDimensions(v, dims...))
			if err != nil {
				t.Fatal(err)
			}
			slope := func(of []float64) []float64 {
				grad := make([]float64, len(of))
				const h = 1e-6
				for i, a := range of {
					at := func(b float64) (sum float64) {
						of[i] = b
						y, _, _ := normLoops(x, gamma, beta)
						for k := range y {
							sum += y[k] * v[k]
						}
						return sum
					}
					grad[i] = (at(a+h) - at(a-h)) / (2 * h)
					of[i] = a
				}
				return grad
			}
			y, mean, variance := normLoops(x, gamma, beta)
			for i, want := range [][]float64{y, mean, variance, slope(x), slope(gamma), slope(beta)} {
				single := tensors.MustCopyFlatData[float32](out[i+6])
				for k, got := range tensors.MustCopyFlatData[float64](out[i]) {
					if !(math.Abs(got-want[k]) <= 1e-7*max(1, math.Abs(want[k]))) {
						t.Fatalf("result %d, number %d: %g, by loops %g", i, k, got, want[k])
					}
					if !(math.Abs(float64(single[k])-want[k]) <= 2e-5*max(1, math.Abs(want[k]))) {
						t.Fatalf("float32, result %d, number %d: %g, by loops %g", i, k, single[k], want[k])
					}
				}
			}
		})
	}
}

// A pixel that is no number makes its channel so, and no other one, in the result and in every gradient.
func TestBatchNormPassesNaN(t *testing.T) {
	eng := enginetest.Open(t)
	x := make([]float32, 2*3*4*2)
	for i := range x {
		x[i] = float32(i * i % 7)
	}
	x[10] = float32(math.NaN()) // channel 0
	out, err := CallOnceN(eng.Backend, func(in []*Node) []*Node {
		y, _, _ := normalised(in[0], in[1], in[2])
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, y)), in...)...)
	}, tensors.FromFlatDataAndDimensions(x, 2, 3, 4, 2), []float32{1, 2}, []float32{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range out {
		for k, a := range tensors.MustCopyFlatData[float32](result) {
			if isNaN := a != a; isNaN != (k%2 == 0) {
				t.Fatalf("result %d, number %d is %g", i, k, a)
			}
		}
	}
}
