package baseline

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/risk"
)

// uPUVersion is the version of [UPU].
const uPUVersion = 1

// UPU minimizes the unbiased risk for positive and unlabeled data, [risk.UPU]:
//
//	π R_P⁺ + R_U⁻ − π R_P⁻
//
// A flexible network drives it below 0 on its training data, which is overfitting: see [NNPU].
//
// Source: Marthinus du Plessis, Gang Niu and Masashi Sugiyama, "Analysis of Learning from Positive and Unlabeled Data",
// NIPS 2014, with a bounded and symmetric loss such as the sigmoid loss, and "Convex Formulation for Learning from
// Positive and Unlabeled Data", ICML 2015, with the logistic loss among its convex ones. The programs of two
// benchmarks, AlonKellner-RedHat/PU-Bench (sigmoid loss) and wu-dd/PUBench (logistic loss), have the same risk.
// Difference: the papers train linear models, in the parameters or on kernels, to the optimum; here a network takes
// gradient steps.
type UPU struct {
	Prior    float64 // class prior π, above 0 and below 1
	Logistic bool    // the logistic loss instead of the sigmoid loss
}

func (m UPU) check() error { return checkPrior("uPU", m.Prior) }

func (UPU) version() int { return uPUVersion }

// String implements [Method].
func (m UPU) String() string { return fmt.Sprintf("uPU π=%g, %s", m.Prior, lossName(m.Logistic)) }

func (m UPU) plan() plan { return plan{loss: riskOf(risk.UPU(m.Prior, marginLoss(m.Logistic)))} }

// riskOf returns a loss that is a risk of the logits of the unmixed rows.
func riskOf(r risk.Risk) func(b batch) *Node {
	return func(b batch) *Node { return r(b.logits, b.labels(b.logits)) }
}

// marginLoss returns the logistic loss of a margin or the sigmoid loss.
func marginLoss(logistic bool) risk.MarginLoss {
	if logistic {
		return risk.LogisticLoss
	}
	return risk.SigmoidLoss
}

// lossName names that loss.
func lossName(logistic bool) string {
	if logistic {
		return "logistic loss"
	}
	return "sigmoid loss"
}
