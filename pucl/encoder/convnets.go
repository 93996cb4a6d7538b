package encoder

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// AllConv is the network that nnPU's code trains on CIFAR-10 (CNN in model.py of kiryor/nnPUlearning), without its last
// layer: nine convolutions without pooling, each followed by batch normalization and ReLU, and two dense layers with
// ReLU. The convolutions are 3×3 of 96 channels twice, again at stride 2; 3×3 of 192 twice, again at stride 2; then 3×3
// and 1×1 of 192 and 1×1 of 10. The zero value works.
//
// nnPU's code gives its convolutions biases, which the following batch normalization cancels; this type has none.
//
// Source: Kiryo, Niu, du Plessis, Sugiyama, "Positive-Unlabeled Learning with Non-Negative Risk Estimator", arXiv
// 1703.00593, 2017; the idea: Springenberg et al., "Striving for Simplicity: The All Convolutional Net", arXiv
// 1412.6806, 2014.
type AllConv struct {
	Width  int    // channels of the first three convolutions, doubled by the next five; 0 means 96
	Dim    int    // size of both dense layers, the length k of an embedding; 0 means 1000
	Pixels Pixels // how pixels are scaled first
}

// Embed implements [Encoder]. Like all graph code it panics on negative sizes.
func (c AllConv) Embed(scope *model.Scope, images *Node, training bool) *Node {
	c = c.withDefaults()
	atLeastOne("AllConv", setting{"Width", c.Width}, setting{"Dim", c.Dim})
	x := c.Pixels.scale("AllConv", images)
	for i, layer := range []struct{ kernel, channels, stride int }{
		{3, c.Width, 1}, {3, c.Width, 1}, {3, c.Width, 2},
		{3, 2 * c.Width, 1}, {3, 2 * c.Width, 1}, {3, 2 * c.Width, 2},
		{3, 2 * c.Width, 1}, {1, 2 * c.Width, 1}, {1, 10, 1},
	} {
		x = Block(x, func(x *Node) *Node {
			x = Convolution(scope.In("conv%d", i+1), x, layer.channels, layer.kernel, layer.stride)
			return ReLU(BatchNorm(scope.In("b%d", i+1), x, training))
		})
	}
	x = ReLU(Dense(scope.In("fc1"), flat(x), c.Dim, true))
	return ReLU(Dense(scope.In("fc2"), x, c.Dim, true))
}

// String names the network and its sizes.
func (c AllConv) String() string { return c.describe("AllConv") }

// describe names a network with the fields of c, and its sizes.
func (c AllConv) describe(network string) string {
	c = c.withDefaults()
	return fmt.Sprintf("%s width %d, %d-d%s", network, c.Width, c.Dim, c.Pixels.suffix())
}

// withDefaults fills in the zero fields.
func (c AllConv) withDefaults() AllConv {
	return AllConv{cmp.Or(c.Width, 96), cmp.Or(c.Dim, 1000), c.Pixels}
}

// ShortConv is the encoder that the paper's public code trains on CIFAR-10 (CIFARCNN in utils.py): convolutions of 3×3,
// 3×3 at stride 2, 1×1 and 1×1 with biases and ReLU and no padding, of 96, 96, 192 and 10 channels, then a dense layer
// with ReLU and one without. It is a shortened [AllConv] without batch normalization. The zero value works.
//
// Source: the paper's code cites the code of Chen, Liu, Wang, Wu, Chen, "A Variational Approach for Learning from
// Positive and Unlabeled Data", arXiv 1906.00642, 2019, as its origin.
type ShortConv struct {
	Width  int    // channels of the first two convolutions, doubled by the third; 0 means 96
	Dim    int    // size of both dense layers, the length k of an embedding; 0 means 1000
	Pixels Pixels // how pixels are scaled first
}

// Embed implements [Encoder]. Like all graph code it panics on negative sizes, and on images smaller than 5×5, which
// leave no output pixel.
func (c ShortConv) Embed(scope *model.Scope, images *Node, _ bool) *Node {
	c = c.withDefaults()
	atLeastOne("ShortConv", setting{"Width", c.Width}, setting{"Dim", c.Dim})
	x := c.Pixels.scale("ShortConv", images)
	atLeastSize("ShortConv", x, 5)
	for i, layer := range []struct{ kernel, channels, stride int }{
		{3, c.Width, 1}, {3, c.Width, 2}, {1, 2 * c.Width, 1}, {1, 10, 1},
	} {
		s := scope.In("conv%d", i+1)
		x = ReLU(withBias(s, convolution(s, x, layer.channels, layer.kernel, layer.stride, 0)))
	}
	x = ReLU(Dense(scope.In("fc1"), flat(x), c.Dim, true))
	return Dense(scope.In("fc2"), x, c.Dim, true)
}

// String names the network and its sizes.
func (c ShortConv) String() string { return AllConv(c).describe("ShortConv") }

// withDefaults fills in the zero fields.
func (c ShortConv) withDefaults() ShortConv { return ShortConv(AllConv(c).withDefaults()) }

// LeNet is the encoder that the paper's public code trains on Fashion-MNIST (FMNISTLeNet in utils.py): three 5×5
// convolutions with biases, of 6, 16 and 120 channels, ReLU after each and 2×2 max-pooling after the first two, then a
// dense layer with batch normalization and no ReLU. The first convolution pads by 2, the others not at all, so that
// 28×28 shrinks to 1×1. Smaller images cause a panic; larger ones only give the dense layer more inputs. The zero value
// works.
//
// Source: LeCun, Bottou, Bengio, Haffner, "Gradient-Based Learning Applied to Document Recognition", Proceedings of the
// IEEE 86(11), 1998, Section II.B, whose layers F6 and C5 have these sizes; batch normalization is the code's.
type LeNet struct {
	Dim    int    // length k of an embedding; 0 means 84
	Pixels Pixels // how pixels are scaled first
}

// Embed implements [Encoder]. Like all graph code it panics on images smaller than 28×28 and on a negative Dim.
func (l LeNet) Embed(scope *model.Scope, images *Node, training bool) *Node {
	l = l.withDefaults()
	atLeastOne("LeNet", setting{"Dim", l.Dim})
	x := l.Pixels.scale("LeNet", images)
	atLeastSize("LeNet", x, 28)
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
func (l LeNet) withDefaults() LeNet { return LeNet{cmp.Or(l.Dim, 84), l.Pixels} }

// atLeastSize panics on images with a side shorter than least.
func atLeastSize(network string, images *Node, least int) {
	height, width := images.Shape().Dim(1), images.Shape().Dim(2)
	fault.PanicIf(min(height, width) < least,
		"encoder: a %s needs images of at least %d×%d, not %d×%d; give larger ones, or take another encoder", network, least, least, height, width)
}

// flat makes one row of every image's [height, width, channels], channels first as in PyTorch and Chainer, so that a
// dense layer after it can use their weights.
func flat(x *Node) *Node { return Reshape(TransposeAllAxes(x, 0, 3, 1, 2), x.Shape().Dim(0), -1) }
