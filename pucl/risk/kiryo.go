package risk

import (
	"cmp"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// KiryoConfig holds the two numbers of [NNPUKiryo]. The zero value is the usual choice, β = 0 and γ = 1.
type KiryoConfig struct {
	Beta  float64 // β ≥ 0: how far below 0 the negative part may fall before training climbs
	Gamma float64 // γ, from above 0 to 1: how fast it climbs; 0 means 1
}

// NNPUKiryo is the non-negative risk in the form in which it was trained first. With r = R_U⁻ − π R_P⁻, the negative part of
// [UPU], value and gradient are
//
//	r ≥ −β:  value π R_P⁺ + r,  gradient of the same
//	r < −β:  value π R_P⁺ − β,  gradient of −γ r alone
//
// so where r fell too far, which only an overfitted classifier brings about, a step of descent raises it again and leaves
// the positive part be. The gradient is then not that of the value: at β = 0 the value is [NNPU], whose own gradient there
// is that of π R_P⁺.
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
