package encoder

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// normalizeBatchByProducts is normalizeBatch in its fastest formulation on the pure-Go engine.
//
// Sums over the rows are products with a row of ones, and vectors that are the same for all rows are expanded before
// they are combined with them: the engine's own sums and broadcasts index every number, which costs several times as
// much as the arithmetic. For the same reason the gradient is a formula, from Ioffe and Szegedy, arXiv 1502.03167,
// 2015, Section 3.
func normalizeBatchByProducts(x, gamma, beta *Node) (y, mean, variance *Node) {
	g, shape := x.Graph(), x.Shape()
	channels := shape.Dim(-1)
	rows := shape.Size() / channels
	ones := Ones(g, shapes.Make(x.DType(), 1, rows))
	sum := func(x *Node) *Node { return Reshape(DotProduct(ones, x), channels) }
	everyRow := func(v *Node) *Node { return repeated(v, rows) }
	perRow := func(v *Node) *Node { return MulScalar(v, 1/float64(rows)) }

	var centered, inverse, factor *Node // factor is γ over the standard deviation, in every row
	y = withGradients(func(of []*Node) *Node {
		flat := Reshape(of[0], rows, channels)
		mean = perRow(sum(flat))
		centered = Sub(flat, everyRow(mean))
		variance = perRow(sum(Square(centered)))
		inverse = Reciprocal(Sqrt(AddScalar(variance, BatchNormEpsilon)))
		factor = everyRow(Mul(of[1], inverse))
		return ReshapeWithShape(Add(Mul(centered, factor), everyRow(of[2])), shape)
	}, func(_ []*Node, v *Node) []*Node {
		v = Reshape(v, rows, channels)
		shift := sum(v)
		scale := Mul(sum(Mul(v, centered)), inverse)
		along := Mul(centered, everyRow(Mul(perRow(scale), inverse)))
		dx := Mul(Sub(Sub(v, along), everyRow(perRow(shift))), factor)
		return []*Node{ReshapeWithShape(dx, shape), scale, shift}
	}, x, gamma, beta)
	return y, StopGradient(mean), StopGradient(variance)
}

// repeated returns rows times v [channels], stacked. The engine broadcasts number by number but concatenates by
// copying, so only a part of the rows is broadcast.
func repeated(v *Node, rows int) *Node {
	copies := 64
	for rows%copies != 0 {
		copies--
	}
	return Concatenate(slices.Repeat([]*Node{BroadcastPrefix(v, rows/copies)}, copies), 0)
}

// reluOnGo returns max(x, 0) with a gradient that the pure-Go engine computes without branches: 1 where the output is
// positive, 0 elsewhere.
func reluOnGo(x *Node) *Node {
	var y *Node
	return withGradients(func(of []*Node) *Node {
		y = MaxScalar(of[0], 0)
		return y
	}, func(_ []*Node, v *Node) []*Node {
		large := 1e38 // times any positive number that is not subnormal is more than 1, or nearly
		if v.DType() == dtypes.Float16 {
			large = 6e4
		}
		return []*Node{Mul(v, MinScalar(MulScalar(y, large), 1))}
	}, x)
}

// product returns x [n, k] times w [k, m], for dense layers. On the pure-Go engine its gradient with respect to w is
// [columnProducts]: gomlx's own would transpose x number by number.
func product(x, w *Node) *Node {
	if !onPureGo(x) {
		return dot(x, w).Product()
	}
	return withGradients(func(of []*Node) *Node { return DotProduct(of[0], of[1]) }, func(of []*Node, v *Node) []*Node {
		return []*Node{DotGeneral(v, []int{1}, nil, of[1], []int{1}, nil), columnProducts(of[0], v)}
	}, x, w)
}

// columnProducts returns the product of every column of x [m, a] with every column of y [m, b], [a, b].
//
// The narrower one is transposed first, by a product with the identity matrix, for which the engine reads both along
// their rows; Transpose would jump between rows for every number. The engine divides a product among processors by its
// rows and columns, which are too few here, or by the matrices in a batch. So the sum over m is cut into a batch of
// sums.
func columnProducts(x, y *Node) *Node {
	m, a, b := x.Shape().Dim(0), x.Shape().Dim(1), y.Shape().Dim(1)
	if a > b {
		return Transpose(columnProducts(y, x), 0, 1)
	}
	parts := 1
	for a*b <= 1<<18 && parts < 16 && m%(2*parts) == 0 && m/(2*parts) >= 128 {
		parts *= 2
	}
	g := x.Graph()
	identity := DiagonalWithValue(ScalarOne(g, x.DType()), a)
	turned := DotGeneral(BroadcastPrefix(identity, parts), []int{2}, []int{0}, Reshape(x, parts, m/parts, a), []int{2}, []int{0})
	products := DotGeneral(turned, []int{2}, []int{0}, Reshape(y, parts, m/parts, b), []int{1}, []int{0})
	ones := Ones(g, shapes.Make(x.DType(), 1, parts))
	return Reshape(DotProduct(ones, Reshape(products, parts, a*b)), a, b)
}
