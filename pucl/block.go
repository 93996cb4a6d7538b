package pucl

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// Block is what a [Term] sees: r anchors of a multi-viewed batch against all its n rows. Leading axes, written "..", are
// independent batches. All masks are Bool and have the shape of Sim; no mask ever holds a pair of a row with itself.
//
// A term must not assume that r equals n: the whole batch may come as one block or as many.
type Block struct {
	Sim       *Node // [.., r, n]: cos(z_i, z_j)/τ; 0 for the pair of a row with itself
	Others    *Node // j ≠ i
	OwnView   *Node // j shows the same example as i
	Labeled   *Node // j ≠ i, and both are labeled positives: ℙ∖i
	Unlabeled *Node // j ≠ i, and both are unlabeled: 𝕌∖i

	AnchorLabeled *Node // Bool [.., r]: the anchor is a labeled positive
}

// blockOf builds the block of anchors first … first+count−1 of the batch whose unit rows are unit.
func blockOf(unit, labeled *Node, views, first, count int, tau float64) *Block {
	g := unit.Graph()
	n := unit.Shape().Dim(-2)
	b := n / views

	anchors, rowLabeled := unit, repeatViews(labeled, views)
	anchorLabeled := rowLabeled
	if count < n {
		anchors = SliceAxis(unit, -2, AxisRange(first, first+count))
		anchorLabeled = SliceAxis(rowLabeled, -1, AxisRange(first, first+count))
	}
	sim := MulScalar(products(anchors, unit), 1/tau)
	shape := sim.Shape()

	// Masks of position are the same for every leading axis, masks of labels are not.
	i := AddScalar(Iota(g, shapes.Make(dtypes.Int32, count, n), 0), first)
	j := Iota(g, shapes.Make(dtypes.Int32, count, n), 1)
	others := NotEqual(i, j)
	own := And(others, Equal(ModScalar(i, b), ModScalar(j, b)))
	mask := func(m *Node) *Node { return BroadcastToShape(ExpandLeftToRank(m, shape.Rank()), boolLike(shape)) }
	rows := BroadcastToShape(ExpandAxes(anchorLabeled, -1), boolLike(shape))
	columns := BroadcastToShape(ExpandAxes(rowLabeled, -2), boolLike(shape))

	block := &Block{Others: mask(others), OwnView: mask(own), AnchorLabeled: anchorLabeled}
	block.Sim = Where(block.Others, sim, ZerosLike(sim))
	block.Labeled = And(block.Others, And(rows, columns))
	block.Unlabeled = And(block.Others, And(Not(rows), Not(columns)))
	return block
}

// products returns the inner products of the rows of a [.., r, d] with the rows of b [.., n, d], shape [.., r, n].
func products(a, b *Node) *Node {
	rank := a.Rank()
	leading := make([][2]int, rank-2)
	for axis := range leading {
		leading[axis] = [2]int{axis, axis}
	}
	return EinsumAxes(a, b, [][2]int{{rank - 1, rank - 1}}, leading)
}

// repeatViews turns a mask of examples [.., b] into a mask of rows [.., m·b].
func repeatViews(labeled *Node, views int) *Node {
	copies := make([]*Node, views)
	for i := range copies {
		copies[i] = labeled
	}
	return Concatenate(copies, -1)
}

// boolLike is shape with Bool entries.
func boolLike(shape shapes.Shape) shapes.Shape {
	shape = shape.Clone()
	shape.DType = dtypes.Bool
	return shape
}
