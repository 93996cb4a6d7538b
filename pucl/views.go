package pucl

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Views is a multi-viewed batch inside a graph: the embeddings of m views of each of b examples, and what is known of the
// examples.
type Views struct {
	// Z holds the raw embeddings, shape [.., m·b, d]: first the first view of every example, then the second view of
	// every example in the same order, and so on. Rows need no unit length. Leading axes are independent batches.
	Z *Node

	// Labeled tells which examples are labeled positives, Bool [.., b].
	Labeled *Node

	// Class holds the true class of each example, Int32 [.., b], any numbers; nil where the classes are not known. Only
	// objectives that say so look at it: [SCL], [IdealCL], and [DebiasedPos] where it is told to.
	Class *Node

	// Count is m, the number of views of each example; 0 means 2.
	Count int

	// BlockRows is how many anchors are compared with all rows at once: memory grows with BlockRows times the number of
	// rows. 0 means as many as make 2²⁶ pairs, which are all of them up to 8192 rows. Every block adds to the graph, so
	// many small ones take long to compile.
	BlockRows int
}

// StackViews puts separately embedded views [.., b, d] one under the other, as Views.Z wants them.
func StackViews(views ...*Node) *Node {
	if len(views) == 0 {
		panic(errors.New("pucl.StackViews: no views given; a multi-viewed batch needs two or more"))
	}
	return Concatenate(views, -2)
}

// check panics with an error that names both shapes where the parts of v do not fit.
func (v *Views) check(tau float64) {
	v.Count = cmp.Or(v.Count, 2)
	switch {
	case !(tau > 0) || math.IsInf(tau, 1):
		panic(fmt.Errorf("pucl: temperature τ = %v; it divides the similarities and must be positive and finite (0.5 is the paper's)", tau))
	case v.Count < 2:
		panic(fmt.Errorf("pucl: %d view per example; contrast needs 2 or more", v.Count))
	case v.BlockRows < 0:
		panic(fmt.Errorf("pucl: BlockRows = %d anchors at once; it must be positive, or 0 to let it be chosen", v.BlockRows))
	case v.Z == nil || v.Labeled == nil:
		panic(errors.New("pucl: Views needs both Z, the embeddings [.., m·b, d], and Labeled, Bool [.., b]"))
	}
	z, labeled := v.Z.Shape(), v.Labeled.Shape()
	if labeled.DType != dtypes.Bool {
		panic(fmt.Errorf("pucl: Labeled has shape %s; it must be Bool, true for a labeled positive", labeled))
	}
	if !z.DType.IsFloat() {
		panic(fmt.Errorf("pucl: embeddings have shape %s; they must be floating point", z))
	}
	ok := z.Rank() >= 2 && labeled.Rank() == z.Rank()-1
	for axis := 0; ok && axis < z.Rank()-2; axis++ {
		ok = z.Dim(axis) == labeled.Dim(axis)
	}
	if !ok || z.Dim(-2) != v.Count*labeled.Dim(-1) {
		panic(fmt.Errorf("pucl: embeddings %s do not fit labels %s: with %d views per example, labels [.., b] go with "+
			"embeddings [.., %d·b, d], one view of all examples after the other (see StackViews)", z, labeled, v.Count, v.Count))
	}
	if v.Class == nil {
		return
	}
	if class := v.Class.Shape(); class.DType != dtypes.Int32 || !class.EqualDimensions(labeled) {
		panic(fmt.Errorf("pucl: classes have shape %s where labels have %s; they must be Int32, one for each example", class, labeled))
	}
}

// UnitRows returns the rows of z, shape [.., n, d], scaled to length one. A row of zeros, or one so short that its slopes
// would overflow, becomes zero, so that its similarity to everything is 0. A row with an entry that is infinite or NaN becomes
// NaN.
func UnitRows(z *Node) *Node { return scaleRows(z, numeric.OneIfFinite(z, -1)) }

// scaleRows does what [UnitRows] does, given 1 for every row that is to be scaled and NaN for every row that is to be NaN, [.., n, 1].
//
// Each row is first divided by its largest entry, which changes no direction and keeps the squares of very small or
// large entries inside float32. That factor is taken as a constant by the gradient, which is exact since the result does
// not depend on it.
func scaleRows(z, one *Node) *Node {
	shortest := 0x1p-110
	if z.DType() == dtypes.Float64 {
		shortest = 0x1p-1000
	}
	largest := Mul(StopGradient(ReduceAndKeep(Abs(z), ReduceMax, -1)), one)
	none := LessOrEqual(largest, Scalar(z.Graph(), z.DType(), shortest)) // false for NaN
	z = Where(BroadcastToShape(none, boolLike(z.Shape())), ZerosLike(z), z)
	z = Div(z, Where(none, OnesLike(largest), largest))
	square := ReduceAndKeep(Square(z), ReduceSum, -1)
	return Div(z, Sqrt(Where(none, OnesLike(square), square)))
}
