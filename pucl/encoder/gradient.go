package encoder

import . "github.com/gomlx/gomlx/core/graph"

// withGradients returns value of the inputs, with a gradient by formula. back takes the inputs and the gradient v with
// respect to the value, and returns the gradient with respect to every input, or nil for the engine's own gradient.
//
// value must depend on every input by differentiable operations. Unused parts of the graph, such as the engine's own
// gradient and unneeded input gradients, are not computed.
func withGradients(value func(inputs []*Node) *Node, back func(inputs []*Node, v *Node) []*Node, inputs ...*Node) *Node {
	var v *Node           // set at the value before a gradient of an input is requested
	var gradients []*Node // with respect to the inputs, once requested
	now := make([]*Node, len(inputs))
	// Gradients of nodes are requested in reverse order of creation, so this order requests the first input first. If a
	// checkpoint recomputes it in the backward pass, the formula then uses the new node, and the old one need not be
	// kept.
	for i := len(inputs) - 1; i >= 0; i-- {
		now[i] = IdentityWithCustomGradient(inputs[i], func(x, own *Node) *Node {
			if now[i] = x; gradients == nil {
				gradients = back(now, v)
			}
			if gradients[i] == nil {
				return own
			}
			return gradients[i]
		})
	}
	return IdentityWithCustomGradient(value(now), func(_, arrived *Node) *Node {
		v, gradients = arrived, nil
		return arrived
	})
}

// recomputing is the key of the state that RecomputeBlocks attaches to a graph.
type recomputing struct{}

// RecomputeBlocks makes every [Block] built later in g recompute its interior for the gradient, instead of keeping it
// until then. Memory falls from all of the network's activations to those between blocks and inside one block. The
// forward pass is done twice, so a step takes about a third longer. Values and gradients are the same up to rounding.
func RecomputeBlocks(g *Graph) { g.AttachState(recomputing{}, true) }

// Block returns f(x), marked as a block for [RecomputeBlocks]. ResNet and ViT consist of such blocks, and so do the
// convolutions of SmallCNN and AllConv; a user-defined encoder can mark its own. Inputs of f besides x and variables
// are kept, and so are x and the result.
func Block(x *Node, f func(x *Node) *Node) *Node {
	if on, _ := x.Graph().State(recomputing{}).(bool); !on {
		return f(x)
	}
	return f(x.Checkpoint()).StopCheckpoint()
}
