package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/pucl/encoder"
)

// ncPUVersion is the version of [NcPU].
const ncPUVersion = 2

// NcPU trains embeddings in which examples of the same predicted class are near each other, without a repelling loss,
// and assigns soft labels to unlabeled examples by them. With the probability s = σ(t) of the positive class it
// minimizes
//
//	L = E_P[−log s] + E_U[−y log s − (1−y) log(1−s)] + e_t·E[H(s)] + a·L_align
//
// L_align is the noisy-pair robust supervised non-contrastive loss. The unit vectors p_i come from the network with
// projector and predictor. The z_j come from the target, a moving average of network and projector, for another view of
// the rows:
//
//	L_align = mean over i of the mean over j in A(i) of d_ij,   d_ii = 2(1 − ⟨p_i, z_i⟩),   d_ij = 2√(1 − ⟨p_i, z_j⟩)
//
// where j ≠ i is in A(i) if s_i s_j + (1−s_i)(1−s_j) ≥ τ. With the root, pairs that are already near attract the most,
// and these rarely belong to two classes. In the warm-up A(i) = {i} and y = 0. Later the label y of an unlabeled
// example moves towards 1 if its p is nearer to the positive one of two prototypes, else towards 0; prototypes are
// moving averages of p by predicted class. Where 1 − s exceeds the threshold of the gate, y counts as 0 in that step
// and is unchanged in memory, so that an early wrong negative does no lasting harm (phantom labels). The gate's
// threshold is c·(1−q) / max(q, 1−q), with moving averages c of max(s, 1−s), at most 0.8, and q of s, over unlabeled
// examples. It needs no class prior.
//
// Source: Hengwei Zhao, Zhengzhong Tu, Zhuo Zheng, Wei Wang, Junjue Wang, Rusty Feagin and Wenzhe Jiao, "Noisy-Pair
// Robust Representation Alignment for Positive-Unlabeled Learning", ICLR 2026 (arXiv 2510.01278): the abstract, and the
// authors' program for formulas that the abstract lacks. Differences: p and z are not clamped to positive numbers; the
// program clamps them, the formula does not. 1e-6 under the root keeps its gradient finite. One recipe makes all views,
// and p belongs to the classified view. All rows of a step move a prototype equally, not one after the other. The
// network's projector and predictor are narrower. Without a Recipe, and for rows of features, both views are the
// example itself.
//
// The authors' numbers for ResNet-18 and 1300 epochs of CIFAR-10 are Align 50, Entropy 5 (½ for CIFAR-100 and STL-10),
// Warmup 3/130 and, since labels there move by a hundredth in every epoch, Memory 1/13. In runs of a few epochs they
// classify everything as positive, because predictions that are still random define the pairs. The defaults are for
// such runs.
type NcPU struct {
	Align    float64 // a; 0 means 5, negative means none
	Entropy  float64 // e_t after the warm-up, in which it rises from 0; 0 means 0.5, negative means none
	Pair     float64 // τ, up to 1; 0 means 0.5
	Momentum float64 // of target, prototypes and gate, below 1; 0 means 0.99
	Memory   float64 // share of the run after which a part e^(−1) of a label remains, above 1 for more than the run; 0 means 5
	Warmup   float64 // share of the steps; 0 means ½, negative means none
}

func (m NcPU) check() error {
	m = m.withDefaults()
	return checkNumbers("NcPU",
		number{name: "Align", value: m.Align, most: math.MaxFloat64},
		number{name: "Entropy", value: m.Entropy, most: math.MaxFloat64},
		number{name: "Pair", value: m.Pair, most: 1, above: true},
		number{name: "Momentum", value: m.Momentum, most: 1, above: true},
		number{name: "Memory", value: m.Memory, most: math.MaxFloat64, above: true},
		number{name: "Warmup", value: m.Warmup, most: 1})
}

// withDefaults fills in the zero fields.
func (m NcPU) withDefaults() NcPU {
	return NcPU{
		orDefault(m.Align, 5), orDefault(m.Entropy, 0.5), cmp.Or(m.Pair, 0.5), cmp.Or(m.Momentum, 0.99), cmp.Or(m.Memory, 5),
		orDefault(m.Warmup, 0.5),
	}
}

func (NcPU) version() int { return ncPUVersion }

// String implements [Method].
func (m NcPU) String() string {
	m = m.withDefaults()
	return fmt.Sprintf("NcPU align %g, entropy %g, τ=%g, momentum %g, memory %g and warm-up %g of the steps", m.Align, m.Entropy, m.Pair,
		m.Momentum, m.Memory, m.Warmup)
}

func (m NcPU) plan() plan {
	m = m.withDefaults()
	return plan{
		teacher: m.Momentum, again: true, memory: true,
		schedule: func(done float64) []float32 { // e_t, and whether the warm-up has ended
			if done < m.Warmup {
				return []float32{float32(m.Entropy * done / m.Warmup), 0}
			}
			return []float32{float32(m.Entropy), 1}
		},
		extra: m.extra,
		loss:  m.loss,
	}
}

// extra returns labels, p and z of every row, and updates labels, prototypes and gate.
func (m NcPU) extra(s *sight) []*Node {
	h, t := s.own.h, StopGradient(s.logits)
	p := project(s.own.scope, "predictor", unbiased(s.own.scope.In("projector"), h), true)
	target := unbiased(s.again.scope.In("projector"), s.again.h)
	z := StopGradient(L2Normalize(target, -1))
	project(s.again.scope, "predictor", target, true) // creates variables that only follow the network's

	fixed, g := StopGradient(p), p.Graph()
	state := s.own.scope.In("state").WithInitializer(initializer.Zero)
	prototypes := state.VariableWithShape("prototypes", shapes.Make(dtypes.Float32, 2, projectionDim)).SetTrainable(false)
	near := MatMul(fixed, Transpose(prototypes.NodeValue(g), 0, 1)) // [n, 2]: to the positive one, to the negative one
	column := func(i int) *Node { return Squeeze(Slice(near, AxisRange(), AxisElem(i)), -1) }
	positive := ConvertDType(GreaterOrEqual(column(0), column(1)), dtypes.Float32)
	predicted := LogicalOr(s.labels(t), GreaterOrEqual(t, ZerosLike(t)))
	prototypes.SetNodeValue(m.movePrototypes(prototypes.NodeValue(g), fixed, predicted))

	gate := state.VariableWithValue("gate", []float32{0.5, 0.5}).SetTrainable(false) // c and q
	moved := m.moveGate(gate.NodeValue(g), s.unlabeled(t))
	gate.SetNodeValue(moved)

	due := s.scheduled(1)
	y := s.move(positive, Scalar(g, dtypes.Float32, m.Memory), due)
	passes := GreaterOrEqual(Sigmoid(Neg(t)), threshold(moved)) // gate for a negative
	passes = LogicalAnd(passes, LogicalNot(s.labels(t)))
	y = Where(passes, ZerosLike(y), y)
	return []*Node{y, p, z}
}

// unbiased returns projections as encoder.Projector does in training, but without a bias. The predictor's batch
// normalization cancels a bias, so its gradient would be rounding errors, which Adam scales up like any other gradient.
func unbiased(scope *model.Scope, h *Node) *Node {
	hidden := scope.In("hidden")
	h = encoder.ReLU(encoder.BatchNorm(hidden, encoder.Dense(hidden, h, h.Shape().Dim(-1), false), true))
	return encoder.Dense(scope.In("out"), h, projectionDim, false)
}

// movePrototypes returns prototypes [2, d] moved towards p [n, d] of the rows predicted positive, and of the others.
func (m NcPU) movePrototypes(prototypes, p, predicted *Node) *Node {
	kinds := Stack([]*Node{predicted, LogicalNot(predicted)}, 0) // [2, n]
	weights := ConvertDType(kinds, p.DType())
	count := ReduceAndKeep(weights, ReduceSum, -1)
	left := Exp(MulScalar(count, math.Log(m.Momentum))) // the momentum, once for each row
	mean := Div(MatMul(weights, p), MaxScalar(count, 1))
	moved := Add(Mul(left, prototypes), Mul(OneMinus(left), mean))
	return Div(moved, MaxScalar(Sqrt(ReduceAndKeep(Square(moved), ReduceSum, -1)), 1e-12))
}

// moveGate returns c and q moved towards the means over unlabeled examples, given their logits.
func (m NcPU) moveGate(gate, unlabeled *Node) *Node {
	s := Sigmoid(unlabeled)
	now := Stack([]*Node{ReduceAllMean(Max(s, OneMinus(s))), ReduceAllMean(s)}, 0)
	gate = Add(MulScalar(gate, m.Momentum), MulScalar(now, 1-m.Momentum))
	return Min(gate, ConstAsDType(gate.Graph(), gate.DType(), []float64{0.8, 1}))
}

// threshold returns the gate's threshold for negatives.
func threshold(gate *Node) *Node {
	c, q := Reshape(Slice(gate, AxisElem(0))), Reshape(Slice(gate, AxisElem(1)))
	return Div(Mul(c, OneMinus(q)), Max(q, OneMinus(q)))
}

func (m NcPU) loss(b batch) *Node {
	losses := crossEntropy(b.logits, b.extra[0]) // labeled positives have the label 1
	loss := Add(ReduceAllMean(b.positive(losses)), ReduceAllMean(b.unlabeled(losses)))
	loss = Add(loss, Mul(ReduceAllMean(entropy(b.logits)), b.scheduled(0)))
	return Add(loss, MulScalar(m.align(b), m.Align))
}

// align returns L_align.
func (m NcPU) align(b batch) *Node {
	p, z, s := b.extra[1], b.extra[2], StopGradient(Sigmoid(b.logits))
	agree := func(s *Node) *Node { return Mul(ExpandDims(s, 1), ExpandDims(s, 0)) }
	same := Add(agree(s), agree(OneMinus(s)))
	later := GreaterThan(b.scheduled(1), ZerosLike(b.scheduled(1)))
	itself := Diagonal(p.Graph(), p.Shape().Dim(0))
	pairs := LogicalOr(itself, LogicalAnd(GreaterOrEqual(same, Scalar(p.Graph(), same.DType(), m.Pair)), later))
	apart := OneMinus(MatMul(p, Transpose(z, 0, 1)))
	distance := MulScalar(Where(itself, apart, Sqrt(AddScalar(MaxScalar(apart, 0), 1e-6))), 2)
	weights := ConvertDType(pairs, distance.DType())
	return ReduceAllMean(Div(ReduceSum(Mul(weights, distance), -1), ReduceSum(weights, -1)))
}
