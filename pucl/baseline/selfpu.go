package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
)

// selfPUVersion is the version of [SelfPU].
const selfPUVersion = 2

// SelfPU trains two students, networks, by the non-negative risk of [NNPU] with three kinds of self-training. With s =
// σ(logit) and the entropy H of a Bernoulli variable with probability s, the loss of each student is
//
//	L = π R_P⁺ + max(0, R − π R_P⁻) + E_U[(T + w)·H] + [S < α·R_PU]·S + β·E[(s − t)²],   R = E_U[(1 − w)·s | T = 0]
//
// Self-paced: T = 1 for the trusted unlabeled examples, which the student predicts to be the most and the least
// positive. They leave the risk, and the loss reduces the entropy of their predictions instead, so each prediction is
// the label. After 5, 10, 15 and 20% of the steps they are chosen anew, 0.1, 0.2, 0.3 and 0.4 of its pace of either
// kind, the pace being a share of the unlabeled examples.
//
// Self-calibrated: from 5 to 25% of the steps each remaining unlabeled example is treated in the same way with weight
// w. The weight comes from a look-ahead. Steps of the parameters along the gradients of s and of H would increase the
// student's certainty on reserved examples by a and b. Then w = b/(a + b), with negative numbers and 0/0 replaced by 0.
// Once the sum of w reaches γ times the rows of a batch, w is 0 for the rest.
//
// Self-supervised: from 25% of the steps on a student follows two predictions. It follows the other student's, s', by S
// = E[(s − s')²], unless that exceeds α times its own risk R_PU, the first two parts of L. It follows the prediction t
// of its own teacher, which is its moving average. No gradient flows through w, s' and t, and the risk has NNPU's
// gradient. The reported loss is the sum of both losses. Training returns the first student.
//
// Source: Xuxi Chen, Wuyang Chen, Tianlong Chen, Ye Yuan, Chen Gong, Kewei Chen and Zhangyang Wang, "Self-PU: Self
// Boosted and Calibrated Positive-Unlabeled Training", ICML 2020. The authors' program was available, the paper's
// formulas were not. This follows the program as its commands run it, with the phases of its 200 epochs as shares of
// the steps; α, β, γ and the paces are from the appendix of "Contrastive Positive Unlabeled Learning" (anonymous
// authors).
//
// Differences. The program alternates between trusted examples and the others, and has separate parts for the students.
// It computes the soft-max over a single logit, always 1, so that its teachers have no effect; it looks ahead along −H
// where it trains H. It reserves test images; here a tenth of the unlabeled examples is reserved, and a batch has
// additional rows of these, a quarter as many as unlabeled ones. The engine has no gradients of gradients for
// convolutions. So one trial step of length 0.01 against the gradient of the entropy on reserved examples gives
// differences δ of the logits: a = max(0, −δ) and b = max(0, δ·logit), up to one factor. Teachers average from the
// first step on.
type SelfPU struct {
	Prior      float64 // class prior π, above 0 and below 1
	Alpha      float64 // α; 0 means 10, negative means that students do not follow each other
	Beta       float64 // β; 0 means 0.3, negative means no teachers
	Gamma      float64 // γ, up to 1; 0 means 1/16, negative means no calibration
	Pace       float64 // of the first student, up to 1; 0 means 0.2, negative means no trusted examples
	SecondPace float64 // of the second student, up to 1; 0 means 0.3
	Momentum   float64 // of the teachers; 0 means 0.999
}

func (m SelfPU) check() error {
	m = m.withDefaults()
	return cmp.Or(checkPrior("Self-PU", m.Prior), checkNumbers("Self-PU",
		number{name: "Alpha", value: m.Alpha, most: math.MaxFloat64},
		number{name: "Beta", value: m.Beta, most: math.MaxFloat64},
		number{name: "Gamma", value: m.Gamma, most: 1},
		number{name: "Pace", value: m.Pace, most: 1},
		number{name: "SecondPace", value: m.SecondPace, most: 1},
		number{name: "Momentum", value: m.Momentum, most: 1, above: true}))
}

// withDefaults fills in the zero fields.
func (m SelfPU) withDefaults() SelfPU {
	return SelfPU{
		m.Prior, orDefault(m.Alpha, 10), orDefault(m.Beta, 0.3), orDefault(m.Gamma, 1./16), orDefault(m.Pace, 0.2),
		orDefault(m.SecondPace, 0.3), cmp.Or(m.Momentum, 0.999),
	}
}

func (SelfPU) version() int { return selfPUVersion }

// String implements [Method].
func (m SelfPU) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("Self-PU π=%g, α=%g, β=%g, γ=%g, paces %g and %g, momentum %g", m.Prior, m.Alpha, m.Beta, m.Gamma, m.Pace,
		m.SecondPace, m.Momentum)
}

func (m SelfPU) plan() plan {
	m = m.withDefaults()
	p := plan{
		teacher: m.Momentum, other: byTeacher, memory: true,
		schedule: func(done float64) []float32 { // whether students calibrate, and whether they follow teachers and each other
			taught := done*paceParts >= paceEnd
			return []float32{flag(done*paceParts >= paceStart && !taught), flag(taught)}
		},
		extra: m.extra, between: m.trust, reading: &reading{inSecond, ofLogits.of},
		loss: func(b batch) *Node {
			students := readStudents(b)
			return Add(m.loss(b, students[0], students[1]), m.loss(b, students[1], students[0]))
		},
	}
	if m.Gamma > 0 {
		p.aside = aside{unlabeled: 0.1, rows: 0.25}
	}
	return p
}

// loss returns the loss of a student.
func (m SelfPU) loss(b batch, own, other student) *Node {
	unlabeled, trusted := b.unlabeled(own.logits), b.unlabeled(own.trusted)
	rest := OneMinus(trusted)
	w := Mul(m.calibrate(unlabeled, b.unlabeled(own.moved), rest, own.logits.Shape().Dim(0)), b.scheduled(0))
	risk := m.risk(b.positive(own.logits), unlabeled, rest, w)
	loss := Add(risk, ReduceAllMean(Mul(Add(trusted, w), entropy(unlabeled))))

	s := Sigmoid(own.logits)
	distance := func(logits *Node) *Node { return ReduceAllMean(Square(Sub(s, StopGradient(Sigmoid(logits))))) }
	peer := distance(other.logits)
	peer = Where(LessThan(peer, MulScalar(risk, m.Alpha)), peer, ZerosLike(peer))
	taught := Add(peer, MulScalar(distance(own.teacher), m.Beta))
	return Add(loss, Mul(taught, b.scheduled(1)))
}

// risk returns R_PU with the gradient of [risk.NNPUKiryo].
func (m SelfPU) risk(positives, unlabeled, rest, w *Node) *Node {
	share := func(logits *Node) *Node { return MulScalar(ReduceAllMean(Sigmoid(logits)), m.Prior) }
	positive := share(Neg(positives))
	left := ReduceAllSum(Mul(Mul(rest, OneMinus(w)), Sigmoid(unlabeled)))
	negative := Sub(Div(left, MaxScalar(ReduceAllSum(rest), 1)), share(positives))
	value := Add(positive, MaxScalar(negative, 0))
	follow := Where(GreaterOrEqual(negative, ZerosLike(negative)), Add(positive, negative), Neg(negative))
	return Add(StopGradient(value), Sub(follow, StopGradient(follow)))
}

// calibrate returns the weights w of unlabeled examples of a batch of the given rows; rest is 1 for untrusted examples.
// moved is the change of their logits in a step that increases the student's certainty on reserved examples. No
// gradient flows through w.
func (m SelfPU) calibrate(logits, moved, rest *Node, rows int) *Node {
	asNegative := MaxScalar(Neg(moved), 0)
	asTrusted := MaxScalar(Mul(moved, logits), 0)
	helps := GreaterThan(asTrusted, ZerosLike(asTrusted))
	w := Mul(rest, Where(helps, Div(asTrusted, Where(helps, Add(asNegative, asTrusted), OnesLike(asTrusted))), ZerosLike(asTrusted)))

	index := func(axis int) *Node {
		return Iota(w.Graph(), shapes.Make(w.DType(), w.Shape().Dim(0), w.Shape().Dim(0)), axis)
	}
	earlier := ConvertDType(LessThan(index(1), index(0)), w.DType())
	spent := ReduceSum(Mul(earlier, ExpandDims(w, 0)), 1)
	full := GreaterOrEqual(spent, Scalar(w.Graph(), w.DType(), m.Gamma*float64(rows)))
	return StopGradient(Where(full, ZerosLike(w), w))
}
