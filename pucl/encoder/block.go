package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
)

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
