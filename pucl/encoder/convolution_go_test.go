package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// filtering is a convolution of tiny sizes.
type filtering struct {
	n, height, width, in, out int
	kernel, stride, padding   int
}

func (f filtering) String() string {
	return fmt.Sprintf("%d of %dx%dx%d to %d kernel %d stride %d padding %d",
		f.n, f.height, f.width, f.in, f.out, f.kernel, f.stride, f.padding)
}

// side returns how often a window fits along a side.
func (f filtering) side(size int) int { return (size+2*f.padding-f.kernel)/f.stride + 1 }

// loop calls visit for every product that the convolution adds up, with the places of its three numbers.
func (f filtering) loop(visit func(y, x, w int)) {
	rows, columns := f.side(f.height), f.side(f.width)
	for image := range f.n {
		for r := range rows {
			for c := range columns {
				for i := range f.kernel {
					for j := range f.kernel {
						xr, xc := r*f.stride+i-f.padding, c*f.stride+j-f.padding
						if xr < 0 || xr >= f.height || xc < 0 || xc >= f.width {
							continue
						}
						for in := range f.in {
							for out := range f.out {
								visit(((image*rows+r)*columns+c)*f.out+out,
									((image*f.height+xr)*f.width+xc)*f.in+in,
									((i*f.kernel+j)*f.in+in)*f.out+out)
							}
						}
					}
				}
			}
		}
	}
}

// pureGo opens the pure-Go engine, whichever the other tests run on.
func pureGo(t testing.TB) compute.Backend {
	t.Setenv(compute.ConfigEnvVar, "go")
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	return e.Backend
}

// The value and both gradients against plain loops in float64. The loss is the sum of the output weighed by random numbers,
// so these are the gradient with respect to the output.
func TestConvolveByProducts(t *testing.T) {
	var cases []filtering
	for _, kernel := range []int{1, 3, 5, 7} {
		for _, stride := range []int{1, 2, 3} {
			for _, padding := range []int{0, kernel / 2, kernel - 1, kernel + 1} {
				cases = append(cases,
					filtering{2, 8, 9, 3, 4, kernel, stride, padding},
					filtering{3, 7, 10, 1, 2, kernel, stride, padding})
			}
		}
	}
	cases = append(cases,
		filtering{1, 1, 1, 2, 3, 3, 1, 1}, // smaller than the kernel
		filtering{1, 1, 2, 2, 3, 7, 2, 3},
		filtering{2, 5, 5, 2, 1, 5, 1, 0}, // one window
		filtering{4, 2, 9, 5, 1, 3, 2, 1},
		filtering{1, 28, 28, 1, 3, 5, 2, 2},
	)
	backend := pureGo(t)
	for _, f := range cases {
		t.Run(f.String(), func(t *testing.T) { checkFiltering(t, backend, f, convolveByProducts) })
	}
}

// The same on XLA, for which compiling every case would take minutes.
func TestConvolveByProductsOnXLA(t *testing.T) {
	backend := enginetest.XLA(t).Backend
	for _, f := range []filtering{{2, 5, 6, 3, 4, 3, 1, 1}, {2, 7, 6, 2, 3, 5, 2, 2}} {
		t.Run(f.String(), func(t *testing.T) { checkFiltering(t, backend, f, convolveByProducts) })
	}
}

// A kernel that fits nowhere is refused in words.
func TestKernelLargerThanTheImage(t *testing.T) {
	_, err := ExecOnce(pureGo(t), func(x, w *Node) *Node { return convolveByProducts(x, w, 2, 1) },
		[][][][]float32{{{{1}, {2}}}}, tensors.FromShape(shapes.Make(dtypes.Float32, 5, 5, 1, 1)))
	refusal.Check(t, fault.Root(err),
		"a 5×5 kernel does not fit into images of 1×2 … the images are too small for this network: give")
}

// What reaches the pure-Go engine holds none of its own convolutions, neither in the value nor in the gradients.
func TestConvolutionOnPureGoIsProducts(t *testing.T) {
	exec := model.MustNewExec(pureGo(t), model.NewStore(), func(scope *model.Scope, inputs []*Node) *Node {
		y := Convolution(scope, inputs[0], 2, 3, 1)
		gradient := Gradient(ReduceAllSum(Square(y)), inputs[0])[0]
		for _, node := range y.Graph().Nodes() {
			if node.Type() == NodeTypeConvGeneral {
				t.Errorf("the graph holds %s", node)
			}
		}
		return gradient
	})
	if _, err := exec.Call1([][][][]float32{{{{1}, {2}}, {{3}, {4}}}}); err != nil {
		t.Fatal(err)
	}
}

// checkFiltering compares value and gradients of convolve with f.loop.
func checkFiltering(t *testing.T, backend compute.Backend, f filtering, convolve func(x, w *Node, stride, padding int) *Node) {
	rng := rand.New(rand.NewPCG(4, uint64(f.kernel)))
	rows, columns := f.side(f.height), f.side(f.width)
	x, w := normals(rng, f.n*f.height*f.width*f.in), normals(rng, f.kernel*f.kernel*f.in*f.out)
	v := normals(rng, f.n*rows*columns*f.out)
	out, err := ExecOnceN(backend, func(x, w, v *Node) []*Node {
		y := convolve(x, w, f.stride, f.padding)
		return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
	},
		tensors.FromFlatDataAndDimensions(x, f.n, f.height, f.width, f.in),
		tensors.FromFlatDataAndDimensions(w, f.kernel, f.kernel, f.in, f.out),
		tensors.FromFlatDataAndDimensions(v, f.n, rows, columns, f.out))
	if err != nil {
		t.Fatal(err)
	}
	y, dx, dw := make([]float64, len(v)), make([]float64, len(x)), make([]float64, len(w))
	f.loop(func(iy, ix, iw int) {
		y[iy] += x[ix] * w[iw]
		dx[ix] += v[iy] * w[iw]
		dw[iw] += v[iy] * x[ix]
	})
	for i, tt := range []struct {
		name string
		want []float64
	}{{"output", y}, {"gradient of the input", dx}, {"gradient of the kernel", dw}} {
		got := tensors.MustCopyFlatData[float64](out[i])
		if len(got) != len(tt.want) {
			t.Fatalf("%s: %d numbers, want %d", tt.name, len(got), len(tt.want))
		}
		for j, want := range tt.want {
			if !(math.Abs(got[j]-want) <= 1e-11*max(1, math.Abs(want))) {
				t.Fatalf("%s, entry %d: %g, want %g", tt.name, j, got[j], want)
			}
		}
	}
}

// convolveNaively returns the engine's own convolution.
func convolveNaively(x, w *Node, stride, padding int) *Node {
	side := [2]int{padding, padding}
	return Convolve(x, w).Strides(stride).PaddingPerDim([][2]int{side, side}).Done()
}

// BenchmarkConvolution times value and gradients of the convolutions of a small CNN on 64 images, as the pure-Go engine does them
// itself and as products. The first convolution needs no gradient of its input.
func BenchmarkConvolution(b *testing.B) {
	backend := pureGo(b)
	for _, f := range []filtering{
		{64, 28, 28, 1, 32, 5, 2, 2}, {64, 14, 14, 32, 64, 3, 2, 1}, {64, 7, 7, 64, 128, 3, 2, 1}, {64, 14, 14, 32, 64, 3, 1, 1},
	} {
		for name, convolve := range map[string]func(x, w *Node, stride, padding int) *Node{
			"naive": convolveNaively, "products": convolveByProducts,
		} {
			b.Run(name+"/"+strings.ReplaceAll(f.String(), " ", "-"), func(b *testing.B) {
				exec := MustNewExec(backend, func(x, w *Node) []*Node {
					wrt := []*Node{w, x}
					if f.in == 1 {
						wrt = wrt[:1]
					}
					y := convolve(x, w, f.stride, f.padding)
					return Gradient(ReduceAllSum(Square(y)), wrt...)
				})
				defer exec.Finalize()
				x := tensors.FromShape(shapes.Make(dtypes.Float32, f.n, f.height, f.width, f.in))
				w := tensors.FromShape(shapes.Make(dtypes.Float32, f.kernel, f.kernel, f.in, f.out))
				for b.Loop() {
					out, err := exec.Call(x, w)
					if err != nil {
						b.Fatal(err)
					}
					for _, gradient := range out {
						gradient.MustFinalizeAll()
					}
				}
			})
		}
	}
}
