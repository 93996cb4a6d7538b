package baseline

import (
	"cmp"
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl/risk"
)

// nnPUVersion is the version of [NNPU].
const nnPUVersion = 1

// NNPU minimizes the non-negative risk by the steps of its Algorithm 1, [risk.NNPUKiryo]. If the negative part r = R_U⁻
// − π R_P⁻ of a batch is below −β, it descends along −γ∇r, which raises that part again; otherwise along the whole
// risk.
//
// Source: Ryuichi Kiryo, Gang Niu, Marthinus du Plessis and Masashi Sugiyama, "Positive-Unlabeled Learning with
// Non-Negative Risk Estimator", NIPS 2017. AlonKellner-RedHat/PU-Bench has the same step and sigmoid loss.
// wu-dd/PUBench has max(r, 0) with the logistic loss instead, which descends along π∇R_P⁺ where NNPU descends along
// −γ∇r. Difference: a batch holds as many labeled positives as Config.Positives sets, not their share of the data.
type NNPU struct {
	Prior    float64 // class prior π, above 0 and below 1
	Beta     float64 // β; 0 is the paper's
	Gamma    float64 // γ, up to 1; 0 means 1, the paper's
	Logistic bool    // the logistic loss instead of the sigmoid loss
}

func (m NNPU) check() error { return m.checkAs("nnPU") }

func (m NNPU) checkAs(name string) error {
	return cmp.Or(checkPrior(name, m.Prior), checkNumbers(name,
		number{name: "Beta", value: m.Beta, most: math.MaxFloat64},
		number{name: "Gamma", value: cmp.Or(m.Gamma, 1), most: 1, above: true}))
}

func (NNPU) version() int { return nnPUVersion }

// String implements [Method].
func (m NNPU) String() string { return "nnPU " + m.numbers() }

// numbers returns a text of all parameters of m.
func (m NNPU) numbers() string {
	return fmt.Sprintf("π=%g, β=%g, γ=%g, %s", m.Prior, m.Beta, cmp.Or(m.Gamma, 1), lossName(m.Logistic))
}

func (m NNPU) risk() risk.Risk {
	return risk.NNPUKiryo(m.Prior, marginLoss(m.Logistic), risk.KiryoConfig{Beta: m.Beta, Gamma: m.Gamma})
}

func (m NNPU) plan() plan { return plan{loss: riskOf(m.risk())} }
