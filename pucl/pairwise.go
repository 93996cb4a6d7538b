package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// Pairwise returns the contrastive loss of pairs with a margin: it pulls the two views of an example together and
// pushes rows of different examples apart until their distance D is the margin. D is the Euclidean distance of the unit
// rows, from 0 to 2. The temperature has no effect.
//
//	L(pair) = y D² + (1−y) max{0, margin − D}²,   y = 1 for two views of one example, 0 for rows of different examples
//
// An anchor's score is the mean over its positive pairs plus the mean over its negative pairs, so that the many
// negatives do not outweigh the positives. Rows of different examples that coincide, to rounding, have no direction of
// repulsion: their gradient is 0. The margin must be positive; labels have no effect.
//
// Source: the pairwise loss L = y L_p(D) + (1−y) L_n(D) with the squares of Hadsell et al. (2006).
func Pairwise(margin float64) Objective {
	return Objective{
		Name:    "pairwise",
		Attract: func(b *Block) *Node { return Neg(ownDistance(b)) },
		Repel: func(b *Block) *Node {
			fault.PanicIf(!(margin > 0),
				"pucl: pairwise loss with margin %v; it is a distance of unit rows and must be positive, sensibly at most 2", margin)
			b.needOtherExamples("the pairwise loss")
			square := SquaredDistance(b)
			epsilon := byPrecision(square.DType(), 0x1p-52, 0x1p-23) // the distance of 1 to the next number
			apart := GreaterThan(square, Scalar(square.Graph(), square.DType(), 8*epsilon))
			distance := onlyWhere(apart, Sqrt(Where(apart, square, OnesLike(square))))
			missing := MaxScalar(AddScalar(Neg(distance), margin), 0.0)
			return meanOver(b.OtherExamples(), Square(missing))
		},
	}
}

// SquaredDistance returns the squared Euclidean distance of the unit rows of every pair, [.., r, n]: 2 − 2cos. It is 1
// if one row is zero and has no direction, 0 if both are, and 0 for the pair of a row with itself.
func SquaredDistance(b *Block) *Node {
	s := b.source
	square := func(rows *Node, axis int) *Node { return ExpandAxes(StopGradient(ReduceSum(Square(rows), -1)), axis) }
	lengths := Add(square(s.anchors, -1), square(s.rows, -2))
	distance := Sub(lengths, MulScalar(b.Sim, 2*b.Tau))
	return onlyWhere(b.Others, MaxScalar(distance, 0.0))
}

// meanOver returns the mean of x [.., r, n] over the pairs that mask selects; 0 where it selects none.
func meanOver(mask, x *Node) *Node {
	sum := ReduceSum(onlyWhere(mask, x), -1)
	return Div(sum, MaxScalar(ReduceSum(ConvertDType(mask, x.DType()), -1), 1.0))
}
