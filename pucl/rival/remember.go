package rival

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// remembered returns the variable that holds a logit for every example.
func (r *run) remembered(scope *model.Scope) *model.Variable { return r.memory(scope, "logits") }

// memory returns the variable that holds a number, or a row of so many, at first 0, for every example. It lies in the store, so that
// checkpoints have it.
func (r *run) memory(scope *model.Scope, what string, columns ...int) *model.Variable {
	scope = scope.At("remembered").WithInitializer(initializer.Zero)
	shape := shapes.Make(dtypes.Float32, append([]int{len(r.data.Labeled)}, columns...)...)
	return scope.VariableWithShape(what, shape).SetTrainable(false)
}

// keep puts numbers for all examples into a memory.
func (r *run) keep(what string, numbers []float32, columns ...int) error {
	value := tensors.FromFlatDataAndDimensions(numbers, append([]int{len(r.data.Labeled)}, columns...)...)
	if err := r.network.store.GetVariable("/remembered/" + what).SetValue(value); err != nil {
		return fmt.Errorf("rival: keeping the %s of all examples: %w", what, err)
	}
	return nil
}

// done returns the share of the run that so many steps are.
func (r *run) done(steps int) float64 { return float64(steps) / float64(r.config.Settings.Steps) }

// remember keeps the logits of all examples by the network as it is now, where they are due after so many steps.
func (r *run) remember(done int) error {
	if done%r.perEpoch() != 0 && !r.plan.remember(r.done(done-1), r.done(done)) {
		return nil
	}
	scores, err := r.scorer.score(r.data.Examples)
	if err != nil {
		return err
	}
	logits := make([]float32, len(scores))
	for i, s := range scores {
		logits[i] = float32(s)
	}
	return r.keep("logits", logits)
}
