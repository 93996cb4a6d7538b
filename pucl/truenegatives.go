package pucl

import (
	"cmp"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// TrueNegatives returns ssCL without sampling bias: the negatives of an anchor are rows of other classes only. It uses
// all classes, so it is no method but the target of [DCL]. It needs [Views].Class.
//
//	L = −1/|𝕀| Σ_{i∈𝕀} log exp(s_{i,a(i)}) / [ exp(s_{i,a(i)}) + N·h(i) ]
//	h(i) = the mean of exp s_ik over the rows k of other classes
//
// negatives is N; 0 means m(b−1), the number of rows of other examples, as in [SSCL] and DCL, so that the three differ
// only in the mean. If every example has its own class, it is SSCL. An anchor without another class in its batch scores
// 0. If m > 2, the attraction is the mean over the own other views and all of them are in the denominator, as in SSCL.
//
// Source: Ching-Yao Chuang et al., "Debiased Contrastive Learning" (2020), L_Unbiased, equation (1), with the anchor's
// own view as the positive example.
func TrueNegatives(negatives int) Objective {
	masses := func(b *Block) (own, negative, some *Node) {
		fault.PanicIf(negatives < 0,
			"pucl: true negatives with N = %d of them; it must be positive, or 0 for the number of rows of other examples", negatives)
		b.needOtherExamples("the loss with true negatives")
		mean, some := logMean(b, OtherClasses(b))
		count := cmp.Or(negatives, b.rows()-b.views())
		return logOwn(b, b.views()-1), AddScalar(mean, math.Log(float64(count))), some
	}
	return Objective{
		Name: "true negatives",
		Attract: func(b *Block) *Node {
			_, _, some := masses(b)
			return onlyWhere(some, OwnViews(b))
		},
		Repel: func(b *Block) *Node {
			own, negative, some := masses(b)
			return onlyWhere(some, logAdd(own, negative))
		},
		Direct: func(b *Block) *Node {
			own, negative, some := masses(b)
			loss := numeric.LogOnePlusExp(Sub(negative, own))
			if b.views() > 2 {
				loss = Add(loss, Sub(own, OwnViews(b)))
			}
			return onlyWhere(some, loss)
		},
	}
}
