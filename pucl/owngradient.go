package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// ownGradient returns value, shape [.., r], with a gradient with respect to the inputs that a formula gives. back takes
// the gradient v of a node with respect to value and returns its gradient with respect to each input. The inputs are
// matrices of d columns, [.., rows, d], the first with r rows or more; value must depend on them alone.
//
// The formula may reuse intermediate nodes of value, which saves work that step-by-step differentiation would do twice.
// It is built only if a gradient is requested.
func ownGradient(value *Node, back func(v *Node) []*Node, inputs ...*Node) *Node {
	// The gradient has to flow into the inputs through some node. An input entry minus itself adds nothing to value and
	// carries v to the place where the formula is inserted.
	r := value.Shape().Dim(-1)
	carrier := IdentityWithCustomGradient(Concatenate(inputs, -2), func(_, carried *Node) *Node {
		v := Squeeze(SliceAxis(SliceAxis(carried, -2, AxisRangeFromStart(r)), -1, AxisElem(0)), -1)
		return Concatenate(back(v), -2)
	})
	entry := Squeeze(SliceAxis(SliceAxis(carrier, -2, AxisRangeFromStart(r)), -1, AxisElem(0)), -1)
	return Add(StopGradient(value), Sub(entry, StopGradient(entry)))
}
