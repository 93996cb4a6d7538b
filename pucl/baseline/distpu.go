package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// distPUVersion is the version of [DistPU].
const distPUVersion = 2

// DistPU matches the predictions s = σ(logit) to the given label distributions of positives and of unlabeled examples:
//
//	L_dist = |E_P[s] − 1| + |E_U[s] − π|/2π
//
// In the warm-up it adds the entropy H of the predictions on unlabeled examples, so that they are not all equal to π.
// Later it also uses mixed examples λx + (1−λ)x' with λ drawn from Beta(α, α). Their labels mix 1 for labeled positives
// and, for unlabeled examples, the prediction after the last epoch:
//
//	warm-up:  L = L_dist + μ₀·H_U
//	later:    L = L_dist + μ_t·H_U + ν·BCE(s(mixed), mixed labels) + γ·H(mixed)
//
// From the end of the warm-up to the end of the run, μ_t rises from 0 to μ like 1 − cos over a quarter of its period.
//
// Source: Yunrui Zhao, Qianqian Xu, Yangbangyan Jiang, Peisong Wen and Qingming Huang, "Dist-PU: Positive-Unlabeled
// Learning from a Label Distribution Perspective", CVPR 2022, as implemented in its authors' program
// (Ray-rui/Dist-PU-…), whose defaults are used here. There L_dist is the R_lab of the paper over 2π. Differences: one
// learning rate and one weight decay throughout, where the program restarts the optimizer after the warm-up, with a
// tenth of the rate and a fifth of the decay. λ is drawn for every example, not once for a batch. Labels of unlabeled
// examples are predicted in inference mode by the network after the last epoch, where the program uses for each the
// prediction of the last step that trained on it.
type DistPU struct {
	Prior         float64 // class prior π, above 0 and below 1
	Entropy       float64 // μ; 0 means 0.004, negative means none
	Mixup         float64 // ν; 0 means 5, negative means none
	MixedEntropy  float64 // γ; 0 means 0.04, negative means none
	Alpha         float64 // α; 0 means 6
	Warmup        float64 // share of the steps; 0 means ½, negative means none: unlabeled examples are then mixed with the label ½ until the first epoch ends
	WarmupEntropy float64 // μ₀; 0 means 0.002, negative means none
}

func (m DistPU) check() error {
	m = m.withDefaults()
	return cmp.Or(checkPrior("Dist-PU", m.Prior), checkAlpha("Dist-PU", m.Alpha), checkNumbers("Dist-PU",
		number{name: "Entropy", value: m.Entropy, most: math.MaxFloat64},
		number{name: "Mixup", value: m.Mixup, most: math.MaxFloat64},
		number{name: "MixedEntropy", value: m.MixedEntropy, most: math.MaxFloat64},
		number{name: "Warmup", value: m.Warmup, most: 1},
		number{name: "WarmupEntropy", value: m.WarmupEntropy, most: math.MaxFloat64}))
}

// withDefaults fills in the zero fields.
func (m DistPU) withDefaults() DistPU {
	return DistPU{
		m.Prior, orDefault(m.Entropy, 0.004), orDefault(m.Mixup, 5), orDefault(m.MixedEntropy, 0.04), cmp.Or(m.Alpha, 6),
		orDefault(m.Warmup, 0.5), orDefault(m.WarmupEntropy, 0.002),
	}
}

func (DistPU) version() int { return distPUVersion }

// String implements [Method].
func (m DistPU) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("Dist-PU π=%g, μ=%g, ν=%g, γ=%g, α=%g, warm-up %g of the steps with μ₀=%g", m.Prior, m.Entropy, m.Mixup,
		m.MixedEntropy, m.Alpha, m.Warmup, m.WarmupEntropy)
}

func (m DistPU) plan() plan {
	m = m.withDefaults()
	p := plan{
		schedule: func(done float64) []float32 { // μ_t, and the weight of the terms after the warm-up
			if done < m.Warmup {
				return []float32{float32(m.WarmupEntropy), 0}
			}
			later := (done - m.Warmup) / (1 - m.Warmup)
			return []float32{float32(m.Entropy * (1 - math.Cos(math.Pi/2*later))), 1}
		},
		loss: func(b batch) *Node {
			unlabeled := entropy(b.unlabeled(b.logits))
			loss := Add(m.alignment(b), Mul(ReduceAllMean(unlabeled), b.scheduled(0)))
			if b.mixed == nil {
				return loss
			}
			scores := Sigmoid(b.other)
			labels := Where(b.labels(scores), OnesLike(scores), scores)
			later := Add(MulScalar(ReduceAllMean(crossEntropy(b.mixed, b.mix(labels, 0))), m.Mixup),
				MulScalar(ReduceAllMean(entropy(b.mixed)), m.MixedEntropy))
			return Add(loss, Mul(later, b.scheduled(1)))
		},
	}
	if m.Mixup > 0 || m.MixedEntropy > 0 {
		p.mix = &mixing{pairing: withAny, alpha: m.Alpha}
		p.memory, p.between = true, m.remember
		p.other = func(s *sight) *Node { return s.remembered("logits") }
	}
	return p
}

// remember stores the logits of all examples by the current network, after every epoch and at the end of the warm-up.
func (m DistPU) remember(r *run, done int) error {
	if done%r.perEpoch() != 0 && !r.passes(m.Warmup, done) {
		return nil
	}
	logits, err := r.scorer.score(r.data.Examples)
	if err != nil {
		return err
	}
	return r.keep("logits", logits)
}

// alignment returns L_dist.
func (m DistPU) alignment(b batch) *Node {
	scores := Sigmoid(b.logits)
	positive := Abs(OneMinus(ReduceAllMean(b.positive(scores))))
	unlabeled := Abs(AddScalar(ReduceAllMean(b.unlabeled(scores)), -m.Prior))
	return Add(positive, DivScalar(unlabeled, 2*m.Prior))
}

// crossEntropy returns −y log σ(t) − (1−y) log(1−σ(t)) in nats.
func crossEntropy(t, y *Node) *Node { return Sub(numeric.LogOnePlusExp(t), Mul(t, y)) }

// entropy returns the entropy of a Bernoulli variable with probability σ(t), in nats.
func entropy(t *Node) *Node { return crossEntropy(t, Sigmoid(t)) }
