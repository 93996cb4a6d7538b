package rival

import (
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// What is remembered of every example is its logit after the last epoch, or after the step that ends the warm-up.
func TestRemembersPredictionsWhenTheyAreDue(t *testing.T) {
	eng, data, config := enginetest.Open(t), mixture(20, 220, 1), quick(DistPU{Prior: 0.5}, 10)
	trained := must(t, eng, data, config)
	want := expect.Must(trained.Network.Score(eng, data.Examples))(t)
	r := dealt(t, data, config)
	r.network = trained.Network
	r.scorer = expect.Must(r.network.newScorer(eng, ofLogits))(t)
	defer r.scorer.exec.Finalize()
	v := r.memory(r.network.store.RootScope(), "logits")
	for done := 1; done <= 10; done++ { // an epoch has 4 steps, and the warm-up ends after 5
		expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 220), 220)))
		expect.NoError(t, r.plan.between(r, done))
		value := expect.Must(v.Value())(t)
		logits := tensors.MustCopyFlatData[float32](value)
		due := done == 4 || done == 5 || done == 8
		for i, logit := range logits {
			if due && float64(logit) != want[i] || !due && logit != 0 {
				t.Errorf("after %d steps example %d has the logit %g, and the network gives %g", done, i, logit, want[i])
				break
			}
		}
	}
}
