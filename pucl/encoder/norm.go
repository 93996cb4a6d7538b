package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// BatchNorm brings every channel (the last axis) of x to mean 0 and variance 1, then scales and shifts it by trained γ and
// β. In training the statistics are the batch's, and running averages of them move by a tenth of the way; otherwise the
// running averages are used.
//
// Variables and statistics are float32 where x is bfloat16.
//
// It is composed of plain operations, so its gradient, which runs through mean and variance, is right on every engine; on
// the pure-Go engine of those that are fast there.
func BatchNorm(scope *model.Scope, x *Node, training bool) *Node {
	const epsilon, momentum = 1e-5, 0.1
	g, channels, dtype := x.Graph(), x.Shape().Dim(-1), x.DType()
	byProducts := onPureGo(x)
	x = ConvertDType(x, master(dtype))
	s := scope.In("norm")
	variable := func(name string, start model.VariableInitializer, trainable bool) *model.Variable {
		return s.WithInitializer(start).VariableWithShape(name, shapes.Make(x.DType(), channels)).SetTrainable(trainable)
	}
	gamma, beta := variable("scale", initializer.One, true), variable("shift", initializer.Zero, true)
	runningMean, runningVar := variable("mean", initializer.Zero, false), variable("variance", initializer.One, false)

	wide := func(v *Node) *Node { return ExpandLeftToRank(v, x.Rank()) }
	mean, variance := runningMean.NodeValue(g), runningVar.NodeValue(g)
	var y *Node
	if training {
		if byProducts {
			y, mean, variance = normaliseByProducts(x, gamma.NodeValue(g), beta.NodeValue(g), epsilon)
		} else {
			axes := make([]int, x.Rank()-1)
			for i := range axes {
				axes[i] = i
			}
			mean = ReduceMean(x, axes...)
			variance = ReduceMean(Square(Sub(x, wide(mean))), axes...)
		}
		count := float64(x.Shape().Size() / channels)
		move := func(v *model.Variable, to *Node) {
			v.SetNodeValue(Add(MulScalar(v.NodeValue(g), 1-momentum), MulScalar(StopGradient(to), momentum)))
		}
		move(runningMean, mean)
		move(runningVar, MulScalar(variance, count/max(count-1, 1)))
	}
	if y != nil {
		return y
	}
	factor := Div(gamma.NodeValue(g), Sqrt(AddScalar(variance, epsilon)))
	return ConvertDType(Add(Mul(Sub(x, wide(mean)), wide(factor)), wide(beta.NodeValue(g))), dtype)
}
