package pucl

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Pairs compares rows of one kind with rows of another, such as images with texts. It is no multi-viewed batch: anchors
// are on one side, their positives and negatives on the other.
type Pairs struct {
	// Cosine holds the inner products of unit rows (see [UnitRows]), [.., r, n]: r anchors in rows, n others in
	// columns.
	Cosine *Node
	// Positive selects the anchor's own others, Bool [.., r, n]; nil means that anchor i and other i belong together,
	// and r = n. All others are negatives. An anchor with several positives is attracted equally to all of them.
	Positive *Node
	// Counted is false for pairs that are neither positive nor negative, Bool [.., r, n]; nil means that all pairs
	// count.
	Counted *Node
}

// PerPair returns the loss of every anchor, [.., r]; 0 if it has no positive or no negative. Terms treat each pair like
// a pair in a batch of two views: the positive is the anchor's own other view, the negatives are other examples, all
// are in another view, and nothing is labeled. For a batch of b pairs of an image x_i and a text y_i, [NPair] gives
//
//	−log exp(cos(x_i, y_i)/τ) / Σ_j exp(cos(x_i, y_j)/τ),
//
// and the mean over images and, transposed, over texts equals Objective.Loss with the two as views. Objectives with a
// part that is no mean over anchors (Whole) cause a panic, and so does a wrong shape or temperature.
//
// [DebiasedPos] takes P over all others that count and P⁻ over the negatives, and N is the number of negatives if
// Weight is 0. At τ⁺ = 1/n it is NPair.
func (o Objective) PerPair(p Pairs, tau float64) *Node {
	b := p.block(tau)
	fault.PanicIf(o.Whole != nil, "pucl: objective %q has a part that is no mean over anchors; of pairs take one without Whole", o.Name)
	some := And(anyOf(b.OwnView), anyOf(b.OtherExamples()))
	return onlyWhere(some, o.score(b))
}

// InTurn returns the loss of every anchor with each of its own pairs in turn as its only positive, [.., r, m]. own,
// [.., r, m], are the cosines of these pairs and others, [.., r, n], the cosines of the negatives. counted, Bool of the
// shape of others, selects the negatives that exist. The result is [Objective.PerPair] of each own pair with the
// negatives; 0 for an anchor without any.
func (o Objective) InTurn(own, others, counted *Node, tau float64) *Node {
	rank := own.Rank()
	fault.PanicIf(rank < 2 || others.Rank() != rank || !slices.Equal(own.Shape().Dimensions[:rank-1], others.Shape().Dimensions[:rank-1]),
		"pucl: own pairs %s and others %s; they must be [.., r, m] and [.., r, n] of the same anchors", own.Shape(), others.Shape())
	if o.OfMasses != nil {
		return o.ofMasses(own, Pairs{Cosine: others, Positive: falses(counted), Counted: counted}.block(tau))
	}
	each := ExpandAxes(own, -1)                                                        // [.., r, m, 1]
	spread := append(slices.Clone(own.Shape().Dimensions), others.Shape().Dim(rank-1)) // [.., r, m, n]
	among := func(x *Node) *Node { return BroadcastToDims(ExpandAxes(x, rank-1), spread...) }
	cosine := Concatenate([]*Node{each, among(others)}, -1)
	yes := Equal(each, each)
	first, rest := Or(yes, Not(yes)), among(counted)
	return o.PerPair(Pairs{Cosine: cosine, Positive: Concatenate([]*Node{first, falses(rest)}, -1), Counted: Concatenate([]*Node{first, rest}, -1)}, tau)
}

// ofMasses returns the loss of anchors with each of their own pairs [.., r, m] as the positive and the others of b [..,
// r, n] as negatives.
func (o Objective) ofMasses(own *Node, b *Block) *Node {
	some := anyOf(b.Others)
	count := MaxScalar(ReduceSum(ConvertDType(b.Others, b.Sim.DType()), -1), 1.0)
	spread := func(x *Node) *Node { return BroadcastToDims(ExpandAxes(x, -1), own.Shape().Dimensions...) }
	s := MulScalar(ConvertDType(own, b.Sim.DType()), 1/b.Tau)
	return onlyWhere(spread(some), o.OfMasses(s, spread(onlyWhere(some, LogSumExp(b, b.Others))), spread(count), b.Tau))
}

// SoftPairs returns [Objective.PerPair] with soft targets: weight, [r, n], is the weight of each other as the anchor's
// positive. The loss of an anchor is the weighted sum of its losses with each other as the positive. For [NPair] it is
// the cross-entropy between the weights and the soft-max of the similarities. It needs memory for r·n² numbers.
func (o Objective) SoftPairs(cosine, weight *Node, tau float64) *Node {
	shape := cosine.Shape()
	fault.PanicIf(shape.Rank() != 2 || !weight.Shape().EqualDimensions(shape),
		"pucl: weights %s of similarities %s; both must be [r, n], one weight for each pair", weight.Shape(), shape)
	g, r, n := cosine.Graph(), shape.Dim(0), shape.Dim(1)
	all := shapes.Make(dtypes.Int32, r, n, n)
	positive := Equal(Iota(g, all, 1), Iota(g, all, 2))
	pairs := Pairs{Cosine: BroadcastToDims(ExpandAxes(cosine, 1), r, n, n), Positive: positive}
	var loss *Node // [r, n]
	if o.OfMasses != nil {
		pairs.Counted = Not(positive)
		loss = Reshape(o.ofMasses(ExpandAxes(cosine, -1), pairs.block(tau)), r, n)
	} else {
		loss = o.PerPair(pairs, tau)
	}
	return ReduceSum(Mul(loss, ConvertDType(weight, loss.DType())), -1)
}

// falses returns false in the shape of a mask.
func falses(mask *Node) *Node { return And(mask, Not(mask)) }

// block checks p and returns it as the input of terms.
func (p Pairs) block(tau float64) *Block {
	fault.PanicIf(!(tau > 0) || math.IsInf(tau, 1),
		"pucl: temperature τ = %v; it divides the similarities and must be positive and finite (0.07 is usual)", tau)
	fault.PanicIf(p.Cosine == nil || p.Cosine.Rank() < 2 || !p.Cosine.DType().IsFloat(),
		"pucl: Pairs needs Cosine, the inner products of unit rows, [.., r, n] and floating point")
	cosine := ConvertDType(p.Cosine, numeric.Working(p.Cosine.DType()))
	g, shape := cosine.Graph(), cosine.Shape()
	bools := shapes.Make(dtypes.Bool, shape.Dimensions...)
	positive, counted := p.Positive, p.Counted
	if positive == nil {
		fault.PanicIf(shape.Dim(-2) != shape.Dim(-1),
			"pucl: %d anchors and %d others, of which Positive does not say which belong together; give it, or as many of both",
			shape.Dim(-2), shape.Dim(-1))
		numbers := shapes.Make(dtypes.Int32, shape.Dimensions...)
		positive = Equal(Iota(g, numbers, -2), Iota(g, numbers, -1))
	}
	yes := Equal(cosine, cosine)
	all := Or(yes, Not(yes)) // true for NaN, too
	if counted == nil {
		counted = all
	}
	for _, mask := range []struct {
		name string
		mask *Node
	}{{"Positive", positive}, {"Counted", counted}} {
		fault.PanicIf(!mask.mask.Shape().Equal(bools), "pucl: %s is %s of similarities %s; it must be %s", mask.name, mask.mask.Shape(), shape, bools)
	}
	none := Not(all)
	b := &Block{
		Tau: tau, Sim: Where(counted, MulScalar(cosine, 1/tau), ZerosLike(cosine)),
		Others: counted, OwnView: And(counted, positive), OtherView: counted,
		Labeled: none, ToLabeled: none, Unlabeled: counted,
		source: source{views: 1, pairs: true},
	}
	b.AnchorLabeled = anyOf(none)
	return b
}

// anyOf reports for every anchor whether mask is true anywhere, [.., r].
func anyOf(mask *Node) *Node { return ReduceLogicalOr(mask, -1) }
