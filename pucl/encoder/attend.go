package encoder

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// attend returns softmax(QKᵀ/√d)V for each head of d numbers. Queries are [n, tokens, heads, d], keys and values [n,
// others, heads, d]; the result is [n, tokens, heads·d]. Keys with mask, Bool [n, others], false get weight 0; a nil
// mask selects all keys. An example without any true entry gets the plain mean of its values.
func attend(q, k, v, mask *Node) *Node {
	n, tokens, heads, size := q.Shape().Dim(0), q.Shape().Dim(1), q.Shape().Dim(2), q.Shape().Dim(3)
	// With heads before tokens the products are over contiguous matrices, which engines compute as one batch.
	split := func(x *Node) *Node { return TransposeAllAxes(x, 0, 2, 1, 3) }
	q, k, v = split(MulScalar(q, 1/math.Sqrt(float64(size)))), split(k), split(v)
	score := dot(q, k).General([]int{3}, []int{0, 1}, []int{3}, []int{0, 1}) // [n, heads, tokens, others]
	weight := widely(score, func(score *Node) *Node {
		if mask != nil {
			// The value is far below any score, and finite: with −Inf the gradient of a row without true entries is
			// NaN.
			low := MulScalar(OnesLike(score), -1e30)
			score = Where(BroadcastToDims(ExpandAxes(mask, 1, 2), score.Shape().Dimensions...), score, low)
		}
		return Softmax(score, -1)
	})
	y := dot(weight, v).General([]int{3}, []int{0, 1}, []int{2}, []int{0, 1}) // [n, heads, tokens, d]
	return Reshape(TransposeAllAxes(y, 0, 2, 1, 3), n, tokens, heads*size)
}

// tokenDense returns [Dense] with a bias for every token of x [n, tokens, k]. Weights follow Xavier's rule (Glorot and
// Bengio, 2010), since no ReLU follows.
func tokenDense(scope *model.Scope, x *Node, dim int) *Node { return tokenDenses(x, dim, scope)[0] }

// tokenDenses returns [tokenDense] of x in each of the scopes. It concatenates their weights for one product, which
// takes less time than separate products.
func tokenDenses(x *Node, dim int, scopes ...*model.Scope) []*Node {
	n, tokens, in := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	var weights, biases, out []*Node
	for _, s := range scopes {
		weights = append(weights, normal(s, "weights", x, math.Sqrt(2/float64(in+dim)), in, dim))
		biases = append(biases, Weight(s, "bias", x, initializer.Zero, dim))
	}
	y := dot(Reshape(x, n*tokens, in), Concatenate(weights, 1)).Product()
	y = Reshape(Add(y, ExpandLeftToRank(Concatenate(biases, 0), 2)), n, tokens, len(scopes)*dim)
	for i := range scopes {
		out = append(out, SliceAxis(y, 2, AxisRange(i*dim, (i+1)*dim)))
	}
	return out
}
