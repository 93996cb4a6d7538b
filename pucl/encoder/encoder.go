// Package encoder implements networks that map images and rows of features to embeddings, as gomlx graphs: [SmallCNN]
// and [MLP], which train in minutes on a CPU, [LeNet], [ShortConv] and [AllConv] of the PU literature, and [ResNet] and
// [ViT], with torchvision's names and shapes. [Func] makes an encoder of a user-defined function.
//
// "The paper" is "Contrastive Positive Unlabeled Learning" (anonymous authors), and A.7 its appendix on experiments.
//
// Weights are drawn on the host from the seed in the store ([SetSeed]) and the variable's own path. So a network starts
// from the same numbers on every engine, independent of earlier parts of the graph.
package encoder

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// Describe returns the String of an encoder, or its type and fields.
func Describe(e Encoder) string {
	if s, ok := e.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T%+v", e, e)
}

// Encoder is the network g_B: it maps examples to embeddings. A user-defined encoder is a [Func], or a type with this
// method, whose exported fields are saved and compared by saved models.
type Encoder interface {
	// Embed maps examples to embeddings [n, k]. Examples are images [n, height, width, channels] with values in [0, 1],
	// or rows of features [n, d]; an encoder for only one kind panics on the other. Variables belong under scope;
	// [Weight] keeps them in float32 if the data are bfloat16. In training, batch statistics may be used and running
	// ones updated.
	Embed(scope *model.Scope, examples *Node, training bool) *Node
}

// SmallCNN is an encoder for small gray images, fast on a CPU: a 5×5 convolution of stride 2, two 3×3 convolutions of
// stride 2 and a dense layer, each followed by batch normalization and ReLU. Three strides turn 28×28 into 4×4. The
// zero value works.
type SmallCNN struct {
	Width int     // channels of the first convolution, doubled by each of the next two; 0 means 32
	Dim   int     // length k of an embedding; 0 means 128
	Mean  float64 // subtracted from pixels, which lie in [0, 1]; 0 means 0.5. Fashion-MNIST's mean is 0.286
	Std   float64 // divides them; 0 means 0.5, so that pixels lie in [−1, 1]. Fashion-MNIST's standard deviation is 0.353
}

// Embed implements [Encoder], for images. Like all graph code it panics on settings out of range.
func (c SmallCNN) Embed(scope *model.Scope, images *Node, training bool) *Node {
	fault.PanicIf(images.Rank() != 4,
		"encoder: a SmallCNN reads images [n, height, width, channels], not %s; for rows of features use an MLP", images.Shape())
	c = c.withDefaults()
	atLeastOne("SmallCNN", setting{"Width", c.Width}, setting{"Dim", c.Dim})
	fault.PanicIf(!(c.Std > 0), "encoder: SmallCNN has Std %g; it divides, so it must be positive, or 0 for the default", c.Std)
	x := MulScalar(AddScalar(images, -c.Mean), 1/c.Std)
	for i, layer := range []struct{ kernel, channels int }{{5, c.Width}, {3, 2 * c.Width}, {3, 4 * c.Width}} {
		s := scope.In("conv%d", i+1)
		x = Block(x, func(x *Node) *Node {
			return ReLU(BatchNorm(s, Convolution(s, x, layer.channels, layer.kernel, 2), training))
		})
	}
	x = Reshape(x, x.Shape().Dim(0), -1)
	s := scope.In("dense")
	return ReLU(BatchNorm(s, Dense(s, x, c.Dim, false), training))
}

// String names the network and its sizes.
func (c SmallCNN) String() string {
	c = c.withDefaults()
	return fmt.Sprintf("SmallCNN width %d, %d-d (pixels − %g)/%g", c.Width, c.Dim, c.Mean, c.Std)
}

// withDefaults fills in the zero fields.
func (c SmallCNN) withDefaults() SmallCNN {
	return SmallCNN{cmp.Or(c.Width, 32), cmp.Or(c.Dim, 128), cmp.Or(c.Mean, 0.5), cmp.Or(c.Std, 0.5)}
}

// Projector builds the network h_Γ that training adds after the encoder: two dense layers with batch normalization and
// ReLU between them, as in A.7. It maps embeddings [n, k] to projections [n, dim], which the loss compares. After
// training it is discarded or kept for inspection. Like all graph code it panics if dim is below 1.
func Projector(scope *model.Scope, embeddings *Node, dim int, training bool) *Node {
	fault.PanicIf(dim < 1, "encoder: the projector has dim %d; it must be at least 1", dim)
	hidden, out := scope.In("hidden"), scope.In("out")
	x := Dense(hidden, embeddings, embeddings.Shape().Dim(-1), false)
	x = ReLU(BatchNorm(hidden, x, training))
	return Dense(out, x, dim, true)
}

// MLP is an encoder for rows of features, and for images, used as rows of pixels: dense layers, each followed by batch
// normalization and ReLU. The zero value works.
type MLP struct {
	Hidden []int // sizes of the layers before the last, at least 1 each; nil means 256 and 256, an empty slice means none
	Dim    int   // size of the last layer, the length k of an embedding; 0 means 128
}

// Embed implements [Encoder], for features and images. Like all graph code it panics on a layer of a size below 1.
func (m MLP) Embed(scope *model.Scope, examples *Node, training bool) *Node {
	m = m.withDefaults()
	atLeastOne("MLP", setting{"Dim", m.Dim})
	x := Reshape(examples, examples.Shape().Dim(0), -1)
	for i, size := range append(m.Hidden[:len(m.Hidden):len(m.Hidden)], m.Dim) {
		fault.PanicIf(size < 1, "encoder: layer %d of an MLP has size %d; it must be at least 1", i+1, size)
		s := scope.In("dense%d", i+1)
		x = ReLU(BatchNorm(s, Dense(s, x, size, false), training))
	}
	return x
}

// String names the network and its sizes.
func (m MLP) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("MLP hidden %d, %d-d", m.Hidden, m.Dim)
}

// withDefaults fills in the zero fields.
func (m MLP) withDefaults() MLP {
	if m.Hidden == nil {
		m.Hidden = []int{256, 256}
	}
	m.Dim = cmp.Or(m.Dim, 128)
	return m
}
