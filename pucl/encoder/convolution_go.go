package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// convolveByProducts filters x [n, height, width, in] with w [k, k, in, out] at the given stride after padding every side with
// zeros, as the pure-Go engine does it fastest.
func convolveByProducts(x, w *Node, stride, padding int) *Node {
	side := [2]int{padding, padding}
	return Convolve(x, w).Strides(stride).PaddingPerDim([][2]int{side, side}).Done()
}
