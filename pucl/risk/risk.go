// Package risk holds the risks by which a classifier of positives against negatives is trained on logits: the supervised
// ones, [PN] and [CrossEntropy], and those for positive and unlabeled data, [UPU], [NNPU] and [NNPUKiryo].
//
// A risk is a graph function of a batch, differentiable with respect to the logits:
//
//	risk.NNPU(0.3, risk.SigmoidLoss)(logits, labeled)
//
// It panics, as graph functions do, on a class prior π that is not above 0 and at most 1, and on shapes that do not fit. A prior of 1, with
// which no negative is left to learn, is allowed for the study of what a risk becomes in that limit; train with less.
package risk

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Risk scores a classifier on a batch: logits [n], of which positive ones mean the positive class, against labels, Bool [n];
// a scalar. What a label means is the risk's own affair: the class, a pseudo-label, or "labeled positive". The risks of this
// package, and their gradients, are NaN where a logit is infinite or NaN.
//
// Logits are Float64 where [github.com/puclab/puclab/pucl/probe.FitPU] trains to convergence, and Float32 elsewhere. A risk takes both.
type Risk func(logits, labels *Node) *Node

// MarginLoss is a loss ℓ of the margin t, the logit times ±1: small where the logit has the right sign.
type MarginLoss func(t *Node) *Node

// LogisticLoss is ℓ(t) = log(1 + e^(−t)), whose mean over labeled data is the cross-entropy.
func LogisticLoss(t *Node) *Node { return numeric.LogOnePlusExp(Neg(t)) }

// SigmoidLoss is ℓ(t) = 1/(1 + e^t), the bounded loss with which the non-negative risk was proposed (Kiryo et al., 2017).
func SigmoidLoss(t *Node) *Node { return Sigmoid(Neg(t)) }

// CrossEntropy is the binary cross-entropy in nats, for labels that are classes or pseudo-labels: [PN] with [LogisticLoss].
func CrossEntropy(logits, labels *Node) *Node { return PN(LogisticLoss)(logits, labels) }

// PN is the ordinary supervised risk, the mean of ℓ over all examples, for labels that are classes or pseudo-labels:
//
//	1/n Σ_i ℓ(±t_i), + for a positive, − for a negative
//
// With labels that tell the labeled positives it is the naive risk, which takes every unlabeled example for a negative: the figures of
// "Contrastive Positive Unlabeled Learning" (anonymous authors) call it CE. It is biased, the more the more positives are among the unlabeled.
func PN(loss MarginLoss) Risk {
	return checked(0.5, func(logits, labels *Node) *Node {
		return ReduceAllMean(loss(Where(labels, logits, Neg(logits))))
	})
}

// UPU is the unbiased risk for positive and unlabeled data (du Plessis et al., 2014), labels telling the labeled positives:
//
//	π R_P⁺ + R_U⁻ − π R_P⁻
//
// with prior π, the share of positives among the unlabeled. A batch without one of the two kinds leaves its means at 0.
func UPU(prior float64, loss MarginLoss) Risk {
	return checked(prior, func(logits, labels *Node) *Node {
		return Add(puRisks(logits, labels, prior, loss))
	})
}

// NNPU is the non-negative risk: the negative part of [UPU], which cannot be negative in expectation, is clipped at 0. Value and
// gradient are those of the clipped expression; the training that was proposed with it, which climbs while the part is negative, is
// [NNPUKiryo].
//
//	π R_P⁺ + max{0, R_U⁻ − π R_P⁻}
//
// Source: Ryuichi Kiryo et al., "Positive-Unlabeled Learning with Non-Negative Risk Estimator" (2017), equation (6), which is equation (13) of
// "Contrastive Positive Unlabeled Learning" (anonymous authors).
func NNPU(prior float64, loss MarginLoss) Risk {
	return checked(prior, func(logits, labels *Node) *Node {
		positive, negative := puRisks(logits, labels, prior, loss)
		return Add(positive, MaxScalar(negative, 0))
	})
}

// puRisks returns π R_P⁺ and R_U⁻ − π R_P⁻.
func puRisks(logits, labels *Node, prior float64, loss MarginLoss) (positive, negative *Node) {
	mean := func(losses, mask *Node) *Node {
		sum := ReduceAllSum(Where(mask, losses, ZerosLike(losses)))
		return Div(sum, MaxScalar(ReduceAllSum(ConvertDType(mask, losses.DType())), 1))
	}
	asPositive, asNegative := loss(logits), loss(Neg(logits))
	positive = MulScalar(mean(asPositive, labels), prior)
	negative = Sub(mean(asNegative, Not(labels)), MulScalar(mean(asNegative, labels), prior))
	return positive, negative
}

// checked returns the risk that panics on a prior that is 0 or no probability and on logits and labels that do not fit, and that is
// NaN, with a gradient of NaN, where a logit is infinite or NaN, whatever risk and its margin loss make of it.
func checked(prior float64, risk Risk) Risk {
	return func(logits, labels *Node) *Node {
		fault.PanicIf(!(prior > 0 && prior <= 1), "risk: class prior π = %v is not between 0 and 1; give the share of positives, known or estimated", prior)
		l, y := logits.Shape(), labels.Shape()
		fault.PanicIf(y.DType != dtypes.Bool || l.Rank() != 1 || y.Rank() != 1 || l.Dim(0) != y.Dim(0),
			"risk: logits %s and labels %s: a risk takes logits [n] and Bool labels [n]", l, y)
		fault.PanicIf(l.Dim(0) == 0, "risk: no examples, whose mean is not defined; give one logit and its label at least")
		one := numeric.OneIfFinite(logits, 0)
		return Mul(risk(Mul(logits, one), labels), Squeeze(one))
	}
}
