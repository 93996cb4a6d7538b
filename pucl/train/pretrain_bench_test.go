package train_test

import (
	"context"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
)

// BenchmarkPretrain times a training step as the quickstart takes it: PUCL on 2×256 views of Fashion-MNIST, augmentation
// and Adam included. It tells views per second and the share of the time in which the engine waits for the loader, which
// prepares batches meanwhile or only when it is asked.
func BenchmarkPretrain(b *testing.B) {
	eng, err := engine.Open()
	if err != nil {
		b.Fatal(err)
	}
	train, _, _, err := fashionmnist.Open()
	if err != nil {
		b.Fatal(err)
	}
	pu, err := datasets.NewPU(train, datasets.PUConfig{Positive: fashionmnist.FMNISTI(), Labeled: train.Len() / 60, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: 256, Share: 0.25, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("asked", func(b *testing.B) { benchmarkPretrain(b, eng, batches) })
	b.Run("prefetched", func(b *testing.B) {
		ahead := batches.Prefetch(0)
		defer ahead.Close()
		benchmarkPretrain(b, eng, ahead)
	})
}

func benchmarkPretrain(b *testing.B, eng *engine.Engine, batches train.Batches) {
	const warmup = 3 // steps, in the first of which the graph is compiled
	var from, to train.Progress
	_, err := train.Pretrain(context.Background(), eng, batches, train.Config{
		Steps: warmup + b.N, Augment: augment.Config{MinArea: 0.5}, Seed: 1,
		OnStep: func(p train.Progress) {
			if p.Step == warmup {
				from = p
				b.ResetTimer()
			}
			to = p
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	elapsed := to.Elapsed - from.Elapsed
	b.ReportMetric(float64(to.Views-from.Views)/elapsed.Seconds(), "views/s")
	b.ReportMetric(100*float64(to.Waited-from.Waited)/float64(max(elapsed, time.Nanosecond)), "waiting-%")
}
