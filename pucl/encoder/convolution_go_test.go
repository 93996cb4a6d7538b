package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
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

// side returns the number of windows along a side.
func (f filtering) side(size int) int { return (size+2*f.padding-f.kernel)/f.stride + 1 }

// loop calls visit for every product in the sums of the convolution, with the indices of its three numbers.
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

// The value and both gradients are compared with plain loops in float64. The loss is the sum of the output with random
// weights, so the weights are the gradient with respect to the output.
func TestConvolveByProducts(t *testing.T) {
	expect.Slow(t)
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
	checkFilterings(t, pureGo(t), []dtypes.DType{dtypes.Float64}, tries(convolveByProducts, cases...))
}

// The convolution for other engines and both its gradients are compared with its definition in loops, for every method
// of computation.
func TestConvolveOnXLA(t *testing.T) {
	cases := []filtering{
		{2, 5, 6, 3, 2, 3, 1, 1}, {2, 5, 6, 1, 2, 3, 1, 0}, {2, 7, 7, 2, 3, 3, 2, 1}, {2, 8, 7, 2, 3, 3, 2, 1},
		{1, 7, 6, 1, 2, 5, 2, 2}, {2, 6, 9, 2, 2, 5, 1, 2}, {2, 8, 9, 2, 3, 1, 2, 0}, {2, 4, 5, 3, 2, 1, 1, 0},
		{1, 9, 11, 3, 2, 7, 2, 3}, {2, 9, 8, 2, 2, 3, 3, 0}, {1, 7, 5, 2, 2, 3, 4, 1}, {2, 3, 4, 2, 2, 1, 3, 0},
		{1, 6, 7, 1, 1, 5, 3, 0}, {3, 1, 1, 2, 2, 3, 2, 1}, {2, 6, 4, 2, 2, 3, 2, 0}, {2, 16, 16, 4, 4, 3, 1, 1},
		{2, 9, 8, 3, 5, 3, 1, 1},
	}
	both := []dtypes.DType{dtypes.Float64, dtypes.Float32}
	checkFilterings(t, pureGo(t), both, tries(convolveOnXLA, cases...))
	t.Run("XLA", func(t *testing.T) { // XLA compiles all of them for a minute
		some := tries(convolveOnXLA, cases[0], cases[4], cases[6], cases[7])
		checkFilterings(t, enginetest.XLA(t).Backend, both, append(some, tries(convolveByProducts, cases[3])...))
	})
}

// A kernel larger than the padded image is an error with a message.
func TestKernelLargerThanTheImage(t *testing.T) {
	_, err := ExecOnce(pureGo(t), func(x, w *Node) *Node { return convolveByProducts(x, w, 2, 1) },
		[][][][]float32{{{{1}, {2}}}}, tensors.FromShape(shapes.Make(dtypes.Float32, 5, 5, 1, 1)))
	refusal.Check(t, fault.Root(err),
		"a 5×5 kernel does not fit into images of 1×2 … the images are too small for this network: give")
}

// A graph for the pure-Go engine contains none of its own convolutions, neither in the value nor in the gradients.
func TestConvolutionOnPureGoIsProducts(t *testing.T) {
	exec := model.MustNewExec(pureGo(t), model.NewStore(), func(scope *model.Scope, inputs []*Node) *Node {
		y := Convolution(scope, inputs[0], 2, 3, 1)
		gradient := Gradient(ReduceAllSum(Square(y)), inputs[0])[0]
		for _, node := range y.Graph().Nodes() {
			expect.That(t, node.Type() != NodeTypeConvGeneral, "the graph holds %s", node)
		}
		return gradient
	})
	expect.Must(exec.Call1([][][][]float32{{{{1}, {2}}, {{3}, {4}}}}))(t)
}

// method computes a convolution.
type method = func(x, w *Node, stride, padding int) *Node

// try is a convolution and a way to compute it.
type try struct {
	filtering
	by method
}

func tries(how method, all ...filtering) (out []try) {
	for _, f := range all {
		out = append(out, try{f, how})
	}
	return out
}

// checkFilterings compares values and gradients of convolutions with loops, and the kernel's gradient also without the
// input's. One graph holds them all, since compilation takes most of the time.
func checkFilterings(t *testing.T, backend compute.Backend, precisions []dtypes.DType, all []try) {
	t.Helper()
	var in []any
	var want [][]float64
	for _, f := range all {
		rng := rand.New(rand.NewPCG(4, uint64(f.kernel)))
		rows, columns := f.side(f.height), f.side(f.width)
		x, w := normals(rng, f.n*f.height*f.width*f.in), normals(rng, f.kernel*f.kernel*f.in*f.out)
		v := normals(rng, f.n*rows*columns*f.out)
		in = append(in, tensorOf(x, f.n, f.height, f.width, f.in), tensorOf(w, f.kernel, f.kernel, f.in, f.out),
			tensorOf(v, f.n, rows, columns, f.out))
		y, dx, dw := make([]float64, len(v)), make([]float64, len(x)), make([]float64, len(w))
		f.loop(func(iy, ix, iw int) {
			y[iy] += x[ix] * w[iw]
			dx[ix] += v[iy] * w[iw]
			dw[iw] += v[iy] * x[ix]
		})
		want = append(want, y, dx, dw, dw)
	}
	out := outputs(t, backend, func(in []*Node) (out []*Node) {
		for _, dtype := range precisions {
			for i, f := range all {
				x, w, v := ConvertDType(in[3*i], dtype), ConvertDType(in[3*i+1], dtype), ConvertDType(in[3*i+2], dtype)
				y := f.by(x, w, f.stride, f.padding)
				alone := f.by(StopGradient(x), w, f.stride, f.padding)
				out = append(append(out, y), Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
				out = append(out, Gradient(ReduceAllSum(Mul(alone, v)), w)...)
			}
		}
		return out
	}, in...)
	names := []string{"output", "gradient of the input", "gradient of the kernel", "gradient of the kernel alone"}
	for i, result := range out {
		tolerance := map[dtypes.DType]float64{dtypes.Float64: 1e-12, dtypes.Float32: 1e-5}[result.DType()]
		want := want[i%len(want)]
		got, what := numbers(result), fmt.Sprintf("%s in %s, %s", all[i/4%len(all)].filtering, result.DType(), names[i%4])
		expect.Require(t, len(got) == len(want), "%s: %d numbers, want %d", what, len(got), len(want))
		far := floats.Distance(got, want, math.Inf(1))
		expect.That(t, far <= tolerance*largest(want) && !floats.HasNaN(got), "%s is %g off", what, far)
	}
}

// A strided convolution with batch normalization and all gradients must give the same numbers with images divided
// between two devices as on one.
func TestConvolutionAndNormOnTwoDevices(t *testing.T) {
	eng := enginetest.XLA(t)
	if eng.Backend.NumDevices() < 2 {
		t.Skip("the engine shows one device")
	}
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(dims ...int) *tensors.Tensor {
		var flat []float32
		for _, x := range normals(rng, sizeOf(dims)) {
			flat = append(flat, float32(x))
		}
		return tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	x, w, gamma, beta := draw(4, 7, 6, 3), draw(3, 3, 3, 2), draw(2), draw(2)
	step := func(in []*Node) []*Node {
		y, mean, variance := normalizeBatch(convolveAsEngine(in[0], in[1], 2, 1), in[2], in[3])
		y = convolveAsEngine(ReLU(y), Reshape(in[2], 1, 1, 2, 1), 2, 0)
		loss := ReduceAllSum(Add(Square(y), Sin(y)))
		return append([]*Node{loss, mean, variance}, Gradient(loss, in...)...)
	}
	one := outputs(t, eng.Backend, step, x, w, gamma, beta)
	mesh := expect.Must(distributed.NewDeviceMesh([]int{2}, []string{"devices"}))(t)
	divided := expect.Must(distributed.BuildSpec(mesh).S("devices").Done())(t)
	whole := distributed.NewReplicatedShardingSpec(mesh)
	args := []any{expect.Must(dtensor.ShardTensor(divided, x))(t)}
	for _, a := range []*tensors.Tensor{w, gamma, beta} {
		args = append(args, expect.Must(dtensor.ShardTensor(whole, a))(t))
	}
	exec := MustNewExec(eng.Backend, step).AutoSharding(mesh).WithInputShardingSpecs(divided, whole).WithOutputShardingSpecs(whole)
	defer exec.Finalize()
	two := expect.Must(exec.Call(args...))(t)
	expect.Require(t, len(two) == 2*len(one), "%d results of two devices, %d of one", len(two), len(one))
	for i, result := range two {
		near(t, fmt.Sprintf("result %d on two devices", i), result, numbers(one[i%len(one)]), 1e-5)
	}
}
