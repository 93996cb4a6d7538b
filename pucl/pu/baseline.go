package pu

import (
	"cmp"
	"context"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/train"
)

// Baseline trains a network by a published method of package baseline, such as baseline.NNPU or baseline.VPU. If the
// method requires a class prior and its field is 0, it uses the prior of the call, which is estimated for rows.
type Baseline struct {
	Method    baseline.Method
	Encoder   encoder.Encoder // nil means a SmallCNN that normalizes by the training pixels, or an MLP for rows
	Recipe    augment.Recipe  // new views of images in every step; nil means none
	Positives int             // labeled positives in a batch; 0 means 64
	Unlabeled int             // unlabeled examples in a batch; 0 means 192
	Settings  train.Settings  // Checkpoint is that of the call
}

// NeedsPrior reports whether Train requires a class prior; see [learn.NeedsPrior].
func (m Baseline) NeedsPrior() bool { return m.Method != nil && baseline.NeedsPrior(m.Method) }

// String implements [Method].
func (m Baseline) String() string {
	if m.Method == nil {
		return "a baseline without a method"
	}
	return m.Method.String()
}

// Check implements [Method].
func (m Baseline) Check(data learn.Data, given float64) error {
	if err := cmp.Or(
		fault.If(m.Method == nil, "pu: a Baseline without a Method; set one, such as baseline.VPU{}, which needs no "+
			"class prior"),
		fault.If(m.Settings.Checkpoint != "", "pu: a Baseline with a Checkpoint of its own; set that of Config"),
		fault.If(!data.Images() && m.Recipe != nil, "pu: a Baseline with a Recipe, which makes views of images; "+
			"leave it nil for rows"),
	); err != nil {
		return err
	}
	return baseline.Check(baseline.WithPrior(m.Method, cmp.Or(given, 0.5)))
}

// Train implements [Method].
func (m Baseline) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	share := run.Prior
	positive, unlabeled := data.Counts()
	if !data.CaseControl && share > 0 { // the baselines treat all examples of a single data set as the population
		share = prior.Estimate{Prior: share}.OneSample(positive, unlabeled).Prior
	}
	var examples baseline.Examples = baseline.Rows{X: data.X}
	if data.Images() {
		examples = baseline.Images{Pixels: data.Pixels, Shape: data.Shape}
		if m.Encoder == nil {
			m.Encoder = contrast.SmallCNN(data.Pixels)
		}
	}
	m.Settings.Checkpoint = run.Checkpoint
	result, err := baseline.Train(ctx, eng, baseline.Data{Examples: examples, Labeled: data.Labeled,
		SingleDataset: !data.CaseControl}, baseline.Config{
		Method: baseline.WithPrior(m.Method,
			share), Encoder: m.Encoder, Recipe: m.Recipe, Positives: m.Positives, Unlabeled: m.Unlabeled,
		Seed: run.Seed, Settings: m.Settings,
	})
	if err != nil {
		return nil, err
	}
	network, head, err := result.Parts()
	if err != nil {
		return nil, err
	}
	return &learn.Trained{Members: []learn.Member{{Network: network, Head: head}}}, nil
}
