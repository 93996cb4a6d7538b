// Package pipeline makes a classifier of positives against negatives from positive and unlabeled data in one call: Algorithm 1
// of "Contrastive Positive Unlabeled Learning".
//
//	result, err := pipeline.Run(ctx, eng, pipeline.Images{Batches: batches, Images: pu.Images, Index: pu.Index, Labeled: pu.Labeled},
//		pipeline.Config{})
//	// result.Classifier predicts, scores and saves
//
// Its stages are those of the algorithm: (A) an encoder is pretrained with PUCL by [train.Pretrain]; all examples are embedded;
// (B) [cluster.PUPL] gives the unlabeled ones pseudo-labels; (C) [probe.FitPU] trains a linear probe on these. Every stage can
// be had by itself in its own package, and gives there, bit for bit, what it gives here. Whether the clusters are the classes, no negative
// tells; [Result.Doubt] tells when they most likely are not.
//
// [CrossFit] is another way, for positives that are several clusters: several encoders, each of which never sees some of the labels, give the
// pseudo-labels together.
package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Space is where examples are clustered. Rows are scaled to length one in either.
type Space int

const (
	// EncoderOutputs is the space of h, the outputs of the encoder, as Algorithm 1 has it.
	EncoderOutputs Space = iota
	// Projections is the space of z, the projections that the loss compares. The classes mostly lie farther apart there.
	Projections
)

// String names the space.
func (s Space) String() string {
	switch s {
	case EncoderOutputs:
		return "encoder outputs h"
	case Projections:
		return "projections z"
	}
	return fmt.Sprintf("Space(%d)", int(s))
}

// Config says how each stage works. The zero value is Algorithm 1 with the defaults of every stage.
type Config struct {
	Pretrain train.Config
	Space    Space          // where Cluster looks for pseudo-labels
	Cluster  cluster.Config // of PUPL

	// Risk, if not nil, is what the probe and fine-tuning minimize with the labels "is a labeled positive", such as risk.NNPU;
	// nothing is clustered then. Otherwise it is risk.CrossEntropy with PUPL's pseudo-labels.
	Risk  risk.Risk
	Probe probe.Config

	// FineTune, if not nil, trains encoder and head further, by the same risk and labels as the probe. The head starts at the
	// probe unless Head names another one. It takes images.
	FineTune *classify.FineTuneConfig
}

// Result is what came of a run.
type Result struct {
	Classifier *classify.Classifier // fine-tuned, where that was asked for

	Model     *train.Model        // the encoder after pretraining
	Embedding *train.Embedding    // of the examples, by Model
	Clusters  *cluster.Clustering // nil where Config.Risk is given
	Labels    []bool              // of the examples, as the probe learned them: pseudo-labels, or Labeled where Config.Risk is given
	Probe     *probe.Probe        // on the [rows.Unit] of Embedding.H

	labeled []bool // of the examples
	space   Space  // where they were clustered
}

// Run goes through all stages. What can be known to be wrong with the data or with the configuration of any stage is known before
// anything is trained. Errors name the stage and wrap its error: [train.Stopped] where ctx ended a training, [train.Diverged], and so
// on. Between two stages ctx ends the run too. With Config.Pretrain.Checkpoint, and that of FineTune, a run that ended goes on where it
// was.
func Run(ctx context.Context, eng *engine.Engine, data Data, config Config) (*Result, error) {
	return run(ctx, eng, nil, data, config)
}

// Fit goes through the stages after pretraining, with a model that is trained already. Data need no batches; those that are there must be of
// examples of the same size, and are not learned from. Config.Pretrain is not looked at.
func Fit(ctx context.Context, eng *engine.Engine, m *train.Model, data Data, config Config) (*Result, error) {
	if m == nil {
		return nil, errors.New("pipeline: no model; train.LoadModel reads one, and Run trains one")
	}
	return run(ctx, eng, m, data, config)
}

func checkContext(ctx context.Context) error {
	return fault.If(ctx == nil, "pipeline: no context; give context.Background(), or one that stops the run")
}

// run goes through all stages; m is the model, or nil where it is to be pretrained.
func run(ctx context.Context, eng *engine.Engine, m *train.Model, data Data, config Config) (*Result, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	data, err := check(data, config)
	if err != nil {
		return nil, err
	}
	if err := config.check(eng, data); err != nil {
		return nil, err
	}
	minimized := config.Risk
	if minimized == nil {
		minimized = risk.CrossEntropy
	}
	// Copies: what is done to Labeled or Labels later must not change what Doubt compares.
	r := &Result{Model: m, Labels: slices.Clone(data.labeled()), labeled: slices.Clone(data.labeled()), space: config.Space}
	for _, s := range []struct {
		name   string
		wanted bool
		run    func() error
	}{
		{"pretraining", m == nil, func() (err error) {
			r.Model, err = data.pretrain(ctx, eng, config.Pretrain)
			return err
		}},
		{"embedding", true, func() (err error) {
			r.Embedding, err = data.embed(eng, r.Model)
			return err
		}},
		{"clustering", config.Risk == nil, func() (err error) {
			if r.Clusters, err = cluster.PUPL(rows.Unit(config.Space.rows(r.Embedding)), r.Labels, config.Cluster); err == nil {
				r.Labels = slices.Clone(r.Clusters.Positive)
			}
			return err
		}},
		{"training the probe", true, func() (err error) {
			r.Probe, err = probe.FitPU(eng, rows.Unit(r.Embedding.H), r.Labels, minimized, config.Probe)
			r.Classifier = &classify.Classifier{Model: r.Model, Probe: r.Probe, Clusters: r.Clusters}
			return err
		}},
		{"fine-tuning", config.FineTune != nil, func() error { return r.fineTune(ctx, eng, data, minimized, config.FineTune) }},
	} {
		if !s.wanted {
			continue
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("pipeline: stopped before %s (%w): %w", s.name, context.Cause(ctx), ctx.Err())
		}
		if err := s.run(); err != nil {
			return nil, fmt.Errorf("pipeline: %s: %w", s.name, err)
		}
	}
	return r, nil
}

// check returns the error of the first stage whose configuration cannot be followed. That of pretraining is its own first look.
func (c Config) check(eng *engine.Engine, data Data) error {
	named := func(stage string, err error) error {
		if err != nil {
			err = fmt.Errorf("pipeline: %s: %w", stage, err)
		}
		return err
	}
	var clustering, tuning error
	probing := named("training the probe", checkProbe(c.Probe))
	if c.Risk == nil {
		clustering = named("clustering", c.Cluster.Check())
	} else if probing == nil {
		probing = named("training the probe", probe.CheckRisk(eng, c.Risk))
	}
	if images, ok := data.(Images); ok && c.FineTune != nil {
		tuning = named("fine-tuning", c.FineTune.Check(images.Images.Shape()))
	}
	return cmp.Or(clustering, probing, tuning)
}

// checkProbe returns an error if a probe for positives against negatives cannot be trained so, whatever the rows.
func checkProbe(c probe.Config) error {
	if err := c.Check(); err != nil || c.Start == nil {
		return err
	}
	outputs := len(c.Start.Bias)
	return fault.If(outputs != 1, "probe: Start has %d outputs, and positives against negatives take 1; Binary makes 1 of 2", outputs)
}

// fineTune trains encoder and head further.
func (r *Result) fineTune(ctx context.Context, eng *engine.Engine, data Data, minimized risk.Risk, config *classify.FineTuneConfig) error {
	settings := *config
	if settings.Head == nil {
		settings.Head = r.Probe
	}
	pixels, err := data.pixels()
	if err != nil {
		return err
	}
	tuned, err := classify.FineTunePU(ctx, eng, r.Model, classify.LabeledImages[bool]{Pixels: pixels, Labels: r.Labels}, minimized, settings)
	if err != nil {
		return err
	}
	tuned.Clusters, r.Classifier = r.Clusters, tuned
	return nil
}

// rows returns the rows of e that lie in s.
func (s Space) rows(e *train.Embedding) *mat.Dense {
	if s == Projections {
		return e.Z
	}
	return e.H
}
