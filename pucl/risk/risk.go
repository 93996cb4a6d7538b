// Package risk provides risks for training a classifier of positives against negatives on logits: the supervised risks
// [PN] and [CrossEntropy], and the risks for positive and unlabeled data [UPU], [NNPU] and [NNPUKiryo].
//
// A risk is a graph function of a batch, differentiable with respect to the logits:
//
//	risk.NNPU(0.3, risk.SigmoidLoss)(logits, labeled)
//
// It panics, as graph functions do, on a class prior π that is not above 0 and at most 1, and on shapes that do not
// fit. A prior of 1, with no negatives left, is allowed for studying that limit; train with less.
package risk

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Risk computes the risk of a classifier on a batch, a scalar: logits [n], positive for the positive class, against
// labels, Bool [n]. Each risk defines the meaning of a label: class, pseudo-label, or "labeled positive". The risks of
// this package and their gradients are NaN if a logit is infinite or NaN.
//
// Logits are Float64 if [github.com/puclab/puclab/pucl/probe.FitPU] trains to convergence, and otherwise Float32. A
// risk accepts both.
type Risk func(logits, labels *Node) *Node

// MarginLoss is a loss ℓ of the margin t, the logit times ±1: small if the logit has the correct sign.
type MarginLoss func(t *Node) *Node

// LogisticLoss is ℓ(t) = log(1 + e^(−t)), whose mean over labeled data is the cross-entropy.
func LogisticLoss(t *Node) *Node { return numeric.LogOnePlusExp(Neg(t)) }

// SigmoidLoss is ℓ(t) = 1/(1 + e^t), the bounded loss with which the non-negative risk was proposed (Kiryo et al., 2017).
func SigmoidLoss(t *Node) *Node { return Sigmoid(Neg(t)) }

// CrossEntropy is the binary cross-entropy in nats, for labels that are classes or pseudo-labels: [PN] with [LogisticLoss].
func CrossEntropy(logits, labels *Node) *Node { return PN(LogisticLoss)(logits, labels) }

// PN returns the supervised risk, the mean of ℓ over all examples, for labels that are classes or pseudo-labels:
//
//	1/n Σ_i ℓ(±t_i), + for a positive, − for a negative
//
// If labels mark labeled positives, it is the naive risk, which treats every unlabeled example as negative; the figures
// of "Contrastive Positive Unlabeled Learning" (anonymous authors) call it CE. Its bias grows with the share of
// positives among the unlabeled.
func PN(loss MarginLoss) Risk {
	return checked(0.5, func(logits, labels *Node) *Node {
		return ReduceAllMean(loss(Where(labels, logits, Neg(logits))))
	})
}

// UPU returns the unbiased risk for positive and unlabeled data (du Plessis et al., 2014); labels mark the labeled
// positives:
//
//	π R_P⁺ + R_U⁻ − π R_P⁻
//
// where the prior π is the share of positives among the unlabeled. In a batch without one of the two kinds its means
// are 0.
func UPU(prior float64, loss MarginLoss) Risk {
	return checked(prior, func(logits, labels *Node) *Node {
		return Add(puRisks(logits, labels, prior, loss))
	})
}

// NNPU returns the non-negative risk: the negative part of [UPU], non-negative in expectation, is clipped at 0. The
// gradient is the derivative of the clipped value. [NNPUKiryo] is the original training algorithm, with gradient ascent
// while the part is negative.
//
//	π R_P⁺ + max{0, R_U⁻ − π R_P⁻}
//
// Source: Ryuichi Kiryo et al., "Positive-Unlabeled Learning with Non-Negative Risk Estimator" (2017), equation (6),
// which is equation (13) of "Contrastive Positive Unlabeled Learning" (anonymous authors).
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

// checked returns the risk with checks. It panics on an invalid prior and on logits and labels that do not fit. Its
// value and gradient are NaN if a logit is infinite or NaN, for every risk and margin loss.
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
