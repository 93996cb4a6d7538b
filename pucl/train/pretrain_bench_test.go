package train_test

import (
	"context"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// BenchmarkPretrain times a training step as the quickstart takes it: PUCL on 2×256 views of Fashion-MNIST, augmentation
// and Adam included. It reports views per second and the share of the time in which the engine waits for batches.
func BenchmarkPretrain(b *testing.B) {
	eng, err := engine.Open()
	if err != nil {
		b.Fatal(err)
	}
	training, _, _, err := fashionmnist.Open()
	if err != nil {
		b.Fatal(err)
	}
	pu, err := datasets.NewPU(training, datasets.PUConfig{Positive: fashionmnist.FMNISTI(), Labeled: training.Len() / 60, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: 256, Share: 0.25, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	// Training reads ahead by itself, so that there is one way; it has the names that it had when there were two.
	for _, name := range []string{"asked", "prefetched"} {
		b.Run(name, func(b *testing.B) { benchmarkPretrain(b, eng, train.FromDatasets(batches)) })
	}
}

func benchmarkPretrain(b *testing.B, eng *engine.Engine, batches train.Batches) {
	const warmup = 3 // steps, in the first of which the graph is compiled
	var from, to train.Progress
	_, err := train.Pretrain(context.Background(), eng, batches, train.Config{
		Steps: warmup + b.N, Recipe: augment.Config{MinArea: 0.5}.Recipe(), Seed: 1,
		Observer: train.OnStep(func(p train.Progress) {
			if p.Step == warmup {
				from = p
				b.ResetTimer()
			}
			to = p
		}),
	})
	if err != nil {
		b.Fatal(err)
	}
	elapsed := to.Elapsed - from.Elapsed
	b.ReportMetric(float64(to.Views-from.Views)/elapsed.Seconds(), "views/s")
	b.ReportMetric(100*float64(to.Waited-from.Waited)/float64(max(elapsed, time.Nanosecond)), "waiting-%")
}
