package encoder

import . "github.com/gomlx/gomlx/core/graph"

// withGradients returns value of the inputs, with a gradient by formula: back is handed the inputs and the gradient v with respect to
// the value, and returns the gradient with respect to every input, or nil where the engine's own is to stand.
//
// value must depend on every input by operations that have a gradient. What is built but not used, such as the engine's own
// gradient and those for inputs that need none, is not computed.
func withGradients(value func(inputs []*Node) *Node, back func(inputs []*Node, v *Node) []*Node, inputs ...*Node) *Node {
	var v *Node           // arrives at the value before a gradient of an input is asked for
	var gradients []*Node // with respect to the inputs, once they are asked for
	now := make([]*Node, len(inputs))
	// Nodes are asked in the reverse order of their making, so this asks the first input first. Where a checkpoint makes it
	// anew on the way back, the formula then uses the new one, and the old one need not be kept.
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

// recomputing is the key of what RecomputeBlocks leaves with a graph.
type recomputing struct{}

// RecomputeBlocks makes every [Block] that is built in g from now on work its insides out a second time for the gradient,
// instead of keeping them until then. Memory falls from all of the network's activations to those between blocks and
// inside one block; the forward pass is done twice, so a step takes about a third longer. Values and gradients are the
// same up to rounding.
func RecomputeBlocks(g *Graph) { g.AttachState(recomputing{}, true) }

// Block returns f(x), marked as a block for [RecomputeBlocks]. ResNet and ViT are such blocks behind one another, and so are the
// convolutions of SmallCNN and AllConv; an encoder of one's own can mark its own. What f uses besides x and variables is
// kept, and so are x and the result.
func Block(x *Node, f func(x *Node) *Node) *Node {
	if on, _ := x.Graph().State(recomputing{}).(bool); !on {
		return f(x)
	}
	return f(x.Checkpoint()).StopCheckpoint()
}
