package pucl

import . "github.com/gomlx/gomlx/core/graph"

// innerProducts returns the inner products of the rows of a [.., r, d] with the rows of b [.., n, d], shape [.., r, n].
func innerProducts(a, b *Node) *Node {
	rank := a.Rank()
	return EinsumAxes(a, b, [][2]int{{rank - 1, rank - 1}}, leadingAxes(rank))
}

// weighted returns the sums of the rows of b [.., n, d] with the weights a [.., r, n], shape [.., r, d].
func weighted(a, b *Node) *Node {
	rank := a.Rank()
	return EinsumAxes(a, b, [][2]int{{rank - 1, rank - 2}}, leadingAxes(rank))
}

// weightedBack returns the sums of the rows of b [.., r, d] with the weights a [.., r, n] taken by column, shape [.., n, d].
func weightedBack(a, b *Node) *Node {
	rank := a.Rank()
	// As a product with a on the right, and turned: XLA takes half as long again for a on the left, turned.
	return Transpose(EinsumAxes(b, a, [][2]int{{rank - 2, rank - 2}}, leadingAxes(rank)), -2, -1)
}

// leadingAxes pairs the axes of two arrays that both have, before the last two.
func leadingAxes(rank int) [][2]int {
	axes := make([][2]int, rank-2)
	for axis := range axes {
		axes[axis] = [2]int{axis, axis}
	}
	return axes
}
