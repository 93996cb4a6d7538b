package baseline

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// memory returns the variable that holds a number, or a row with the given columns, initially 0, for every example. It
// belongs to the store, so that checkpoints contain it.
func (r *run) memory(scope *model.Scope, what string, columns ...int) *model.Variable {
	scope = scope.At("remembered").WithInitializer(initializer.Zero)
	shape := shapes.Make(dtypes.Float32, append([]int{len(r.data.Labeled)}, columns...)...)
	return scope.VariableWithShape(what, shape).SetTrainable(false)
}

// keep stores numbers for all examples in a memory.
func (r *run) keep(what string, numbers []float64, columns ...int) error {
	flat := make([]float32, len(numbers))
	for i, x := range numbers {
		flat[i] = float32(x)
	}
	value := tensors.FromFlatDataAndDimensions(flat, append([]int{len(r.data.Labeled)}, columns...)...)
	if err := r.network.store.GetVariable("/remembered/" + what).SetValue(value); err != nil {
		return fmt.Errorf("baseline: keeping the %s of all examples: %w", what, err)
	}
	return nil
}

// done returns the share of the run after the given number of steps.
func (r *run) done(steps int) float64 { return float64(steps) / float64(r.config.Settings.Steps) }

// passes reports whether the last of the given steps takes the run past a share of it.
func (r *run) passes(share float64, steps int) bool {
	return r.done(steps-1) < share && r.done(steps) >= share
}
