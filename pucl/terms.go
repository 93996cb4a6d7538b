package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Term turns a block of anchors into one number per anchor, shape [.., r]: how strongly something attracts or repels it,
// in nats (units of s_ij).
type Term func(*Block) *Node

// OwnViews is the mean similarity to the other views of the anchor's own example: s_{i,a(i)} where there are two views.
func OwnViews(b *Block) *Node { return MeanSimilarity(b, b.OwnView) }

// LabeledMean is the mean similarity to the other labeled rows, 1/|ℙ∖i| Σ_{j∈ℙ∖i} s_ij, and 0 for an unlabeled anchor.
func LabeledMean(b *Block) *Node { return MeanSimilarity(b, b.Labeled) }

// UnlabeledMean is the mean similarity to the other unlabeled rows, 1/|𝕌∖i| Σ_{j∈𝕌∖i} s_ij, and 0 for a labeled anchor.
func UnlabeledMean(b *Block) *Node { return MeanSimilarity(b, b.Unlabeled) }

// MeanSimilarity is the mean of s_ij over the pairs that mask selects, Bool of Sim's shape; 0 where it selects none.
func MeanSimilarity(b *Block, mask *Node) *Node {
	chosen := ReduceSum(Where(mask, b.Sim, ZerosLike(b.Sim)), -1)
	count := ReduceSum(ConvertDType(mask, b.Sim.DType()), -1)
	return Div(chosen, MaxScalar(count, 1.0))
}

// LogPartition is log Z(z_i) = log Σ_{j≠i} exp s_ij, the repelling side of (4), (5) and (6).
func LogPartition(b *Block) *Node { return LogSumExp(b, b.Others) }

// LogSumExp is log Σ exp s_ij over the pairs that mask selects, Bool of Sim's shape, which must select at least one pair of
// every row.
//
// The largest similarity is taken out first. Pairs outside the mask are replaced both before and after the exponential:
// before, so that none overflows and turns the gradient into NaN; after, so that none counts.
func LogSumExp(b *Block, mask *Node) *Node {
	lowest := Infinity(b.Sim.Graph(), b.Sim.DType(), -1)
	largest := StopGradient(ReduceAndKeep(Where(mask, b.Sim, BroadcastToShape(lowest, b.Sim.Shape())), ReduceMax, -1))
	shifted := Where(mask, Sub(b.Sim, largest), ZerosLike(b.Sim))
	sum := ReduceSum(Where(mask, Exp(shifted), ZerosLike(b.Sim)), -1)
	return Add(Log(sum), Squeeze(largest, -1))
}

// ByLabel uses labeled for the labeled anchors and unlabeled for the others.
func ByLabel(labeled, unlabeled Term) Term {
	return func(b *Block) *Node { return Where(b.AnchorLabeled, labeled(b), unlabeled(b)) }
}

// Mix is λ·first + (1−λ)·second.
func Mix(lambda float64, first, second Term) Term {
	return func(b *Block) *Node {
		return Add(MulScalar(first(b), lambda), MulScalar(second(b), 1-lambda))
	}
}

// Scale multiplies a term by a constant.
func Scale(factor float64, term Term) Term {
	return func(b *Block) *Node { return MulScalar(term(b), factor) }
}
