package augment

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Resizing and blurring are separable and linear, so each is two batched matrix products: one of weights [n, out, in]
// for the rows of every image and one for its columns.

// alongBoth applies rows [n, out height, height] and columns [n, out width, width] to images [n, height, width,
// channels].
func alongBoth(images, rows, columns *Node) *Node {
	dims := images.Shape().Dimensions
	n, width, channels := dims[0], dims[2], dims[3]
	outHeight, outWidth := rows.Shape().Dim(1), columns.Shape().Dim(1)

	x := Reshape(images, n, dims[1], width*channels)
	x = EinsumAxes(rows, x, [][2]int{{2, 1}}, [][2]int{{0, 0}}) // [n, out row, column and channel]
	if channels == 1 {
		x = EinsumAxes(x, columns, [][2]int{{2, 2}}, [][2]int{{0, 0}}) // [n, out row, out column]
		return ExpandAxes(x, -1)
	}
	x = Reshape(x, n, outHeight, width, channels)
	x = EinsumAxes(columns, x, [][2]int{{2, 2}}, [][2]int{{0, 0}}) // [n, out column, out row, channel]
	x = TransposeAllAxes(x, 0, 2, 1, 3)
	x.AssertDims(n, outHeight, outWidth, channels)
	return x
}

// weights returns the weights of in input pixels in each of out output pixels, [n, out, in], for crops of the axis that
// start at pixel start and are extent pixels long, both [n, 1].
//
// Output pixel o samples position (o + ½)·extent/out − ½ within the crop. Without antialias, linear interpolation uses
// the two nearest pixels and cubic interpolation four (Keys, 1981, with a = −¾), each clamped to the crop. With
// antialias the filter (cubic: a = −½) is stretched by extent/out if the crop shrinks, cut at the crop's edges, and
// divided by its sum. Both agree with PyTorch.
func (c Crop) weights(start, extent *Node, in, out int) *Node {
	g, n := start.Graph(), start.Shape().Dim(0)
	start, extent = ExpandAxes(start, -1), ExpandAxes(extent, -1) // [n, 1, 1]
	last := AddScalar(extent, -1)
	pixel := Sub(iota3(g, in, 2), start)                               // [n, 1, in], within the crop
	scale := MulScalar(extent, 1/float64(out))                         // input pixels per output pixel
	at := AddScalar(Mul(AddScalar(iota3(g, out, 1), 0.5), scale), -.5) // [n, out, 1], within the crop

	if c.Antialias {
		stretch := MaxScalar(scale, 1)
		filter := linear
		if c.Bicubic {
			filter = func(distance *Node) *Node { return cubic(distance, -0.5) }
		}
		w := filter(Abs(Div(difference(pixel, at, n, out, in), stretch)))
		inside := LogicalAnd(GreaterOrEqual(pixel, ScalarZero(g, dtypes.Float32)), LessOrEqual(pixel, last))
		w = Mul(w, ConvertDType(inside, dtypes.Float32))
		return Div(w, ReduceAndKeep(w, ReduceSum, 2))
	}
	if !c.Bicubic {
		at = Min(MaxScalar(at, 0), last)
		return linear(Abs(difference(pixel, at, n, out, in)))
	}
	below := Floor(at)
	fraction := Sub(at, below)
	var w *Node
	for tap := -1; tap <= 2; tap++ {
		index := Min(MaxScalar(AddScalar(below, float64(tap)), 0), last)
		hit := Equal(BroadcastToDims(pixel, n, out, in), BroadcastToDims(index, n, out, in))
		w = numeric.Plus(w, Mul(ConvertDType(hit, dtypes.Float32), cubic(Abs(AddScalar(Neg(fraction), float64(tap))), -0.75)))
	}
	return w
}

// iota3 counts 0, 1, … size−1 along one axis of three, Float32.
func iota3(g *Graph, size, axis int) *Node {
	dims := []int{1, 1, 1}
	dims[axis] = size
	return Iota(g, shapes.Make(dtypes.Float32, dims...), axis)
}

// difference returns pixel [·, 1, in] minus at [·, out, 1], as [n, out, in].
func difference(pixel, at *Node, n, out, in int) *Node {
	return Sub(BroadcastToDims(pixel, n, out, in), BroadcastToDims(at, n, out, in))
}

// linear returns the triangle function max(1 − distance, 0).
func linear(distance *Node) *Node { return MaxScalar(OneMinus(distance), 0) }

// cubic returns the interpolation kernel of Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981:
// (a+2)d³ − (a+3)d² + 1 up to d = 1, a(d³ − 5d² + 8d − 4) up to d = 2, and 0 beyond.
func cubic(d *Node, a float64) *Node {
	polynomial := func(c3, c2, c1, c0 float64) *Node {
		x := AddScalar(MulScalar(d, c3), c2)
		x = AddScalar(Mul(x, d), c1)
		return AddScalar(Mul(x, d), c0)
	}
	less := func(bound float64) *Node { return LessOrEqual(d, Scalar(d.Graph(), d.DType(), bound)) }
	near, far := polynomial(a+2, -(a+3), 0, 1), polynomial(a, -5*a, 8*a, -4*a)
	return Where(less(1), near, Where(less(2), far, ZerosLike(d)))
}
