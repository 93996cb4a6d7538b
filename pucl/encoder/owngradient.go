package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// ownGradient is value of the inputs, with a gradient given by a formula: back is handed the gradient v of something with
// respect to the value and returns its gradient with respect to every input. It may use whatever value was made of.
//
// The gradient v is caught on its way back behind the value, and the formulas take its place in front of it. What is built in
// between, by differentiating step by step, is used by nothing and so never computed.
func ownGradient(value func(inputs []*Node) *Node, back func(v *Node) []*Node, inputs ...*Node) *Node {
	var gradients []*Node
	carriers := make([]*Node, len(inputs))
	for i, x := range inputs {
		carriers[i] = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return gradients[i] })
	}
	return IdentityWithCustomGradient(value(carriers), func(_, v *Node) *Node {
		gradients = back(v)
		return v
	})
}
