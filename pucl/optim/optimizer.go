package optim

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/numeric"
)

// Optimizer is the optimizer of a training step. [LARS], [SGD] and [AdamW] implement it.
type Optimizer interface {
	optimizer.Interface // UpdateGraph and Clear

	// UpdateGraphWithGradients is UpdateGraph for given gradients, as in gomlx's gradient accumulation: one for each
	// trainable variable that the graph uses, in the order of scope.IterVariables.
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)

	// PeakRate returns the maximum learning rate, or its default; a [Schedule] scales it.
	PeakRate() float64

	// Check returns an error that names the invalid field, or nil.
	Check() error

	// String names the optimizer and all parameters that a run depends on, including defaults.
	String() string
}

// Exclusion reports which variables neither decay nor get a layer-wise rate.
type Exclusion func(v *model.Variable) bool

// Vectors excludes variables with at most one axis: biases, and the scales and shifts of batch normalization.
// Optimizers use it if Exclude is nil.
func Vectors(v *model.Variable) bool { return v.Shape().Rank() <= 1 }

// Nothing excludes no variable.
func Nothing(*model.Variable) bool { return false }

// String describes e as far as a function can be described.
func (e Exclusion) String() string {
	if e == nil {
		return "vectors excluded"
	}
	return "own exclusion"
}

// stateScope is the scope of the variables of all optimizers.
const stateScope = "/optim"

// rule holds the properties of one optimizer, defaults filled in.
type rule struct {
	name     string // name of the optimizer's state
	rate     float64
	settings string // the text of String
	exclude  Exclusion
	move     func(update) *Node // returns the variable's new value
}

// ruled is an optimizer of this package; optimizers differ only in their rule.
type ruled interface {
	Optimizer
	rule() rule
}

// update holds the nodes of one step for one variable while the graph is built. Value and gradient have the working
// precision: the variable's own, but at least float32.
type update struct {
	variable        *model.Variable
	value, gradient *Node
	rate            *Node // scalar, the step's learning rate
	excluded        bool
	scope           *model.Scope // of all variables
	optimizer       string       // name, for the state
}

// kept returns the variable of the optimizer's state for the variables of a scope, initially 0.
func (u update) kept(scope, name string, shape shapes.Shape) *model.Variable {
	s := u.scope.Store().Scope(path.Join(stateScope, u.optimizer, scope)).WithInitializer(initializer.Zero)
	return s.VariableWithShape(name, shape).SetTrainable(false)
}

// accumulate returns factor times its result for this variable and name in the previous step, initially 0, plus more.
func (u update) accumulate(name string, factor float64, more *Node) *Node {
	v := u.kept(u.variable.Scope(), u.variable.Name()+"_"+name, u.value.Shape().Clone())
	sum := Add(MulScalar(v.NodeValue(more.Graph()), factor), more)
	v.SetNodeValue(sum)
	return sum
}

// updateGraph takes a step along the gradient of loss for every trainable variable of scope that the graph uses.
// Variables that are not floating-point (the state of a random generator loaded as trainable from a checkpoint) are
// unchanged.
func updateGraph(o ruled, scope *model.Scope, g *Graph, loss *Node) {
	fault.PanicIf(!loss.Shape().IsScalar(), "optim: the loss has shape %s; an optimizer needs a scalar, so take its mean first",
		loss.Shape())
	variables := trained(scope, g)
	var values []*Node
	var at []int // indices among the variables
	for i, v := range variables {
		if v.DType().IsFloat() {
			values, at = append(values, v.NodeValue(g)), append(at, i)
		}
	}
	fault.PanicIf(len(values) == 0,
		"optim: the loss uses no trainable variable under scope %q; create the variables before the optimizer runs", scope.Scope())
	all := make([]*Node, len(variables))
	for k, gradient := range Gradient(loss, values...) {
		all[at[k]] = gradient
	}
	step(o, scope, all, loss.DType())
}

// trained lists the trainable variables of scope that g uses.
func trained(scope *model.Scope, g *Graph) []*model.Variable {
	return slices.DeleteFunc(slices.Collect(scope.IterVariables()), func(v *model.Variable) bool {
		return !v.Trainable || !v.InUseByGraph(g)
	})
}

// step moves every variable by the optimizer's rule.
func step(o ruled, scope *model.Scope, gradients []*Node, lossDType dtypes.DType) {
	if err := o.Check(); err != nil {
		panic(err)
	}
	first := slices.IndexFunc(gradients, func(gradient *Node) bool { return gradient != nil })
	fault.PanicIf(first < 0, "optim: there is no gradient to follow; does the loss depend on a trainable variable?")
	g := gradients[first].Graph()
	variables := trained(scope, g)
	fault.PanicIf(len(variables) != len(gradients),
		"optim: %d gradients for %d trainable variables; was a variable created, or made trainable, after the gradients?",
		len(gradients), len(variables))
	rule := o.rule()
	rate := optimizer.LearningRateVar(scope, lossDType, rule.rate).NodeValue(g)
	optimizer.IncrementGlobalStep(g, lossDType) // gomlx's own loop and schedules count with it
	exclude := rule.exclude
	if exclude == nil {
		exclude = Vectors
	}
	for i, v := range variables {
		if gradients[i] == nil || !v.DType().IsFloat() {
			continue
		}
		precision := numeric.Working(v.DType())
		value := rule.move(update{
			variable: v, value: ConvertDType(v.NodeValue(g), precision), gradient: ConvertDType(gradients[i], precision),
			rate: ConvertDType(rate, precision), excluded: exclude(v), scope: scope, optimizer: rule.name,
		})
		v.SetNodeValue(ConvertDType(value, v.DType()))
	}
}

// clearState deletes the optimizer's state for the variables of scope.
func clearState(o ruled, scope *model.Scope) error {
	name := o.rule().name
	if err := scope.Store().DeleteVariablesInScope(path.Join(stateScope, name, scope.Scope())); err != nil {
		return fmt.Errorf("optim: deleting the state of %s: %w", name, err)
	}
	return nil
}

// orDefault returns the value of a field: 0 means the default, and a negative number means 0.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }
