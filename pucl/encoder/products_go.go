package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
)

// product returns x [n, k] times w [k, m], of dense layers. On the pure-Go engine its gradient with respect to w is [columnProducts]:
// gomlx's own would turn x round number by number.
func product(x, w *Node) *Node {
	if !onPureGo(x) {
		return dot(x, w).Product()
	}
	return withGradients(func(of []*Node) *Node { return DotProduct(of[0], of[1]) }, func(of []*Node, v *Node) []*Node {
		return []*Node{DotGeneral(v, []int{1}, nil, of[1], []int{1}, nil), columnProducts(of[0], v)}
	}, x, w)
}

// columnProducts returns the product of every column of x [m, a] with every column of y [m, b], [a, b].
//
// The narrower one is turned round first, as a product with the identity matrix, for which the engine reads both along their rows;
// Transpose jumps from row to row with every number. The engine divides a product among processors by its rows and columns, of
// which there are too few here, or by the matrices in a batch. So the sum over m is cut into a batch of sums.
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
