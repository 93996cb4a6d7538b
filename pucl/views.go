package pucl

import (
	"cmp"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Views is a multi-viewed batch inside a graph: the embeddings of m views of each of b examples, with labels or classes
// of the examples.
type Views struct {
	// Z holds the raw embeddings, shape [.., m·b, d]: first the first view of every example, then the second view of
	// every example in the same order, and so on. Rows need no unit length. Leading axes are independent batches.
	Z *Node

	// Labeled is true for labeled positives, Bool [.., b].
	Labeled *Node

	// Class holds the true class of each example, Int32 [.., b], any numbers; nil if the classes are not given. Only
	// objectives that document it use it: [SCL], [IdealCL], [TrueNegatives], and [DebiasedPos] if configured with
	// [OtherClasses].
	Class *Node

	// Count is m, the number of views of each example; 0 means 2.
	Count int

	// BlockRows is the number of anchors compared with all rows at once: memory grows with BlockRows times the number
	// of rows. 0 means as many as make 2²⁶ pairs, which are all of them up to 8192 rows. Every block adds to the graph,
	// so many small ones take long to compile.
	BlockRows int
}

// StackViews concatenates separately embedded views [.., b, d] in the order of Views.Z.
func StackViews(views ...*Node) *Node {
	fault.PanicIf(len(views) == 0, "pucl.StackViews: no views given; a multi-viewed batch needs two or more")
	return Concatenate(views, -2)
}

// check panics with an error that names both shapes if the parts of v do not match.
func (v *Views) check(tau float64) {
	v.Count = cmp.Or(v.Count, 2)
	fault.PanicIf(!(tau > 0) || math.IsInf(tau, 1),
		"pucl: temperature τ = %v; it divides the similarities and must be positive and finite (0.5 is the paper's)", tau)
	fault.PanicIf(v.Count < 2, "pucl: %d view per example; contrast needs 2 or more", v.Count)
	fault.PanicIf(v.BlockRows < 0,
		"pucl: BlockRows = %d anchors at once; it must be positive, or 0 to let it be chosen", v.BlockRows)
	fault.PanicIf(v.Z == nil || v.Labeled == nil,
		"pucl: Views needs both Z, the embeddings [.., m·b, d], and Labeled, Bool [.., b]")
	z, labeled := v.Z.Shape(), v.Labeled.Shape()
	fault.PanicIf(labeled.DType != dtypes.Bool,
		"pucl: Labeled has shape %s; it must be Bool, true for a labeled positive", labeled)
	fault.PanicIf(!z.DType.IsFloat(), "pucl: embeddings have shape %s; they must be floating point", z)
	leading := z.Rank() - 2
	fit := leading >= 0 && labeled.Rank() == leading+1 && slices.Equal(z.Dimensions[:leading], labeled.Dimensions[:leading])
	fault.PanicIf(!fit || z.Dim(-2) != v.Count*labeled.Dim(-1),
		"pucl: embeddings %s do not fit labels %s: with %d views per example, labels [.., b] go with "+
			"embeddings [.., %d·b, d], one view of all examples after the other (see StackViews)", z, labeled, v.Count, v.Count)
	if v.Class != nil {
		class := v.Class.Shape()
		fault.PanicIf(class.DType != dtypes.Int32 || !class.EqualDimensions(labeled),
			"pucl: classes have shape %s where labels have %s; they must be Int32, one for each example", class, labeled)
	}
}

// UnitRows returns the rows of z, shape [.., n, d], scaled to length one. A zero row, or one so short that its slopes
// would overflow, becomes zero: its similarity to everything is 0. A row with an infinite or NaN entry becomes NaN.
func UnitRows(z *Node) *Node { return scaleRows(z, numeric.OneIfFinite(z, -1)) }

// scaleRows scales as [UnitRows] does, given 1 for every row to scale and NaN for every row to set to NaN, [.., n, 1].
//
// Each row is first divided by its largest entry, which changes no direction and keeps the squares of very small or
// large entries inside float32. The gradient treats that factor as a constant, which is exact since the result does not
// depend on it.
func scaleRows(z, one *Node) *Node {
	largest := Mul(StopGradient(ReduceAndKeep(Abs(z), ReduceMax, -1)), one)
	none := LessOrEqual(largest, Scalar(z.Graph(), z.DType(), byPrecision(z.DType(), 0x1p-1000, 0x1p-110))) // false for NaN
	z = Where(BroadcastToDims(none, z.Shape().Dimensions...), ZerosLike(z), z)
	z = Div(z, Where(none, OnesLike(largest), largest))
	square := ReduceAndKeep(Square(z), ReduceSum, -1)
	return Div(z, Sqrt(Where(none, OnesLike(square), square)))
}
