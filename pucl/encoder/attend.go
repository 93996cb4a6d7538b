package encoder

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// attend lets every query look at all keys: softmax(QKᵀ/√d)V for each head of d numbers. Queries are [n, tokens, heads, d], keys and
// values [n, others, heads, d]; the result is [n, tokens, heads·d]. Where mask, Bool [n, others], is false nobody looks; nil means
// that all may be looked at. An example without any true entry gets the plain mean of its values.
func attend(q, k, v, mask *Node) *Node {
	n, tokens, heads, size := q.Shape().Dim(0), q.Shape().Dim(1), q.Shape().Dim(2), q.Shape().Dim(3)
	// Heads come before tokens, so that the products are over matrices that lie one after the other, which engines compute in one go.
	split := func(x *Node) *Node { return TransposeAllAxes(x, 0, 2, 1, 3) }
	q, k, v = split(MulScalar(q, 1/math.Sqrt(float64(size)))), split(k), split(v)
	score := dot(q, k).General([]int{3}, []int{0, 1}, []int{3}, []int{0, 1}) // [n, heads, tokens, others]
	weight := widely(score, func(score *Node) *Node {
		if mask != nil {
			// Far below any score, and finite: with −Inf the gradient of a row without true entries is NaN.
			low := MulScalar(OnesLike(score), -1e30)
			score = Where(BroadcastToDims(ExpandAxes(mask, 1, 2), score.Shape().Dimensions...), score, low)
		}
		return Softmax(score, -1)
	})
	y := dot(weight, v).General([]int{3}, []int{0, 1}, []int{2}, []int{0, 1}) // [n, heads, tokens, d]
	return Reshape(TransposeAllAxes(y, 0, 2, 1, 3), n, tokens, heads*size)
}

// tokenDense is [Dense] with a bias for every token of x [n, tokens, k], drawn as Xavier's rule has it (Glorot and Bengio, 2010),
// since no ReLU follows.
func tokenDense(scope *model.Scope, x *Node, dim int) *Node { return tokenDenses(x, dim, scope)[0] }

// tokenDenses returns [tokenDense] of x in each of the scopes. Their weights lie side by side in one product, which takes less time
// than a product each.
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
