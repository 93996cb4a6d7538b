package encoder

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// ResNet is a residual network: a stem, then four stages of convolution blocks around a shortcut, then the mean of
// every channel. Each of the later three stages has half the size and twice the channels of the previous one. The zero
// value is ResNet-18 for images of ImageNet's size.
//
// Up to depth 34 blocks are two 3×3 convolutions, and embeddings have 8·Width numbers, by default 512. At depth 50 they
// are bottlenecks: a 3×3 convolution between two 1×1 ones, the second with four times the channels. Embeddings then
// have 32·Width numbers, by default 2,048. As in torchvision, the 3×3 convolution has the stride; in the source the
// first 1×1 convolution has it.
//
// Weights have torchvision's shapes and, through [StateDict], its names. The CIFAR stem, a 3×3 convolution of stride 1
// without pooling, is that of SimCLR and of the paper's public code for images of 32×32. Like all graph code, Embed
// panics on settings out of range.
//
// Source: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", arXiv 1512.03385, 2015, Table 1; CIFAR
// stem: Chen et al., "A Simple Framework for Contrastive Learning of Visual Representations", arXiv 2002.05709, 2020,
// B.9.
type ResNet struct {
	Depth   int    // 10, which is one block a stage, 18, 34 or 50; 0 means 18
	CIFAR   bool   // the stem for small images, instead of a 7×7 convolution of stride 2 and a 3×3 max-pooling of stride 2
	Width   int    // channels of the stem; 0 means 64
	Classes int    // with n > 0 the outputs are n logits of a last dense layer, torchvision's "fc", instead of the means
	Pixels  Pixels // how pixels are scaled first; [ImageNetPixels] for weights from torchvision
}

// bottlenecks is the depth at which blocks are bottlenecks.
const bottlenecks = 50

// Embed implements [Encoder].
func (r ResNet) Embed(scope *model.Scope, images *Node, training bool) *Node {
	r = r.withDefaults()
	stages := r.Stages()
	fault.PanicIf(stages == nil, "encoder: ResNet has Depth %d; the depth is 10, 18, 34 or 50, or 0 for 18", r.Depth)
	block := basicBlock
	if r.Bottlenecks() {
		block = bottleneck
	}
	atLeastOne("ResNet", setting{"Width", r.Width})
	checkClasses("ResNet", r.Classes)
	x := r.Pixels.scale("ResNet", images)
	x = Block(x, func(x *Node) *Node {
		kernel, stride := 7, 2
		if r.CIFAR {
			kernel, stride = 3, 1
		}
		x = ReLU(BatchNorm(scope.In("bn1"), Convolution(scope.In("conv1"), x, r.Width, kernel, stride), training))
		if !r.CIFAR {
			x = maxPool(x, 3, 2, 1)
		}
		return x
	})
	for i, blocks := range stages {
		layer := scope.In("layer%d", i+1)
		for j := range blocks {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			x = Block(x, func(x *Node) *Node { return block(layer.In("%d", j), x, r.Width<<i, stride, training) })
		}
	}
	x = globalMean(x)
	if r.Classes > 0 {
		x = Dense(scope.In("fc"), x, r.Classes, true)
	}
	return x
}

// basicBlock adds two 3×3 convolutions with batch normalization to a shortcut around them.
func basicBlock(scope *model.Scope, x *Node, channels, stride int, training bool) *Node {
	y := ReLU(BatchNorm(scope.In("bn1"), Convolution(scope.In("conv1"), x, channels, 3, stride), training))
	y = BatchNorm(scope.In("bn2"), Convolution(scope.In("conv2"), y, channels, 3, 1), training)
	return ReLU(Add(shortcut(scope, x, channels, stride, training), y))
}

// bottleneck adds a 3×3 convolution between two 1×1 ones, with batch normalization, to a shortcut around them. The last
// one has four times the channels.
func bottleneck(scope *model.Scope, x *Node, channels, stride int, training bool) *Node {
	y := ReLU(BatchNorm(scope.In("bn1"), Convolution(scope.In("conv1"), x, channels, 1, 1), training))
	y = ReLU(BatchNorm(scope.In("bn2"), Convolution(scope.In("conv2"), y, channels, 3, stride), training))
	y = BatchNorm(scope.In("bn3"), Convolution(scope.In("conv3"), y, 4*channels, 1, 1), training)
	return ReLU(Add(shortcut(scope, x, 4*channels, stride, training), y))
}

// shortcut returns x or, if size or channels change, a 1×1 convolution of it.
func shortcut(scope *model.Scope, x *Node, channels, stride int, training bool) *Node {
	if stride == 1 && x.Shape().Dim(-1) == channels {
		return x
	}
	s := scope.In("downsample")
	return BatchNorm(s.In("1"), Convolution(s.In("0"), x, channels, 1, stride), training)
}

// String names the network and its sizes.
func (r ResNet) String() string {
	r = r.withDefaults()
	stem := "ImageNet"
	if r.CIFAR {
		stem = "CIFAR"
	}
	dim := fmt.Sprintf("%d-d", 8*r.Width)
	if r.Depth == bottlenecks {
		dim = fmt.Sprintf("%d-d", 32*r.Width)
	}
	if r.Classes > 0 {
		dim = fmt.Sprintf("%d logits", r.Classes)
	}
	return fmt.Sprintf("ResNet-%d, %s stem, width %d, %s%s", r.Depth, stem, r.Width, dim, r.Pixels.suffix())
}

// withDefaults fills in the zero fields.
func (r ResNet) withDefaults() ResNet {
	r.Depth, r.Width = cmp.Or(r.Depth, 18), cmp.Or(r.Width, 64)
	return r
}
