package encoder

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
)

// MLP is an encoder for rows of features, and for images, which it takes as rows of pixels: dense layers, each followed by
// batch normalization and ReLU. The zero value works.
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
		if size < 1 {
			panic(fmt.Errorf("encoder: layer %d of an MLP has size %d; it must be at least 1", i+1, size))
		}
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
	if m.Dim == 0 {
		m.Dim = 128
	}
	return m
}
