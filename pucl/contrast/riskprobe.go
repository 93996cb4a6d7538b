package contrast

import (
	"cmp"
	"context"

	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
)

// RiskProbe pretrains one encoder and trains a linear probe on its outputs by a risk on positive and unlabeled data. It
// uses no pseudo-labels. It requires the class prior.
type RiskProbe struct {
	Pretraining Pretraining
	Risk        func(prior float64) risk.Risk // of the labels "is a labeled positive"; nil means nnPU with the logistic loss
	Name        string                        // of Risk, for String; "" means nnPU
	Probe       probe.Config                  // Seed is that of the call
	FineTune    *classify.FineTuneConfig      // trains encoder and head further by the risk, if not nil; images only
}

// NeedsPrior reports whether Train requires a class prior; see [learn.NeedsPrior].
func (RiskProbe) NeedsPrior() bool { return true }

// String implements [learn.Method].
func (m RiskProbe) String() string {
	return named(cmp.Or(m.Name, "nnPU")+" on an encoder", m.Pretraining.describe(), tuned(m.FineTune))
}

// Check implements [learn.Method].
func (m RiskProbe) Check(data learn.Data, prior float64) error {
	s := m.stages(learn.Run{Prior: cmp.Or(prior, 0.5)})
	return s.check("RiskProbe", data)
}

func (m RiskProbe) stages(run learn.Run) stages {
	of := m.Risk
	if of == nil {
		of = func(prior float64) risk.Risk { return risk.NNPU(prior, risk.LogisticLoss) }
	}
	return stages{pretraining: m.Pretraining, minimized: of(run.Prior), probe: m.Probe, tune: m.FineTune}
}

// Fit trains on data and returns encoder and embedding as well.
func (m RiskProbe) Fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	if err := m.Check(data, run.Prior); err != nil {
		return nil, err
	}
	return m.fit(ctx, eng, data, run)
}

// fit is Fit for a method and data that Check accepts.
func (m RiskProbe) fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	s := m.stages(run)
	if err := probe.CheckRisk(eng, s.minimized); err != nil {
		return nil, err
	}
	return s.fit(ctx, eng, data, run)
}

// Train implements [learn.Method].
func (m RiskProbe) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	return trained(m.fit(ctx, eng, data, run))
}
