package optim

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
)

// AdamW is Adam with weight decay beside the gradient, not in it. For weights w with gradient g, decay δ, rate γ, and the
// step t = 1, 2, …:
//
//	w ← w − γδw                        (δ = 0 for excluded variables)
//	m ← β₁m + (1−β₁)g
//	v ← β₂v + (1−β₂)g²
//	w ← w − γ (m/(1−β₁ᵗ)) / (√(v/(1−β₂ᵗ)) + ε)
//
// It equals PyTorch's torch.optim.AdamW. Without decay it is Adam.
//
// Sources: Kingma, Ba, arXiv 1412.6980, 2014; Loshchilov, Hutter, "Decoupled Weight Decay Regularization", arXiv 1711.05101,
// 2017.
type AdamW struct {
	LearningRate float64   // γ at its height; 0 means 0.001
	Beta1        float64   // β₁, of the mean gradient; 0 means 0.9
	Beta2        float64   // β₂, of the mean square; 0 means 0.999
	Epsilon      float64   // ε; 0 means 1e-8
	WeightDecay  float64   // δ; 0 means 0.01, negative means none
	Exclude      Exclusion // variables that do not decay; nil means Vectors
}

// adamWName names AdamW among the optimizers' variables.
const adamWName = "adamw"

// withDefaults fills in the zero fields.
func (o AdamW) withDefaults() AdamW {
	o.LearningRate, o.Beta1, o.Beta2 = orDefault(o.LearningRate, 0.001), orDefault(o.Beta1, 0.9), orDefault(o.Beta2, 0.999)
	o.Epsilon, o.WeightDecay = orDefault(o.Epsilon, 1e-8), orDefault(o.WeightDecay, 0.01)
	return o
}

// Check implements [Optimizer].
func (o AdamW) Check() error {
	if !(min(o.Beta1, o.Beta2) >= 0 && max(o.Beta1, o.Beta2) < 1) { // NaN in either makes min and max NaN
		return fmt.Errorf("optim: AdamW has Beta1 %g and Beta2 %g; both must be at least 0 and less than 1 (0 means 0.9 and 0.999)",
			o.Beta1, o.Beta2)
	}
	if !(o.Epsilon >= 0) {
		return fmt.Errorf("optim: AdamW has epsilon %g; it must be positive, or 0 for the default 1e-8", o.Epsilon)
	}
	return checkRate("AdamW", o.LearningRate, 0, false, o.WeightDecay)
}

// PeakRate implements [Optimizer].
func (o AdamW) PeakRate() float64 { return o.withDefaults().LearningRate }

// String implements [Optimizer].
func (o AdamW) String() string {
	d := o.withDefaults()
	return fmt.Sprintf("AdamW at %g, betas %g and %g, epsilon %g, weight decay %g, %s",
		d.LearningRate, d.Beta1, d.Beta2, d.Epsilon, d.WeightDecay, d.Exclude)
}

// UpdateGraph implements gomlx's optimizer interface: it adds one step to the graph. Like all graph code it panics on a
// loss that is no scalar and on wrong fields.
func (o AdamW) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	o.UpdateGraphWithGradients(scope, gradients(scope, g, loss), loss.DType())
}

// UpdateGraphWithGradients implements [Optimizer].
func (o AdamW) UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	d := o.withDefaults()
	var count *Node
	step(o, adamWName, o.Exclude, scope, gradients, lossDType, func(u update) *Node {
		g := u.value.Graph()
		if count == nil { // once for all variables
			count = counter(scope, adamWName, g)
		}
		// 1 − βᵗ as −(e^(t·log β) − 1): near t = 1 the plain difference loses half of the digits of float32.
		correction := func(beta float64) *Node {
			return Neg(Expm1(MulScalar(ConvertDType(count, u.value.DType()), math.Log(beta))))
		}
		moment := func(name string, beta float64, x *Node) *Node {
			v := u.state(name)
			mean := Add(MulScalar(v.NodeValue(g), beta), MulScalar(x, 1-beta))
			v.SetNodeValue(mean)
			return mean
		}
		mean := Div(moment("mean", d.Beta1, u.gradient), correction(d.Beta1))
		square := Div(moment("square", d.Beta2, Square(u.gradient)), correction(d.Beta2))

		value := u.value
		if !u.excluded {
			value = Mul(value, OneMinus(MulScalar(u.rate, d.WeightDecay)))
		}
		return Sub(value, Mul(u.rate, Div(mean, AddScalar(Sqrt(square), d.Epsilon))))
	})
}

// Clear implements gomlx's optimizer interface: it deletes the moments and the count of steps.
func (o AdamW) Clear(scope *model.Scope) error { return clearState(scope, adamWName) }
