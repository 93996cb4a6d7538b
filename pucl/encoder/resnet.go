package encoder

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// ResNet is a residual network of basic blocks: a stem, then four stages of blocks of two 3×3 convolutions each around a
// shortcut, the later three stages at half the size and twice the channels of the one before, then the mean of every
// channel. Embeddings have 8·Width numbers, by default 512. The zero value is ResNet-18 for images of ImageNet's size.
//
// Weights have torchvision's shapes and, through [StateDict], its names. The CIFAR stem, a 3×3 convolution of stride 1 and
// no pooling, is the one of SimCLR and of the paper's public code for images of 32×32. Like all graph code, Embed panics on
// settings that are out of range.
//
// Source: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", arXiv 1512.03385, 2015, Table 1; CIFAR stem:
// Chen et al., "A Simple Framework for Contrastive Learning of Visual Representations", arXiv 2002.05709, 2020, B.9.
type ResNet struct {
	Depth   int    // 10, which is one block a stage, 18 or 34; 0 means 18
	CIFAR   bool   // the stem for small images, instead of a 7×7 convolution of stride 2 and a 3×3 max-pooling of stride 2
	Width   int    // channels of the stem; 0 means 64
	Classes int    // with n > 0 the outputs are n logits of a last dense layer, torchvision's "fc", instead of the 8·Width means
	Pixels  Pixels // how pixels are scaled first; [ImageNetPixels] for weights from torchvision
}

// Embed implements [Encoder].
func (r ResNet) Embed(scope *model.Scope, images *Node, training bool) *Node {
	r = r.withDefaults()
	stages := map[int][]int{10: {1, 1, 1, 1}, 18: {2, 2, 2, 2}, 34: {3, 4, 6, 3}}[r.Depth]
	fault.PanicIf(stages == nil, "encoder: ResNet has Depth %d; the depth is 10, 18 or 34, or 0 for 18", r.Depth)
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
			x = Block(x, func(x *Node) *Node { return basicBlock(layer.In("%d", j), x, r.Width<<i, stride, training) })
		}
	}
	x = globalMean(x)
	if r.Classes > 0 {
		x = Dense(scope.In("fc"), x, r.Classes, true)
	}
	return x
}

// basicBlock adds two 3×3 convolutions with batch normalization to a shortcut around them. The shortcut is x itself or, where
// size or channels change, a 1×1 convolution of it.
func basicBlock(scope *model.Scope, x *Node, channels, stride int, training bool) *Node {
	y := ReLU(BatchNorm(scope.In("bn1"), Convolution(scope.In("conv1"), x, channels, 3, stride), training))
	y = BatchNorm(scope.In("bn2"), Convolution(scope.In("conv2"), y, channels, 3, 1), training)
	if stride != 1 || x.Shape().Dim(-1) != channels {
		s := scope.In("downsample")
		x = BatchNorm(s.In("1"), Convolution(s.In("0"), x, channels, 1, stride), training)
	}
	return ReLU(Add(x, y))
}

// String names the network and its sizes.
func (r ResNet) String() string {
	r = r.withDefaults()
	stem := "ImageNet"
	if r.CIFAR {
		stem = "CIFAR"
	}
	dim := fmt.Sprintf("%d-d", 8*r.Width)
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
