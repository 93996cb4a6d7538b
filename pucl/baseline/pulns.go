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

// PULNS selects unlabeled examples that shall be negatives for the classifier, and learns to select from how well the classifier does.
// The selector is a perceptron of three layers that gives every unlabeled example the probability p to be selected, from the
// embedding that the classifier has of it. The classifier minimizes, over the examples a_i = 1 that were selected by chance,
//
//	L_C = E_P[ℓ(t)] + Σ_i a_i ℓ(−t_i) / Σ_i a_i,   ℓ(t) = log(1 + e^(−t))
//
// and the selector follows the policy gradient (REINFORCE): of several selections a in a batch, each brings the reward R that the
// classifier would have after a step of gradient descent along its own L_C, and
//
//	L_S = −E_a[A(a) · mean_i log P(a_i)],   A = (R − mean R) / Rate.
//
// The reward is the measure of Lee and Liu (2003), recall² over the share of examples that are found positive, which needs neither
// negatives nor a class prior, with probabilities in place of decisions: R = 2·log E_P[σ(t)] − log E_U[σ(t)]. Where classes do
// not overlap much it is highest at the boundary of the Bayes classifier. It is taken on examples that are set aside, since those that
// the classifier has learned by heart would reward selecting all. Reported is L_C. No class prior is needed.
//
// Source: Chuan Luo, Pu Zhao, Chen Chen, Bo Qiao, Chao Du, Hongyu Zhang, Wei Wu, Shaowei Cai, Bing He, Saravanakumar Rajmohan and
// Qingwei Lin, "PULNS: Positive-Unlabeled Learning with Effective Negative Sample Selector", AAAI 2021. Neither its text nor a
// program of its authors could be had: this follows the abstract (a selector of negatives that is an agent, the classifier's
// performance as its reward, REINFORCE, updates of both in turns), and the three layers are from the appendix of "Contrastive
// Positive Unlabeled Learning" (anonymous authors). So what is here is the idea, and not the published method to the letter. That
// appendix tells α = 1 and β from 0.4 to 1 as well, but not what they are, and there is nothing here that they could set. What the
// selector sees, the reward and its baseline are this package's, and so is that all happens within a batch: the
// classifier's step that earns the reward is that of its last layer alone, and both networks then move in one step.
//
// The reward is noisy where a batch is small: on two clouds of points of which 97.7% can be told apart, four of eight seeds ended
// below 0.9 after 300 steps of 32 positive and 64 unlabeled examples, and with 128 and 256 all eight at 0.97 or above.
type PULNS struct {
	Selections int     // how many selections of a batch are compared, at least 2; 0 means 32
	Rate       float64 // step of the last layer that earns the reward; 0 means 0.01
	Judges     float64 // share of the examples of both kinds that are set aside for the reward, below 1; 0 means 0.2
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
		extra: func(s *sight) []*Node { // the selector's logits, embeddings, and embeddings and logits of those set aside
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

// loss returns L_C, whose gradient is that of L_C + L_S.
func (m PULNS) loss(b batch) *Node {
	selector := b.unlabeled(b.extra[0])
	chance := Transpose(b.unlabeled(b.draws), 0, 1)                                                // [selections, unlabeled]
	selected := ConvertDType(LessThan(chance, Sigmoid(ExpandDims(selector, 0))), selector.DType()) // likewise
	share := Div(selected, MaxScalar(ReduceAndKeep(selected, ReduceSum, -1), 1))                   // of the classifier's negative part

	negative := ReduceAllSum(Mul(Neg(logSigmoid(Neg(b.unlabeled(b.logits)))), Squeeze(Slice(share, AxisElem(0)), 0)))
	ofClassifier := Sub(negative, ReduceAllMean(logSigmoid(b.positive(b.logits))))

	reward := StopGradient(m.reward(b, share))
	advantage := Sub(reward, ReduceAllMean(reward))
	advantage = DivScalar(advantage, m.Rate)
	logChance := Neg(ReduceMean(crossEntropy(BroadcastToShape(ExpandDims(selector, 0), selected.Shape()), selected), -1))
	ofSelector := Neg(ReduceAllMean(Mul(advantage, logChance)))
	return Add(ofClassifier, Sub(ofSelector, StopGradient(ofSelector)))
}

// reward returns R for every selection, share [selections, unlabeled] being the weights of the classifier's negative part.
func (m PULNS) reward(b batch, share *Node) *Node {
	slope := Mul(share, ExpandDims(Sigmoid(b.unlabeled(b.logits)), 0)) // of L_C with respect to the logits of unlabeled examples
	positives := b.positive(b.logits)
	ofPositives := DivScalar(Neg(Sigmoid(Neg(positives))), b.positives)
	slope = Concatenate([]*Node{
		BroadcastToShape(ExpandDims(ofPositives, 0), shapes.Make(slope.DType(), slope.Shape().Dim(0), b.positives)), slope,
	}, -1)
	weights := MatMul(slope, b.extra[1]) // the gradient of the last layer
	bias := ReduceAndKeep(slope, ReduceSum, -1)
	after := func(h, t *Node) *Node { // logits of those that judge
		return Sub(ExpandDims(t, 0), MulScalar(Add(MatMul(weights, Transpose(h, 0, 1)), bias), m.Rate))
	}
	recall := logMeanSigmoid(after(b.extra[2], b.extra[3]))
	found := logMeanSigmoid(after(b.extra[4], b.extra[5]))
	return Sub(MulScalar(recall, 2), found)
}
