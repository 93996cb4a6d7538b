package pucl

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// Term maps a block of anchors to one number per anchor, shape [.., r]: the strength of attraction or repulsion, in
// nats (units of s_ij).
type Term func(*Block) *Node

// OwnViews returns the mean similarity to the other views of the anchor's own example: s_{i,a(i)} where there are two
// views.
func OwnViews(b *Block) *Node { return MeanSimilarity(b, b.OwnView) }

// LabeledMean returns the mean similarity to the other labeled rows, 1/|ℙ∖i| Σ_{j∈ℙ∖i} s_ij, and 0 for an unlabeled
// anchor.
func LabeledMean(b *Block) *Node { return MeanSimilarity(b, b.Labeled) }

// UnlabeledMean returns the mean similarity to the other unlabeled rows, 1/|𝕌∖i| Σ_{j∈𝕌∖i} s_ij, and 0 for a labeled
// anchor.
func UnlabeledMean(b *Block) *Node { return MeanSimilarity(b, b.Unlabeled) }

// ClassMean returns the mean similarity to the other rows of the anchor's class. It needs [Views].Class.
func ClassMean(b *Block) *Node { return MeanSimilarity(b, b.SameClass) }

// MeanSimilarity returns the mean of s_ij over the pairs that mask selects, Bool of Sim's shape; 0 where it selects
// none. The pair of a row with itself never counts.
func MeanSimilarity(b *Block, mask *Node) *Node {
	if mean := b.groupMean(mask); mean != nil {
		return mean
	}
	mask = b.pairs(mask)
	return meanOver(mask, b.Sim)
}

// pairs returns mask without the pairs of a row with itself. It panics on a mask that is nil.
func (b *Block) pairs(mask *Node) *Node {
	fault.PanicIf(mask == nil,
		"pucl: a term looks at a mask that is nil; SameClass is there only where Views.Class holds the "+
			"true class of every example, Int32 [.., b]")
	if b.made(mask) {
		return mask
	}
	return And(mask, b.Others)
}

// made reports whether mask is one of the block's original masks.
func (b *Block) made(mask *Node) bool {
	return mask == b.Others || mask == b.OwnView || mask == b.OtherView || mask == b.Labeled ||
		mask == b.ToLabeled || mask == b.Unlabeled || mask == b.SameClass
}

// ByLabel returns labeled for the labeled anchors and unlabeled for the others.
func ByLabel(labeled, unlabeled Term) Term {
	return func(b *Block) *Node {
		return Where(b.AnchorLabeled, labeled.partOf("ByLabel for labeled anchors", b), unlabeled.partOf("ByLabel for unlabeled anchors", b))
	}
}

// Mix returns λ·first + (1−λ)·second.
func Mix(lambda float64, first, second Term) Term {
	return func(b *Block) *Node {
		return Add(MulScalar(first.partOf("Mix that comes first", b), lambda), MulScalar(second.partOf("Mix that comes second", b), 1-lambda))
	}
}

// Scale returns a term multiplied by a constant.
func Scale(factor float64, term Term) Term {
	return func(b *Block) *Node { return MulScalar(term.partOf("Scale", b), factor) }
}

// partOf returns the value of t on b as a part of another term, named whole. It panics unless the value is one number
// for each anchor: a scalar would be broadcast silently.
func (t Term) partOf(whole string, b *Block) *Node {
	fault.PanicIf(t == nil, "pucl: the part of %s is nil; give it a term, Nothing where there is to be none", whole)
	got := t(b)
	fault.PanicMadeIf(notPerAnchor(got, b) != "", t, "pucl: the part of %s %s", whole, notPerAnchor(got, b))
	return got
}

// notPerAnchor returns the error of a term's value on b, "" if the value is one number for each anchor.
func notPerAnchor(got *Node, b *Block) string {
	want := leadingShape(b.Sim, 1)
	switch {
	case got == nil:
		return fmt.Sprintf("returns nil; a term gives one number per anchor, %s", want)
	case !got.Shape().Equal(want):
		return fmt.Sprintf("gives shape %s for a block of similarities %s; a term gives one number per anchor, %s, for instance a sum or mean "+
			"over the last axis", got.Shape(), b.Sim.Shape(), want)
	}
	return ""
}

// Nothing returns 0 for every anchor.
func Nothing(b *Block) *Node { return Zeros(b.Sim.Graph(), leadingShape(b.Sim, 1)) }
