package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// filter is the convolution's definition in loops, with the gradients of Σ v·y.
type filter struct {
	n, height, width, in, out, k, stride, padding int
}

func (f filter) size(length int) int { return (length+2*f.padding-f.k)/f.stride + 1 }

func (f filter) loops(x, w, v []float64) (y, dx, dw []float64) {
	rows, columns := f.size(f.height), f.size(f.width)
	y, dx, dw = make([]float64, f.n*rows*columns*f.out), make([]float64, len(x)), make([]float64, len(w))
	for n := range f.n {
		for r := range rows {
			for c := range columns {
				for i := range f.k {
					for j := range f.k {
						a, b := r*f.stride+i-f.padding, c*f.stride+j-f.padding
						if a < 0 || b < 0 || a >= f.height || b >= f.width {
							continue
						}
						for p := range f.in {
							for q := range f.out {
								at := ((n*f.height+a)*f.width+b)*f.in + p
								by := ((i*f.k+j)*f.in+p)*f.out + q
								to := ((n*rows+r)*columns+c)*f.out + q
								y[to] += x[at] * w[by]
								dx[at] += v[to] * w[by]
								dw[by] += v[to] * x[at]
							}
						}
					}
				}
			}
		}
	}
	return y, dx, dw
}

// The convolution and both its gradients against its definition in loops, for every way that they are computed in, in both
// precisions.
func TestConvolutionAgainstLoops(t *testing.T) {
	eng := enginetest.XLA(t)
	for _, f := range []filter{
		{2, 5, 6, 3, 2, 3, 1, 1}, {2, 5, 6, 1, 2, 3, 1, 0}, {2, 7, 7, 2, 3, 3, 2, 1}, {2, 8, 7, 2, 3, 3, 2, 1}, {1, 7, 6, 1, 2, 5, 2, 2},
		{2, 6, 9, 2, 2, 5, 1, 2}, {2, 8, 9, 2, 3, 1, 2, 0}, {2, 4, 5, 3, 2, 1, 1, 0}, {1, 9, 11, 3, 2, 7, 2, 3}, {2, 9, 8, 2, 2, 3, 3, 0},
		{1, 7, 5, 2, 2, 3, 4, 1}, {2, 3, 4, 2, 2, 1, 3, 0}, {1, 6, 7, 1, 1, 5, 3, 0}, {3, 1, 1, 2, 2, 3, 2, 1},
		{2, 6, 4, 2, 2, 3, 2, 0}, {2, 16, 16, 4, 4, 3, 1, 1}, {2, 9, 8, 3, 5, 3, 1, 1},
	} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 5))
			x, w := normals(rng, f.n*f.height*f.width*f.in), normals(rng, f.k*f.k*f.in*f.out)
			v := normals(rng, f.n*f.size(f.height)*f.size(f.width)*f.out)
			y, dx, dw := f.loops(x, w, v)
			for dtype, tolerance := range map[dtypes.DType]float64{dtypes.Float64: 1e-12, dtypes.Float32: 1e-5} {
				exec := MustNewExec(eng.Backend, func(in []*Node) []*Node {
					x, w, v := ConvertDType(in[0], dtype), ConvertDType(in[1], dtype), ConvertDType(in[2], dtype)
					y := convolveAsEngine(x, w, f.stride, f.padding)
					gradients := Gradient(ReduceAllSum(Mul(y, v)), x, w)
					kernelAlone := Gradient(ReduceAllSum(Mul(convolveAsEngine(StopGradient(x), w, f.stride, f.padding), v)), w)
					return []*Node{ConvertDType(y, dtypes.Float64), ConvertDType(gradients[0], dtypes.Float64),
						ConvertDType(gradients[1], dtypes.Float64), ConvertDType(kernelAlone[0], dtypes.Float64)}
				})
				out, err := exec.Call(
					tensors.FromFlatDataAndDimensions(x, f.n, f.height, f.width, f.in),
					tensors.FromFlatDataAndDimensions(w, f.k, f.k, f.in, f.out),
					tensors.FromFlatDataAndDimensions(v, f.n, f.size(f.height), f.size(f.width), f.out))
				exec.Finalize()
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range [][]float64{y, dx, dw, dw} {
					got := tensors.MustCopyFlatData[float64](out[i])
					scale := 0.0
					for _, a := range want {
						scale = max(scale, math.Abs(a))
					}
					for k := range want {
						if !(math.Abs(got[k]-want[k]) <= tolerance*scale) {
							t.Fatalf("%s, result %d: number %d is %g, the loops say %g", dtype, i, k, got[k], want[k])
						}
					}
				}
			}
		})
	}
}
