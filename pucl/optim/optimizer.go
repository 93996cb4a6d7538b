package optim

import (
	"cmp"
	"fmt"
	"path"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
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

// excludes applies e, or [Vectors] where e is nil.
func (e Exclusion) excludes(v *model.Variable) bool {
	if e == nil {
		return Vectors(v)
	}
	return e(v)
}

// String describes e as far as a function can be described.
func (e Exclusion) String() string {
	if e == nil {
		return "vectors excluded"
	}
	return "own exclusion"
}

// stateScope is where the variables of all optimizers live.
const stateScope = "/optim"

// update is what one step knows about one variable while the graph is built. Value and gradient have the working
// precision: the variable's own, but never less than float32.
type update struct {
	variable        *model.Variable
	value, gradient *Node
	rate            *Node // scalar, the step's learning rate
	excluded        bool
	store           *model.Store
	optimizer       string // name, for the state
}

// state returns the variable in which the optimizer keeps something of v's shape, 0 at first.
func (u update) state(name string) *model.Variable {
	shape := u.value.Shape().Clone()
	scope := u.store.Scope(path.Join(stateScope, u.optimizer, u.variable.Scope()))
	return scope.WithInitializer(initializer.Zero).VariableWithShape(u.variable.Name()+"_"+name, shape).SetTrainable(false)
}

// gradients returns the gradient of loss for every trainable variable of scope that the graph uses. Variables that are not
// floating-point numbers (the state of a random generator that came back trainable from a checkpoint) get nil.
func gradients(scope *model.Scope, g *Graph, loss *Node) []*Node {
	if !loss.Shape().IsScalar() {
		panic(fmt.Errorf("optim: the loss has shape %s; an optimizer needs a scalar, so take its mean first", loss.Shape()))
	}
	variables := trained(scope, g)
	var values []*Node
	for _, v := range variables {
		if v.DType().IsFloat() {
			values = append(values, v.NodeValue(g))
		}
	}
	if len(values) == 0 {
		panic(fmt.Errorf("optim: the loss uses no trainable variable under scope %q; create the variables before the optimizer runs",
			scope.Scope()))
	}
	found := Gradient(loss, values...)
	all := make([]*Node, len(variables))
	for i, v := range variables {
		if v.DType().IsFloat() {
			all[i], found = found[0], found[1:]
		}
	}
	return all
}

// trained lists the trainable variables of scope that g uses.
func trained(scope *model.Scope, g *Graph) []*model.Variable {
	var variables []*model.Variable
	for v := range scope.IterVariables() {
		if v.Trainable && v.InUseByGraph(g) {
			variables = append(variables, v)
		}
	}
	return variables
}

// step moves every variable by one rule: rule returns the variable's new value.
func step(o Optimizer, name string, exclude Exclusion, scope *model.Scope, gradients []*Node, lossDType dtypes.DType,
	rule func(update) *Node) {
	if err := o.Check(); err != nil {
		panic(err)
	}
	var g *Graph
	for _, gradient := range gradients {
		if gradient != nil {
			g = gradient.Graph()
		}
	}
	if g == nil {
		panic(fmt.Errorf("optim: there is no gradient to follow; does the loss depend on a trainable variable?"))
	}
	variables := trained(scope, g)
	if len(variables) != len(gradients) {
		panic(fmt.Errorf("optim: %d gradients for %d trainable variables; was a variable created, or made trainable, after the gradients?",
			len(gradients), len(variables)))
	}
	rate := optimizer.LearningRateVar(scope, lossDType, o.PeakRate()).NodeValue(g)
	optimizer.IncrementGlobalStep(g, lossDType) // gomlx's own loop and schedules count with it
	for i, v := range variables {
		if gradients[i] == nil || !v.DType().IsFloat() {
			continue
		}
		precision := v.DType()
		if precision != dtypes.Float64 {
			precision = dtypes.Float32
		}
		value := rule(update{
			variable: v, value: ConvertDType(v.NodeValue(g), precision), gradient: ConvertDType(gradients[i], precision),
			rate: ConvertDType(rate, precision), excluded: exclude.excludes(v), store: scope.Store(), optimizer: name,
		})
		v.SetNodeValue(ConvertDType(value, v.DType()))
	}
}

// counter returns how many steps there were, this one included, as a scalar. It is counted in whole
// numbers, which do not stop growing as float32 does at 2²⁴.
func counter(scope *model.Scope, name string, g *Graph) *Node {
	s := scope.Store().Scope(path.Join(stateScope, name, scope.Scope()))
	v := s.WithInitializer(initializer.Zero).VariableWithShape("steps", shapes.Make(dtypes.Int64)).SetTrainable(false)
	count := AddScalar(v.NodeValue(g), 1)
	v.SetNodeValue(count)
	return count
}

// clearState deletes what the named optimizer keeps for the variables of scope.
func clearState(scope *model.Scope, name string) error {
	if err := scope.Store().DeleteVariablesInScope(path.Join(stateScope, name, scope.Scope())); err != nil {
		return fmt.Errorf("optim: deleting the state of %s: %w", name, err)
	}
	return nil
}

// orDefault returns what a field says: 0 means the default, and a negative number means none.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }

// checkRate returns an error unless learning rate, momentum and weight decay make sense; it names the optimizer.
func checkRate(name string, rate, momentum float64, nesterov bool, decay float64) error {
	switch {
	case !(rate >= 0) || rate > 1e10:
		return fmt.Errorf("optim: %s has learning rate %g; it must be a positive number, or 0 for the default", name, rate)
	case !(momentum < 1):
		return fmt.Errorf("optim: %s has momentum %g; it must be less than 1 (0.9 is usual), or negative for none", name, momentum)
	case nesterov && momentum < 0:
		return fmt.Errorf("optim: %s looks ahead (Nesterov) by its momentum, but has none; set Momentum, or Nesterov to false", name)
	case decay != decay || decay > 1e10:
		return fmt.Errorf("optim: %s has weight decay %g; it must be a small number such as 1e-4, or negative for none", name, decay)
	}
	return nil
}
