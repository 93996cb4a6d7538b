package pucl

import (
	"fmt"

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
	OtherView *Node // j belongs to another of the m views than i: where i is a first view, j is none
	Labeled   *Node // j ≠ i, and both are labeled positives: ℙ∖i
	ToLabeled *Node // j ≠ i, and j is a labeled positive, whatever i is
	Unlabeled *Node // j ≠ i, and both are unlabeled: 𝕌∖i
	SameClass *Node // j ≠ i, and both are of one class; nil where Views.Class is nil

	AnchorLabeled *Node   // Bool [.., r]: the anchor is a labeled positive
	Tau           float64 // τ, so that Tau·Sim is the cosine

	source source
}

// source is what a block was made from. Terms that find Sim and a mask as they were made work on the rows themselves, which
// is less work than on all pairs.
type source struct {
	anchors *Node // unit rows of the anchors, [.., r, d]
	rows    *Node // unit rows of the batch, [.., n, d]; the same node as anchors where the block is the whole batch
	labeled *Node // Bool [.., n]
	views   int   // m
	first   int   // the anchors are rows first … first+r−1

	// Sim and masks as made.
	sim, otherPairs, own, labeledPairs, toLabeled, unlabeledPairs *Node

	cut  cut // how to cut matrices of all pairs
	kept *kept
}

// kept is what terms have made of a block as it came, so that objectives made of others work it out once, gradient
// included.
type kept struct{ partition *Node }

// OtherExamples selects the pairs of different examples, whatever their views: j neither is i nor shows its example.
func (b *Block) OtherExamples() *Node { return And(b.Others, Not(b.OwnView)) }

// NextViews selects the first count other views of the anchor's own example, counted from the anchor's view on and round;
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
	return And(b.OwnView, BroadcastToShape(ExpandLeftToRank(near, b.Sim.Rank()), boolLike(b.Sim.Shape())))
}

// needOtherExamples refuses a batch of one example for an objective that needs negatives.
func (b *Block) needOtherExamples(objective string) {
	if b.rows() == b.views() {
		panic(fmt.Errorf("pucl: %s of a batch of one example; it needs the rows of other examples as negatives, so 2 examples or more", objective))
	}
}

// batch is a checked multi-viewed batch with rows of unit length, ready to be cut into blocks.
type batch struct {
	rows    *Node // [.., n, d]
	labeled *Node // Bool [.., n]
	class   *Node // Int32 [.., n] or nil
	start   *Node // 0, Int32: the number of the first row
	views   int
	tau     float64
	cut     cut
}

// batch checks v, brings half precision to float32 and the rows to unit length.
func (v Views) batch(tau float64) batch {
	v.check(tau)
	z := v.Z
	if z.DType() != dtypes.Float64 {
		z = ConvertDType(z, dtypes.Float32)
	}
	made := batch{rows: unitRows(z), labeled: repeatViews(v.Labeled, v.Count), views: v.Count, tau: tau}
	made.start = ScalarZero(z.Graph(), dtypes.Int32)
	made.cut = v.cutFor(made.rows.Shape())
	if v.Class != nil {
		made.class = repeatViews(v.Class, v.Count)
	}
	return made
}

// whole is the batch as one block.
func (b batch) whole() *Block { return b.block(b.rows, b.rows, 0) }

// block compares anchors, which are the rows of the batch from first on, with rows, which are all of them.
func (b batch) block(anchors, rows *Node, first int) *Block {
	g := rows.Graph()
	count, n := anchors.Shape().Dim(-2), rows.Shape().Dim(-2)
	examples := n / b.views
	products := innerProducts(MulScalar(anchors, 1/b.tau), rows)
	shape := products.Shape()

	// Masks of position are the same for every leading axis, masks of labels are not.
	i := AddScalar(Add(b.start, Iota(g, shapes.Make(dtypes.Int32, count, 1), 0)), first)
	j := Iota(g, shapes.Make(dtypes.Int32, 1, n), 1)
	compare := func(how func(x, y *Node) *Node, x, y *Node) *Node {
		return BroadcastToShape(ExpandLeftToRank(how(x, y), shape.Rank()), boolLike(shape))
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
	labeledRow := BroadcastToShape(ExpandAxes(block.AnchorLabeled, -1), boolLike(shape))
	labeledColumn := BroadcastToShape(ExpandAxes(b.labeled, -2), boolLike(shape))
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

// viewOf is the number of the view that a row belongs to.
func viewOf(row *Node, examples int) *Node {
	return Div(row, Scalar(row.Graph(), row.DType(), examples))
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

// weightedBack returns the sums of the rows of b [.., r, d] with the weights a [.., r, n] taken by column, shape [.., n, d].
func weightedBack(a, b *Node) *Node {
	rank := a.Rank()
	// As a product with a on the right, and turned: XLA takes half as long again for a on the left, turned.
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

// repeatViews turns what is told of examples [.., b] into what is told of rows [.., m·b].
func repeatViews(examples *Node, views int) *Node {
	copies := make([]*Node, views)
	for i := range copies {
		copies[i] = examples
	}
	return Concatenate(copies, -1)
}

// boolLike is shape with Bool entries.
func boolLike(shape shapes.Shape) shapes.Shape {
	shape = shape.Clone()
	shape.DType = dtypes.Bool
	return shape
}

// rows is n, the number of rows of the batch.
func (b *Block) rows() int { return b.Sim.Shape().Dim(-1) }

// views is m, the number of views of each example.
func (b *Block) views() int { return b.source.views }
