package pucl

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// DebiasedPosConfig says where [DebiasedPos] takes its samples from.
type DebiasedPosConfig struct {
	// TauPlus is τ⁺, the chance that an example drawn at random is of the anchor's class; above 0, at most 1.
	TauPlus float64

	// Negatives selects the rows that stand for p⁻, draws of another class than the anchor's; nil means all rows of other
	// examples. [OtherClasses] takes the true classes where they are known. An anchor of which nothing is selected scores 0.
	Negatives func(*Block) *Node

	// Weight is N, by how much the mean over negatives counts against the positive; 0 means 2b−2, the number of rows of
	// other examples.
	Weight float64
}

// OtherClasses selects the pairs of different classes. It needs [Views].Class.
func OtherClasses(b *Block) *Node { return And(b.Others, Not(b.pairs(b.SameClass))) }

// DebiasedPos is L_Pos: instead of the negatives, as [DCL] does, it corrects the positives. No positive pair is used as
// such; the mass of the anchor's class is what remains of all data when the negatives' share is taken away.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log ( P − τ⁻P⁻ ) / ( P + (Nτ⁺ − τ⁻) P⁻ ),   τ⁻ = 1 − τ⁺
//
// In a batch P, the mean of exp s over draws of all data, is taken over all other rows, the own other views included, and
// P⁻, that over draws of another class, over the rows that Negatives selects. By default these are all rows of other
// examples; then the numerator is positive whenever τ⁺ > 1/(2b−1), and at τ⁺ = 1/(2b−1) the loss is [SSCL].
//
// Written with the mass of one positive, P⁺ = max{ (P − τ⁻P⁻)/τ⁺, e^(−1/τ) }, the loss is −log P⁺/(P⁺ + N P⁻). The floor is
// the least that exp s can be; where it holds only the repulsion of the negatives is left. Labels play no part.
//
// Source: M. A. Nikitina, slides on distribution bias in contrastive learning, DebiasedPos; the floor is that of Chuang et
// al. (2020), which the slides leave out.
func DebiasedPos(config DebiasedPosConfig) Objective {
	return Objective{
		Name: "DebiasedPos",
		Attract: func(b *Block) *Node {
			positive, _, some := config.masses(b)
			return onlyWhere(some, positive)
		},
		Repel: func(b *Block) *Node {
			positive, negative, some := config.masses(b)
			return onlyWhere(some, logAdd(positive, negative))
		},
		Direct: func(b *Block) *Node {
			positive, negative, some := config.masses(b)
			return onlyWhere(some, numeric.LogOnePlusExp(Sub(negative, positive)))
		},
	}
}

// masses returns log P⁺ and log N·P⁻, and for which anchors there are negatives; elsewhere both are finite and mean nothing.
func (c DebiasedPosConfig) masses(b *Block) (positive, negative, some *Node) {
	fault.PanicIf(!(c.TauPlus > 0 && c.TauPlus <= 1),
		"pucl: DebiasedPos with τ⁺ = %v; it is the chance to meet the anchor's own class and must lie above 0 and at most at 1", c.TauPlus)
	fault.PanicIf(!(c.Weight >= 0),
		"pucl: DebiasedPos with weight N = %v; it must be positive, or 0 for the number of rows of other examples", c.Weight)
	b.needOtherExamples("DebiasedPos")
	weight := cmp.Or(c.Weight, float64(b.rows()-b.views()))
	mask := b.OtherExamples()
	if c.Negatives != nil {
		mask = c.Negatives(b)
	}
	drawn, some := logMean(b, mask)
	total := AddScalar(drawn, math.Log(weight))
	var all *Node
	if b.source.pairs {
		// How many others count may differ from anchor to anchor.
		all, _ = logMean(b, b.Others)
		if c.Weight == 0 {
			count := ReduceSum(ConvertDType(b.OtherExamples(), b.Sim.DType()), -1)
			total = Add(drawn, Log(MaxScalar(count, 1.0)))
		}
	} else {
		all = AddScalar(LogPartition(b), -math.Log(float64(b.rows()-1)))
	}
	positive = logDifference(all, drawn, 1/c.TauPlus, (1-c.TauPlus)/c.TauPlus, -1/b.Tau)
	return positive, total, some
}

// logMean returns the log of the mean of exp s_ij over the pairs that mask selects, and whether there are any; 0 where not.
func logMean(b *Block, mask *Node) (mean, some *Node) {
	mask = b.pairs(mask)
	count := ReduceSum(ConvertDType(mask, b.Sim.DType()), -1)
	some = GreaterThan(count, ZerosLike(count))
	sum := LogSumExp(b, mask)
	return Sub(onlyWhere(some, sum), Log(MaxScalar(count, 1.0))), some
}
