package pucl

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// batch is a checked multi-viewed batch with rows of unit length, ready to be cut into blocks.
type batch struct {
	rows    *Node // [.., n, d]; all NaN where an entry of the batch is not finite
	one     *Node // 1, [.., 1, 1], or NaN where an entry of the batch is not finite
	labeled *Node // Bool [.., n]
	class   *Node // Int32 [.., n] or nil
	start   *Node // 0, Int32: the number of the first row
	views   int
	tau     float64
	cut     cut
}

// batch checks v, converts half precision to float32 and scales the rows to unit length.
func (v Views) batch(tau float64) batch {
	v.check(tau)
	z := ConvertDType(v.Z, numeric.Working(v.Z.DType()))
	one := numeric.OneIfFinite(z, -2, -1)
	made := batch{rows: scaleRows(z, one), one: one, labeled: repeatViews(v.Labeled, v.Count), views: v.Count, tau: tau}
	made.start = ScalarZero(z.Graph(), dtypes.Int32)
	made.cut = v.cutFor(made.rows.Shape())
	if v.Class != nil {
		made.class = repeatViews(v.Class, v.Count)
	}
	return made
}

// whole returns the batch as one block.
func (b batch) whole() *Block { return b.block(b.rows, b.rows, 0) }

// block compares anchors, the rows of the batch starting at first, with rows, all rows of the batch.
func (b batch) block(anchors, rows *Node, first int) *Block {
	g := rows.Graph()
	count, n := anchors.Shape().Dim(-2), rows.Shape().Dim(-2)
	examples := n / b.views
	products := innerProducts(MulScalar(anchors, 1/b.tau), rows)
	shape := products.Shape()

	// Masks of position are the same for every leading axis; masks of labels are not.
	i := AddScalar(Add(b.start, Iota(g, shapes.Make(dtypes.Int32, count, 1), 0)), first)
	j := Iota(g, shapes.Make(dtypes.Int32, 1, n), 1)
	compare := func(how func(x, y *Node) *Node, x, y *Node) *Node {
		return BroadcastToDims(ExpandLeftToRank(how(x, y), shape.Rank()), shape.Dimensions...)
	}
	others := compare(NotEqual, i, j)
	block := &Block{
		Tau:       b.tau,
		Others:    others,
		OwnView:   And(others, compare(Equal, ModScalar(i, examples), ModScalar(j, examples))),
		OtherView: compare(NotEqual, viewOf(i, examples), viewOf(j, examples)),
		Sim:       Where(others, products, ZerosLike(products)),
	}

	inBlock := func(mask *Node) *Node {
		if count == n {
			return mask
		}
		return SliceAxis(mask, -1, AxisRange(first, first+count))
	}
	block.AnchorLabeled = inBlock(b.labeled)
	labeledRow := BroadcastToDims(ExpandAxes(block.AnchorLabeled, -1), shape.Dimensions...)
	labeledColumn := BroadcastToDims(ExpandAxes(b.labeled, -2), shape.Dimensions...)
	block.ToLabeled = And(others, labeledColumn)
	block.Labeled = And(block.ToLabeled, labeledRow)
	block.Unlabeled = And(others, And(Not(labeledRow), Not(labeledColumn)))
	if b.class != nil {
		block.SameClass = And(others, Equal(ExpandAxes(inBlock(b.class), -1), ExpandAxes(b.class, -2)))
	}
	block.source = source{
		anchors: anchors, rows: rows, labeled: b.labeled, views: b.views, first: first,
		sim: block.Sim, otherPairs: others, own: block.OwnView,
		labeledPairs: block.Labeled, toLabeled: block.ToLabeled, unlabeledPairs: block.Unlabeled,
		cut: b.cut, kept: &kept{},
	}
	return block
}

// viewOf returns the number of the view that a row belongs to.
func viewOf(row *Node, examples int) *Node {
	return Div(row, Scalar(row.Graph(), row.DType(), examples))
}

// repeatViews repeats labels of examples [.., b] for each view, [.., m·b].
func repeatViews(examples *Node, views int) *Node {
	return Concatenate(slices.Repeat([]*Node{examples}, views), -1)
}
