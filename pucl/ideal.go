package pucl

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// IdealCL returns the ideal loss L*_CL, equation (3), estimated on a batch with given classes. It needs [Views].Class.
//
//	L = 1/|𝕀| Σ_{i∈𝕀} 1/|C(i)| Σ_{j∈C(i)} [ log( exp s_ij + Σ_k exp s_ik ) − s_ij ]
//
// C(i) are the other rows of the class of i, each in turn the one positive, and k runs over negatives, rows of other
// classes. The paper prints (3) as a reward; this is its negative, a loss.
//
// negatives is N, the number of negatives in (3). The rows of other classes in the batch represent N draws: their sum
// is N times their mean. 0 means the number in the batch. An anchor without rows of another class in its batch scores
// 0.
func IdealCL(negatives int) Objective {
	each := func(score func(own, negative *Node) *Node) Term {
		return func(b *Block) *Node {
			fault.PanicIf(negatives < 0,
				"pucl: ideal loss with N = %d negatives; it must be positive, or 0 for as many as the batch holds", negatives)
			class := b.pairs(b.SameClass)
			mask := OtherClasses(b)
			negative, some := logMean(b, mask)
			if negatives > 0 {
				negative = AddScalar(negative, math.Log(float64(negatives)))
			} else {
				negative = Add(negative, Log(MaxScalar(ReduceSum(ConvertDType(mask, b.Sim.DType()), -1), 1.0)))
			}
			pairs := score(b.Sim, BroadcastToShape(ExpandAxes(negative, -1), b.Sim.Shape()))
			mean := Div(ReduceSum(onlyWhere(class, pairs), -1), ReduceSum(ConvertDType(class, b.Sim.DType()), -1))
			return onlyWhere(some, mean)
		}
	}
	return Objective{
		Name:    "ideal",
		Attract: each(func(own, _ *Node) *Node { return own }),
		Repel:   each(logAdd),
		Direct:  each(func(own, negative *Node) *Node { return numeric.LogOnePlusExp(Sub(negative, own)) }),
	}
}
