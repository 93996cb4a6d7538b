package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl/encoder"
)

// pulnsVersion is the version of [PULNS].
const pulnsVersion = 2

// PULNS selects unlabeled examples as negatives for the classifier, and trains the selection by the classifier's
// performance. The selector is a perceptron of three layers that computes every unlabeled example's probability p of
// selection from the classifier's embedding. The classifier minimizes, over the randomly selected examples a_i = 1,
//
//	L_C = E_P[ℓ(t)] + Σ_i a_i ℓ(−t_i) / Σ_i a_i,   ℓ(t) = log(1 + e^(−t))
//
// and the selector follows the policy gradient (REINFORCE): of several selections a in a batch, each earns the reward R
// of the classifier after a step of gradient descent along its own L_C, and
//
//	L_S = −E_a[A(a) · mean_i log P(a_i)],   A = (R − mean R) / Rate.
//
// The reward is the measure of Lee and Liu (2003), recall² over the share of examples predicted positive. It needs
// neither negatives nor a class prior. With probabilities instead of decisions it is R = 2·log E_P[σ(t)] − log
// E_U[σ(t)]. If classes overlap little it is highest at the boundary of the Bayes classifier. It is computed on
// reserved examples, since examples that the classifier has overfitted would reward selecting all. The reported loss is
// L_C. No class prior is needed.
//
// Source: Chuan Luo, Pu Zhao, Chen Chen, Bo Qiao, Chao Du, Hongyu Zhang, Wei Wu, Shaowei Cai, Bing He, Saravanakumar
// Rajmohan and Qingwei Lin, "PULNS: Positive-Unlabeled Learning with Effective Negative Sample Selector", AAAI 2021.
// Neither its text nor a program of its authors was available. This follows the abstract (a selector of negatives that
// is an agent, the classifier's performance as its reward, REINFORCE, alternating updates of both), and the three
// layers are from the appendix of "Contrastive Positive Unlabeled Learning" (anonymous authors). So this implements the
// idea and may differ from the published method. That appendix also gives α = 1 and β from 0.4 to 1 without defining
// them, and this implementation has no parameter that they could set. The selector's input, the reward and its baseline
// are this package's choices. So is the restriction to one batch: only the classifier's last layer takes the step that
// earns the reward, and both networks then move in one step.
//
// The reward is noisy for small batches. On two clouds of points, 97.7% of them separable, four of eight seeds ended
// below 0.9 after 300 steps of 32 positive and 64 unlabeled examples. With 128 and 256 all eight ended at 0.97 or
// above.
type PULNS struct {
	Selections int     // number of compared selections of a batch, at least 2; 0 means 32
	Rate       float64 // step of the last layer that earns the reward; 0 means 0.01
	Judges     float64 // share of the examples of both kinds that are reserved for the reward, below 1; 0 means 0.2
}

func (m PULNS) check() error {
	m = m.withDefaults()
	return checkNumbers("PULNS",
		number{name: "Selections", value: float64(m.Selections), least: 2, most: math.MaxFloat64},
		number{name: "Rate", value: m.Rate, most: math.MaxFloat64, above: true},
		number{name: "Judges", value: m.Judges, most: 0.9, above: true})
}

// withDefaults fills in the zero fields.
func (m PULNS) withDefaults() PULNS {
	return PULNS{cmp.Or(m.Selections, 32), cmp.Or(m.Rate, 0.01), cmp.Or(m.Judges, 0.2)}
}

func (PULNS) version() int { return pulnsVersion }

// String implements [Method].
func (m PULNS) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("PULNS %d selections, rate %g, judges %g", m.Selections, m.Rate, m.Judges)
}

func (m PULNS) plan() plan {
	m = m.withDefaults()
	return plan{
		draws: m.Selections,
		aside: aside{m.Judges, m.Judges, 1},
		extra: func(s *sight) []*Node { // the selector's logits, embeddings, and embeddings and logits of the reserved rows
			h := StopGradient(s.own.h)
			scope, x := s.own.scope.In("selector"), h
			for i, size := range []int{64, 64} {
				x = encoder.ReLU(encoder.Dense(scope.In("dense%d", i+1), x, size, true))
			}
			positive, unlabeled := s.judges()
			return []*Node{
				Squeeze(encoder.Dense(scope.In("out"), x, 1, true), -1), h, positive.h, positive.logits, unlabeled.h, unlabeled.logits,
			}
		},
		loss: m.loss,
	}
}

// loss returns L_C with the gradient of L_C + L_S.
func (m PULNS) loss(b batch) *Node {
	selector := b.unlabeled(b.extra[0])
	chance := Transpose(b.unlabeled(b.draws), 0, 1)                                                // [selections, unlabeled]
	selected := ConvertDType(LessThan(chance, Sigmoid(ExpandDims(selector, 0))), selector.DType()) // the same shape
	share := Div(selected, MaxScalar(ReduceAndKeep(selected, ReduceSum, -1), 1))                   // weights of the classifier's negative part

	negative := ReduceAllSum(Mul(Neg(logSigmoid(Neg(b.unlabeled(b.logits)))), Squeeze(Slice(share, AxisElem(0)), 0)))
	ofClassifier := Sub(negative, ReduceAllMean(logSigmoid(b.positive(b.logits))))

	reward := StopGradient(m.reward(b, share))
	advantage := Sub(reward, ReduceAllMean(reward))
	advantage = DivScalar(advantage, m.Rate)
	logChance := Neg(ReduceMean(crossEntropy(BroadcastToShape(ExpandDims(selector, 0), selected.Shape()), selected), -1))
	ofSelector := Neg(ReduceAllMean(Mul(advantage, logChance)))
	return Add(ofClassifier, Sub(ofSelector, StopGradient(ofSelector)))
}

// reward returns R for every selection, given the weights share [selections, unlabeled] of the classifier's negative
// part.
func (m PULNS) reward(b batch, share *Node) *Node {
	slope := Mul(share, ExpandDims(Sigmoid(b.unlabeled(b.logits)), 0)) // of L_C with respect to the logits of unlabeled examples
	positives := b.positive(b.logits)
	ofPositives := DivScalar(Neg(Sigmoid(Neg(positives))), b.positives)
	slope = Concatenate([]*Node{
		BroadcastToShape(ExpandDims(ofPositives, 0), shapes.Make(slope.DType(), slope.Shape().Dim(0), b.positives)), slope,
	}, -1)
	weights := MatMul(slope, b.extra[1]) // the gradient of the last layer
	bias := ReduceAndKeep(slope, ReduceSum, -1)
	after := func(h, t *Node) *Node { // logits of the reserved rows
		return Sub(ExpandDims(t, 0), MulScalar(Add(MatMul(weights, Transpose(h, 0, 1)), bias), m.Rate))
	}
	recall := logMeanSigmoid(after(b.extra[2], b.extra[3]))
	found := logMeanSigmoid(after(b.extra[4], b.extra[5]))
	return Sub(MulScalar(recall, 2), found)
}
