package pucl

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// DebiasedPosConfig configures the samples that [DebiasedPos] uses.
type DebiasedPosConfig struct {
	// TauPlus is τ⁺, the chance that an example drawn at random is of the anchor's class; above 0, at most 1.
	TauPlus float64

	// Negatives selects the rows that represent p⁻, draws of another class than the anchor's; nil means all rows of
	// other examples. [OtherClasses] selects by the true classes if they are given. An anchor without any selected row
	// scores 0.
	Negatives func(*Block) *Node

	// Mixture selects the rows that represent p, the mean from which the share of the negatives is subtracted; nil
	// means all other rows, including the own other views. [ObservedPositives] selects the own other views alone: then
	// the observed positives are the mixture, and τ⁻ is the share of false positives among them. An anchor without any
	// selected row scores 0.
	Mixture func(*Block) *Node

	// Weight is N, the weight of the mean over negatives against the positive; 0 means 2b−2, the number of rows of
	// other examples.
	Weight float64
}

// OtherClasses selects the pairs of different classes. It needs [Views].Class.
func OtherClasses(b *Block) *Node { return And(b.Others, Not(b.pairs(b.SameClass))) }

// ObservedPositives selects the own other views. They represent the anchor's class and may be false positives.
func ObservedPositives(b *Block) *Node { return b.OwnView }

// TauPlusForRate returns the τ⁺ at which [DebiasedPos] with its default rows is the N-pair loss for positives with a
// share ρ, the rate, of false ones. It takes the number of examples in a batch and of views of each:
//
//	τ⁺ = (m−1) / ((mb−1)(1−ρ)):   P⁺ = (1−ρ)·own + ρ·P⁻,   own the mean of exp s over the own other views
//
// False positives are draws of P⁻, so the loss compares the observed scores with the scores that true positives would
// have. At ρ = 0 it is [SSCL]. It panics unless 0 ≤ ρ < 1, examples and views are 2 or more, and τ⁺ is at most 1.
func TauPlusForRate(rate float64, examples, views int) float64 {
	fault.PanicIf(!(rate >= 0 && rate < 1), "pucl: a share of %v false positives; it must lie from 0 to below 1", rate)
	fault.PanicIf(examples < 2 || views < 2, "pucl: batches of %d examples with %d views; both must be 2 or more", examples, views)
	tauPlus := float64(views-1) / (float64(views*examples-1) * (1 - rate))
	fault.PanicIf(tauPlus > 1, "pucl: a share of %v false positives in batches of %d examples takes τ⁺ = %.3g, above 1; make batches larger",
		rate, examples, tauPlus)
	return tauPlus
}

// DebiasedPos returns L_Pos, which corrects the positives, where [DCL] corrects the negatives. It uses no positive pair
// as such: the mass of the anchor's class is the mass of all data minus the share of the negatives.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log ( P − τ⁻P⁻ ) / ( P + (Nτ⁺ − τ⁻) P⁻ ),   τ⁻ = 1 − τ⁺
//
// In a batch, P, the mean of exp s over draws of all data, is taken over all other rows, including the own other views.
// P⁻, the mean over draws of another class, is taken over the rows that Negatives selects, by default all rows of other
// examples. Then the numerator is positive if τ⁺ > 1/(2b−1); at τ⁺ = 1/(2b−1) the loss is [SSCL].
//
// With the mass of one positive, P⁺ = max{ (P − τ⁻P⁻)/τ⁺, e^(−1/τ) }, the loss is −log P⁺/(P⁺ + N P⁻). The floor is the
// minimum of exp s; where it holds, only the repulsion of the negatives remains. Labels have no effect.
//
// Source: M. A. Nikitina, slides on distribution bias in contrastive learning, DebiasedPos. The slides omit the floor,
// which is from Chuang et al. (2020).
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

// ofMasses returns the loss with P taken over the positive and all negatives.
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

// Floored returns, as an objective to evaluate, the share of anchors with P⁺ on its floor e^(−1/τ). For them P − τ⁻P⁻
// is too small or negative, and the positives contribute no gradient. The share itself has no gradient.
func (c DebiasedPosConfig) Floored() Objective {
	return Objective{Name: "share on the floor of DebiasedPos", Attract: Nothing, Repel: func(b *Block) *Node {
		positive, _, some := c.masses(b)
		floor := AddScalar(ZerosLike(positive), -1/b.Tau)
		return ConvertDType(And(some, Equal(positive, floor)), b.Sim.DType())
	}}
}

// masses returns log P⁺ and log N·P⁻, and which anchors have negatives; for the others both values are finite and
// meaningless.
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
	if b.source.pairs && c.Weight == 0 { // the number of others that count may differ between anchors
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

// logMean returns the log of the mean of exp s_ij over the pairs that mask selects, and whether it selects any; 0 where
// it selects none.
func logMean(b *Block, mask *Node) (mean, some *Node) {
	mask = b.pairs(mask)
	count := ReduceSum(ConvertDType(mask, b.Sim.DType()), -1)
	some = GreaterThan(count, ZerosLike(count))
	sum := LogSumExp(b, mask)
	return Sub(onlyWhere(some, sum), Log(MaxScalar(count, 1.0))), some
}
