package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// product is x [n, k] times w [k, m]. On the pure-Go engine, where gomlx's gradient with respect to w would turn x round number by
// number, that is [columnProducts].
func product(x, w *Node) *Node {
	if !onPureGo(x) {
		return dot(x, w).Product()
	}
	return withGradients(func(of []*Node) *Node { return DotProduct(of[0], of[1]) }, func(of []*Node, v *Node) []*Node {
		return []*Node{DotGeneral(v, []int{1}, nil, of[1], []int{1}, nil), columnProducts(of[0], v)}
	}, x, w)
}
