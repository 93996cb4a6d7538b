package main

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// outcome is what came of a training run.
type outcome struct {
	losses           []float64 // of every step
	chance           float64   // level of the loss
	last             pucl.Progress
	pupl, trueLabels pucl.Score // on the held-out images, of a probe on pseudo-labels and of one on the true labels
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
	config.OnStep = func(p pucl.Progress) {
		found.last = p
		progress("step %d of %d, loss %.3f", p.Step, p.Steps, p.Loss)
	}
	model, err := pucl.Pretrain(ctx, eng, batches, config)
	if err != nil {
		return nil, err
	}
	found.losses = model.Losses
	progress("embedding the images, clustering, training probes")
	all, err := model.EmbedImages(eng, pu.Images)
	if err != nil {
		return nil, err
	}
	h, err := pucl.Take(all.H, pu.Index)
	if err != nil {
		return nil, err
	}
	z, err := pucl.Take(all.Z, pu.Index)
	if err != nil {
		return nil, err
	}
	labels, err := pseudoLabels(z, pu.Labeled)
	if err != nil {
		return nil, err
	}
	test, err := model.Embed(eng, held)
	if err != nil {
		return nil, err
	}
	if found.pupl, err = probe(eng, h, labels, test.H, truth); err != nil {
		return nil, err
	}
	found.trueLabels, err = probe(eng, h, pu.Positive, test.H, truth)
	return found, err
}

// pseudoLabels returns the labels that PUPL gives the rows of z.
func pseudoLabels(z *mat.Dense, labeled []bool) ([]bool, error) {
	positives, unlabeled, err := pucl.Rows(pucl.UnitRows(z), labeled)
	if err != nil {
		return nil, err
	}
	clusters, err := pucl.PUPLRestarts(positives, unlabeled, rand.New(rand.NewPCG(seed, 0)), 5)
	if err != nil {
		return nil, err
	}
	clusters.Orient()
	labels := make([]bool, len(labeled))
	next := 0
	for i := range labels {
		if labels[i] = labeled[i]; !labels[i] {
			labels[i] = clusters.Labels[next]
			next++
		}
	}
	return labels, nil
}

// probe returns the score on the held-out rows of a linear probe that learned the labels of the rows of h.
func probe(eng *engine.Engine, h *mat.Dense, labels []bool, held *mat.Dense, truth []bool) (pucl.Score, error) {
	p, err := pucl.FitProbe(eng, h, labels, pucl.CrossEntropy, pucl.ProbeConfig{Seed: seed})
	if err != nil {
		return pucl.Score{}, err
	}
	predicted, err := p.Predict(held)
	if err != nil {
		return pucl.Score{}, err
	}
	return pucl.Evaluate(predicted, truth)
}
