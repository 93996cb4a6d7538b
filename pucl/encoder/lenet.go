package encoder

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
)

// LeNet is the encoder that the paper's public code trains on Fashion-MNIST (FMNISTLeNet in utils.py): three 5×5
// convolutions with biases, of 6, 16 and 120 channels, ReLU after each and 2×2 max-pooling after the first two, then a
// dense layer with batch normalization and no ReLU. The first convolution pads by 2, the others not at all, so that 28×28
// shrinks to 1×1. Smaller images are refused; larger ones only give the dense layer more inputs. The zero value works.
//
// Source: LeCun, Bottou, Bengio, Haffner, "Gradient-Based Learning Applied to Document Recognition", Proceedings of the IEEE
// 86(11), 1998, Section II.B, whose layers F6 and C5 have these sizes; batch normalization is the code's.
type LeNet struct {
	Dim    int    // length k of an embedding; 0 means 84
	Pixels Pixels // how pixels are scaled first
}

// Embed implements [Encoder]. Like all graph code it panics on images smaller than 28×28 and on a negative Dim.
func (l LeNet) Embed(scope *model.Scope, images *Node, training bool) *Node {
	l = l.withDefaults()
	atLeastOne("LeNet", setting{"Dim", l.Dim})
	x := l.Pixels.scale("LeNet", images)
	if shape := x.Shape(); shape.Dim(1) < 28 || shape.Dim(2) < 28 {
		panic(fmt.Errorf("encoder: a LeNet needs images of at least 28×28, not %d×%d", shape.Dim(1), shape.Dim(2)))
	}
	conv := func(name string, channels, padding int) *Node {
		s := scope.In("%s", name)
		return withBias(s, convolution(s, x, channels, 5, 1, padding))
	}
	x = ReLU(maxPool(conv("conv1", 6, 2), 2, 2, 0))
	x = ReLU(maxPool(conv("conv2", 16, 0), 2, 2, 0))
	x = flat(ReLU(conv("conv3", 120, 0)))
	return BatchNorm(scope.In("bn_fc1"), Dense(scope.In("fc1"), x, l.Dim, true), training)
}

// String names the network and its sizes.
func (l LeNet) String() string {
	l = l.withDefaults()
	return fmt.Sprintf("LeNet, %d-d%s", l.Dim, l.Pixels.suffix())
}

// withDefaults fills in the zero fields.
func (l LeNet) withDefaults() LeNet {
	setDefault(&l.Dim, 84)
	return l
}

// flat makes one row of every image's [height, width, channels], channels in front as PyTorch and Chainer lay them out, so
// that a dense layer behind it has their weights.
func flat(x *Node) *Node {
	return Reshape(TransposeAllAxes(x, 0, 3, 1, 2), x.Shape().Dim(0), -1)
}
