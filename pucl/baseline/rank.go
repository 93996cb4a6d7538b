package baseline

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// rank returns the place of every number of x, [n], from the smallest one on, int32 [n]. Equal ones have their places in the order in
// which they come. No sorting, of which the pure-Go engine is not capable.
func rank(x *Node) *Node {
	n := x.Shape().Dim(0)
	index := func(axis int) *Node { return Iota(x.Graph(), shapes.Make(dtypes.Int32, n, n), axis) }
	row, column := ExpandDims(x, 1), ExpandDims(x, 0)
	sooner := LogicalOr(LessThan(column, row), LogicalAnd(Equal(column, row), LessThan(index(1), index(0))))
	return ReduceSum(ConvertDType(sooner, dtypes.Int32), 1)
}

// atPlaces returns which entries of a rank have those places, and 0 for a place that none has. Where ranked numbers are no numbers,
// several have the place 0, and it is one of all entries.
func atPlaces(rank, places *Node) *Node {
	found := ConvertDType(Equal(ExpandDims(places, 1), ExpandDims(rank, 0)), dtypes.Int32)
	at := ReduceSum(Mul(found, Iota(rank.Graph(), found.Shape(), 1)), 1)
	return MinScalar(at, rank.Shape().Dim(0)-1)
}
