package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// NPair returns the N-pair loss: every anchor has its own other view as the positive and N negatives.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log exp(s_{i,a(i)}) / [ exp(s_{i,a(i)}) + Σ_{k=1}^N exp s_ik ]
//
// The b examples form b pairs of a row and its positive, in either direction. The negatives of an anchor are the
// positives of the other pairs, N = b−1: rows of other examples in another view than its own. (With all 2b−2 rows of
// other examples as negatives the formula is [SSCL].) If m > 2, the attraction is the mean over the own other views,
// the denominator holds all of them, and N = (m−1)(b−1). Rows have unit length and τ divides, as everywhere here.
// Labels have no effect.
//
// Source: M. A. Nikitina, slides on distribution bias in contrastive learning, L_N-pair, with the pairs of Sohn (2016).
func NPair() Objective {
	return Objective{
		Name: "N-pair", Attract: OwnViews,
		Repel:    func(b *Block) *Node { return LogSumExp(b, b.OtherView) },
		OfMasses: func(own, negatives, _ *Node, _ float64) *Node { return numeric.LogOnePlusExp(Sub(negatives, own)) },
	}
}
