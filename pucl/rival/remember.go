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

// memory returns the variable that holds a number, at first 0, for every example. It lies in the store, so that checkpoints have it.
func (r *run) memory(scope *model.Scope, what string) *model.Variable {
	scope = scope.At("remembered").WithInitializer(initializer.Zero)
	return scope.VariableWithShape(what, shapes.Make(dtypes.Float32, len(r.data.Labeled))).SetTrainable(false)
}

// remember keeps the logits of all examples by the network as it is now, where they are due after so many steps.
func (r *run) remember(done int) error {
	share := func(steps int) float64 { return float64(steps) / float64(r.config.Settings.Steps) }
	if done%r.perEpoch() != 0 && !r.plan.remember(share(done-1), share(done)) {
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
	v := r.network.store.GetVariable("/remembered/logits")
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(logits, len(logits))); err != nil {
		return fmt.Errorf("rival: keeping the predictions for all examples: %w", err)
	}
	return nil
}
