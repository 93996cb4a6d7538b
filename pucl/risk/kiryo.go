package risk

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// KiryoConfig holds the two parameters of [NNPUKiryo]. The zero value is the usual choice, β = 0 and γ = 1.
type KiryoConfig struct {
	Beta  float64 // β ≥ 0: the negative part may fall to −β before gradient ascent starts
	Gamma float64 // γ, above 0 up to 1: factor of the ascent gradient; 0 means 1
}

// NNPUKiryo returns the non-negative risk in the form of its original training algorithm. With r = R_U⁻ − π R_P⁻, the
// negative part of [UPU], value and gradient are
//
//	r ≥ −β:  value π R_P⁺ + r,  gradient of the same
//	r < −β:  value π R_P⁺ − β,  gradient of −γ r alone
//
// If r is below −β, which only an overfitted classifier causes, a descent step increases it and leaves the positive
// part unchanged. The gradient is then not the derivative of the value: at β = 0 the value is [NNPU], whose own
// gradient there is the gradient of π R_P⁺.
//
// Source: Ryuichi Kiryo et al., "Positive-Unlabeled Learning with Non-Negative Risk Estimator" (2017), Algorithm 1.
func NNPUKiryo(prior float64, loss MarginLoss, config KiryoConfig) Risk {
	return checked(prior, func(logits, labels *Node) *Node {
		gamma := cmp.Or(config.Gamma, 1)
		fault.PanicIf(!(config.Beta >= 0) || !(gamma > 0 && gamma <= 1),
			"risk: NNPUKiryo with β = %v and γ = %v; β must not be negative, and γ must lie above 0 and at most at 1", config.Beta, gamma)
		positive, negative := puRisks(logits, labels, prior, loss)
		descend := GreaterOrEqual(negative, Scalar(negative.Graph(), negative.DType(), -config.Beta))
		value := Add(positive, MaxScalar(negative, -config.Beta))
		follow := Where(descend, Add(positive, negative), MulScalar(negative, -gamma))
		return Add(StopGradient(value), Sub(follow, StopGradient(follow)))
	})
}
