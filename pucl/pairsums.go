package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// cut says how a matrix of all pairs is cut into strips of rows. The zero value is one strip.
type cut struct {
	rows  int  // of a strip; 0 means all
	again bool // strips are made again for the gradient, so that no two of them need be in memory at once
}

// logPairSums is log Σ_{j≠i} exp(x_i·x_j/τ + c_i + c_j), shape [.., n], for rows x [.., n, d] no longer than 1 and constants
// c [.., n] or nil, none above 0. The temperature must be [flat].
//
// Every pair is looked at once for both of its rows: strips of the matrix begin at its diagonal. The gradient is the
// soft-max of every row times the rows, both ways, for each strip: (p_ij + p_ji)·x_j for i.
func logPairSums(x, c *Node, tau float64, how cut) *Node {
	n := x.Shape().Dim(-2)
	if how.rows <= 0 || how.rows > n {
		how.rows = n
	}
	var firsts []int
	for first := 0; first < n; first += how.rows {
		firsts = append(firsts, first)
	}

	strips := make([]*Node, len(firsts))
	parts := make([]*Node, len(firsts))
	var below *Node // sums over the strips so far, of the rows that come after them
	for k, first := range firsts {
		at := x
		if how.again && below != nil {
			at = SchedulingBarrier(x, parts[k-1], below) // wait until the last strip is done with
		}
		strips[k] = pairStrip(at, c, tau, first, how.rows)
		right := ReduceSum(strips[k], -1)
		if below != nil {
			right = Add(right, head(below, -1, how.rows))
		}
		parts[k] = right
		below = addTail(below, func() *Node { return ReduceSum(strips[k], -2) }, -1, how.rows, n-first)
	}
	sum := Concatenate(parts, -1)
	value := AddScalar(Log(sum), 1/tau)

	return ownGradient(value, func(v *Node) []*Node {
		weight := MulScalar(Div(v, sum), 1/tau) // [.., n]
		parts := make([]*Node, len(firsts))
		var below *Node
		for k, first := range firsts {
			at, strip := x, strips[k]
			if how.again {
				after := []*Node{weight}
				if below != nil {
					after = []*Node{parts[k-1], below}
				}
				at = SchedulingBarrier(x, after...)
				strip = pairStrip(at, c, tau, first, how.rows)
			}
			rest := AxisRangeToEnd(first)
			columns := SliceAxis(weight, -1, rest)
			strip = Mul(strip, Add(ExpandAxes(head(columns, -1, how.rows), -1), ExpandAxes(columns, -2)))
			at = SliceAxis(at, -2, rest)
			right := weighted(strip, at)
			if below != nil {
				right = Add(right, head(below, -2, how.rows))
			}
			parts[k] = right
			below = addTail(below, func() *Node { return weightedBack(strip, head(at, -2, how.rows)) }, -2, how.rows, n-first)
		}
		return []*Node{Concatenate(parts, -2)}
	}, x)
}

// pairStrip is exp((x_i·x_j − 1)/τ + c_i + c_j) for the rows i from first on, as many as a strip has, and all j from first
// on; 0 where j = i.
func pairStrip(x, c *Node, tau float64, first, rows int) *Node {
	columns := SliceAxis(x, -2, AxisRangeToEnd(first))
	anchors := head(columns, -2, rows)
	strip := AddScalar(innerProducts(MulScalar(anchors, 1/tau), columns), -1/tau)
	if c != nil {
		c = SliceAxis(c, -1, AxisRangeToEnd(first))
		strip = Add(strip, Add(ExpandAxes(head(c, -1, rows), -1), ExpandAxes(c, -2)))
	}
	shape := strip.Shape()
	pairs := shapes.Make(dtypes.Int32, shape.Dim(-2), shape.Dim(-1))
	others := NotEqual(Iota(x.Graph(), pairs, 0), Iota(x.Graph(), pairs, 1))
	others = BroadcastToShape(ExpandLeftToRank(others, shape.Rank()), boolLike(shape))
	return Where(others, Exp(strip), ZerosLike(strip))
}

// head is the first count entries of x along axis, all where there are no more.
func head(x *Node, axis, count int) *Node {
	if x.Shape().Dim(axis) <= count {
		return x
	}
	return SliceAxis(x, axis, AxisRangeFromStart(count))
}

// addTail adds what more returns to sum, of which both have length entries along axis, and drops the first count of them.
// It is nil where none remains; a nil sum is 0.
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
