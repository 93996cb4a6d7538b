package encoder

import (
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/onednn"
)

// Convolution filters x [n, height, width, channels] with odd square kernels at the given stride, padding by half a
// kernel on every side. There is no bias, since batch normalization follows. Even kernels cause a panic: gomlx's
// gradient with respect to the input is wrong for them.
func Convolution(scope *model.Scope, x *Node, channels, kernel, stride int) *Node {
	return convolution(scope, x, channels, kernel, stride, kernel/2)
}

// convolution is Convolution with zero padding of the given width on every side.
func convolution(scope *model.Scope, x *Node, channels, kernel, stride, padding int) *Node {
	fault.PanicIf(kernel%2 == 0, "encoder: kernel size %d is even; use an odd one", kernel)
	in := x.Shape().Dim(-1)
	w := weights(scope, "kernel", x, kernel*kernel*in, kernel, kernel, in, channels)
	return convolveAsEngine(x, w, stride, padding)
}

// convolveAsEngine filters x with w [k, k, in, out] by the fastest method on x's engine.
func convolveAsEngine(x, w *Node, stride, padding int) *Node {
	if onPureGo(x) {
		return convolveByProducts(x, w, stride, padding)
	}
	return convolveOnXLA(x, w, stride, padding)
}

// onPureGo reports whether x belongs to a graph for the pure-Go engine, which needs other formulations of some
// operations. Types of less than 32 bits are slow there in any formulation, so it returns false for them.
func onPureGo(x *Node) bool {
	return x.Graph().Backend().String() == gobackend.BackendName && x.DType().Size() >= dtypes.Float32.Size()
}

// convolveOnXLA filters x [n, height, width, in] with w [k, k, in, out] at the given stride after zero padding on every
// side, by the fastest formulation on XLA.
//
// The custom gradients are for CPUs in float32 or more without oneDNN. There XLA is about as fast as a matrix product
// for the convolution itself and, with stride 1, for its gradient with respect to x. At larger strides it inserts zeros
// in that gradient, two to four times the work. Its gradient of a 1×1 kernel is five to ten times slower than the
// equivalent product.
func convolveOnXLA(x, w *Node, stride, padding int) *Node {
	k := w.Shape().Dim(0)
	if stride == 1 && k > 1 || !onCPU(x) || byOneDNN(x) {
		return convolve(x, w, stride, padding)
	}
	value := func(in []*Node) *Node { return convolve(in[0], in[1], stride, padding) }
	back := func(in []*Node, v *Node) []*Node {
		gradients := make([]*Node, 2)
		if stride > 1 {
			gradients[0] = inputGradient(in[0], in[1], v, stride, padding)
		}
		if k == 1 && padding == 0 {
			gradients[1] = pointwiseGradient(in[0], in[1], v, stride)
		}
		return gradients
	}
	return withGradients(value, back, x, w)
}

// onCPU reports whether x is computed on a processor in float32 or more, where XLA has fewer hand-written operations
// than on graphics cards.
func onCPU(x *Node) bool {
	return !strings.Contains(x.Graph().Backend().Description(), "cuda") && x.DType().Size() >= dtypes.Float32.Size()
}

// byOneDNN reports whether oneDNN computes x's convolutions; their gradients then need no custom formula.
func byOneDNN(x *Node) bool {
	return onednn.Attached() && x.DType() == dtypes.Float32 && x.Graph().NumDevices() == 1
}

// convolve returns the engine's convolution.
func convolve(x, w *Node, stride, padding int) *Node {
	return Convolve(x, w).Strides(stride).PaddingPerDim([][2]int{{padding, padding}, {padding, padding}}).Done()
}

// pointwiseGradient returns the gradient for a kernel w of 1×1, given the gradient v for the result: the matrix product
// of the sampled pixels with v.
func pointwiseGradient(x, w, v *Node, stride int) *Node {
	seen := Slice(x, AxisRange(), AxisRange().Stride(stride), AxisRange().Stride(stride))
	rows := func(a *Node) *Node { return Reshape(a, -1, a.Shape().Dim(-1)) }
	return Reshape(DotGeneral(rows(seen), []int{0}, nil, rows(v), []int{0}, nil), w.Shape().Dimensions...)
}

// inputGradient returns the gradient for x, given the gradient v for the result. One matrix product computes the
// contribution of every number of v to its k×k pixels, and every pixel sums its contributions.
//
// Pixels whose positions differ by a multiple of the stride get contributions from the same entries of the kernel. So
// there are stride×stride kinds of pixels, each a sum of shifted images, which are interleaved at the end.
func inputGradient(x, w, v *Node, stride, padding int) *Node {
	k, in, out := w.Shape().Dim(0), w.Shape().Dim(2), w.Shape().Dim(3)
	height, width := x.Shape().Dim(1), x.Shape().Dim(2)
	dims := v.Shape().Dimensions
	sent := DotGeneral(Reshape(v, -1, out), []int{1}, nil, Reshape(w, k*k*in, out), []int{1}, nil)
	sent = Reshape(sent, dims[0], dims[1], dims[2], k*k, in)
	rows, columns := ceilDiv(height, stride), ceilDiv(width, stride) // of the pixels of a kind
	var kinds []*Node
	for top := range stride {
		var line []*Node
		for left := range stride {
			sum := Zeros(x.Graph(), shapeLike(x, dims[0], rows, columns, in))
			for i := (top + padding) % stride; i < k; i += stride {
				for j := (left + padding) % stride; j < k; j += stride {
					part := Reshape(Slice(sent, AxisRange(), AxisRange(), AxisRange(), AxisElem(i*k+j)), dims[0], dims[1], dims[2], in)
					part = window(part, 1, (top+padding-i)/stride, rows)
					sum = Add(sum, window(part, 2, (left+padding-j)/stride, columns))
				}
			}
			line = append(line, Reshape(sum, dims[0], rows, 1, columns, 1, in))
		}
		kinds = append(kinds, Concatenate(line, 4))
	}
	dx := Reshape(Concatenate(kinds, 2), dims[0], rows*stride, columns*stride, in)
	return Slice(dx, AxisRange(), AxisRange(0, height), AxisRange(0, width))
}

// window returns the size numbers of an axis of x from the given one on, with zeros where x has none.
func window(x *Node, axis, from, size int) *Node {
	length := x.Shape().Dim(axis)
	first, last := min(max(from, 0), length), max(min(from+size, length), 0)
	if last <= first {
		dims := slices.Clone(x.Shape().Dimensions)
		dims[axis] = size
		return Zeros(x.Graph(), shapeLike(x, dims...))
	}
	x = SliceAxis(x, axis, AxisRange(first, last))
	sides := make([]PadAxis, x.Rank())
	sides[axis] = PadAxis{Start: first - from, End: from + size - last}
	return Pad(x, ScalarZero(x.Graph(), x.DType()), sides...)
}

// shapeLike returns a shape of x's precision.
func shapeLike(x *Node, dims ...int) shapes.Shape { return shapes.Make(x.DType(), dims...) }
