package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// selection is a convolution of small images whose patches are selected by products with 0-1 matrices: every row has a
// single one, or none for padding. The engine's products run on all processors and several times as fast as its Slice,
// although they multiply mostly by zero. Every cell of the result is used, and the gradients are the same products with
// transposed matrices.
//
// First every row of windows selects its kernel rows of an image. Columns are grouped by the stride, if it divides the
// width, and handled in one of three ways.
type selection struct {
	*convolved
	group       int // columns in a group
	first, taps int // a window begins with this group, relative to its own, and covers taps groups
	way         columnsWay
}

// columnsWay is the method by which a window gets its columns.
type columnsWay int

const (
	columnsAfter  columnsWay = iota // every group is multiplied with the whole kernel, and the windows select from the products
	columnsBefore                   // the windows select groups before the multiplication: less to multiply, more to select
	columnsWhole                    // whole rows are multiplied with the kernel expanded for every window, with zeros between
)

// mostPicked is the maximum number of rows to select from: a 0-1 product multiplies with all of them.
const mostPicked = 128

// bySelection returns the selection for c, or false if another method is faster.
func (c *convolved) bySelection() (selection, bool) {
	s := selection{convolved: c, group: 1}
	if c.width%c.stride == 0 {
		s.group = c.stride
	}
	s.first = -ceilDiv(c.before, s.group)
	s.taps = (c.kernel-1-c.before)/s.group - s.first + 1
	switch groups := c.width / s.group; {
	case c.height > mostPicked:
		return s, false
	case c.width*c.in <= 32:
		s.way = columnsWhole // mostly products with zeros
		return s, quickProducts
	case s.group == c.stride && c.stride <= c.kernel:
		s.way = columnsAfter
		return s, groups*s.taps <= mostPicked
	default:
		s.way = columnsBefore
		return s, c.kernel*groups <= mostPicked/2
	}
}

// convolve returns the convolution of x with w.
func (s selection) convolve(x, w *Node) *Node {
	var seen *Node
	return withGradients(func(of []*Node) *Node {
		seen = s.seen(of[0])
		y := DotProduct(seen, s.matrix(of[1]))
		if s.way == columnsAfter {
			y = picked(s.productsOfWindows(0, s.taps), false, Reshape(y, s.n*s.outHeight, -1, s.out))
		}
		return Reshape(y, s.n, s.outHeight, s.outWidth, s.out)
	}, func(_ []*Node, v *Node) []*Node {
		v = Reshape(v, s.n*s.outHeight, s.outWidth, -1)
		parts := []*Node{v}
		if s.way == columnsAfter { // the gradient of a window goes to the products in its sum, tap by tap
			parts = make([]*Node, s.taps)
			for t := range parts {
				parts[t] = picked(s.productsOfWindows(t, t+1), true, v)
			}
		}
		gradients := make([]*Node, len(parts))
		for t, part := range parts {
			parts[t] = Reshape(part, seen.Shape().Dim(0), -1)
			gradients[t] = columnProducts(seen, parts[t])
		}
		v = Concatenate(parts, -1)
		return []*Node{s.sentBack(v, s.matrix(w)), s.kernelOf(Concatenate(gradients, -1))}
	}, x, w)
}

// seen returns the left factor of the product with the kernel: a row for every group, window or row of windows,
// depending on the way.
func (s selection) seen(x *Node) *Node {
	x = Reshape(x, s.n, s.height, -1)
	if s.way == columnsAfter {
		rows := make([]*Node, s.kernel)
		for i := range rows {
			rows[i] = Reshape(picked(s.rowsOfWindows(i, i+1), false, x), -1, s.group*s.in)
		}
		return Concatenate(rows, -1)
	}
	rows := picked(s.rowsOfWindows(0, s.kernel), false, x)
	if s.way == columnsWhole {
		return Reshape(rows, s.n*s.outHeight, -1)
	}
	rows = Reshape(rows, s.n*s.outHeight, s.kernel*s.width/s.group, -1)
	return Reshape(picked(s.columnsOfWindows(), false, rows), s.n*s.outHeight*s.outWidth, -1)
}

// sentBack returns the gradient with respect to x, given the gradient v with respect to the product of seen and m: for
// every number of x the sum over the windows that contain it.
func (s selection) sentBack(v, m *Node) *Node {
	back := func(m *Node) *Node { return DotGeneral(v, []int{1}, nil, m, []int{1}, nil) }
	var rows *Node
	chosen := s.rowsOfWindows(0, s.kernel)
	switch s.way {
	case columnsAfter:
		chosen.of = nil
		parts := make([]*Node, s.kernel)
		size := s.group * s.in
		for i := range parts {
			chosen.of = append(chosen.of, s.rowsOfWindows(i, i+1).of...)
			parts[i] = Reshape(back(Slice(m, AxisRange(i*size, (i+1)*size))), s.n, s.outHeight, -1)
		}
		rows = Concatenate(parts, 1)
	case columnsBefore:
		rows = picked(s.columnsOfWindows(), true, Reshape(back(m), s.n*s.outHeight, s.outWidth*s.kernel*s.taps, -1))
	case columnsWhole:
		rows = back(m)
	}
	return Reshape(picked(chosen, true, Reshape(rows, s.n, s.outHeight*s.kernel, -1)), s.n, s.height, s.width, s.in)
}

// rowsOfWindows returns the image row at row i of the windows in row r, for every r and every i in the given range.
func (s selection) rowsOfWindows(from, to int) choice {
	return chosen(s.height, s.outHeight, 1, to-from, func(r, _, i int) int { return r*s.stride + from + i - s.before })
}

// columnsOfWindows returns the index of group t in row i of window c, among the groups of the kernel rows of an image,
// for every c, i and t.
func (s selection) columnsOfWindows() choice {
	groups := s.width / s.group
	return chosen(s.kernel*groups, s.outWidth, s.kernel, s.taps, func(c, i, t int) int {
		if group := c*s.stride/s.group + s.first + t; group >= 0 && group < groups {
			return i*groups + group
		}
		return -1
	})
}

// productsOfWindows returns the products in the sum of window c, for every c: for each tap in the given range, the
// product of its group with the columns of the kernel at that tap.
func (s selection) productsOfWindows(from, to int) choice {
	taps := to - from
	products := chosen(s.width/s.group*taps, s.outWidth, 1, taps, func(c, _, t int) int { return (c+s.first+from+t)*taps + t })
	products.added = taps
	return products
}

// matrix returns the kernel as the right factor of the product with seen.
func (s selection) matrix(w *Node) *Node {
	if s.way == columnsWhole {
		w = Reshape(w, s.kernel, s.kernel*s.in, s.out)
		return Reshape(picked(s.places(), false, w), -1, s.outWidth*s.out)
	}
	w = framed(w, PadAxis{}, s.unused(), PadAxis{})
	if s.way == columnsAfter {
		w = TransposeAllAxes(Reshape(w, s.kernel, s.taps, s.group*s.in, s.out), 0, 2, 1, 3)
		return Reshape(w, -1, s.taps*s.out)
	}
	return Reshape(w, -1, s.out)
}

// kernelOf converts the gradient with respect to matrix to the gradient of the kernel [k, k, in, out].
func (s selection) kernelOf(m *Node) *Node {
	if s.way == columnsWhole {
		m = picked(s.places(), true, Reshape(m, s.kernel, -1, s.out))
		return Reshape(m, s.kernel, s.kernel, s.in, s.out)
	}
	if s.way == columnsAfter {
		m = TransposeAllAxes(Reshape(m, s.kernel, s.group*s.in, s.taps, s.out), 0, 2, 1, 3)
	}
	m = Reshape(m, s.kernel, s.taps*s.group, s.in, s.out)
	return Slice(m, AxisRange(), AxisRange(s.unused().Start, s.unused().Start+s.kernel))
}

// unused returns the number of columns in its groups that a window does not cover.
func (s selection) unused() PadAxis {
	start := -s.first*s.group - s.before
	return PadAxis{Start: start, End: s.taps*s.group - s.kernel - start}
}

// places returns the index in a row of the kernel [k, in] that meets channel ch of column x in window c, for every x,
// ch and c.
func (s selection) places() choice {
	return chosen(s.kernel*s.in, s.width, s.in, s.outWidth, func(x, ch, c int) int { return (x-c*s.stride+s.before)*s.in + ch })
}

// choice is a selection of rows by index; an index out of range selects a row of zeros.
type choice struct {
	of    []int
	from  int
	added int // number of consecutive selected rows that are summed to one; 0 means 1
}

// chosen selects the row of(a, b, c) for every a, b and c below the given numbers, c varying fastest.
func chosen(from, as, bs, cs int, of func(a, b, c int) int) choice {
	rows := choice{from: from}
	for a := range as {
		for b := range bs {
			for c := range cs {
				rows.of = append(rows.of, of(a, b, c))
			}
		}
	}
	return rows
}

// everyRow reports whether all rows are selected in order.
func (c choice) everyRow() bool {
	for to, from := range c.of {
		if to != from {
			return false
		}
	}
	return len(c.of) == c.from && c.added <= 1
}

// picked selects rows of every matrix of x [batch, c.from, columns] by a product. With back, the transposed product
// adds the selected rows of x to their origins in [batch, c.from, columns].
func picked(c choice, back bool, x *Node) *Node {
	if c.everyRow() {
		return x
	}
	g, batch, added := x.Graph(), x.Shape().Dim(0), max(1, c.added)
	rows, columns := len(c.of)/added, c.from
	if back {
		rows, columns = columns, rows
	}
	ones := make([]float32, rows*columns)
	for to, from := range c.of {
		if from < 0 || from >= c.from {
			continue
		}
		to /= added
		if back {
			to, from = from, to
		}
		ones[to*columns+from] = 1
	}
	one := ConvertDType(ConstTensor(g, tensors.FromFlatDataAndDimensions(ones, len(ones))), x.DType())
	all := ReshapeWithShape(repeated(one, batch), shapes.Make(x.DType(), batch, rows, columns))
	return DotGeneral(all, []int{2}, []int{0}, x, []int{1}, []int{0})
}
