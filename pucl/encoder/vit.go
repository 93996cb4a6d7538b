package encoder

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/internal/fault"
)

// ViT is a vision transformer: an image is cut into square patches, every patch becomes a token, a class token is
// prepended, and trained positions are added. Layers of attention and of a two-layer perceptron follow, each after a
// layer normalization and around a shortcut. The embedding is the class token after a last layer normalization, Dim
// numbers. The zero value is ViT-S/16; [ViTB16] is the base model. There is no dropout.
//
// Weights have torchvision's shapes and, through [StateDict], its names. There is one position for every patch, so
// weights fit one image size, 224×224 for torchvision's. Like all graph code, Embed panics on settings out of range,
// and if patches do not fill the image or heads do not divide Dim.
//
// Source: Dosovitskiy et al., "An Image is Worth 16x16 Words", arXiv 2010.11929, 2020, Table 1 (base); Touvron et al.,
// "Training data-efficient image transformers", arXiv 2012.12877, 2020, Table 1 (small, there DeiT-S).
type ViT struct {
	Patch   int    // edge of a patch in pixels; 0 means 16
	Layers  int    // 0 means 12
	Heads   int    // attention heads of a layer; 0 means 6
	Dim     int    // length of a token and of an embedding; 0 means 384
	Hidden  int    // size of the perceptrons' hidden layer; 0 means 4·Dim
	Classes int    // with n > 0 the outputs are n logits of a last dense layer, torchvision's "heads.head"
	Pixels  Pixels // how pixels are scaled first; [ImageNetPixels] for weights from torchvision
}

// ViTS16 returns ViT-S/16, 384 numbers per embedding, which is the zero value with its defaults.
func ViTS16() ViT { return ViT{}.withDefaults() }

// ViTB16 returns ViT-B/16, 768 numbers per embedding.
func ViTB16() ViT { return ViT{Heads: 12, Dim: 768}.withDefaults() }

// Embed implements [Encoder].
func (v ViT) Embed(scope *model.Scope, images *Node, _ bool) *Node {
	v = v.withDefaults()
	checkClasses("ViT", v.Classes)
	x := v.Tokens(scope, images)
	x = Reshape(Slice(x, AxisRange(), AxisElem(0), AxisRange()), x.Shape().Dim(0), v.Dim)
	if v.Classes > 0 {
		x = Dense(scope.In("heads").In("head"), x, v.Classes, true)
	}
	return x
}

// Tokens returns all tokens after the last layer normalization, [n, 1 + patches, Dim]: the class token first, then the
// patches row by row. It makes the variables of Embed except those of the logits.
func (v ViT) Tokens(scope *model.Scope, images *Node) *Node {
	v = v.withDefaults()
	atLeastOne("ViT", setting{"Patch", v.Patch}, setting{"Layers", v.Layers}, setting{"Heads", v.Heads}, setting{"Dim", v.Dim},
		setting{"Hidden", v.Hidden})
	fault.PanicIf(v.Dim%v.Heads != 0, "encoder: the %d heads of a ViT share its dim %d evenly, so %d heads must divide dim %d; change Heads or Dim",
		v.Heads, v.Dim, v.Heads, v.Dim)
	x := patches(scope.In("conv_proj"), v.Pixels.scale("ViT", images), v.Patch, v.Dim)
	n := x.Shape().Dim(0)

	class := Weight(scope, "class_token", x, initializer.Zero, 1, 1, v.Dim)
	x = Concatenate([]*Node{BroadcastToDims(class, n, 1, v.Dim), x}, 1)
	scopeE := scope.In("encoder")
	x = Add(x, normal(scopeE, "pos_embedding", x, 0.02, 1, x.Shape().Dim(1), v.Dim))
	layers := scopeE.In("layers")
	for i := range v.Layers {
		s := layers.In("encoder_layer_%d", i)
		x = Block(x, func(x *Node) *Node {
			x = Add(x, attention(s.In("self_attention"), layerNorm(s.In("ln_1"), x, ViTEpsilon), v.Heads))
			mlp := s.In("mlp")
			y := activation.Gelu(tokenDense(mlp.In("0"), layerNorm(s.In("ln_2"), x, ViTEpsilon), v.Hidden))
			return Add(x, tokenDense(mlp.In("3"), y, v.Dim))
		})
	}
	return layerNorm(scopeE.In("ln"), x, ViTEpsilon)
}

// ViTEpsilon is added to the variance by the layer normalizations of a [ViT], as by torchvision.
const ViTEpsilon = 1e-6

// patches cuts images [n, height, width, channels] into squares, row by row, and maps each to a token: [n, patches,
// dim]. A convolution with stride = kernel is equivalent, but its gradient is wrong for even kernels.
func patches(scope *model.Scope, images *Node, patch, dim int) *Node {
	n, height, width, channels := images.Shape().Dim(0), images.Shape().Dim(1), images.Shape().Dim(2), images.Shape().Dim(3)
	fault.PanicIf(height%patch != 0 || width%patch != 0 || height == 0 || width == 0,
		"encoder: a ViT with patches of %d×%d cannot tile images of %d×%d; both sides must be multiples of %d",
		patch, patch, height, width, patch)
	rows, columns, size := height/patch, width/patch, patch*patch*channels
	x := Reshape(images, n, rows, patch, columns, patch, channels)
	x = Reshape(TransposeAllAxes(x, 0, 1, 3, 2, 4, 5), n*rows*columns, size)
	kernel := normal(scope, "kernel", x, math.Sqrt(1/float64(size)), patch, patch, channels, dim)
	x = withBias(scope, dot(x, Reshape(kernel, size, dim)).Product())
	return Reshape(x, n, rows*columns, dim)
}

// attention lets every token of x [n, tokens, dim] attend to all tokens, with the given number of heads ([attend]), and
// passes the result through a dense layer. One dense layer makes Q, K and V, in this order.
func attention(scope *model.Scope, x *Node, heads int) *Node {
	n, tokens, dim := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	qkv := Reshape(tokenDense(scope.In("in_proj"), x, 3*dim), n, tokens, 3, heads, dim/heads)
	part := func(i int) *Node { return Reshape(SliceAxis(qkv, 2, AxisElem(i)), n, tokens, heads, dim/heads) }
	return tokenDense(scope.In("out_proj"), attend(part(0), part(1), part(2), nil), dim)
}

// String names the network and its sizes.
func (v ViT) String() string {
	v = v.withDefaults()
	dim := fmt.Sprintf("%d-d", v.Dim)
	if v.Classes > 0 {
		dim += fmt.Sprintf(", %d logits", v.Classes)
	}
	return fmt.Sprintf("ViT patch %d, %d layers, %d heads, hidden %d, %s%s",
		v.Patch, v.Layers, v.Heads, v.Hidden, dim, v.Pixels.suffix())
}

// withDefaults fills in the zero fields.
func (v ViT) withDefaults() ViT {
	v.Patch, v.Layers, v.Heads, v.Dim = cmp.Or(v.Patch, 16), cmp.Or(v.Layers, 12), cmp.Or(v.Heads, 6), cmp.Or(v.Dim, 384)
	v.Hidden = cmp.Or(v.Hidden, 4*v.Dim)
	return v
}
