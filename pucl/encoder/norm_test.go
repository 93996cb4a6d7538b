package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
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
				y, mean, variance := normalizeBatch(in[0], in[1], in[2])
				out := append([]*Node{y, mean, variance}, Gradient(ReduceAllSum(Mul(y, in[3])), in[:3]...)...)
				for i, a := range in {
					in[i] = ConvertDType(a, dtypes.Float32)
				}
				y, mean, variance = normalizeBatch(in[0], in[1], in[2])
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
		y, _, _ := normalizeBatch(in[0], in[1], in[2])
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

// Images in bfloat16 with the rest in float32 give what float32 gives, to bfloat16's eight bits; statistics keep float32's.
func TestConvolutionAndNormInBFloat16(t *testing.T) {
	for _, eng := range enginetest.All(t) {
		t.Run(eng.Kind, func(t *testing.T) { checkBFloat16(t, eng) })
	}
}

func checkBFloat16(t *testing.T, eng *engine.Engine) {
	rng := rand.New(rand.NewPCG(3, 1))
	x, w := make([]float32, 4*8*7*3), make([]float32, 3*3*3*4)
	for i := range x {
		x[i] = float32(rng.IntN(16)-8) / 4 // exact in bfloat16
	}
	for i := range w {
		w[i] = float32(rng.IntN(16)-8) / 8
	}
	out, err := CallOnceN(eng.Backend, func(in []*Node) []*Node {
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
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range out[:5] {
		largest := 0.0
		want := tensors.MustCopyFlatData[float32](want)
		for _, a := range want {
			largest = max(largest, math.Abs(float64(a)))
		}
		for k, got := range tensors.MustCopyFlatData[float32](out[5+i]) {
			if diff := math.Abs(float64(got - want[k])); !(diff <= 0.02*largest) {
				t.Errorf("result %d, number %d: %g in bfloat16, %g in float32", i, k, got, want[k])
			}
		}
	}
}
