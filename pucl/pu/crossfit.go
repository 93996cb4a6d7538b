package pu

import (
	"cmp"
	"context"
	"fmt"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pipeline"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/train"
)

// CrossFit pretrains several encoders, each without the labels of one fold of the labeled positives, lets them vote on
// pseudo-labels, and averages the logits of a probe on each: see [pipeline.CrossFit]. It needs no class prior and takes
// as long as that many encoders.
type CrossFit struct {
	Pretraining Pretraining
	Folds       int           // encoders; 0 means 3
	Labels      pseudo.Config // Seed and Prior are those of the call
	Probe       probe.Config  // Seed is that of the call

	// Debiased pretrains all encoders a second time with [pucl.PUDebiased] and the class prior that the first ones
	// estimated, for twice as many steps.
	Debiased bool
}

// NeedsPrior implements [Method].
func (CrossFit) NeedsPrior() bool { return false }

// String implements [Method].
func (m CrossFit) String() string {
	debiased := ""
	if m.Debiased {
		debiased = "then PU-debiased"
	}
	return named(fmt.Sprintf("CrossFit of %d encoders", cmp.Or(m.Folds, 3)), m.Pretraining.describe(), debiased)
}

// Check implements [Method].
func (m CrossFit) Check(data learn.Data, _ float64) error {
	positive, _ := data.Counts()
	folds := cmp.Or(m.Folds, 3)
	return cmp.Or(m.Pretraining.check("CrossFit", data), m.Probe.Check(),
		fault.If(folds < 2 || positive < folds, "pu: CrossFit of %d folds with %d labeled positives; it needs 2 "+
			"folds or more and a labeled positive for each", folds, positive))
}

// Train implements [Method].
func (m CrossFit) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	p := m.Pretraining.For(data)
	examples, err := p.data(data, run.Seed)
	if err != nil {
		return nil, err
	}
	m.Labels.Seed, m.Labels.Prior, m.Probe.Seed = run.Seed, run.Prior, run.Seed
	config := pipeline.CrossFitConfig{Folds: m.Folds, Pretrain: p.config(run), Labels: m.Labels, Probe: m.Probe,
		Seed: run.Seed}
	if m.Debiased {
		config.Again = func(prior float64, first train.Config) train.Config {
			first.Objective, first.Steps = pucl.PUDebiased(prior), 2*first.Steps
			return first
		}
	}
	result, err := pipeline.CrossFit(ctx, eng, examples, config)
	if err != nil {
		return nil, err
	}
	out := &learn.Trained{Prior: result.Labels.Prior}
	for _, c := range result.Classifier {
		out.Members = append(out.Members, memberOf(c))
	}
	return out, nil
}
