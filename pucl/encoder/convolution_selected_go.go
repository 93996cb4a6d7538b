package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// selection is a convolution of small images whose patches are picked by products too, with matrices of zeros and ones that
// have a single one, or for padding none, in every row: the engine's products run on all processors and several times as fast
// as its Slice, although they multiply mostly by zero. No cell of the result is thrown away, and the gradients are the same
// products with the matrices turned round.
//
// First every row of windows picks its kernel rows of an image. Then every window picks its columns from those, several
// neighbouring ones at a time where stride and width allow it; or, of images with few numbers in a row, none: there whole rows
// are multiplied with the kernel written out for every window of a row, with zeros between.
type selection struct {
	*convolved
	group       int  // columns that are picked at a time
	first, taps int  // a window begins with this group of columns, counted from the window's own, and looks at so many
	whole       bool // whole rows
}

// bySelection returns how to do c by selection, or false where another way is faster.
func (c *convolved) bySelection() (selection, bool) {
	s := selection{convolved: c, group: 1, whole: c.width*c.in <= 32}
	if c.width%c.stride == 0 {
		s.group = c.stride
	}
	s.first = -ceilDiv(c.before, s.group)
	s.taps = (c.kernel-1-c.before+s.group*c.kernel)/s.group - c.kernel - s.first + 1
	return s, s.whole || c.kernel*c.width/s.group <= 64
}

// convolve is the convolution of x with w.
func (s selection) convolve(x, w *Node) *Node {
	var seen *Node
	return withGradients(func(of []*Node) *Node {
		seen = s.seen(of[0])
		return Reshape(DotProduct(seen, s.matrix(of[1])), s.n, s.outHeight, s.outWidth, s.out)
	}, func(_ []*Node, v *Node) []*Node {
		v = Reshape(v, seen.Shape().Dim(0), -1)
		sent := DotGeneral(v, []int{1}, nil, s.matrix(w), []int{1}, nil)
		return []*Node{s.sentBack(sent), s.kernel4(columnProducts(seen, v))}
	}, x, w)
}

// seen is what the windows see of x, a row for every window or for every row of windows.
func (s selection) seen(x *Node) *Node {
	rows := picked(s.rowsOfWindows(), false, Reshape(x, s.n, s.height, -1))
	if s.whole {
		return Reshape(rows, s.n*s.outHeight, -1)
	}
	rows = Reshape(rows, s.n*s.outHeight, s.kernel*s.width/s.group, -1)
	return Reshape(picked(s.columnsOfWindows(), false, rows), s.n*s.outHeight*s.outWidth, -1)
}

// sentBack adds up what the windows send back to the numbers of x that they see.
func (s selection) sentBack(sent *Node) *Node {
	if !s.whole {
		sent = picked(s.columnsOfWindows(), true, Reshape(sent, s.n*s.outHeight, s.outWidth*s.kernel*s.taps, -1))
	}
	x := picked(s.rowsOfWindows(), true, Reshape(sent, s.n, s.outHeight*s.kernel, -1))
	return Reshape(x, s.n, s.height, s.width, s.in)
}

// rowsOfWindows tells which row of an image is row i of the windows in row r, for every r and i.
func (s selection) rowsOfWindows() choice {
	rows := choice{from: s.height}
	for r := range s.outHeight {
		for i := range s.kernel {
			rows.of = append(rows.of, r*s.stride+i-s.before)
		}
	}
	return rows
}

// columnsOfWindows tells which group of which of the kernel rows of an image is group t of row i of window c, for every c, i and t.
func (s selection) columnsOfWindows() choice {
	groups := s.width / s.group
	columns := choice{from: s.kernel * groups}
	for c := range s.outWidth {
		for i := range s.kernel {
			for t := range s.taps {
				group := c*s.stride/s.group + s.first + t
				if group < 0 || group >= groups {
					columns.of = append(columns.of, -1)
					continue
				}
				columns.of = append(columns.of, i*groups+group)
			}
		}
	}
	return columns
}

// matrix is the kernel as what is seen is multiplied with it.
func (s selection) matrix(w *Node) *Node {
	if s.whole {
		w = Reshape(w, s.kernel, s.kernel*s.in, s.out)
		return Reshape(picked(s.places(), false, w), -1, s.outWidth*s.out)
	}
	return Reshape(framed(w, PadAxis{}, s.unused(), PadAxis{}), -1, s.out)
}

// kernel4 takes the gradient with respect to matrix back to the kernel [k, k, in, out].
func (s selection) kernel4(m *Node) *Node {
	if s.whole {
		m = picked(s.places(), true, Reshape(m, s.kernel, -1, s.out))
		return Reshape(m, s.kernel, s.kernel, s.in, s.out)
	}
	m = Reshape(m, s.kernel, -1, s.in, s.out)
	return Slice(m, AxisRange(), AxisRange(s.unused().Start, s.unused().Start+s.kernel))
}

// unused is how many columns of its groups a window does not look at.
func (s selection) unused() PadAxis {
	start := -s.first*s.group - s.before
	return PadAxis{Start: start, End: s.taps*s.group - s.kernel - start}
}

// places tells which number of a row of the kernel [k, in] meets channel ch of column x in window c, for every x, ch and c.
func (s selection) places() choice {
	places := choice{from: s.kernel * s.in}
	for x := range s.width {
		for ch := range s.in {
			for c := range s.outWidth {
				j := x - c*s.stride + s.before
				if j < 0 || j >= s.kernel {
					places.of = append(places.of, -1)
					continue
				}
				places.of = append(places.of, j*s.in+ch)
			}
		}
	}
	return places
}

// choice is rows to be picked from a number of rows; what lies outside is a row of zeros.
type choice struct {
	of   []int
	from int
}

// picked picks rows of every matrix of x [batch, c.from, columns] by a product; turned round it adds up to the rows of
// [batch, c.from, columns] what was picked from them.
func picked(c choice, back bool, x *Node) *Node {
	g, batch := x.Graph(), x.Shape().Dim(0)
	rows, columns := len(c.of), c.from
	if back {
		rows, columns = columns, rows
	}
	ones := make([]float32, rows*columns)
	for to, from := range c.of {
		if from < 0 || from >= c.from {
			continue
		}
		if back {
			to, from = from, to
		}
		ones[to*columns+from] = 1
	}
	one := ConvertDType(ConstTensor(g, tensors.FromFlatDataAndDimensions(ones, len(ones))), x.DType())
	all := ReshapeWithShape(repeated(one, batch), shapes.Make(x.DType(), batch, rows, columns))
	return DotGeneral(all, []int{2}, []int{0}, x, []int{1}, []int{0})
}

// columnProducts is the product of every column of x [m, a] with every column of y [m, b], [a, b]. The narrower one is turned.
//
// The engine divides a product among processors by its rows and columns, of which there are too few here, or by the matrices in a
// batch. So the sum over m is cut into a batch of sums.
func columnProducts(x, y *Node) *Node {
	m, a, b := x.Shape().Dim(0), x.Shape().Dim(1), y.Shape().Dim(1)
	if a > b {
		return Transpose(columnProducts(y, x), 0, 1)
	}
	parts := 1
	for a*b <= 1<<18 && parts < 16 && m%(2*parts) == 0 && m/(2*parts) >= 128 {
		parts *= 2
	}
	g := x.Graph()
	identity := DiagonalWithValue(ScalarOne(g, x.DType()), a)
	turned := DotGeneral(BroadcastPrefix(identity, parts), []int{2}, []int{0}, Reshape(x, parts, m/parts, a), []int{2}, []int{0})
	products := DotGeneral(turned, []int{2}, []int{0}, Reshape(y, parts, m/parts, b), []int{1}, []int{0})
	ones := Ones(g, shapes.Make(x.DType(), 1, parts))
	return Reshape(DotProduct(ones, Reshape(products, parts, a*b)), a, b)
}
