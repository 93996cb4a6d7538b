package classify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// Fine-tuning by classes, by a PU risk and few shots have on XLA the losses and accuracies that they have on the pure-Go engine.
func TestFineTuningOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	model := t.TempDir() + "/model"
	expect.NoError(t, quickModel(t).Save(model))
	for name, tune := range map[string]func(*engine.Engine, *train.Model) (*Classifier, error){
		"classes": func(eng *engine.Engine, m *train.Model) (*Classifier, error) {
			return FineTune(context.Background(), eng, m, patterns(9, 12), 3, FineTuneConfig{Epochs: 3, BatchSize: 5, Seed: 4,
				Recipe: augment.Recipe{augment.Crop{}}, Optimizer: optim.SGD{LearningRate: 0.1}})
		},
		"PU risk, best epoch": func(eng *engine.Engine, m *train.Model) (*Classifier, error) {
			return tuneKept(context.Background(), eng, m, FineTuneConfig{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			on := func(eng *engine.Engine) *Classifier { // weights stay with the engine that used them first
				return expect.Must(tune(eng, expect.Must(train.LoadModel(model, nil))(t)))(t)
			}
			got, want := on(xla), on(pureGo)
			for i, loss := range want.Tuning.History.Losses {
				near(t, fmt.Sprintf("loss of step %d", i), got.Tuning.History.Losses[i], loss, 1e-3)
			}
		})
	}
	rng := rand.New(rand.NewPCG(9, 9))
	data, test := blobs(rng, 60, 2.5), blobs(rng, 100, 2.5)
	config := FewShotConfig{PerClass: 5, Draws: 2, Seed: 4, Probe: probe.Config{Epochs: 40}}
	got, want := expect.Must(FitFewShot(xla, data, test, 3, config))(t), expect.Must(FitFewShot(pureGo, data, test, 3, config))(t)
	near(t, "accuracy of few shots", got.Accuracy.Mean, want.Accuracy.Mean, 0.005) // two of 300 rows on the boundary, at most
}
