package optim

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/fault"
)

// AdamW is Adam with decoupled weight decay. For weights w with gradient g, decay δ, rate γ, and the step t = 1, 2, …:
//
//	w ← w − γδw                        (δ = 0 for excluded variables)
//	m ← β₁m + (1−β₁)g
//	v ← β₂v + (1−β₂)g²
//	w ← w − γ (m/(1−β₁ᵗ)) / (√(v/(1−β₂ᵗ)) + ε)
//
// It equals PyTorch's torch.optim.AdamW. Without decay it is Adam.
//
// Sources: Kingma, Ba, arXiv 1412.6980, 2014; Loshchilov, Hutter, "Decoupled Weight Decay Regularization", arXiv
// 1711.05101, 2017.
type AdamW struct {
	LearningRate float64   // maximum γ; 0 means 0.001
	Beta1        float64   // β₁, of the mean gradient; 0 means 0.9
	Beta2        float64   // β₂, of the mean square; 0 means 0.999
	Epsilon      float64   // ε; 0 means 1e-8
	WeightDecay  float64   // δ; 0 means 0.01, negative means none
	Exclude      Exclusion // variables that do not decay; nil means Vectors
}

// Check implements [Optimizer].
func (o AdamW) Check() error {
	return cmp.Or(
		fault.If(!(min(o.Beta1, o.Beta2) >= 0 && max(o.Beta1, o.Beta2) < 1), // NaN in either makes min and max NaN
			"optim: AdamW has Beta1 %g and Beta2 %g; both must be at least 0 and less than 1 (0 means 0.9 and 0.999)",
			o.Beta1, o.Beta2),
		fault.If(!(o.Epsilon >= 0), "optim: AdamW has epsilon %g; it must be positive, or 0 for the default 1e-8", o.Epsilon),
		SGD{LearningRate: o.LearningRate, WeightDecay: o.WeightDecay}.check("AdamW"),
	)
}

// PeakRate implements [Optimizer].
func (o AdamW) PeakRate() float64 { return o.rule().rate }

// String implements [Optimizer].
func (o AdamW) String() string { return o.rule().settings }

// UpdateGraph implements gomlx's optimizer interface: it adds one step to the graph. Like all graph code it panics on a
// loss that is no scalar and on invalid fields.
func (o AdamW) UpdateGraph(s *model.Scope, g *Graph, loss *Node) { updateGraph(o, s, g, loss) }

// UpdateGraphWithGradients implements [Optimizer].
func (o AdamW) UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	step(o, scope, gradients, lossDType)
}

// rule implements ruled.
func (o AdamW) rule() rule {
	o.LearningRate, o.Beta1, o.Beta2 = orDefault(o.LearningRate, 0.001), orDefault(o.Beta1, 0.9), orDefault(o.Beta2, 0.999)
	o.Epsilon, o.WeightDecay = orDefault(o.Epsilon, 1e-8), orDefault(o.WeightDecay, 0.01)
	// The number of steps, including this one, shared by all variables. Integers keep counting beyond 2²⁴, where
	// float32 stops.
	var count *Node
	settings := fmt.Sprintf("AdamW at %g, betas %g and %g, epsilon %g, weight decay %g, %s",
		o.LearningRate, o.Beta1, o.Beta2, o.Epsilon, o.WeightDecay, o.Exclude)
	return rule{"adamw", o.LearningRate, settings, o.Exclude, func(u update) *Node {
		if count == nil {
			steps := u.kept(u.scope.Scope(), "steps", shapes.Make(dtypes.Int64))
			count = AddScalar(steps.NodeValue(u.value.Graph()), 1)
			steps.SetNodeValue(count)
		}
		// 1 − βᵗ as −(e^(t·log β) − 1): near t = 1 the plain difference loses half of the digits of float32.
		correction := func(beta float64) *Node {
			return Neg(Expm1(MulScalar(ConvertDType(count, u.value.DType()), math.Log(beta))))
		}
		moment := func(name string, beta float64, x *Node) *Node {
			return Div(u.accumulate(name, beta, MulScalar(x, 1-beta)), correction(beta))
		}
		mean, square := moment("mean", o.Beta1, u.gradient), moment("square", o.Beta2, Square(u.gradient))

		value := u.value
		if !u.excluded {
			value = Mul(value, OneMinus(MulScalar(u.rate, o.WeightDecay)))
		}
		return Sub(value, Mul(u.rate, Div(mean, AddScalar(Sqrt(square), o.Epsilon))))
	}}
}

// Clear implements gomlx's optimizer interface: it deletes the moments and the count of steps.
func (o AdamW) Clear(scope *model.Scope) error { return clearState(o, scope) }
