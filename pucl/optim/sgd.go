package optim

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
)

// SGD is stochastic gradient descent with momentum μ, weight decay β and the schedule's rate γ, for weights w with gradient g:
//
//	d = g + βw                         (β = 0 for excluded variables)
//	v ← μv + d
//	w ← w − γv                         (with Nesterov: w ← w − γ(d + μv))
//
// It equals PyTorch's torch.optim.SGD without dampening. Nothing decays the rate but a [Schedule].
//
// Source: Sutskever, Martens, Dahl, Hinton, "On the importance of initialization and momentum in deep learning", ICML 2013,
// with the rate outside of the velocity.
type SGD struct {
	LearningRate float64   // γ at its height; 0 means 0.1
	Momentum     float64   // μ; 0 means 0.9, negative means none
	WeightDecay  float64   // β; 0 means 1e-4, negative means none
	Nesterov     bool      // look ahead by one momentum step; needs momentum
	Exclude      Exclusion // variables that do not decay; nil means Vectors
}

// sgdName names SGD among the optimizers' variables.
const sgdName = "sgd"

// withDefaults fills in the zero fields.
func (o SGD) withDefaults() SGD {
	setDefault(&o.LearningRate, 0.1)
	setDefault(&o.Momentum, 0.9)
	setDefault(&o.WeightDecay, 1e-4)
	return o
}

// Check implements [Optimizer].
func (o SGD) Check() error {
	return checkRate("SGD", o.LearningRate, o.Momentum, o.Nesterov, o.WeightDecay)
}

// PeakRate implements [Optimizer].
func (o SGD) PeakRate() float64 { return o.withDefaults().LearningRate }

// String implements [Optimizer].
func (o SGD) String() string {
	d := o.withDefaults()
	return fmt.Sprintf("SGD at %g, momentum %g%s, weight decay %g, %s",
		d.LearningRate, d.Momentum, nesterov(d.Nesterov), d.WeightDecay, d.Exclude)
}

// UpdateGraph implements gomlx's optimizer interface: it adds one step to the graph. Like all graph code it panics on a
// loss that is no scalar and on wrong fields.
func (o SGD) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	o.UpdateGraphWithGradients(scope, gradients(scope, g, loss), loss.DType())
}

// UpdateGraphWithGradients implements [Optimizer].
func (o SGD) UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	d := o.withDefaults()
	step(o, sgdName, o.Exclude, scope, gradients, lossDType, func(u update) *Node {
		direction := u.gradient
		if !u.excluded {
			direction = Add(direction, MulScalar(u.value, d.WeightDecay))
		}
		return u.descend(direction, d.Momentum, d.Nesterov)
	})
}

// Clear implements gomlx's optimizer interface: it deletes the velocities.
func (o SGD) Clear(scope *model.Scope) error { return clearState(scope, sgdName) }

// descend goes along direction, with momentum, and returns the variable's new value.
func (u update) descend(direction *Node, momentum float64, nesterov bool) *Node {
	if momentum > 0 {
		v := u.state("velocity")
		velocity := Add(MulScalar(v.NodeValue(direction.Graph()), momentum), direction)
		v.SetNodeValue(velocity)
		if nesterov {
			direction = Add(direction, MulScalar(velocity, momentum))
		} else {
			direction = velocity
		}
	}
	return Sub(u.value, Mul(direction, u.rate))
}

// nesterov returns how the String of an optimizer mentions it.
func nesterov(on bool) string {
	if on {
		return " (Nesterov)"
	}
	return ""
}
