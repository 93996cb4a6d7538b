package pucl

import . "github.com/gomlx/gomlx/core/graph"

// Alignment measures how close the views of an example lie: the mean squared Euclidean distance of two unit rows that show
// the same example, 0 at best, 4 for opposite views. It is one number for each batch of v.
//
//	1/b Σ_examples ‖z − z'‖²
//
// With m > 2 views it is the mean over all pairs of views.
//
// Source: T. Wang and P. Isola, "Understanding Contrastive Representation Learning through Alignment and Uniformity on the
// Hypersphere" (2020).
func Alignment(v Views) *Node { return AlignmentLoss().Loss(v, 1) }

// AlignmentLoss is [Alignment] as an objective, to be trained on in a [WeightedSum]: every anchor is attracted to its other
// views by minus the squared distance. Alone it has every encoder collapse. The temperature plays no part.
func AlignmentLoss() Objective {
	return Objective{
		Name:    "alignment",
		Attract: func(b *Block) *Node { return Neg(ownDistance(b)) },
		Repel:   Nothing,
	}
}

// ownDistance returns the mean squared distance of each anchor to the other views of its example, [.., r].
func ownDistance(b *Block) *Node {
	s := b.source
	var sum *Node
	for k := 1; k < s.views; k++ {
		// By differences, which keep their digits where views nearly agree.
		sum = plus(sum, ReduceSum(Square(Sub(s.anchors, s.ownRow(k))), -1))
	}
	return DivScalar(sum, s.views-1)
}
