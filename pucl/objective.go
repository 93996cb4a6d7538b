package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// Objective is a contrastive loss: per anchor, what repels it minus what attracts it. The loss is the mean over the
// anchors, in nats; lower is better.
type Objective struct {
	Name    string // as the paper writes it, for tables and figures
	Attract Term
	Repel   Term
}

// Loss returns the loss of each batch of v: a scalar, or the shape of the leading axes where Z has some. Embeddings in half
// precision are scored in float32. The temperature tau must be positive; the paper uses 0.5.
func (o Objective) Loss(v Views, tau float64) *Node {
	return ReduceMean(o.PerAnchor(v, tau), -1)
}

// PerAnchor returns repel(i) − attract(i) for every row of v, shape [.., m·b].
func (o Objective) PerAnchor(v Views, tau float64) *Node {
	if o.Attract == nil || o.Repel == nil {
		panic(fmt.Errorf("pucl: objective %q lacks a term; it needs both Attract and Repel", o.Name))
	}
	b := v.Block(tau)
	return Sub(o.Repel(b), o.Attract(b))
}

// Block returns the whole batch as one block of m·b anchors, to look at single terms.
func (v Views) Block(tau float64) *Block {
	v.check(tau)
	z := v.Z
	if z.DType() != dtypes.Float64 {
		z = ConvertDType(z, dtypes.Float32)
	}
	return blockOf(unitRows(z), v.Labeled, v.Count, 0, z.Shape().Dim(-2), tau)
}
