package classify

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Whatever is asked of no classifier at all is refused; nothing panics.
func TestNothingGiven(t *testing.T) {
	eng, data := enginetest.Open(t), patterns(16, 6)
	labeled, _ := pu(16, 6)
	var none *Classifier
	for _, err := range []error{
		none.Save(filepath.Join(t.TempDir(), "classifier")), refusal.Err(none.Predict(eng, data.Pixels)), refusal.Err(none.Logits(eng, data.Pixels)),
		refusal.Err(none.Probabilities(eng, data.Pixels)), refusal.Err(none.ProbabilitiesOfFeatures(eng, nil)), refusal.Err(none.Score(eng, labeled)),
		refusal.Err(none.ScorePU(eng, labeled, evaluate.ScoreConfig{})), refusal.Err(none.ScoreClasses(eng, data)),
	} {
		refusal.Check(t, err, "a Classifier needs both a Model and a Probe … FineTune returns one with both")
	}
	refusal.Check(t, refusal.Err(DrawShots([]int{0, 0}, 1, 1, nil)), "no generator of random numbers … give rand.New(")
	var never context.Context
	refusal.Check(t, refusal.Err(FineTune(never, eng, quickModel(t), data, 3, FineTuneConfig{Epochs: 1})), "no context … give context.Background()")
}
