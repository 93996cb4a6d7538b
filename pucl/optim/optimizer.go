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

// Optimizer is what a training step needs of an optimizer. [LARS], [SGD] and [AdamW] are some.
type Optimizer interface {
	optimizer.Interface // UpdateGraph and Clear

	// UpdateGraphWithGradients is UpdateGraph for gradients that are known already, as gomlx's gradient accumulation has
	// them: one for each trainable variable that the graph uses, in the order of scope.IterVariables.
	UpdateGraphWithGradients(scope *model.Scope, gradients []*Node, lossDType dtypes.DType)

	// PeakRate returns the learning rate at its height, the default where none was given; a [Schedule] bends it.
	PeakRate() float64

	// Check returns an error that says which field is wrong, or nil.
	Check() error

	// String names the optimizer and all numbers that a run depends on, defaults included.
	String() string
}

// Exclusion reports which variables neither decay nor get a layer-wise rate.
type Exclusion func(v *model.Variable) bool

// Vectors excludes variables with at most one axis: biases, and the scales and shifts of batch normalization. It is what the
// optimizers do where Exclude is nil.
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

// stateScope is where the variables of all optimizers live.
const stateScope = "/optim"

// rule is what sets an optimizer apart, defaults filled in.
type rule struct {
	name     string // of what the optimizer keeps
	rate     float64
	settings string // as String has them
	exclude  Exclusion
	move     func(update) *Node // returns the variable's new value
}

// ruled is an optimizer of this package: all but its rule is one for all.
type ruled interface {
	Optimizer
	rule() rule
}

// update is what one step knows about one variable while the graph is built. Value and gradient have the working
// precision: the variable's own, but never less than float32.
type update struct {
	variable        *model.Variable
	value, gradient *Node
	rate            *Node // scalar, the step's learning rate
	excluded        bool
	scope           *model.Scope // of all variables
	optimizer       string       // name, for the state
}

// kept returns the variable in which the optimizer keeps something for those of a scope, 0 at first.
func (u update) kept(scope, name string, shape shapes.Shape) *model.Variable {
	s := u.scope.Store().Scope(path.Join(stateScope, u.optimizer, scope)).WithInitializer(initializer.Zero)
	return s.VariableWithShape(name, shape).SetTrainable(false)
}

// accumulate returns factor times what it returned for this variable and name in the step before, 0 at first, plus more.
func (u update) accumulate(name string, factor float64, more *Node) *Node {
	v := u.kept(u.variable.Scope(), u.variable.Name()+"_"+name, u.value.Shape().Clone())
	sum := Add(MulScalar(v.NodeValue(more.Graph()), factor), more)
	v.SetNodeValue(sum)
	return sum
}

// updateGraph takes a step along the gradient of loss for every trainable variable of scope that the graph uses. Variables that
// are not floating-point numbers (the state of a random generator that came back trainable from a checkpoint) stay.
func updateGraph(o ruled, scope *model.Scope, g *Graph, loss *Node) {
	fault.PanicIf(!loss.Shape().IsScalar(), "optim: the loss has shape %s; an optimizer needs a scalar, so take its mean first",
		loss.Shape())
	variables := trained(scope, g)
	var values []*Node
	var at []int // among the variables
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

// clearState deletes what the optimizer keeps for the variables of scope.
func clearState(o ruled, scope *model.Scope) error {
	name := o.rule().name
	if err := scope.Store().DeleteVariablesInScope(path.Join(stateScope, name, scope.Scope())); err != nil {
		return fmt.Errorf("optim: deleting the state of %s: %w", name, err)
	}
	return nil
}

// orDefault returns what a field says: 0 means the default, and a negative number means none.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }
