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

// MixPUL uses some of the unlabeled examples as negatives. It trains the network to predict, for a mixture λx + (1−λ)x'
// of two examples with λ drawn from Beta(α, α), the mixture of their given or estimated labels. With s = σ(logit) it
// minimizes
//
//	L = BCE(s(mixed), λy + (1−λ)y') + β·E[(s(mixed) − λt(x) − (1−λ)t(x'))²] + η·max(0, m − E_P[s] + E_U[s])
//
// In the first part, the supervised consistency, both examples are labeled positives or negatives with the label y, and
// both kinds have the same weight. The negatives are a share of the unlabeled examples of the batch: random ones in the
// warm-up, and later the reliable ones, which a teacher predicts to be the least positive. The teacher, with
// predictions t, is the moving average of the network. The second part, the unsupervised consistency, mixes the other
// unlabeled examples with any unlabeled ones, after the warm-up. The third part ranks labeled positives above unlabeled
// examples, on average and by a margin m. It needs no class prior: for equally frequent positives and unlabeled
// examples the more frequent kind is the same as for positives and negatives. If Negatives exceeds the share of true
// negatives, positives are among them; if it is below, the boundary moves towards the negatives. So the best share
// depends on the class prior after all.
//
// Source: Tong Wei, Feng Shi, Hai Wang, Wei-Wei Tu and Yu-Feng Li, "MixPUL: Consistency-based Augmentation for Positive
// and Unlabeled Learning", arXiv 2004.09388, 2020. The abstract and a public program were available, the formulas were
// not. The share of negatives, the teacher, the squared error, the margin and the ranking of means are from the
// program; α, β and η, all 1, are from the appendix of "Contrastive Positive Unlabeled Learning" (anonymous authors).
//
// Differences from the program. Its negatives are random throughout, where the paper selects reliable ones by
// classifiers trained beforehand. With random ones, mixing moves the boundary towards the positives, so the random
// phase, there 90 of 140 epochs, is short here. The program mixes the teacher's logits, where the paper mixes
// predictions, gives the ranking no weight, and has α = 2 for unlabeled mixtures. The paper ranks pairs of examples,
// which lowers the scores of unlabeled positives. λ is drawn for every example, not once for a batch.
type MixPUL struct {
	Alpha       float64 // α; 0 means 1
	Consistency float64 // β; 0 means 1, negative means none
	Ranking     float64 // η; 0 means 1, negative means none
	Margin      float64 // m; 0 means 0.2
	Negatives   float64 // share of the unlabeled examples used as negatives; 0 means 0.4
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
		schedule: func(done float64) []float32 { return []float32{flag(done >= m.Warmup)} }, // whether the warm-up has ended
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

// weighted returns the mean of x by weights, 0 if all weights are 0.
func weighted(x, weights *Node) *Node {
	return Div(ReduceAllSum(Mul(x, weights)), MaxScalar(ReduceAllSum(weights), 1))
}

// count returns the number of unlabeled examples of a batch that are negatives.
func (m MixPUL) count(b batch) *Node {
	n := b.other.Shape().Dim(0)
	return Scalar(b.other.Graph(), dtypes.Int32, max(int(math.Round(m.Negatives*float64(n-b.positives))), 1))
}

// rank returns the place of every unlabeled row in the order of selection as negatives: after the warm-up the rows that
// the teacher predicts to be the least positive come first, before it the first rows.
func (m MixPUL) rank(b batch) *Node { return rank(Mul(b.unlabeled(b.other), b.scheduled(0))) }

// partners returns the partner of every row. For labeled positives and negatives it is a positive or a negative with
// equal probability, for the others an unlabeled example. The drawn row, of n, selects the partner.
func (m MixPUL) partners(b batch) *Node {
	n, places, count := b.other.Shape().Dim(0), m.rank(b), m.count(b)
	twice := MulScalar(b.partner, 2)
	negative := AddScalar(atPlaces(places, DivScalar(Mul(AddScalar(twice, -n), count), n)), b.positives)
	known := Where(LessThan(twice, Scalar(twice.Graph(), dtypes.Int32, n)), DivScalar(MulScalar(twice, b.positives), n), negative)
	other := AddScalar(DivScalar(MulScalar(b.partner, n-b.positives), n), b.positives)
	positives := Zeros(places.Graph(), shapes.Make(dtypes.Int32, b.positives)) // have place 0 as well
	return Where(LessThan(Concatenate([]*Node{positives, places}, 0), count), known, other)
}
