package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/internal/numeric"
)

// NPair is the N-pair loss: every anchor against its own other view as the positive and N negatives.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log exp(s_{i,a(i)}) / [ exp(s_{i,a(i)}) + Σ_{k=1}^N exp s_ik ]
//
// The b examples are read as b pairs of a row and its positive, in either direction: the negatives of an anchor are the
// positives of the other pairs, N = b−1, so rows of other examples in another view than its own. (With all 2b−2 rows of
// other examples as negatives the formula is [SSCL].) With m > 2 views the attraction is the mean over the own other views,
// all of them are in the denominator, and N = (m−1)(b−1). Rows are of unit length and τ divides, as everywhere here. Labels
// play no part.
//
// Source: M. A. Nikitina, slides on distribution bias in contrastive learning, L_N-pair; the pairs are those of Sohn (2016).
func NPair() Objective {
	return Objective{
		Name: "N-pair", Attract: OwnViews,
		Repel:    func(b *Block) *Node { return LogSumExp(b, b.OtherView) },
		OfMasses: func(own, negatives, _ *Node, _ float64) *Node { return numeric.LogOnePlusExp(Sub(negatives, own)) },
	}
}
