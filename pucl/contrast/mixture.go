package contrast

import (
	"cmp"
	"context"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
)

// Mixture pretrains one encoder, labels the unlabeled examples as a mixture of positives and negatives
// ([pseudo.Label]), and trains a linear probe on these pseudo-labels. It assumes neither two clusters nor a class
// prior, which it estimates.
type Mixture struct {
	Pretraining Pretraining
	Labels      pseudo.Config            // Seed and Prior are those of the call
	Probe       probe.Config             // Seed is that of the call
	Debiased    bool                     // pretrains with [pucl.PUDebiased], which requires the class prior
	FineTune    *classify.FineTuneConfig // trains encoder and head further on the pseudo-labels, if not nil; images only
}

// NeedsPrior reports whether Train requires a class prior; see [learn.NeedsPrior].
func (m Mixture) NeedsPrior() bool { return m.Debiased }

// String implements [learn.Method].
func (m Mixture) String() string {
	name := "Mixture"
	if m.Debiased {
		name = "PU-debiased"
	}
	return named(name, m.Pretraining.describe(), tuned(m.FineTune))
}

// Check implements [learn.Method].
func (m Mixture) Check(data learn.Data, _ float64) error {
	positive, unlabeled := data.Counts()
	folds := cmp.Or(m.Labels.Folds, 4)
	return cmp.Or(m.stages(learn.Run{}).check("Mixture", data),
		fault.If(min(positive, unlabeled) < folds, "contrast: Mixture with %d labeled positives, %d unlabeled "+
			"examples and %d folds; each fold needs one of both: label more, or set Labels.Folds lower",
			positive, unlabeled, folds))
}

func (m Mixture) stages(run learn.Run) stages {
	m.Labels.Seed, m.Labels.Prior = run.Seed, run.Prior
	if m.Debiased {
		m.Pretraining.Objective = pucl.PUDebiased(run.Prior)
	}
	return stages{
		pretraining: m.Pretraining, minimized: risk.CrossEntropy, probe: m.Probe, tune: m.FineTune,
		label: func(f *Fitted) (err error) {
			if f.Pseudo, err = pseudo.Label(rows.Unit(f.Embeddings[0].H), f.labeled, m.Labels); err == nil {
				copy(f.Labels, f.Pseudo.Positive)
			}
			return err
		},
	}
}

// Fit trains on data and returns encoder, embedding and pseudo-labels as well.
func (m Mixture) Fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	if err := m.Check(data, run.Prior); err != nil {
		return nil, err
	}
	return m.stages(run).fit(ctx, eng, data, run)
}

// Train implements [learn.Method].
func (m Mixture) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	return trained(m.stages(run).fit(ctx, eng, data, run))
}
