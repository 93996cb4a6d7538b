package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// vPUVersion is the version of [VPU].
const vPUVersion = 1

// VPU fits Φ(x) = σ(logit) to the posterior of the positive class without a class prior. With the variational loss and
// the consistency of mixed examples it minimizes
//
//	L = log E_U[Φ] − E_P[log Φ] + w·E[(log(λΦ(x) + (1−λ)) − log Φ(λx + (1−λ)x'))²]
//
// x being unlabeled, x' a labeled positive, and λ drawn from Beta(α, α). The first part is, up to a constant, the
// Kullback–Leibler divergence of the positives from the unlabeled examples weighted by Φ. It is invariant to scaling of
// Φ; the second part, which uses Φ = 1 for positives, determines the scale.
//
// Source: Hui Chen, Fangqing Liu, Yin Wang, Liyue Zhao and Hao Wu, "A Variational Approach for Learning from Positive
// and Unlabeled Data", NeurIPS 2020, compared with its authors' program (HC-Feynman/vpu). Differences: λ is drawn for
// every example, not once for a batch, and every unlabeled example of the batch is mixed. The program scales Φ to at
// most 1 on the training data before it classifies Φ > ½ as positive; here the second part sets the scale, so without
// that part only the order of the scores is meaningful. The program chooses the epoch and w, from 0.0001 (page blocks)
// to 0.3 (Fashion-MNIST), by the variational loss of held-out examples, and its unlabeled examples are all training
// data, as with Data.SingleDataset. Long training overfits few labeled positives, the sooner if they are not among the
// unlabeled examples. Then hardly another example is predicted positive, although the order of the scores is still
// right. Choosing an epoch, or a larger w, is the remedy.
type VPU struct {
	Alpha  float64 // α; 0 means 0.3, the paper's
	Weight float64 // w; 0 means 0.03, as on CIFAR-10; negative means none
}

func (m VPU) check() error {
	return cmp.Or(checkAlpha("vPU", m.alpha()),
		checkNumbers("vPU", number{name: "Weight", value: m.weight(), most: math.MaxFloat64}))
}

func (m VPU) alpha() float64  { return cmp.Or(m.Alpha, 0.3) }
func (m VPU) weight() float64 { return orDefault(m.Weight, 0.03) }

func (VPU) version() int { return vPUVersion }

// String implements [Method].
func (m VPU) String() string { return fmt.Sprintf("vPU α=%g, weight %g", m.alpha(), m.weight()) }

func (m VPU) plan() plan {
	if m.weight() == 0 {
		return plan{loss: variational}
	}
	return plan{
		mix: &mixing{pairing: unlabeledWithPositive, alpha: m.alpha()},
		loss: func(b batch) *Node {
			target := logAddExp(Add(Log(b.lambda), logSigmoid(b.unlabeled(b.logits))), Log(OneMinus(b.lambda)))
			inconsistency := ReduceAllMean(Square(Sub(target, logSigmoid(b.mixed))))
			return Add(variational(b), MulScalar(inconsistency, m.weight()))
		},
	}
}

// variational returns log E_U[Φ] − E_P[log Φ].
func variational(b batch) *Node {
	return Sub(logMeanSigmoid(b.unlabeled(b.logits)), ReduceAllMean(logSigmoid(b.positive(b.logits))))
}

// logSigmoid returns log σ(t).
func logSigmoid(t *Node) *Node { return Neg(numeric.LogOnePlusExp(Neg(t))) }

// logMeanSigmoid returns the logarithm of the mean of σ(t) over the last axis.
func logMeanSigmoid(t *Node) *Node {
	t = logSigmoid(t)
	largest := StopGradient(ReduceAndKeep(t, ReduceMax, -1)) // so that not all of the exponentials underflow
	return Add(Log(ReduceMean(Exp(Sub(t, largest)), -1)), Squeeze(largest, -1))
}

// logAddExp returns log(e^x + e^y).
func logAddExp(x, y *Node) *Node { return Add(y, numeric.LogOnePlusExp(Sub(x, y))) }
