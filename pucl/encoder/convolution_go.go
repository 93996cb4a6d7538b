package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/fault"
)

// convolveByProducts filters x [n, height, width, in] with w [k, k, in, out] at the given stride after zero padding on
// every side, by the fastest formulation on the pure-Go engine.
//
// That engine is fast at matrix products and at copying contiguous runs of numbers. It is slow at operations that
// select numbers one by one: its own convolution, Slice, Transpose and Gather. So the value and both gradients are
// products with the patches under the kernel. For small images products select those patches, too: see [selection]. For
// other images the patches become the rows of one matrix, built by concatenation alone.
func convolveByProducts(x, w *Node, stride, padding int) *Node {
	if more := padding - (w.Shape().Dim(0) - 1); more > 0 { // windows of padding alone
		x = framed(x, PadAxis{}, PadAxis{Start: more, End: more}, PadAxis{Start: more, End: more})
		padding -= more
	}
	c := newConvolved(x, w, stride, padding)
	if s, ok := c.bySelection(); ok {
		return s.convolve(x, w)
	}
	return c.convolveUnrolled(x, w)
}

// convolveUnrolled returns the convolution of x with w by one product with all patches.
func (c *convolved) convolveUnrolled(x, w *Node) *Node {
	return withGradients(func(of []*Node) *Node {
		c.patches = c.patchesOf(of[0])
		return c.output(of[1])
	}, func(_ []*Node, v *Node) []*Node {
		return []*Node{c.inputGradient(w, v), c.kernelGradient(v)}
	}, x, w)
}

// convolved holds the sizes of a convolution. Every image is laid out on a grid of rows × columns cells. At stride s
// there are s² such grids, its phases: cell (r, c) of phase (a, b) is the pixel in row s·r+a and column s·c+b of the
// padded image. A tap of the kernel, its entry (i, j), then meets the cells of phase (i mod s, j mod s) shifted by
// (i/s, j/s) cells. A shift of all images by some cells is a shift of one long list of cells. There is padding only on
// the left of every row and on top of every image: after the end of a row the list continues with the padding of the
// next one.
type convolved struct {
	n, height, width, in   int
	kernel, stride, before int // before is the padding
	out                    int // channels
	outHeight, outWidth    int
	rows, columns          int   // of a grid
	extra                  int   // images of zeros in front of the list, so that shifting loses nothing
	patches                *Node // [(extra+n)·rows·columns, kernel·kernel·in]
}

// newConvolved computes the sizes. The padding must be smaller than the kernel.
func newConvolved(x, w *Node, stride, padding int) *convolved {
	dims, kernel := x.Shape().Dimensions, w.Shape().Dim(0)
	c := &convolved{
		n: dims[0], height: dims[1], width: dims[2], in: dims[3],
		kernel: kernel, stride: stride, before: padding,
		out: w.Shape().Dim(3),
	}
	c.outHeight = (c.height+2*padding-kernel)/stride + 1
	c.outWidth = (c.width+2*padding-kernel)/stride + 1
	fault.PanicIf(min(c.height, c.width)+2*padding < kernel,
		"encoder: a %d×%d kernel does not fit into images of %d×%d padded by %d; the images are too small for this network: give larger ones, or take another encoder",
		kernel, kernel, c.height, c.width, padding)
	c.rows = max(c.outHeight, ceilDiv(c.height+padding, stride))
	c.columns = max(c.outWidth, ceilDiv(c.width+padding, stride))
	c.extra = ceilDiv(c.moved(kernel-1, kernel-1), c.rows*c.columns)
	return c
}

// moved returns the number of cells by which tap (i, j) is shifted.
func (c *convolved) moved(i, j int) int { return i/c.stride*c.columns + j/c.stride }

// patchesOf concatenates the cells of x that each tap meets; the row of the cell c.extra images later holds the patch
// that begins in a cell.
func (c *convolved) patchesOf(x *Node) *Node {
	s := c.stride
	side := func(size, cells int) PadAxis { return PadAxis{Start: c.before, End: cells*s - size - c.before} }
	x = framed(x, PadAxis{}, side(c.height, c.rows), side(c.width, c.columns))
	phases := make([]*Node, s*s)
	for i := range phases {
		phase := x
		if s > 1 {
			phase = Slice(x, AxisRange(), AxisRange(i/s).Stride(s), AxisRange(i%s).Stride(s))
		}
		phases[i] = Reshape(phase, -1, c.in)
	}
	var taps []*Node
	for i := range c.kernel {
		for j := range c.kernel {
			taps = append(taps, move(phases[i%s*s+j%s], c.extra*c.rows*c.columns, c.moved(i, j)))
		}
	}
	return Concatenate(taps, -1)
}

// move inserts ahead rows of zeros before a list of cells [m, channels], back of them at its end instead.
func move(cells *Node, ahead, back int) *Node {
	var parts []*Node
	zeros := func(rows int) {
		if rows > 0 {
			parts = append(parts, Zeros(cells.Graph(), shapes.Make(cells.DType(), rows, cells.Shape().Dim(1))))
		}
	}
	zeros(ahead - back)
	parts = append(parts, cells)
	zeros(back)
	return Concatenate(parts, 0)
}

// output returns the convolution itself: patches times kernel, without the cells in which no window begins.
func (c *convolved) output(w *Node) *Node {
	y := Reshape(DotProduct(c.patches, Reshape(w, -1, c.out)), c.extra+c.n, c.rows, c.columns, c.out)
	return Slice(y, AxisRangeToEnd(c.extra), AxisRange(0, c.outHeight), AxisRange(0, c.outWidth))
}

// onGrid places v, which has the shape of the output, on grids with zeros in the other cells, after the given number of
// images of zeros.
func (c *convolved) onGrid(v *Node, images int) *Node {
	v = framed(v, PadAxis{Start: images}, PadAxis{End: c.rows - c.outHeight}, PadAxis{End: c.columns - c.outWidth})
	return Reshape(v, -1, c.out)
}

// kernelGradient returns the gradient with respect to the kernel, given the gradient v with respect to the output.
func (c *convolved) kernelGradient(v *Node) *Node {
	return Reshape(columnProducts(c.patches, c.onGrid(v, c.extra)), c.kernel, c.kernel, c.in, c.out)
}

// inputGradient returns the gradient with respect to the input, given the gradient v with respect to the output: every
// phase is filtered by its taps, with reversed shifts.
func (c *convolved) inputGradient(w, v *Node) *Node {
	w = Transpose(w, 2, 3)
	cells, s := c.onGrid(v, 0), c.stride
	ahead := c.extra * c.rows * c.columns
	pixelRows := make([]*Node, s)
	for a := range s {
		pixels := make([]*Node, s)
		for b := range s {
			var taps []*Node
			for i := a; i < c.kernel; i += s {
				for j := b; j < c.kernel; j += s {
					taps = append(taps, move(cells, ahead, ahead-c.moved(i, j)))
				}
			}
			shape := shapes.Make(v.DType(), c.extra+c.n, c.rows, c.columns, c.in)
			if len(taps) == 0 { // the stride skips these pixels
				pixels[b] = Zeros(v.Graph(), shape)
				continue
			}
			seeing := Slice(w, AxisRangeToEnd(a).Stride(s), AxisRangeToEnd(b).Stride(s))
			pixels[b] = ReshapeWithShape(DotProduct(Concatenate(taps, -1), Reshape(seeing, -1, c.in)), shape)
		}
		pixelRows[a] = Reshape(Stack(pixels, 3), c.extra+c.n, c.rows, -1)
	}
	all := Reshape(Stack(pixelRows, 2), c.extra+c.n, c.rows*s, c.columns*s, c.in)
	return Slice(all, AxisRange(0, c.n), AxisRange(c.before, c.before+c.height), AxisRange(c.before, c.before+c.width))
}

// framed pads x [n, height, width, channels] with zeros. It names the last axis too, since gomlx's gradient of Pad is
// wrong if an axis is omitted.
func framed(x *Node, images, rows, columns PadAxis) *Node {
	return Pad(x, ScalarZero(x.Graph(), x.DType()), images, rows, columns, PadAxis{})
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
