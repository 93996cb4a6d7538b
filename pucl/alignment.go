package pucl

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Alignment measures how close the views of an example lie: the mean squared Euclidean distance of two unit rows that
// show the same example, 0 at best, 4 for opposite views. It is one number for each batch of v.
//
//	1/b Σ_examples ‖z − z'‖²
//
// If m > 2, it is the mean over all pairs of views.
//
// Source: T. Wang and P. Isola, "Understanding Contrastive Representation Learning through Alignment and Uniformity on
// the Hypersphere" (2020).
func Alignment(v Views) *Node { return AlignmentLoss().Loss(v, 1) }

// AlignmentLoss returns [Alignment] as an objective to train on within a [WeightedSum]: every anchor is attracted to
// its other views by minus the squared distance. Trained alone, it collapses every encoder. The temperature has no
// effect.
func AlignmentLoss() Objective {
	return Objective{Name: "alignment", Attract: func(b *Block) *Node { return Neg(ownDistance(b)) }, Repel: Nothing}
}

// ownDistance returns the mean squared distance of each anchor to the other views of its example, [.., r].
func ownDistance(b *Block) *Node {
	s := b.source
	var sum *Node
	for k := 1; k < s.views; k++ {
		// Differences keep their digits where views nearly agree.
		sum = numeric.Plus(sum, ReduceSum(Square(Sub(s.anchors, s.ownRow(k))), -1))
	}
	return DivScalar(sum, s.views-1)
}

// Uniformity measures how evenly the examples spread over the sphere: the log of the mean, over all pairs of examples,
// of exp(−2‖z_i − z_j‖²), computed within each view and averaged over the views. It is 0 if all rows coincide and
// decreases as they spread, to about −4 in high dimension. It is one number for each batch of v, which must hold at
// least 2 examples.
//
// Source: T. Wang and P. Isola, "Understanding Contrastive Representation Learning through Alignment and Uniformity on
// the Hypersphere" (2020), with t = 2.
func Uniformity(v Views) *Node {
	batch := v.batch(1)
	shape := batch.rows.Shape()
	n, d := shape.Dim(-2), shape.Dim(-1)
	examples := n / batch.views
	fault.PanicIf(examples < 2,
		"pucl: uniformity of a batch of one example; it is a mean over pairs of examples, so it needs 2 or more")
	leading := leadingShape(batch.rows, 2).Dimensions
	views := Reshape(batch.rows, append(append([]int{}, leading...), batch.views, examples, d)...)

	// −2‖x−y‖² = 4x·y − 2‖x‖² − 2‖y‖². The lengths are constants, 1 or, for a zero row, 0, so this is a partition at τ
	// = 1/4.
	lengths := MulScalar(StopGradient(ReduceSum(Square(views), -1)), -2)
	how := batch.cut
	how.pairs /= batch.views
	each := logPairSums(views, lengths, 0.25, how) // [.., m, b]
	largest := StopGradient(ReduceAndKeep(each, ReduceMax, -1))
	mean := ReduceMean(Exp(Sub(each, largest)), -1)
	perView := AddScalar(Add(Log(mean), Squeeze(largest, -1)), -math.Log(float64(examples-1)))
	return ReduceMean(perView, -1)
}

// UniformityLoss returns [Uniformity] as an objective to train on within a [WeightedSum]. The log of a mean over all
// pairs is no mean over anchors, so both terms are [Nothing] and Whole holds the loss. The temperature has no effect.
func UniformityLoss() Objective {
	return Objective{
		Name:    "uniformity",
		Attract: Nothing,
		Repel:   Nothing,
		Whole:   func(v Views, _ float64) *Node { return Uniformity(v) },
	}
}
