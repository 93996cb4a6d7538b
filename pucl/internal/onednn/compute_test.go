package onednn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// values returns numbers from a normal distribution.
func values(rng *rand.Rand, dims ...int) *tensors.Tensor {
	size := 1
	for _, d := range dims {
		size *= d
	}
	flat := make([]float32, size)
	for i := range flat {
		flat[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// near fails the test unless got equals want to rounding, for sums of count products of numbers near 1.
func near(t *testing.T, what string, got *tensors.Tensor, want []float64, count int) {
	t.Helper()
	flat := tensors.MustCopyFlatData[float32](got)
	expect.Require(t, len(flat) == len(want), "%s: %d numbers, want %d", what, len(flat), len(want))
	allowed := 4e-6 * math.Sqrt(float64(count)) * math.Log2(float64(count)+2)
	for i, w := range want {
		expect.Require(t, math.Abs(float64(flat[i])-w) <= allowed, "%s: number %d is %v, want %v", what, i, flat[i], w)
	}
}

// filter is a convolution with its sizes; padding is before and after, for rows and columns alike.
type filter struct {
	images, height, width, in, out, kernelHeight, kernelWidth, stride, dilation, before, after int
}

func (f filter) result() (height, width int) {
	return (f.height+f.before+f.after-(f.kernelHeight-1)*f.dilation-1)/f.stride + 1,
		(f.width+f.before+f.after-(f.kernelWidth-1)*f.dilation-1)/f.stride + 1
}

// inputs returns images x, a kernel w and weights v of the result.
func (f filter) inputs(rng *rand.Rand) []*tensors.Tensor {
	height, width := f.result()
	return []*tensors.Tensor{
		values(rng, f.images, f.height, f.width, f.in), values(rng, f.kernelHeight, f.kernelWidth, f.in, f.out),
		values(rng, f.images, height, width, f.out),
	}
}

// graph computes y, and the gradients of the sum of y times v, as gomlx derives them.
func (f filter) graph(in []*Node) []*Node {
	x, w, v := in[0], in[1], in[2]
	side := [2]int{f.before, f.after}
	y := Convolve(x, w).Strides(f.stride).Dilations(f.dilation).PaddingPerDim([][2]int{side, side}).Done()
	return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
}

// loops computes the same by definition in float64.
func (f filter) loops(in []*tensors.Tensor) (y, dx, dw []float64) {
	x, w, v := tensors.MustCopyFlatData[float32](in[0]), tensors.MustCopyFlatData[float32](in[1]), tensors.MustCopyFlatData[float32](in[2])
	height, width := f.result()
	y, dx, dw = make([]float64, f.images*height*width*f.out), make([]float64, len(x)), make([]float64, len(w))
	for n := range f.images {
		for row := range height {
			for column := range width {
				for i := range f.kernelHeight {
					for j := range f.kernelWidth {
						r, c := row*f.stride+i*f.dilation-f.before, column*f.stride+j*f.dilation-f.before
						if r < 0 || c < 0 || r >= f.height || c >= f.width {
							continue
						}
						for in := range f.in {
							for out := range f.out {
								atX, atW := ((n*f.height+r)*f.width+c)*f.in+in, ((i*f.kernelWidth+j)*f.in+in)*f.out+out
								atY := ((n*height+row)*width+column)*f.out + out
								y[atY] += float64(x[atX]) * float64(w[atW])
								dx[atX] += float64(v[atY]) * float64(w[atW])
								dw[atW] += float64(v[atY]) * float64(x[atX])
							}
						}
					}
				}
			}
		}
	}
	return y, dx, dw
}

func TestConvolutionsAreSums(t *testing.T) {
	eng := enginetest.XLA(t)
	for _, f := range []filter{
		{5, 9, 7, 16, 32, 3, 3, 1, 1, 1, 1}, {4, 8, 8, 32, 16, 3, 3, 2, 1, 1, 1}, {4, 7, 9, 32, 16, 3, 3, 2, 1, 1, 1},
		{4, 12, 12, 1, 32, 5, 5, 2, 1, 2, 2}, {3, 8, 8, 3, 64, 3, 3, 1, 1, 1, 1}, {3, 8, 6, 16, 48, 1, 1, 2, 1, 0, 0},
		{3, 8, 6, 16, 48, 1, 1, 1, 1, 0, 0}, {2, 15, 15, 3, 16, 7, 7, 2, 1, 3, 3},
		{2, 9, 9, 16, 16, 3, 3, 1, 2, 2, 2}, {2, 11, 11, 16, 16, 3, 3, 3, 1, 1, 1}, {3, 6, 7, 5, 7, 3, 5, 1, 1, 1, 1},
		{3, 8, 8, 16, 16, 5, 5, 1, 1, 0, 0}, {70, 4, 4, 16, 16, 3, 3, 1, 1, 1, 1},
	} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			in := f.inputs(rand.New(rand.NewPCG(1, 2)))
			got := MustExecOnceN(eng.Backend, f.graph, anyOf(in)...)
			y, dx, dw := f.loops(in)
			height, width := f.result()
			near(t, "y", got[0], y, f.kernelHeight*f.kernelWidth*f.in)
			near(t, "gradient for x", got[1], dx, f.kernelHeight*f.kernelWidth*f.out)
			near(t, "gradient for w", got[2], dw, f.images*height*width)
		})
	}
}

// arranged copies the numbers of a with the batch axes first and the summed axes last.
func arranged(a *tensors.Tensor, batch, summed []int) (flat []float64, batchSize, inner int) {
	dims := a.Shape().Dimensions
	order := append([]int(nil), batch...)
	for axis := range dims {
		if !slices.Contains(batch, axis) && !slices.Contains(summed, axis) {
			order = append(order, axis)
		}
	}
	order = append(order, summed...)
	batchSize, inner = 1, 1
	for _, axis := range batch {
		batchSize *= dims[axis]
	}
	for _, axis := range summed {
		inner *= dims[axis]
	}
	from := tensors.MustCopyFlatData[float32](a)
	index := make([]int, len(dims))
	for range from {
		at := 0
		for axis, d := range dims {
			at = at*d + index[axis]
		}
		flat = append(flat, float64(from[at]))
		for i := len(order) - 1; i >= 0; i-- {
			if index[order[i]]++; index[order[i]] < dims[order[i]] {
				break
			}
			index[order[i]] = 0
		}
	}
	return flat, batchSize, inner
}

// TestCallsAreMade checks that a convolution and a product are passed to oneDNN if and only if the engine reports it.
func TestCallsAreMade(t *testing.T) {
	eng := enginetest.XLA(t)
	rng := rand.New(rand.NewPCG(5, 6))
	x, y, w := values(rng, 71, 81), values(rng, 81, 91), values(rng, 3, 3, 16, 16)
	image := values(rng, 2, 10, 10, 16)
	defer onednn.SetAttached(onednn.Attached())
	for _, on := range []bool{false, eng.OneDNN} {
		onednn.SetAttached(on)
		onednn.Forget()
		MustExecOnceN(eng.Backend, func(x, y, image, w *Node) []*Node {
			return []*Node{Dot(x, y).Product(), Convolve(image, w).PadSame().Done()}
		}, x, y, image, w)
		var want onednn.Kinds
		if on {
			want = onednn.Kinds{Forward: 1, Product: 1}
		}
		expect.Equal(t, onednn.Made(), want, "attached: %v", on)
	}
}

// denormal is a factor that makes numbers near 1 subnormal. XLA treats such numbers as 0.
const denormal = 1e-40

// specials are put into arrays in the tests below.
var specials = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, 1e30, denormal}

// spoil writes special to two places of a, or makes all of it zeros or denormal.
func spoil(a *tensors.Tensor, special float32, rng *rand.Rand) {
	if special == 0 || special == denormal {
		scale(special, a)
		return
	}
	tensors.MustMutableFlatData(a, func(flat []float32) {
		for range 2 {
			flat[rng.IntN(len(flat))] = special
		}
	})
}

// class returns the class of v: NaN, an infinity, zero or other.
func class(v float64) string {
	switch {
	case v != v:
		return "NaN"
	case math.IsInf(v, 0):
		return fmt.Sprint(v)
	case math.Abs(v) < 0x1p-126:
		return "0"
	}
	return "a number"
}

// alike fails the test if a number of got is of another class than XLA's, or has another value. The definition has
// fewer NaNs than XLA, which multiplies NaNs and infinities with the zeros of the padding: at those places either is
// valid.
func alike(t *testing.T, what string, got, xla *tensors.Tensor, definition []float64) {
	t.Helper()
	want := tensors.MustCopyFlatData[float32](xla)
	for i, v := range tensors.MustCopyFlatData[float32](got) {
		here, there := class(float64(v)), class(float64(want[i]))
		expect.Require(t, here == there || there == "NaN" && here == class(definition[i]),
			"%s: number %d is %v, XLA's is %v, by definition %v", what, i, v, want[i], definition[i])
		size := math.Abs(definition[i])
		expect.Require(t, here != "a number" || math.Abs(float64(v)-definition[i]) <= 1e-3+1e-4*size || size >= 1e20,
			"%s: number %d is %v, by definition %v", what, i, v, definition[i])
	}
}

// TestSpecialValuesInConvolutions checks that a NaN or an infinity appears in the same outputs as with XLA, and in no
// others, so that one bad image spoils no other; numbers that XLA treats as 0 are 0.
func TestSpecialValuesInConvolutions(t *testing.T) {
	eng := withOneDNN(t)
	for _, f := range []filter{
		{6, 9, 8, 16, 17, 3, 3, 1, 1, 1, 1}, {6, 9, 8, 15, 17, 3, 3, 2, 1, 1, 1}, {6, 9, 8, 3, 64, 5, 5, 1, 1, 2, 2},
		{6, 9, 8, 64, 33, 1, 1, 2, 1, 0, 0},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		called, alone, _ := bothExecs(t, eng, 3, f.graph, f.inputs(rng)...)
		for _, special := range specials {
			for where, name := range []string{"x", "w", "v"} {
				in := f.inputs(rng)
				spoil(in[where], special, rng)
				got, want := called.MustCall(anyOf(in)...), alone.MustCall(anyOf(in)...)
				y, dx, dw := f.loops(in)
				for i, definition := range [][]float64{y, dx, dw} {
					alike(t, fmt.Sprintf("%+v, %v in %s, %s", f, special, name, []string{"y", "dx", "dw"}[i]), got[i], want[i], definition)
				}
			}
		}
	}
}

// TestSpecialValuesInProducts checks that a NaN in a row spoils only this row of the product, and so on.
func TestSpecialValuesInProducts(t *testing.T) {
	eng := withOneDNN(t)
	for _, d := range []dot{
		{[]int{70, 80}, []int{80, 90}, nil, []int{1}, nil, []int{0}},
		{[]int{83, 71}, []int{93, 83}, nil, []int{0}, nil, []int{1}},
		{[]int{6, 50, 41}, []int{6, 41, 33}, []int{0}, []int{2}, []int{0}, []int{1}},
		{[]int{50, 6, 41}, []int{41, 6, 33}, []int{1}, []int{2}, []int{1}, []int{0}},
		{[]int{300, 300}, []int{300, 300}, nil, []int{1}, nil, []int{1}},
	} {
		rng := rand.New(rand.NewPCG(13, 14))
		called, alone, _ := bothExecs(t, eng, 1, func(in []*Node) []*Node {
			return []*Node{d.graph(in[0], in[1])}
		}, values(rng, d.left...), values(rng, d.right...))
		for _, special := range specials {
			for where := range 2 {
				in := []*tensors.Tensor{values(rng, d.left...), values(rng, d.right...)}
				spoil(in[where], special, rng)
				definition, _ := d.loops(in[0], in[1])
				got, want := called.MustCall(anyOf(in)...), alone.MustCall(anyOf(in)...)
				alike(t, fmt.Sprintf("%+v, %v in %d", d, special, where), got[0], want[0], definition)
			}
		}
	}
}
