package pucl

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// mostPairs is the maximum number of similarities held at once unless Views.BlockRows is set: 256 MiB in float32, all
// pairs of 8192 rows.
const mostPairs = 1 << 26

// cutFor returns the cut of all pairs of the rows of shape [.., n, d].
func (v Views) cutFor(rows shapes.Shape) cut {
	n := rows.Dim(-2)
	batches := rows.Size() / max(n*rows.Dim(-1), 1)
	switch {
	case v.BlockRows > 0 && v.BlockRows < n:
		return cut{pairs: v.BlockRows * n, again: true}
	case v.BlockRows <= 0 && batches*n*n > mostPairs:
		return cut{pairs: max(mostPairs/batches, n), again: true}
	case n >= 1024:
		return cut{pairs: n * n / 16} // ten strips save nearly half of the work; more save little and add compile time
	}
	return cut{}
}

// seesAllPairs reports whether a score of the whole batch depends on a node with an entry for every pair of rows.
func seesAllPairs(score *Node, b batch) bool {
	n := b.rows.Shape().Dim(-2)
	pairs := b.rows.Shape().Size() / b.rows.Shape().Dim(-1) * n
	return slices.ContainsFunc(madeOf(score, b.rows), func(x *Node) bool { return x.Shape().Size() >= pairs })
}

// madeOf lists the nodes built after mark that x depends on, and the nodes built before mark that these use.
func madeOf(x, mark *Node) []*Node {
	var found []*Node
	seen := map[*Node]bool{}
	var walk func(*Node)
	walk = func(x *Node) {
		if seen[x] {
			return
		}
		seen[x] = true
		found = append(found, x)
		if x.Id() <= mark.Id() {
			return
		}
		for _, input := range x.Inputs() {
			walk(input)
		}
	}
	walk(x)
	return found
}

// lossInBlocks returns the mean score of the anchors, computed for one block of anchors after the other.
//
// Differentiating the sum of the blocks would keep all of them until the end. So the gradient of each block with
// respect to the rows is computed here, beside its value, and accumulated. The loss is then a constant, the value, plus
// a function that is zero: the gradient times the rows minus themselves, which propagates the gradient.
func (o Objective) lossInBlocks(b batch) *Node {
	n := b.rows.Shape().Dim(-2)
	fixed := b
	fixed.rows = StopGradient(b.rows)

	var loss *Node
	var anchorSlopes []*Node // the gradient with respect to the rows as anchors, block after block
	var rowSlope *Node       // the gradient with respect to the rows that anchors are compared with
	var others []*Node       // other nodes of the terms that may have a gradient, for instance a learned weight
	var otherSlopes []*Node
	rows := max(b.cut.pairs/n, 1)
	for first := 0; first < n; first += rows {
		count := min(rows, n-first)
		held := fixed
		if loss != nil {
			done := Add(ReduceAllSum(rowSlope), ReduceAllSum(anchorSlopes[len(anchorSlopes)-1]))
			held = fixed.after(finite(Add(done, ReduceAllSum(loss))))
		}
		anchors := SliceAxis(held.rows, -2, AxisRange(first, first+count))
		all := Identity(held.rows)
		part := DivScalar(ReduceSum(o.score(held.block(anchors, all, first)), -1), n)
		if loss == nil {
			others = outside(part, fixed.rows)
			otherSlopes = make([]*Node, len(others))
		}
		slopes := Gradient(ReduceAllSum(part), anchors, all)
		loss, rowSlope = numeric.Plus(loss, part), numeric.Plus(rowSlope, slopes[1])
		anchorSlopes = append(anchorSlopes, slopes[0])
		for i, slope := range partials(ReduceAllSum(part), others) {
			otherSlopes[i] = numeric.Plus(otherSlopes[i], slope)
		}
	}
	slope := Add(Concatenate(anchorSlopes, -2), rowSlope)
	batches := loss.Shape().Size()
	loss = Add(StopGradient(loss), ReduceSum(handOn(slope, b.rows, fixed.rows), -2, -1))
	for i, other := range others {
		// These slopes are summed over the batches of the leading axes, so that each batch carries an equal share:
		// right for the sum and the mean of their losses.
		loss = Add(loss, DivScalar(ReduceAllSum(handOn(otherSlopes[i], other, StopGradient(other))), batches))
	}
	return loss
}

// after returns the batch with a dependency on done, a finite number. Masks depend on it too; otherwise a loop over
// blocks would create all masks before it begins.
func (b batch) after(done *Node) batch {
	b.rows = StopGradient(SchedulingBarrier(b.rows, done))
	// A compiler simplifies an integer times 0 to 0 and drops the dependency; it cannot do so for a floating-point
	// number.
	zero := ScalarZero(done.Graph(), done.DType())
	b.start = StopGradient(ConvertDType(SchedulingBarrier(zero, done), dtypes.Int32))
	b.labeled = GreaterThan(Add(ConvertDType(b.labeled, dtypes.Int32), b.start), ScalarZero(done.Graph(), dtypes.Int32))
	if b.class != nil {
		b.class = Add(b.class, b.start)
	}
	return b
}

// handOn returns 0 with slope as its gradient with respect to x; fixed is the value of x.
func handOn(slope, x, fixed *Node) *Node { return Mul(StopGradient(slope), Sub(x, fixed)) }

// outside lists the floating-point nodes built before mark that x uses and that may have a gradient, the last built
// first.
func outside(x, mark *Node) []*Node {
	var found []*Node
	for _, node := range madeOf(x, mark) {
		if node.Id() < mark.Id() && node.DType().IsFloat() && node.Type() != NodeTypeConstant && !node.StopGradient() {
			found = append(found, node)
		}
	}
	slices.SortFunc(found, func(a, b *Node) int { return int(b.Id() - a.Id()) })
	return found
}

// partials returns the derivatives of x with respect to each of nodes, the last built first, with the other nodes held
// fixed: the contribution that reaches an early node through a later one is subtracted.
func partials(x *Node, nodes []*Node) []*Node {
	slopes := make([]*Node, len(nodes))
	for i, node := range nodes {
		slopes[i] = Gradient(x, node)[0]
		for k, later := range nodes[:i] {
			through := ReduceAllSum(Mul(StopGradient(slopes[k]), later))
			slopes[i] = Sub(slopes[i], Gradient(through, node)[0])
		}
	}
	return slopes
}

// finite returns x, or 0 where x is infinite or NaN.
func finite(x *Node) *Node { return Where(IsFinite(x), x, ZerosLike(x)) }

// leadingShape returns the shape of x without its last axes, as many as drop.
func leadingShape(x *Node, drop int) shapes.Shape {
	return shapes.Make(x.DType(), x.Shape().Dimensions[:x.Rank()-drop]...)
}
