package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// BatchNorm normalizes every channel (the last axis) of x to mean 0 and variance 1, then scales and shifts it by
// trained γ and β. In training it uses the batch's statistics, and the running averages move a tenth of the way to
// them; otherwise it uses the running averages.
//
// Variables and statistics are float32 if x is bfloat16. The gradient flows through mean and variance, by the formula
// with the fewest passes over the data.
func BatchNorm(scope *model.Scope, x *Node, training bool) *Node {
	const momentum = 0.1
	g, channels, dtype := x.Graph(), x.Shape().Dim(-1), x.DType()
	own := normalizeBatch
	if onPureGo(x) {
		own = normalizeBatchByProducts
	}
	x = ConvertDType(x, numeric.Working(dtype))
	s := scope.In("norm")
	variable := func(name string, start model.VariableInitializer, trainable bool) *model.Variable {
		return s.WithInitializer(start).VariableWithShape(name, shapes.Make(x.DType(), channels)).SetTrainable(trainable)
	}
	gamma, beta := variable("scale", initializer.One, true), variable("shift", initializer.Zero, true)
	runningMean, runningVar := variable("mean", initializer.Zero, false), variable("variance", initializer.One, false)

	if !training {
		y := normalize(x, runningMean.NodeValue(g), runningVar.NodeValue(g), gamma.NodeValue(g), beta.NodeValue(g))
		return ConvertDType(y, dtype)
	}
	y, mean, variance := own(x, gamma.NodeValue(g), beta.NodeValue(g))
	count := float64(x.Shape().Size() / channels)
	move := func(v *model.Variable, to *Node) {
		v.SetNodeValue(Add(MulScalar(v.NodeValue(g), 1-momentum), MulScalar(StopGradient(to), momentum)))
	}
	move(runningMean, mean)
	move(runningVar, MulScalar(variance, count/max(count-1, 1)))
	return ConvertDType(y, dtype)
}

// layerNorm normalizes every token (the last axis) of x [n, tokens, k] to mean 0 and variance 1, then scales and shifts
// it by trained γ and β [k]. epsilon is added to the variance.
func layerNorm(scope *model.Scope, x *Node, epsilon float64) *Node {
	return widely(x, func(x *Node) *Node {
		gamma := Weight(scope, "scale", x, initializer.One, x.Shape().Dim(-1))
		beta := Weight(scope, "shift", x, initializer.Zero, x.Shape().Dim(-1))
		return normalizeTokens(x, gamma, beta, epsilon)
	})
}

// normalizeTokens computes layerNorm's formula. Let z be the normalized token, s = 1/√(variance + ε), and v the
// gradient of a node with respect to the result. Then its gradient is
//
//	for β: Σ v    for γ: Σ v·z    for x: s·(γ·v − mean(γ·v) − z·mean(γ·v·z))
//
// where sums run over tokens and means over a token's numbers. The engine's own backward pass takes more than twice as
// long.
func normalizeTokens(x, gamma, beta *Node, epsilon float64) *Node {
	mean := func(x *Node) *Node { return ReduceAndKeep(x, ReduceMean, -1) }
	wide := func(v *Node) *Node { return ExpandLeftToRank(v, x.Rank()) }
	standardize := func(x *Node) (z, s *Node) {
		offset := Sub(x, mean(x))
		s = Reciprocal(Sqrt(AddScalar(mean(Square(offset)), epsilon)))
		return Mul(offset, s), s
	}
	value := func(in []*Node) *Node {
		z, _ := standardize(in[0])
		return Add(Mul(z, wide(in[1])), wide(in[2]))
	}
	back := func(in []*Node, v *Node) []*Node {
		z, s := standardize(in[0])
		slope := Mul(v, wide(in[1]))
		dx := Mul(Sub(Sub(slope, mean(slope)), Mul(z, mean(Mul(slope, z)))), s)
		along := func(parts []*Node) *Node { return Mul(parts[0], parts[1]) }
		return []*Node{dx, channelSum(along, v, z), channelSum(same, v)}
	}
	return withGradients(value, back, x, gamma, beta)
}

// BatchNormEpsilon is added to the variance by [BatchNorm], which keeps it from dividing by 0.
const BatchNormEpsilon = 1e-5

// normalize scales x from the given mean and variance of every channel to mean β and standard deviation γ.
func normalize(x, mean, variance, gamma, beta *Node) *Node {
	factor := Div(gamma, Sqrt(AddScalar(variance, BatchNormEpsilon)))
	wide := func(v *Node) *Node { return ExpandLeftToRank(v, x.Rank()) }
	return Add(Mul(Sub(x, wide(mean)), wide(factor)), wide(beta))
}

// normalizeBatch normalizes x by its own statistics and returns these too, without gradient.
//
// Let c = x − mean, s = 1/√(variance + ε), m the numbers in a channel, and v the gradient of a node with respect to the
// result. Then its gradient is
//
//	for β: Σ v    for γ: s·Σ v·c    for x: γ·s·(v − Σ v / m − c·s²·Σ v·c / m)
//
// It computes in γ's precision, since bfloat16 is too coarse for sums over a batch of images; y has x's precision.
func normalizeBatch(x, gamma, beta *Node) (y, mean, variance *Node) {
	if own := x.DType(); own != gamma.DType() {
		y, mean, variance = normalizeBatch(ConvertDType(x, gamma.DType()), gamma, beta)
		return ConvertDType(y, own), mean, variance
	}
	wide := func(v *Node) *Node { return ExpandLeftToRank(v, x.Rank()) }
	share := float64(x.Shape().Dim(-1)) / float64(x.Shape().Size())
	statistics := func(x *Node) (mean, variance *Node) {
		mean = MulScalar(channelSum(same, x), share)
		offset := ExpandLeftToRank(mean, 3)
		squares := func(parts []*Node) *Node { return Square(Sub(parts[0], offset)) }
		return mean, MulScalar(channelSum(squares, x), share)
	}
	mean, variance = statistics(StopGradient(x))
	value := func(in []*Node) *Node { return normalize(in[0], mean, variance, in[1], in[2]) }
	back := func(in []*Node, v *Node) []*Node {
		x, gamma := in[0], in[1]
		mean, variance := statistics(x)
		offset := ExpandLeftToRank(mean, 3)
		sum := channelSum(same, v)
		along := channelSum(func(parts []*Node) *Node { return Mul(parts[0], Sub(parts[1], offset)) }, v, x)
		s := Reciprocal(Sqrt(AddScalar(variance, BatchNormEpsilon)))
		slope := Mul(MulScalar(along, share), Square(s))
		dx := Sub(Sub(v, wide(MulScalar(sum, share))), Mul(Sub(x, wide(mean)), wide(slope)))
		return []*Node{Mul(dx, wide(Mul(gamma, s))), Mul(along, s), sum}
	}
	return withGradients(value, back, x, gamma, beta), mean, variance
}

// channelSum sums f of the inputs, all of one shape [n, .., channels], over all axes except the channels. f works
// elementwise.
//
// XLA's reduction of all axes except the last runs five times slower on a CPU than the same sum written as additions of
// slices, which are fused with f and vectorized. The axis of examples is left to the reduction, so that it may be
// divided among devices.
func channelSum(f func(parts []*Node) *Node, inputs ...*Node) *Node {
	shape := inputs[0].Shape()
	n, channels := shape.Dim(0), shape.Dim(-1)
	rows := make([]*Node, len(inputs))
	for i, x := range inputs {
		rows[i] = Reshape(x, n, -1, channels)
	}
	if onPureGo(rows[0]) || !onCPU(rows[0]) {
		return ReduceSum(f(rows), 0, 1)
	}
	for left := rows[0].Shape().Dim(1); left > 1; left = rows[0].Shape().Dim(1) {
		slices := slicesOf(left)
		if slices == 0 {
			break
		}
		var sum *Node
		for s := range slices {
			parts := make([]*Node, len(rows))
			for i, x := range rows {
				parts[i] = Slice(x, AxisRange(), AxisRange(s*left/slices, (s+1)*left/slices))
			}
			sum = numeric.Plus(sum, f(parts))
		}
		rows, f = []*Node{sum}, same
	}
	return ReduceSum(f(rows), 0, 1)
}

// same returns the only part.
func same(parts []*Node) *Node { return parts[0] }

// slicesOf returns the number of equal slices in which to cut a sum of left terms. It is the largest divisor up to 16,
// since longer expressions take long to compile, left itself if it is a prime up to 64, and 0 for no cut.
func slicesOf(left int) int {
	for d := min(16, left); d > 1; d-- {
		if left%d == 0 {
			return d
		}
	}
	if left <= 64 {
		return left
	}
	return 0
}
