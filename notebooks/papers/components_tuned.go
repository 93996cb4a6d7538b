package papers

import (
	"context"
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// tuning fine-tunes networks from one encoder.
type tuning struct {
	*opened
	eng *engine.Engine
	m   *train.Model
	c   train.Config // of the encoder
	how Added
}

// judge evaluates networks fine-tuned on pseudo-labels of the mixture and on all true labels, and a probe with the
// class prior of the mixture. If labeling fails, the point has the reason.
func (t *tuning) judge(ctx context.Context, all embeddings) (points []experiment.Point, err error) {
	labels, err := pseudo.Label(all.train.h, all.train.Labeled, pseudo.Config{Seed: t.c.Seed})
	if err != nil {
		for _, head := range append([]string{NNPUEstimated}, TunedHeads()...) {
			points = append(points, experiment.Point{Head: head, Failure: err.Error()})
		}
		return points, nil
	}
	told, err := all.probe(t.eng, all.train.h, all.train.Labeled, risk.NNPU(labels.Prior, risk.LogisticLoss), t.truth, t.c.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", NNPUEstimated, err)
	}
	told.Head, told.Values[EstimatedPrior] = NNPUEstimated, labels.Prior
	points = append(points, told)

	clear, _ := rows.Split(labels.Clear)
	for _, network := range []struct {
		head     string
		positive []bool
		of       []int // the training examples; nil for all
		views    augment.Recipe
	}{
		{Tuned, labels.Positive, nil, t.c.Recipe},
		{TunedOnImages, labels.Positive, nil, nil},
		{TunedOnClear, labels.Positive, clear, t.c.Recipe},
		{TunedCeiling, t.train.Positive, nil, t.c.Recipe},
	} {
		tuned, err := t.fineTune(ctx, all.train, network.positive, network.of, network.views)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", network.head, err)
		}
		p, err := t.judgeClassifier(t.eng, learn.Member{Network: tuned.Model, Unit: true, Head: tuned.Probe})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", network.head, err)
		}
		p.Head = network.head
		points = append(points, p)
		if network.head == Tuned {
			again, err := t.labelAgain(tuned)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", SelfTrained, err)
			}
			points = append(points, again)
		}
	}
	return points, nil
}

// fineTune trains the encoder further, with a head initialized by a linear probe, on the labels of some examples; nil
// means all.
func (t *tuning) fineTune(ctx context.Context, e embedded, positive []bool, of []int, views augment.Recipe) (*classify.Tuned, error) {
	if of == nil {
		of = rows.All(len(positive))
	}
	x, err := rows.Take(e.h, of)
	if err != nil {
		return nil, err
	}
	labels := rows.Pick(positive, of)
	config := probe.Config{Epochs: probeEpochs, Seed: t.c.Seed}
	head, err := probe.FitPU(t.eng, x, labels, risk.CrossEntropy, config)
	if err != nil {
		return nil, err
	}
	pixels, err := read(t.train.images, rows.Pick(t.train.Index, of))
	if err != nil {
		return nil, err
	}
	return classify.FineTunePU(ctx, t.eng, t.m, classify.LabeledImages[bool]{Pixels: pixels, Labels: labels}, risk.CrossEntropy,
		classify.FineTuneConfig{Head: head, Epochs: t.how.Epochs, BatchSize: t.how.Batch, Recipe: views, Seed: t.c.Seed})
}

// labelAgain evaluates a linear probe on the outputs of a fine-tuned network, trained on the pseudo-labels from these
// outputs.
func (t *tuning) labelAgain(tuned *classify.Tuned) (experiment.Point, error) {
	all, err := t.embed(t.eng, tuned.Model)
	if err != nil {
		return experiment.Point{}, err
	}
	labels, err := pseudo.Label(all.train.h, all.train.Labeled, pseudo.Config{Seed: t.c.Seed})
	if err != nil {
		return experiment.Point{Head: SelfTrained, Failure: err.Error()}, nil
	}
	p, err := all.probe(t.eng, all.train.h, labels.Positive, risk.CrossEntropy, t.truth, t.c.Seed)
	if err != nil {
		return experiment.Point{}, err
	}
	p.Head, p.Values[EstimatedPrior] = SelfTrained, labels.Prior
	p.Values[LabelsRight] = agreeing(labels.Positive, t.train.Positive, t.train.Labeled)
	return p, nil
}
