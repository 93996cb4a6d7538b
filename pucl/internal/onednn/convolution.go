package onednn

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// what is the kind of a convolution's result.
type what int

const (
	forward what = iota
	inputGradient
	kernelGradient
)

// convolution is a convolution in the terms of its forward direction: x [images, in, size] filtered with w [out, in,
// kernel] gives y [images, out, result]; rows and columns are pairs. The strides of the arrays are in the order of
// these lists, for any memory layout.
type convolution struct {
	what                         what
	images, in, out              int
	size, result, kernel         [2]int
	stride, dilation             [2]int // of the window; a dilation of 1 skips nothing
	before, after                [2]int // padding
	xStrides, wStrides, yStrides [4]int
	flipped                      bool // for inputGradient: the kernel has rows and columns in reverse order
}

var (
	axisLabels = regexp.MustCompile(`dimension_numbers = #stablehlo\.conv<\[(\w, \w, \w, \w)\]x\[(\w, \w, \w, \w)\]->\[(\w, \w, \w, \w)\]>`)
	padding    = regexp.MustCompile(`padding = dense<\[\[(-?\d+), (-?\d+)\], \[(-?\d+), (-?\d+)\]\]>`)
)

// window holds the attributes of a convolution in StableHLO.
type window struct {
	left, right, result                 array
	stride, leftDilation, rightDilation [2]int
	before, after                       [2]int
}

// parseConvolution parses the attributes of a convolution and reports whether oneDNN can compute it.
//
// A window larger than the result is the gradient for a kernel, whose "channels" are the images. Zeros inserted between
// the numbers of the input make the gradient for the input of a convolution with strides.
func parseConvolution(attributes string, arrays [3]array) (convolution, bool) {
	w, ok := parseWindow(attributes, arrays)
	if !ok {
		return convolution{}, false
	}
	var c convolution
	switch {
	case w.leftDilation != [2]int{1, 1}:
		c = w.inputGradient()
	case w.right.size('0')*w.right.size('1') > w.result.size('0')*w.result.size('1'):
		c = w.kernelGradient()
	default:
		c = w.forward()
	}
	return c, c.valid() && (c.what != inputGradient || w.stride == [2]int{1, 1})
}

func parseWindow(attributes string, arrays [3]array) (w window, ok bool) {
	labels, pads := axisLabels.FindStringSubmatch(attributes), padding.FindStringSubmatch(attributes)
	if labels == nil || pads == nil || !strings.Contains(attributes, "batch_group_count = 1 ") ||
		!strings.Contains(attributes, "feature_group_count = 1 ") ||
		!strings.Contains(attributes, "window_reversal = array<i1: false, false>") {
		return window{}, false
	}
	for i, axes := range []string{"01bf", "01io", "01bf"} {
		arrays[i].labels = strings.ReplaceAll(labels[1+i], ", ", "")
		if len(arrays[i].dims) != len(axes) || sorted(arrays[i].labels) != axes {
			return window{}, false
		}
	}
	w.left, w.right, w.result = arrays[0], arrays[1], arrays[2]
	for i := range 2 {
		var errBefore, errAfter error
		w.before[i], errBefore = strconv.Atoi(pads[1+2*i])
		w.after[i], errAfter = strconv.Atoi(pads[2+2*i])
		if errBefore != nil || errAfter != nil {
			return window{}, false
		}
	}
	for name, pair := range map[string]*[2]int{"window_strides": &w.stride, "lhs_dilation": &w.leftDilation, "rhs_dilation": &w.rightDilation} {
		list, found := numbers(attributes, name)
		if !found || len(list) != 2 {
			return window{}, false
		}
		*pair = [2]int(list)
	}
	return w, w.agrees()
}

// sorted returns the letters of s in their order.
func sorted(s string) string {
	letters := []byte(s)
	slices.Sort(letters)
	return string(letters)
}

// agrees reports whether the sizes are consistent for a convolution, and small enough for oneDNN.
func (w window) agrees() bool {
	if w.left.size('f') != w.right.size('i') || w.left.size('b') != w.result.size('b') || w.right.size('o') != w.result.size('f') {
		return false
	}
	for i, axis := range []byte("01") {
		for _, n := range []int{w.stride[i], w.leftDilation[i], w.rightDilation[i]} {
			if n < 1 || n >= largest {
				return false
			}
		}
		if max(w.before[i], -w.before[i], w.after[i], -w.after[i]) >= largest {
			return false
		}
		room := (w.left.size(axis)-1)*w.leftDilation[i] + w.before[i] + w.after[i] - (w.right.size(axis)-1)*w.rightDilation[i]
		if room < 0 || room/w.stride[i]+1 != w.result.size(axis) {
			return false
		}
	}
	return true
}

func (w window) forward() convolution {
	return convolution{
		what: forward, images: w.left.size('b'), in: w.left.size('f'), out: w.right.size('o'),
		size: w.left.image(), kernel: w.right.image(), result: w.result.image(), stride: w.stride, dilation: w.rightDilation,
		before: w.before, after: w.after,
		xStrides: w.left.stridesOf("bf01"), wStrides: w.right.stridesOf("oi01"), yStrides: w.result.stridesOf("bf01"),
	}
}

func (w window) inputGradient() convolution {
	c := convolution{
		what: inputGradient, images: w.left.size('b'), in: w.right.size('o'), out: w.left.size('f'),
		size: w.result.image(), kernel: w.right.image(), result: w.left.image(), stride: w.leftDilation, dilation: w.rightDilation,
		xStrides: w.result.stridesOf("bf01"), wStrides: w.right.stridesOf("io01"), yStrides: w.left.stridesOf("bf01"),
		flipped: true,
	}
	for i := range 2 {
		c.before[i] = (c.kernel[i]-1)*c.dilation[i] - w.before[i]
	}
	c.padAfter()
	return c
}

func (w window) kernelGradient() convolution {
	c := convolution{
		what: kernelGradient, images: w.left.size('f'), in: w.left.size('b'), out: w.right.size('o'),
		size: w.left.image(), kernel: w.result.image(), result: w.right.image(), stride: w.rightDilation, dilation: w.stride,
		before:   w.before,
		xStrides: w.left.stridesOf("fb01"), wStrides: w.result.stridesOf("fb01"), yStrides: w.right.stridesOf("io01"),
	}
	c.padAfter()
	return c
}

// image returns the height and width of an array.
func (a array) image() [2]int { return [2]int{a.size('0'), a.size('1')} }

// padAfter sets the padding after the images to the minimum for the last place of the window.
func (c *convolution) padAfter() {
	for i := range 2 {
		c.after[i] = max(0, (c.result[i]-1)*c.stride[i]+(c.kernel[i]-1)*c.dilation[i]+1-c.size[i]-c.before[i])
	}
}

// valid reports whether the sizes are consistent in the forward direction, with nothing cut off, and whether a flipped
// kernel can be reversed by moving whole places: its rows and columns must be its slowest axes, in this order.
func (c *convolution) valid() bool {
	for i := range 2 {
		room := c.size[i] + c.before[i] + c.after[i] - (c.kernel[i]-1)*c.dilation[i] - 1
		if c.before[i] < 0 || c.after[i] < 0 || room < 0 || room/c.stride[i]+1 != c.result[i] {
			return false
		}
	}
	place := c.in * c.out
	return !c.flipped || c.wStrides[3] == place && c.wStrides[2] == place*c.kernel[1]
}
