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

	// Mixture selects the rows that stand for p, the draws from whose mean the share of the negatives is taken; nil means all
	// other rows, the own other views among them. [ObservedPositives] takes the own other views alone: then the positives as
	// observed are the mixture, and τ⁻ is the share of false ones among them. An anchor of which nothing is selected scores 0.
	Mixture func(*Block) *Node

	// Weight is N, by how much the mean over negatives counts against the positive; 0 means 2b−2, the number of rows of
	// other examples.
	Weight float64
}

// OtherClasses selects the pairs of different classes. It needs [Views].Class.
func OtherClasses(b *Block) *Node { return And(b.Others, Not(b.pairs(b.SameClass))) }

// ObservedPositives selects the own other views, which stand for the anchor's class and may be false.
func ObservedPositives(b *Block) *Node { return b.OwnView }

// TauPlusForRate returns the τ⁺ at which [DebiasedPos] with its default rows is the N-pair loss for positives of which a share, the rate ρ,
// is false, in batches of so many examples with so many views each:
//
//	τ⁺ = (m−1) / ((mb−1)(1−ρ)):   P⁺ = (1−ρ)·own + ρ·P⁻,   own the mean of exp s over the own other views
//
// What is false among positives is a draw of P⁻, so the loss compares what is observed with what the scores, were they those of true
// positives, would show. At ρ = 0 it is [SSCL]. It panics unless 0 ≤ ρ < 1, examples and views are 2 or more, and τ⁺ is at most 1.
func TauPlusForRate(rate float64, examples, views int) float64 {
	fault.PanicIf(!(rate >= 0 && rate < 1), "pucl: a share of %v false positives; it must lie from 0 to below 1", rate)
	fault.PanicIf(examples < 2 || views < 2, "pucl: batches of %d examples with %d views; both must be 2 or more", examples, views)
	tauPlus := float64(views-1) / (float64(views*examples-1) * (1 - rate))
	fault.PanicIf(tauPlus > 1, "pucl: a share of %v false positives in batches of %d examples takes τ⁺ = %.3g, above 1; make batches larger",
		rate, examples, tauPlus)
	return tauPlus
}

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
	o := Objective{
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
	if config.Negatives == nil && config.Mixture == nil {
		o.OfMasses = config.ofMasses
	}
	return o
}

// ofMasses is the loss where P is taken over the positive and all negatives.
func (c DebiasedPosConfig) ofMasses(own, negatives, count *Node, tau float64) *Node {
	c.check()
	drawn := Sub(negatives, Log(count))
	all := Sub(logAdd(own, negatives), Log(OnePlus(count)))
	if c.Weight > 0 {
		negatives = AddScalar(drawn, math.Log(c.Weight))
	}
	return numeric.LogOnePlusExp(Sub(negatives, c.positive(all, drawn, tau)))
}

// check panics unless the settings are in range.
func (c DebiasedPosConfig) check() {
	fault.PanicIf(!(c.TauPlus > 0 && c.TauPlus <= 1),
		"pucl: DebiasedPos with τ⁺ = %v; it is the chance to meet the anchor's own class and must lie above 0 and at most at 1", c.TauPlus)
	fault.PanicIf(!(c.Weight >= 0),
		"pucl: DebiasedPos with weight N = %v; it must be positive, or 0 for the number of rows of other examples", c.Weight)
}

// positive returns log P⁺ from log P and log P⁻.
func (c DebiasedPosConfig) positive(all, drawn *Node, tau float64) *Node {
	return logDifference(all, drawn, 1/c.TauPlus, (1-c.TauPlus)/c.TauPlus, -1/tau)
}

// Floored returns the share of anchors whose P⁺ is on its floor e^(−1/τ), for which P − τ⁻P⁻ is too small or negative and the
// positives teach nothing, as an objective to take the value of. It has no gradient.
func (c DebiasedPosConfig) Floored() Objective {
	return Objective{Name: "share on the floor of DebiasedPos", Attract: Nothing, Repel: func(b *Block) *Node {
		positive, _, some := c.masses(b)
		floor := AddScalar(ZerosLike(positive), -1/b.Tau)
		return ConvertDType(And(some, Equal(positive, floor)), b.Sim.DType())
	}}
}

// masses returns log P⁺ and log N·P⁻, and for which anchors there are negatives; elsewhere both are finite and mean nothing.
func (c DebiasedPosConfig) masses(b *Block) (positive, negative, some *Node) {
	c.check()
	b.needOtherExamples("DebiasedPos")
	weight := cmp.Or(c.Weight, float64(b.rows()-b.views()))
	mask := b.OtherExamples()
	if c.Negatives != nil {
		mask = c.Negatives(b)
	}
	drawn, some := logMean(b, mask)
	total := AddScalar(drawn, math.Log(weight))
	if b.source.pairs && c.Weight == 0 { // how many others count may differ from anchor to anchor
		count := ReduceSum(ConvertDType(b.OtherExamples(), b.Sim.DType()), -1)
		total = Add(drawn, Log(MaxScalar(count, 1.0)))
	}
	var all *Node
	switch {
	case c.Mixture != nil:
		mixed, any := logMean(b, c.Mixture(b))
		all, some = mixed, And(some, any)
	case b.source.pairs:
		all, _ = logMean(b, b.Others)
	default:
		all = AddScalar(LogPartition(b), -math.Log(float64(b.rows()-1)))
	}
	return c.positive(all, drawn, b.Tau), total, some
}

// logMean returns the log of the mean of exp s_ij over the pairs that mask selects, and whether there are any; 0 where not.
func logMean(b *Block, mask *Node) (mean, some *Node) {
	mask = b.pairs(mask)
	count := ReduceSum(ConvertDType(mask, b.Sim.DType()), -1)
	some = GreaterThan(count, ZerosLike(count))
	sum := LogSumExp(b, mask)
	return Sub(onlyWhere(some, sum), Log(MaxScalar(count, 1.0))), some
}
