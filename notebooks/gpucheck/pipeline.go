package main

import (
	"context"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// outcome is what came of a training run.
type outcome struct {
	losses           []float64 // of every step
	chance           float64   // level of the loss
	last             train.Progress
	pupl, trueLabels evaluate.Binary // on the held-out images, of a probe on pseudo-labels and of one on the true labels
}

// classify trains with PUCL, labels the unlabeled images by PUPL on the projections, as Algorithm 1 has it, and trains one
// probe on these labels and one on the true ones. truth says which of the held-out images are positive.
func (t task) classify(
	ctx context.Context, eng *engine.Engine, pu *datasets.PU, held []uint8, truth []bool, progress reporter,
) (*outcome, error) {
	batches, err := datasets.NewBatches(pu, datasets.BatchConfig{Size: t.batch, Share: 0.25, Seed: seed})
	if err != nil {
		return nil, err
	}
	found := &outcome{chance: pucl.ChanceLevel(batches.Size(), 2)}
	config := t.config
	config.Steps, config.Seed = t.steps, seed
	config.Observer = train.OnStep(func(p train.Progress) {
		found.last = p
		progress("step %d of %d, loss %.3f", p.Step, p.Steps, p.Loss)
	})
	model, err := train.Pretrain(ctx, eng, batches, config)
	if err != nil {
		return nil, err
	}
	found.losses = model.History.Losses
	progress("embedding the images, clustering, training probes")
	all, err := model.EmbedImages(eng, pu.Images)
	if err != nil {
		return nil, err
	}
	examples, err := all.Take(pu.Index)
	if err != nil {
		return nil, err
	}
	clusters, err := cluster.PUPL(rows.Unit(examples.Z), pu.Labeled, cluster.Config{Restarts: 5, Seed: seed})
	if err != nil {
		return nil, err
	}
	test, err := model.Embed(eng, held)
	if err != nil {
		return nil, err
	}
	score := func(labels []bool) (evaluate.Binary, error) {
		p, err := probe.FitPU(eng, examples.H, labels, risk.CrossEntropy, probe.Config{Seed: seed})
		if err != nil {
			return evaluate.Binary{}, err
		}
		return p.Score(test.H, truth)
	}
	if found.pupl, err = score(clusters.Positive); err != nil {
		return nil, err
	}
	found.trueLabels, err = score(pu.Positive)
	return found, err
}
