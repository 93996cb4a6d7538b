package baseline

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// rank returns the place of every number of x, [n], in ascending order, int32 [n]. Equal numbers keep their order. It
// does not sort, because the pure-Go engine does not support sorting.
func rank(x *Node) *Node {
	n := x.Shape().Dim(0)
	index := func(axis int) *Node { return Iota(x.Graph(), shapes.Make(dtypes.Int32, n, n), axis) }
	row, column := ExpandDims(x, 1), ExpandDims(x, 0)
	sooner := LogicalOr(LessThan(column, row), LogicalAnd(Equal(column, row), LessThan(index(1), index(0))))
	return ReduceSum(ConvertDType(sooner, dtypes.Int32), 1)
}

// atPlaces returns the index of the entry of a rank at each of the places, and 0 for a missing place. If x has NaN
// values, several entries have place 0, and the result is some index in range.
func atPlaces(rank, places *Node) *Node {
	found := ConvertDType(Equal(ExpandDims(places, 1), ExpandDims(rank, 0)), dtypes.Int32)
	at := ReduceSum(Mul(found, Iota(rank.Graph(), found.Shape(), 1)), 1)
	return MinScalar(at, rank.Shape().Dim(0)-1)
}
