package pucl

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// PUDebiased returns a contrastive loss whose bias against the ideal loss (3) vanishes as the batch grows, given the
// class prior π. It corrects for the missing classes twice. Anchors count as negative and are corrected as uPU corrects
// a risk. The mean over an anchor's negatives is the mean over unlabeled rows minus the labeled share, as in [DCL].
//
//	L = π/|ℙ| Σ_{i∈ℙ} [ f₊(i) − f₋(i) ] + 1/|𝕌| Σ_{i∈𝕌} f₋(i)
//	f₊(i) = log( exp s_{i,a(i)} + N·g(i) ) − s_{i,a(i)}       the loss of a positive anchor
//	f₋(i) = log( exp s_{i,a(i)} + N·p(i) ) − s_{i,a(i)}       the loss of a negative one
//	g(i) = max{ ( u(i) − π p(i) ) / (1−π), e^(−1/τ) }
//
// p(i) and u(i) are the means of exp s_ij over the labeled and over the unlabeled rows of other examples, and N =
// m(b−1) is the number of those rows. Since (1−π) E_N f₋ = E_U f₋ − π E_P f₋, the expectation tends to π E_P f₊ + (1−π)
// E_N f₋, which is (3) under independent views and case-control sampling. With b examples the bias is c/b + O(1/b²),
// with c ≤ 0, because the logarithm is concave. It is a/√b, with a ≥ 0, if the true mean over the negatives of some
// positive equals the floor. [SSCL], [PUCL], [SCLPU] and [DCL] in general keep a bias.
//
// An error of the prior leaves a bias proportional to it. For a single data set, π is the share of positives among the
// unlabeled examples: the loss then tends to (3) for that share.
//
// The price is variance. On one batch the loss is nearer to (3) than [PUCL] from some number of examples on: few if
// PUCL has a large bias, and more than a hundred in a population where its bias is small. In smaller batches PUCL is
// nearer, and a mixture of the two is nearest ([WeightedSum]). Like uPU it can fall below the minimum over encoders
// with true classes. The part of the negatives, 1/|𝕌| Σ_𝕌 f₋ − π/|ℙ| Σ_ℙ f₋, is not cut at 0 as in nnPU. The cut can
// bring the loss nearer to (3) and its gradient farther away, as in the example of theory's ErrorMeter.
//
// Package claims, below theory, proves and measures these statements: pu-debiased-bias, pu-debiased-prior and
// pu-debiased-error.
//
// If m > 2, the own other views attract by their mean and are all in the denominator, as in [SSCL]. A batch without
// labeled positives or without unlabeled examples is scored as by SSCL; a labeled example that is the only one scores
// 0. The prior must be at least 0 and below 1.
func PUDebiased(prior float64) Objective {
	return Objective{
		Name: "PU-debiased",
		Attract: func(b *Block) *Node {
			own := OwnViews(b)
			return byKind(b, ZerosLike(own), own)
		},
		Repel: func(b *Block) *Node {
			fault.PanicIf(!(prior >= 0 && prior < 1), "pucl: PU-debiased with prior π = %v; it must lie from 0 to below 1", prior)
			b.needOtherExamples("PU-debiased")
			other := b.OtherExamples()
			labeled, some := logMean(b, And(other, b.ToLabeled))
			unlabeled, rest := logMean(b, And(other, Not(b.ToLabeled)))
			labeled = Where(some, labeled, unlabeled) // without labeled rows nothing is given about the class
			unlabeled = Where(rest, unlabeled, labeled)
			negatives := logDifference(unlabeled, labeled, 1/(1-prior), prior/(1-prior), -1/b.Tau)
			own, count := logOwn(b, b.views()-1), math.Log(float64(b.rows()-b.views()))
			positive := logAdd(own, AddScalar(negatives, count))
			negative := logAdd(own, AddScalar(labeled, count))
			return byKind(b, MulScalar(Sub(positive, negative), prior), negative)
		},
	}
}

// byKind returns n/|ℙ| times labeled at a labeled anchor and n/|𝕌| times other at an unlabeled one, so that the mean
// over all anchors is the sum of the means over each kind. If one of the kinds is missing, it returns other.
func byKind(b *Block, labeled, other *Node) *Node {
	count := ReduceSum(ConvertDType(b.source.labeled, other.DType()), -1)
	count = BroadcastToShape(ExpandAxes(count, -1), other.Shape())
	n := MulScalar(OnesLike(count), float64(b.rows()))
	rest := Sub(n, count)
	weighted := Where(b.AnchorLabeled, Mul(labeled, Div(n, MaxScalar(count, 1.0))), Mul(other, Div(n, MaxScalar(rest, 1.0))))
	return Where(GreaterThan(rest, ZerosLike(rest)), weighted, other)
}
