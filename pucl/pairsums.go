package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// cut defines how a matrix of all pairs is cut into strips of rows. The zero value is one strip.
type cut struct {
	pairs int  // the maximum number of pairs in a strip; 0 means all
	again bool // strips are recomputed for the gradient, so that no two of them need be in memory at once
}

// strip holds the given number of rows, starting at first, against all rows from first on.
type strip struct{ first, rows int }

// strips cuts the pairs of n rows, each counted once.
func (c cut) strips(n int) []strip {
	var strips []strip
	for first := 0; first < n; {
		rest := n - first
		rows := rest
		if c.pairs > 0 {
			rows = min(max(c.pairs/rest, 1), rest)
		}
		strips = append(strips, strip{first, rows})
		first += rows
	}
	return strips
}

// logPairSums returns log Σ_{j≠i} exp(x_i·x_j/τ + c_i + c_j), shape [.., n], for rows x [.., n, d] no longer than 1 and
// constants c [.., n] or nil, none above 0. The temperature must be [flat].
//
// Every pair is computed once for both of its rows: strips of the matrix begin at its diagonal. The gradient is the
// soft-max of every row times the rows, in both directions, for each strip: (p_ij + p_ji)·x_j for i.
func logPairSums(x, c *Node, tau float64, how cut) *Node {
	n := x.Shape().Dim(-2)
	strips := how.strips(n)
	exps := make([]*Node, len(strips))
	parts := make([]*Node, len(strips))
	var below *Node // sums over the strips so far, for the rows that come after them
	for k, s := range strips {
		at := x
		if how.again && below != nil {
			at = SchedulingBarrier(x, parts[k-1], below) // wait until the last strip is done
		}
		exps[k] = s.exp(at, c, tau)
		parts[k] = ReduceSum(exps[k], -1)
		if below != nil {
			parts[k] = Add(parts[k], head(below, -1, s.rows))
		}
		below = addTail(below, func() *Node { return ReduceSum(exps[k], -2) }, -1, s.rows, n-s.first)
	}
	sum := Concatenate(parts, -1)
	value := AddScalar(Log(sum), 1/tau)

	return ownGradient(value, func(v *Node) []*Node {
		weight := MulScalar(Div(v, sum), 1/tau) // [.., n]
		parts := make([]*Node, len(strips))
		var below *Node
		for k, s := range strips {
			at, exp := x, exps[k]
			if how.again {
				after := []*Node{weight}
				if below != nil {
					after = []*Node{parts[k-1], below}
				}
				at = SchedulingBarrier(x, after...)
				exp = s.exp(at, c, tau)
			}
			rest := AxisRangeToEnd(s.first)
			columns := SliceAxis(weight, -1, rest)
			slope := Mul(exp, Add(ExpandAxes(head(columns, -1, s.rows), -1), ExpandAxes(columns, -2)))
			at = SliceAxis(at, -2, rest)
			parts[k] = weighted(slope, at)
			if below != nil {
				parts[k] = Add(parts[k], head(below, -2, s.rows))
			}
			below = addTail(below, func() *Node { return weightedBack(slope, head(at, -2, s.rows)) }, -2, s.rows, n-s.first)
		}
		return []*Node{Concatenate(parts, -2)}
	}, x)
}

// exp returns exp((x_i·x_j − 1)/τ + c_i + c_j) for the pairs of the strip, 0 where j = i.
func (s strip) exp(x, c *Node, tau float64) *Node {
	columns := SliceAxis(x, -2, AxisRangeToEnd(s.first))
	anchors := head(columns, -2, s.rows)
	pairs := AddScalar(innerProducts(MulScalar(anchors, 1/tau), columns), -1/tau)
	if c != nil {
		c = SliceAxis(c, -1, AxisRangeToEnd(s.first))
		pairs = Add(pairs, Add(ExpandAxes(head(c, -1, s.rows), -1), ExpandAxes(c, -2)))
	}
	shape := pairs.Shape()
	position := shapes.Make(dtypes.Int32, shape.Dim(-2), shape.Dim(-1))
	others := NotEqual(Iota(x.Graph(), position, 0), Iota(x.Graph(), position, 1))
	others = BroadcastToDims(ExpandLeftToRank(others, shape.Rank()), shape.Dimensions...)
	return onlyWhere(others, Exp(pairs))
}

// head returns the first count entries of x along axis, or all if x has no more.
func head(x *Node, axis, count int) *Node {
	if x.Shape().Dim(axis) <= count {
		return x
	}
	return SliceAxis(x, axis, AxisRangeFromStart(count))
}

// addTail adds the result of more to sum and drops the first count entries; both have length entries along axis. It
// returns nil if none remains; a nil sum is 0.
func addTail(sum *Node, more func() *Node, axis, count, length int) *Node {
	if length <= count {
		return nil
	}
	tail := SliceAxis(more(), axis, AxisRangeToEnd(count))
	if sum == nil {
		return tail
	}
	return Add(SliceAxis(sum, axis, AxisRangeToEnd(count)), tail)
}

// innerProducts returns the inner products of the rows of a [.., r, d] with the rows of b [.., n, d], shape [.., r, n].
func innerProducts(a, b *Node) *Node {
	rank := a.Rank()
	return EinsumAxes(a, b, [][2]int{{rank - 1, rank - 1}}, leadingAxes(rank))
}

// weighted returns the sums of the rows of b [.., n, d] with the weights a [.., r, n], shape [.., r, d].
func weighted(a, b *Node) *Node {
	rank := a.Rank()
	return EinsumAxes(a, b, [][2]int{{rank - 1, rank - 2}}, leadingAxes(rank))
}

// weightedBack returns the sums of the rows of b [.., r, d] with the weights a [.., r, n] taken by column, shape [..,
// n, d].
func weightedBack(a, b *Node) *Node {
	rank := a.Rank()
	// a is on the right and the product is transposed: XLA takes 1.5 times as long for a transposed on the left.
	return Transpose(EinsumAxes(b, a, [][2]int{{rank - 2, rank - 2}}, leadingAxes(rank)), -2, -1)
}

// leadingAxes pairs the axes of two arrays that both have, before the last two.
func leadingAxes(rank int) [][2]int {
	axes := make([][2]int, rank-2)
	for axis := range axes {
		axes[axis] = [2]int{axis, axis}
	}
	return axes
}
