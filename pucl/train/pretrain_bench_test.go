package train_test

import (
	"context"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/train"
)

// BenchmarkPretrain times training steps as the quickstart takes them: PUCL on 2×256 views of Fashion-MNIST, augmentation
// and Adam included. It reports views per second and the share of the time in which the engine waits for batches.
func BenchmarkPretrain(b *testing.B) {
	eng := enginetest.Found(b)
	training, _, _, err := fashionmnist.Open()
	expect.NoError(b, err)
	pu, err := datasets.NewPU(training, datasets.SplitConfig{Positive: fashionmnist.FMNISTI(), Labeled: training.Len() / 60, Seed: 1})
	expect.NoError(b, err)
	batches := expect.Must(datasets.NewBatches(pu, datasets.BatchConfig{Size: 256, Share: 0.25, Seed: 1}))(b)
	const warmup = 3 // steps, in the first of which the graph is compiled
	var from, to train.Progress
	expect.NoError(b, expect.Err(train.Pretrain(context.Background(), eng, batches, train.Config{
		Steps: warmup + b.N, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.5}}, Seed: 1,
		Observer: train.OnStep(func(p train.Progress) {
			if p.Step == warmup {
				from = p
				b.ResetTimer()
			}
			to = p
		}),
	})))
	elapsed := to.Elapsed - from.Elapsed
	b.ReportMetric(float64(to.Views-from.Views)/elapsed.Seconds(), "views/s")
	b.ReportMetric(100*float64(to.Waited-from.Waited)/float64(max(elapsed, time.Nanosecond)), "waiting-%")
}
