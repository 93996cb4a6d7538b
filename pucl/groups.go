package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// groupMean returns the mean similarity of each anchor to the rows that mask gives it, where these are a group of rows: the mean
// of inner products with the rows of a group is the inner product with their mean, which needs no look at all pairs. It returns
// nil where Sim or mask is not what the block was made with.
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

// labeledOrOwn returns the mean similarity of an unlabeled anchor to all labeled rows and its own other views. (Of a labeled
// anchor, whose other views are labeled, it is not.)
func labeledOrOwn(b *Block) *Node {
	s := b.source
	if s.rows == nil || b.Sim != s.sim || b.ToLabeled != s.toLabeled || b.OwnView != s.own {
		return MeanSimilarity(b, Or(b.OwnView, b.ToLabeled))
	}
	sum, count := s.others(s.labeled, b.AnchorLabeled)
	return b.meanTo(Add(sum, s.ownRows()), AddScalar(count, float64(s.views-1)))
}

// meanTo returns the mean similarity of each anchor to count rows, [.., r], whose sum is given, [.., r, d]; 0 where there are none.
func (b *Block) meanTo(sum, count *Node) *Node {
	return Div(b.source.inner(sum), MulScalar(MaxScalar(count, 1.0), b.Tau))
}

// others returns, for each anchor, the sum [.., r, d] and the number [.., r] of the rows of a group, Bool [.., n], without
// the anchor itself where it is in the group, Bool [.., r].
func (s source) others(group, inGroup *Node) (sum, count *Node) {
	members := Where(BroadcastToShape(ExpandAxes(group, -1), boolLike(s.rows.Shape())), s.rows, ZerosLike(s.rows))
	self := Where(BroadcastToShape(ExpandAxes(inGroup, -1), boolLike(s.anchors.Shape())), s.anchors, ZerosLike(s.anchors))
	sum = Sub(ReduceAndKeep(members, ReduceSum, -2), self)
	dtype := s.rows.DType()
	count = Sub(ReduceAndKeep(ConvertDType(group, dtype), ReduceSum, -1), ConvertDType(inGroup, dtype))
	return sum, count
}

// ownRows returns the sum of the other views of each anchor's own example, [.., r, d].
func (s source) ownRows() *Node {
	var sum *Node
	for k := 1; k < s.views; k++ {
		sum = plus(sum, s.ownRow(k))
	}
	return sum
}

// ownRow returns, for each anchor, the row of its own example k views further on, counted round, [.., r, d].
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
