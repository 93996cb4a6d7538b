package pucl

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// DCLConfig says how [DCL] estimates the negatives. The zero value, τ⁺ = 0, corrects nothing and is [SSCL].
type DCLConfig struct {
	// TauPlus is τ⁺, the chance that an example drawn at random is of the anchor's class; from 0 to below 1.
	TauPlus float64

	// Positives is M, how many of the anchor's m−1 other views stand for its class; 0 means all of them, which with two
	// views is the paper's M = 1.
	Positives int

	// Weight is Q, by how much the corrected mean over negatives counts against the positive; 0 means N, the number of
	// negatives, 2b−2 with two views.
	Weight float64
}

// DCL is debiased contrastive learning: ssCL with the share of the anchor's own class that hides among the negatives taken
// out. The negatives of an anchor are the N = m(b−1) rows of other examples, its positives its own other views.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log exp(s_{i,a(i)}) / [ exp(s_{i,a(i)}) + Q·g(i) ]
//	g(i) = max{ ( 1/N Σ_neg exp s − τ⁺/M Σ_pos exp s ) / (1−τ⁺), e^(−1/τ) }
//
// The floor e^(−1/τ) is the least that exp s can be; on it g has no gradient. With m > 2 views the attraction is the mean
// over the other views and all of them are in the denominator, as in [SSCL], which DCL is at τ⁺ = 0. Labels play no part.
// The loss is worked out directly, since it falls far below the rounding of its two terms where the floor holds.
//
// Source: Ching-Yao Chuang et al., "Debiased Contrastive Learning" (2020); appendix A.5.4 of the paper. It is the L_Neg of
// the slides that propose [DebiasedPos].
func DCL(config DCLConfig) Objective {
	return Objective{
		Name:    "DCL",
		Attract: OwnViews,
		Repel:   func(b *Block) *Node { return logAdd(logOwn(b, b.views()-1), config.logNegatives(b)) },
		Direct: func(b *Block) *Node {
			own := logOwn(b, b.views()-1)
			loss := numeric.LogOnePlusExp(Sub(config.logNegatives(b), own))
			if b.views() == 2 {
				return loss
			}
			return Add(loss, Sub(own, OwnViews(b)))
		},
	}
}

// logOwn returns log Σ exp s_ij over the next count views of the anchor's own example.
func logOwn(b *Block, count int) *Node {
	if b.views() == 2 {
		return OwnViews(b) // there is only one
	}
	return LogSumExp(b, b.NextViews(count))
}

// check panics on a configuration that does not fit the block.
func (c DCLConfig) check(b *Block) {
	fault.PanicIf(!(c.TauPlus >= 0 && c.TauPlus < 1),
		"pucl: DCL with τ⁺ = %v; it is the chance to meet the anchor's own class and must lie from 0 to below 1", c.TauPlus)
	fault.PanicIf(c.Positives < 0 || c.Positives >= b.views(),
		"pucl: DCL with M = %d positives; they are other views of the anchor's own example, and of %d views %d is another "+
			"(M = 0 takes all there are)", c.Positives, b.views(), b.views()-1)
	fault.PanicIf(!(c.Weight >= 0), "pucl: DCL with weight Q = %v; it must be positive, or 0 for the number of negatives", c.Weight)
	b.needOtherExamples("DCL")
}

// logNegatives returns log Q·g(i).
func (c DCLConfig) logNegatives(b *Block) *Node {
	c.check(b)
	negatives := float64(b.rows() - b.views())
	positives, weight := cmp.Or(c.Positives, b.views()-1), cmp.Or(c.Weight, negatives)
	drawn := AddScalar(LogSumExp(b, b.OtherExamples()), -math.Log(negatives))
	own := AddScalar(logOwn(b, positives), -math.Log(float64(positives)))
	debiased := logDifference(drawn, own, 1/(1-c.TauPlus), c.TauPlus/(1-c.TauPlus), -1/b.Tau)
	return AddScalar(debiased, math.Log(weight))
}
