package pucl

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// DCLConfig configures how [DCL] estimates the negatives. The zero value, τ⁺ = 0, applies no correction and is [SSCL].
type DCLConfig struct {
	// TauPlus is τ⁺, the chance that an example drawn at random is of the anchor's class; from 0 to below 1.
	TauPlus float64

	// Positives is M, the number of the anchor's m−1 other views that represent its class; 0 means all of them. With
	// two views that is the paper's M = 1.
	Positives int

	// Weight is Q, the weight of the corrected mean over negatives against the positive; 0 means N, the number of
	// negatives, 2b−2 with two views.
	Weight float64
}

// DCL returns debiased contrastive learning: ssCL minus the expected share of the anchor's own class among the
// negatives. The negatives of an anchor are the N = m(b−1) rows of other examples, its positives its own other views.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log exp(s_{i,a(i)}) / [ exp(s_{i,a(i)}) + Q·g(i) ]
//	g(i) = max{ ( 1/N Σ_neg exp s − τ⁺/M Σ_pos exp s ) / (1−τ⁺), e^(−1/τ) }
//
// The floor e^(−1/τ) is the minimum of exp s; on it g has no gradient. If m > 2, the attraction is the mean over the
// other views and the denominator holds all of them, as in [SSCL], to which DCL reduces at τ⁺ = 0. Labels have no
// effect. The loss is computed directly: where the floor holds, it falls far below the rounding of its two terms.
//
// Source: Ching-Yao Chuang et al., "Debiased Contrastive Learning" (2020); appendix A.5.4 of the paper. It is L_Neg in
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
		return OwnViews(b) // the only other view
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
