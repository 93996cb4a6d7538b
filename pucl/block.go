package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Block is the input of a [Term]: r anchors of a multi-viewed batch compared with all its n rows. Leading axes, written
// "..", are independent batches. All masks are Bool and have the shape of Sim; none selects the pair of a row with
// itself.
//
// A term must not assume that r equals n: the whole batch may come as one block or as many.
type Block struct {
	Sim       *Node // [.., r, n]: cos(z_i, z_j)/τ; 0 for the pair of a row with itself
	Others    *Node // j ≠ i
	OwnView   *Node // j shows the same example as i
	OtherView *Node // j belongs to another of the m views than i
	Labeled   *Node // j ≠ i, and both are labeled positives: ℙ∖i
	ToLabeled *Node // j ≠ i, and j is a labeled positive, whatever i is
	Unlabeled *Node // j ≠ i, and j is a labeled positive, for any i
	SameClass *Node // j ≠ i, and both are of one class; nil where Views.Class is nil

	AnchorLabeled *Node   // Bool [.., r]: the anchor is a labeled positive
	Tau           float64 // τ, so that Tau·Sim is the cosine

	source source
}

// source holds the inputs of a block. Terms that find Sim and a mask unchanged compute on the rows themselves, which
// costs less than computing on all pairs.
type source struct {
	anchors *Node // unit rows of the anchors, [.., r, d]
	rows    *Node // unit rows of the batch, [.., n, d]; the same node as anchors where the block is the whole batch
	labeled *Node // Bool [.., n]
	views   int   // m
	first   int   // the anchors are rows first … first+r−1
	pairs   bool  // the block was made from [Pairs]: there are no rows

	// Sim and masks before any change by a term.
	sim, otherPairs, own, labeledPairs, toLabeled, unlabeledPairs *Node

	cut  cut // how to cut matrices of all pairs
	kept *kept
}

// kept caches intermediate results of terms on an unchanged block, so that objectives composed of others compute them
// once, gradient included.
type kept struct{ partition *Node }

// rows returns n, the number of rows of the batch.
func (b *Block) rows() int { return b.Sim.Shape().Dim(-1) }

// views returns m, the number of views of each example.
func (b *Block) views() int { return b.source.views }

// OtherExamples selects the pairs of different examples in any views: j is not i and shows another example.
func (b *Block) OtherExamples() *Node { return And(b.Others, Not(b.OwnView)) }

// NextViews selects the first count other views of the anchor's own example, counted cyclically from the anchor's view;
// all m−1 of them make OwnView.
func (b *Block) NextViews(count int) *Node {
	if count >= b.views()-1 {
		return b.OwnView
	}
	g, examples := b.Sim.Graph(), b.rows()/b.views()
	i := AddScalar(Iota(g, shapes.Make(dtypes.Int32, b.Sim.Shape().Dim(-2), 1), 0), b.source.first)
	j := Iota(g, shapes.Make(dtypes.Int32, 1, b.rows()), 1)
	ahead := ModScalar(AddScalar(Sub(viewOf(j, examples), viewOf(i, examples)), b.views()), b.views())
	near := LessOrEqual(ahead, Scalar(g, dtypes.Int32, count))
	return And(b.OwnView, BroadcastToDims(ExpandLeftToRank(near, b.Sim.Rank()), b.Sim.Shape().Dimensions...))
}

// needOtherExamples panics on a batch of one example; objectives that need negatives call it.
func (b *Block) needOtherExamples(objective string) {
	fault.PanicIf(b.rows() == b.views(),
		"pucl: %s of a batch of one example; it needs the rows of other examples as negatives, so 2 examples or more", objective)
}

// groupMean returns the mean similarity of each anchor to the rows that mask selects, if these form a group of rows.
// The mean of inner products with a group equals the inner product with the group's mean, so no pair matrix is needed.
// It returns nil if a term changed Sim or mask.
func (b *Block) groupMean(mask *Node) *Node {
	s := b.source
	if mask == nil || s.rows == nil || b.Sim != s.sim {
		return nil
	}
	switch mask {
	case s.own:
		return MulScalar(s.inner(s.ownRows()), 1/(b.Tau*float64(s.views-1)))
	case s.toLabeled:
		return b.meanTo(s.others(s.labeled, b.AnchorLabeled))
	case s.labeledPairs:
		return onlyWhere(b.AnchorLabeled, b.meanTo(s.others(s.labeled, b.AnchorLabeled)))
	case s.unlabeledPairs:
		unlabeled := Not(b.AnchorLabeled)
		return onlyWhere(unlabeled, b.meanTo(s.others(Not(s.labeled), unlabeled)))
	}
	return nil
}

// labeledOrOwn returns the mean similarity of an unlabeled anchor to all labeled rows and its own other views. It
// is not for labeled anchors, whose other views are labeled and would count twice.
func labeledOrOwn(b *Block) *Node {
	s := b.source
	if s.rows == nil || b.Sim != s.sim || b.ToLabeled != s.toLabeled || b.OwnView != s.own {
		return MeanSimilarity(b, Or(b.OwnView, b.ToLabeled))
	}
	sum, count := s.others(s.labeled, b.AnchorLabeled)
	return b.meanTo(Add(sum, s.ownRows()), AddScalar(count, float64(s.views-1)))
}

// meanTo returns the mean similarity of each anchor to a group of rows, [.., r], given their sum [.., r, d] and their
// count; 0 where the count is 0.
func (b *Block) meanTo(sum, count *Node) *Node {
	return Div(b.source.inner(sum), MulScalar(MaxScalar(count, 1.0), b.Tau))
}

// others returns, for each anchor, the sum [.., r, d] and the number [.., r] of the rows of a group, Bool [.., n],
// excluding the anchor itself if it belongs to the group, Bool [.., r].
func (s source) others(group, inGroup *Node) (sum, count *Node) {
	members := Where(BroadcastToDims(ExpandAxes(group, -1), s.rows.Shape().Dimensions...), s.rows, ZerosLike(s.rows))
	self := Where(BroadcastToDims(ExpandAxes(inGroup, -1), s.anchors.Shape().Dimensions...), s.anchors, ZerosLike(s.anchors))
	sum = Sub(ReduceAndKeep(members, ReduceSum, -2), self)
	dtype := s.rows.DType()
	count = Sub(ReduceAndKeep(ConvertDType(group, dtype), ReduceSum, -1), ConvertDType(inGroup, dtype))
	return sum, count
}

// ownRows returns the sum of the other views of each anchor's own example, [.., r, d].
func (s source) ownRows() *Node {
	var sum *Node
	for k := 1; k < s.views; k++ {
		sum = numeric.Plus(sum, s.ownRow(k))
	}
	return sum
}

// ownRow returns, for each anchor, the row of its own example k views further on, counted cyclically, [.., r, d].
func (s source) ownRow(k int) *Node {
	n, count := s.rows.Shape().Dim(-2), s.anchors.Shape().Dim(-2)
	shift := k * (n / s.views)
	turned := Concatenate([]*Node{
		SliceAxis(s.rows, -2, AxisRangeToEnd(shift)),
		SliceAxis(s.rows, -2, AxisRangeFromStart(shift)),
	}, -2)
	if count == n {
		return turned
	}
	return SliceAxis(turned, -2, AxisRange(s.first, s.first+count))
}

// inner returns the inner product of each anchor with its row of x, [.., r, d].
func (s source) inner(x *Node) *Node { return ReduceSum(Mul(s.anchors, x), -1) }

// onlyWhere returns x where condition holds and 0 elsewhere.
func onlyWhere(condition, x *Node) *Node { return Where(condition, x, ZerosLike(x)) }
