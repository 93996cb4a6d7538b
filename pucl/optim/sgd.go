package optim

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// SGD is stochastic gradient descent with momentum μ, weight decay β and the schedule's rate γ, for weights w with
// gradient g:
//
//	d = g + βw                         (β = 0 for excluded variables)
//	v ← μv + d
//	w ← w − γv                         (with Nesterov: w ← w − γ(d + μv))
//
// It equals PyTorch's torch.optim.SGD without dampening. Only a [Schedule] decays the rate.
//
// Source: Sutskever, Martens, Dahl, Hinton, "On the importance of initialization and momentum in deep learning", ICML
// 2013, with the rate outside of the velocity.
type SGD struct {
	LearningRate float64   // maximum γ; 0 means 0.1
	Momentum     float64   // μ; 0 means 0.9, negative means none
	WeightDecay  float64   // β; 0 means 1e-4, negative means none
	Nesterov     bool      // look ahead by one momentum step; needs momentum
	Exclude      Exclusion // variables that do not decay; nil means Vectors
}

// Check implements [Optimizer].
func (o SGD) Check() error { return o.check("SGD") }

// check returns an error unless learning rate, momentum and weight decay of the named optimizer are valid.
func (o SGD) check(name string) error {
	return cmp.Or(
		fault.If(!(o.LearningRate >= 0) || o.LearningRate > 1e10,
			"optim: %s has learning rate %g; it must be a positive number, or 0 for the default", name, o.LearningRate),
		fault.If(!(o.Momentum < 1),
			"optim: %s has momentum %g; it must be less than 1 (0.9 is usual), or negative for none", name, o.Momentum),
		fault.If(o.Nesterov && o.Momentum < 0,
			"optim: %s looks ahead (Nesterov) by its momentum, but has none; set Momentum, or Nesterov to false", name),
		fault.If(math.IsNaN(o.WeightDecay) || o.WeightDecay > 1e10,
			"optim: %s has weight decay %g; it must be a small number such as 1e-4, or negative for none", name, o.WeightDecay),
	)
}

// PeakRate implements [Optimizer].
func (o SGD) PeakRate() float64 { return o.rule().rate }

// String implements [Optimizer].
func (o SGD) String() string { return o.rule().settings }

// UpdateGraph implements gomlx's optimizer interface: it adds one step to the graph. Like all graph code it panics on a
// loss that is no scalar and on invalid fields.
func (o SGD) UpdateGraph(s *model.Scope, g *Graph, loss *Node) { updateGraph(o, s, g, loss) }

// UpdateGraphWithGradients implements [Optimizer].
func (o SGD) UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	step(o, scope, gradients, lossDType)
}

// rule implements ruled.
func (o SGD) rule() rule {
	o.LearningRate, o.Momentum, o.WeightDecay = orDefault(o.LearningRate, 0.1), orDefault(o.Momentum, 0.9), orDefault(o.WeightDecay, 1e-4)
	settings := fmt.Sprintf("SGD at %g, momentum %g%s, weight decay %g, %s",
		o.LearningRate, o.Momentum, nesterov[o.Nesterov], o.WeightDecay, o.Exclude)
	return rule{"sgd", o.LearningRate, settings, o.Exclude, func(u update) *Node {
		direction := u.gradient
		if !u.excluded {
			direction = Add(direction, MulScalar(u.value, o.WeightDecay))
		}
		return u.descend(direction, o.Momentum, o.Nesterov)
	}}
}

// Clear implements gomlx's optimizer interface: it deletes the velocities.
func (o SGD) Clear(scope *model.Scope) error { return clearState(o, scope) }

// descend takes a step along direction, with momentum, and returns the variable's new value.
func (u update) descend(direction *Node, momentum float64, nesterov bool) *Node {
	if momentum > 0 {
		velocity := u.accumulate("velocity", momentum, direction)
		if nesterov {
			direction = Add(direction, MulScalar(velocity, momentum))
		} else {
			direction = velocity
		}
	}
	return Sub(u.value, Mul(direction, u.rate))
}

// nesterov is the text for Nesterov in the String of an optimizer.
var nesterov = map[bool]string{true: " (Nesterov)"}

// LARS is stochastic gradient descent with momentum and a separate rate for every layer, so that no layer moves by more
// than a small share of its size; it keeps large batches stable. For weights w with gradient g, weight decay β, trust
// coefficient η, momentum μ and the schedule's rate γ:
//
//	λ = η ‖w‖ / (‖g‖ + β‖w‖ + ε)      (λ = 1 and β = 0 where ‖w‖ or ‖g‖ is 0, and for excluded variables)
//	d = λ (g + βw)
//	v ← μv + d
//	w ← w − γv                         (with Nesterov: w ← w − γ(d + μv))
//
// The zero value has the settings of A.7 and, for settings missing there, of the authors' public code. That code also
// sets Nesterov and excludes no variable, which is Exclude: [Nothing].
//
// It equals the LARS of lightly 1.6.0, a widely used one, with one difference: there a weight decay of 0 disables the
// layer-wise rate, and so excludes a variable. Here Exclude does, and layers keep their rate without decay.
//
// Source: You, Gitman, Ginsburg, "Large Batch Training of Convolutional Networks", arXiv 1708.03888, 2017, Eq. 6; A.7
// cites its successor, You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", arXiv
// 1904.00962, 2019. Excluding biases and batch normalization: Chen et al., SimCLR, arXiv 2002.05709, 2020.
type LARS struct {
	LearningRate float64   // maximum γ; 0 means 1.2
	Momentum     float64   // μ; 0 means 0.9, negative means none
	WeightDecay  float64   // β; 0 means 1e-4, negative means none
	Trust        float64   // η; 0 means 0.001
	Epsilon      float64   // ε; 0 means 1e-8
	Nesterov     bool      // look ahead by one momentum step; needs momentum
	Exclude      Exclusion // variables with λ = 1 and β = 0; nil means Vectors
}

// Check implements [Optimizer].
func (o LARS) Check() error {
	return cmp.Or(fault.If(!(o.Trust >= 0) || !(o.Epsilon >= 0),
		"optim: LARS has trust coefficient %g and epsilon %g; both must be positive, or 0 for the defaults 0.001 and 1e-8",
		o.Trust, o.Epsilon),
		SGD{o.LearningRate, o.Momentum, o.WeightDecay, o.Nesterov, nil}.check("LARS"))
}

// PeakRate implements [Optimizer].
func (o LARS) PeakRate() float64 { return o.rule().rate }

// String implements [Optimizer].
func (o LARS) String() string { return o.rule().settings }

// UpdateGraph implements gomlx's optimizer interface: it adds one step to the graph. Like all graph code it panics on a
// loss that is no scalar and on invalid fields.
func (o LARS) UpdateGraph(s *model.Scope, g *Graph, loss *Node) { updateGraph(o, s, g, loss) }

// UpdateGraphWithGradients implements [Optimizer].
func (o LARS) UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	step(o, scope, gradients, lossDType)
}

// rule implements ruled.
func (o LARS) rule() rule {
	o.LearningRate, o.Momentum, o.WeightDecay = orDefault(o.LearningRate, 1.2), orDefault(o.Momentum, 0.9), orDefault(o.WeightDecay, 1e-4)
	o.Trust, o.Epsilon = orDefault(o.Trust, 0.001), orDefault(o.Epsilon, 1e-8)
	settings := fmt.Sprintf("LARS at %g, momentum %g%s, weight decay %g, trust %g, epsilon %g, %s",
		o.LearningRate, o.Momentum, nesterov[o.Nesterov], o.WeightDecay, o.Trust, o.Epsilon, o.Exclude)
	return rule{"lars", o.LearningRate, settings, o.Exclude, func(u update) *Node {
		direction := u.gradient
		if !u.excluded {
			direction = o.scaled(u.value, u.gradient)
		}
		return u.descend(direction, o.Momentum, o.Nesterov)
	}}
}

// scaled returns λ(g + βw), or g where the norm of w or g is 0.
func (o LARS) scaled(w, g *Node) *Node {
	norm := func(x *Node) *Node { return Sqrt(ReduceAllSum(Square(x))) }
	wNorm, gNorm := norm(w), norm(g)
	trust := Div(wNorm, AddScalar(Add(gNorm, MulScalar(wNorm, o.WeightDecay)), o.Epsilon))
	scaled := Mul(Add(g, MulScalar(w, o.WeightDecay)), MulScalar(trust, o.Trust))
	zero := ScalarZero(w.Graph(), w.DType())
	return Where(LogicalAnd(NotEqual(wNorm, zero), NotEqual(gNorm, zero)), scaled, g)
}

// Clear implements gomlx's optimizer interface: it deletes the velocities.
func (o LARS) Clear(scope *model.Scope) error { return clearState(o, scope) }
