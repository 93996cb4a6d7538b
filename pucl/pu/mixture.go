package pu

import (
	"cmp"
	"context"
	"fmt"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pipeline"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
)

// Mixture pretrains one encoder, labels the unlabeled examples by the mixture of positives and negatives that they are
// (package pseudo), and trains a linear probe on these pseudo-labels. It supposes neither two clusters nor a class
// prior, which it estimates.
type Mixture struct {
	Pretraining Pretraining
	Labels      pseudo.Config // Seed and Prior are those of the call
	Probe       probe.Config  // Seed is that of the call

	// Debiased pretrains with [pucl.PUDebiased], which requires the class prior.
	Debiased bool
	FineTune *classify.FineTuneConfig // trains encoder and head further on the pseudo-labels, if not nil; images only
}

// NeedsPrior implements [Method].
func (m Mixture) NeedsPrior() bool { return m.Debiased }

// String implements [Method].
func (m Mixture) String() string {
	name := "Mixture"
	if m.Debiased {
		name = "PU-debiased"
	}
	return named(name, m.Pretraining.describe(), tuned(m.FineTune))
}

// Check implements [Method].
func (m Mixture) Check(data learn.Data, _ float64) error {
	positive, unlabeled := data.Counts()
	folds := cmp.Or(m.Labels.Folds, 4)
	return cmp.Or(m.Pretraining.check("Mixture", data), m.Probe.Check(), checkTuning(m.FineTune, data),
		fault.If(min(positive, unlabeled) < folds, "pu: Mixture with %d labeled positives, %d unlabeled examples "+
			"and %d folds; each fold needs one of both: label more, or set Labels.Folds "+
			"lower", positive, unlabeled, folds))
}

// Train implements [Method].
func (m Mixture) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	p := m.Pretraining.For(data)
	if m.Debiased {
		p.Objective = pucl.PUDebiased(run.Prior)
	}
	examples, err := p.data(data, run.Seed)
	if err != nil {
		return nil, err
	}
	network, labeled, embedded, err := pretrained(ctx, eng, examples, p.config(run))
	if err != nil {
		return nil, err
	}
	m.Labels.Seed, m.Labels.Prior, m.Probe.Seed = run.Seed, run.Prior, run.Seed
	labels, err := pseudo.Label(embedded, labeled, m.Labels)
	if err != nil {
		return nil, fmt.Errorf("pu: pseudo-labels: %w", err)
	}
	head, err := probe.FitPU(eng, embedded, labels.Positive, risk.CrossEntropy, m.Probe)
	if err != nil {
		return nil, fmt.Errorf("pu: training the probe: %w", err)
	}
	out := &learn.Trained{Members: []learn.Member{{Network: network, Unit: true, Head: head}}, Prior: labels.Prior}
	if m.FineTune == nil {
		return out, nil
	}
	tuning := *m.FineTune
	tuning.Seed = run.Seed
	if tuning.Head == nil {
		tuning.Head = head
	}
	images := examples.(pipeline.Images)
	pixels, err := images.Images.(*datasets.Images).Select(images.Index)
	if err != nil {
		return nil, err
	}
	c, err := classify.FineTunePU(ctx, eng, network, classify.LabeledImages[bool]{Pixels: pixels.Pixels,
		Labels: labels.Positive},
		risk.CrossEntropy, tuning)
	if err != nil {
		return nil, err
	}
	out.Members = []learn.Member{memberOf(c)}
	return out, nil
}
