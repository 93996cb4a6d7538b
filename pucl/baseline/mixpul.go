package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// mixPULVersion is the version of [MixPUL].
const mixPULVersion = 1

// MixPUL takes some of the unlabeled examples for negatives and asks the network to predict for a mixture of two examples,
// λx + (1−λ)x' with λ drawn from Beta(α, α), the mixture of what is known or believed of both. With s = σ(logit) it minimizes
//
//	L = BCE(s(mixed), λy + (1−λ)y') + β·E[(s(mixed) − λt(x) − (1−λ)t(x'))²] + η·max(0, m − E_P[s] + E_U[s])
//
// In the first part, the supervised consistency, both examples are labeled positives or negatives, both kinds with the same weight,
// and y tells which. The negatives are a share of the unlabeled examples of the batch: at random in the warm-up, and after it the
// reliable ones, those that a teacher finds the least positive. The teacher, whose predictions are t, is the moving average of the
// network. The second part, the unsupervised consistency, is of mixtures of the other unlabeled examples with any unlabeled ones, after the warm-up.
// The third part ranks labeled positives above unlabeled examples, on average and by a margin m. No class prior is needed: of equally
// frequent positives and unlabeled examples the more frequent kind is the same as of positives and negatives. Where more negatives
// are taken than there are, positives are among them; where fewer, the boundary moves towards the negatives, so that the best share
// hangs on the class prior after all.
//
// Source: Tong Wei, Feng Shi, Hai Wang, Wei-Wei Tu and Yu-Feng Li, "MixPUL: Consistency-based Augmentation for Positive and
// Unlabeled Learning", arXiv 2004.09388, 2020. The abstract and a public program were at hand, the formulas were not. From the
// program are the share of negatives, the teacher, the squared error, the margin and that it is one of means; α, β and η, all 1, are
// those of the appendix of "Contrastive Positive Unlabeled Learning" (anonymous authors).
//
// Differences from the program. Its negatives are random and stay so, where the paper mines reliable ones, by classifiers trained
// beforehand: with random ones, mixing moves the boundary towards the positives, so that the random phase, there 90 of 140 epochs,
// is short here. The program mixes the teacher's logits, where the paper speaks of predictions, gives the ranking no weight, and has α = 2 for
// unlabeled mixtures. The paper ranks pairs of examples, which pushes unlabeled positives down. λ is drawn for every example,
// not once for a batch.
type MixPUL struct {
	Alpha       float64 // α; 0 means 1
	Consistency float64 // β; 0 means 1, negative means none
	Ranking     float64 // η; 0 means 1, negative means none
	Margin      float64 // m; 0 means 0.2
	Negatives   float64 // share of the unlabeled examples that are taken for negatives; 0 means 0.4
	Momentum    float64 // of the teacher; 0 means 0.999
	Warmup      float64 // share of the steps; 0 means 0.1, negative means none
}

func (m MixPUL) check() error {
	m = m.withDefaults()
	return cmp.Or(checkAlpha("MixPUL", m.Alpha), checkNumbers("MixPUL",
		number{name: "Consistency", value: m.Consistency, most: math.MaxFloat64},
		number{name: "Ranking", value: m.Ranking, most: math.MaxFloat64},
		number{name: "Margin", value: m.Margin, most: 1, above: true},
		number{name: "Negatives", value: m.Negatives, most: 1, above: true},
		number{name: "Momentum", value: m.Momentum, most: 1, above: true},
		number{name: "Warmup", value: m.Warmup, most: 1}))
}

// withDefaults fills in the zero fields.
func (m MixPUL) withDefaults() MixPUL {
	return MixPUL{
		cmp.Or(m.Alpha, 1), orDefault(m.Consistency, 1), orDefault(m.Ranking, 1), cmp.Or(m.Margin, 0.2), cmp.Or(m.Negatives, 0.4),
		cmp.Or(m.Momentum, 0.999), orDefault(m.Warmup, 0.1),
	}
}

func (MixPUL) version() int { return mixPULVersion }

// String implements [Method].
func (m MixPUL) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("MixPUL α=%g, β=%g, η=%g, margin %g, negatives %g of the unlabeled, momentum %g, warm-up %g of the steps", m.Alpha,
		m.Consistency, m.Ranking, m.Margin, m.Negatives, m.Momentum, m.Warmup)
}

func (m MixPUL) plan() plan {
	m = m.withDefaults()
	return plan{
		mix:      &mixing{pairing: withAny, alpha: m.Alpha, alone: m.Ranking == 0},
		teacher:  m.Momentum,
		other:    byTeacher,
		choose:   m.partners,
		schedule: func(done float64) []float32 { return []float32{flag(done >= m.Warmup)} }, // whether the warm-up is over
		loss: func(b batch) *Node {
			losses := crossEntropy(b.mixed, b.mix(ConvertDType(b.labels(b.mixed), b.mixed.DType()), 0))
			negative := ConvertDType(LessThan(m.rank(b), m.count(b)), losses.DType())
			loss := MulScalar(Add(ReduceAllMean(b.positive(losses)), weighted(b.unlabeled(losses), negative)), 0.5)
			if m.Consistency > 0 {
				apart := b.unlabeled(Square(Sub(Sigmoid(b.mixed), b.mix(Sigmoid(b.other), 0))))
				loss = Add(loss, MulScalar(Mul(weighted(apart, OneMinus(negative)), b.scheduled(0)), m.Consistency))
			}
			if m.Ranking > 0 {
				s := Sigmoid(b.logits)
				ahead := Sub(ReduceAllMean(b.positive(s)), ReduceAllMean(b.unlabeled(s)))
				loss = Add(loss, MulScalar(MaxScalar(AddScalar(Neg(ahead), m.Margin), 0), m.Ranking))
			}
			return loss
		},
	}
}

// weighted returns the mean of x by weights, 0 where there are none.
func weighted(x, weights *Node) *Node {
	return Div(ReduceAllSum(Mul(x, weights)), MaxScalar(ReduceAllSum(weights), 1))
}

// count returns how many unlabeled examples of a batch are negatives.
func (m MixPUL) count(b batch) *Node {
	n := b.other.Shape().Dim(0)
	return Scalar(b.other.Graph(), dtypes.Int32, max(int(math.Round(m.Negatives*float64(n-b.positives))), 1))
}

// rank returns the place of every unlabeled row when negatives are taken: after the warm-up those come first that the teacher holds for
// the least positive, before it the first rows.
func (m MixPUL) rank(b batch) *Node { return rank(Mul(b.unlabeled(b.other), b.scheduled(0))) }

// partners returns the partner of every row: for labeled positives and negatives a positive or a negative, both kinds being equally
// likely, for the others an unlabeled example. The row that was drawn, of n, tells which of them.
func (m MixPUL) partners(b batch) *Node {
	n, places, count := b.other.Shape().Dim(0), m.rank(b), m.count(b)
	twice := MulScalar(b.partner, 2)
	negative := AddScalar(atPlaces(places, DivScalar(Mul(AddScalar(twice, -n), count), n)), b.positives)
	known := Where(LessThan(twice, Scalar(twice.Graph(), dtypes.Int32, n)), DivScalar(MulScalar(twice, b.positives), n), negative)
	other := AddScalar(DivScalar(MulScalar(b.partner, n-b.positives), n), b.positives)
	positives := Zeros(places.Graph(), shapes.Make(dtypes.Int32, b.positives)) // come first as well
	return Where(LessThan(Concatenate([]*Node{positives, places}, 0), count), known, other)
}
