package pu

import (
	"cmp"
	"context"
	"fmt"

	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pipeline"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
)

// Algorithm1 is Algorithm 1 of "Contrastive Positive Unlabeled Learning": pretraining with PUCL, pseudo-labels by
// clustering (PUPL), a linear probe on these. It supposes that the classes are two clusters; a doubt is reported where
// a labeler without that assumption disagrees. The zero value is the algorithm as printed.
type Algorithm1 struct {
	Pretraining Pretraining
	Space       pipeline.Space           // in which examples are clustered; the zero value is the encoder's outputs, as printed
	Cluster     cluster.Config           // of PUPL
	Probe       probe.Config             // Seed is that of the call
	FineTune    *classify.FineTuneConfig // trains encoder and head further, if not nil; images only
}

// NeedsPrior implements [Method].
func (Algorithm1) NeedsPrior() bool { return false }

// String implements [Method].
func (m Algorithm1) String() string {
	space := ""
	if m.Space != pipeline.EncoderOutputs {
		space = "clusters in " + m.Space.String()
	}
	return named("Algorithm 1", m.Pretraining.describe(), space, tuned(m.FineTune))
}

func tuned(c *classify.FineTuneConfig) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("fine-tuned for %d epochs", cmp.Or(c.Epochs, 50))
	if c.FreezeEncoder {
		text += ", head alone"
	}
	if c.LearningRate != 0 {
		text += fmt.Sprintf(", learning rate %g", c.LearningRate)
	}
	if len(c.Recipe) > 0 {
		text += fmt.Sprintf(", views %s", c.Recipe)
	}
	return text
}

// Check implements [Method].
func (m Algorithm1) Check(data learn.Data, _ float64) error {
	return cmp.Or(m.Pretraining.check("Algorithm1", data), m.Cluster.Check(), m.Probe.Check(), checkTuning(m.FineTune,
		data))
}

func checkTuning(c *classify.FineTuneConfig, data learn.Data) error {
	switch {
	case c == nil:
		return nil
	case !data.Images():
		return fmt.Errorf("pu: FineTune is for images; leave it nil for rows")
	}
	return c.Check(data.Shape.Height, data.Shape.Width, data.Shape.Channels)
}

// Train implements [Method].
func (m Algorithm1) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	p := m.Pretraining.For(data)
	examples, err := p.data(data, run.Seed)
	if err != nil {
		return nil, err
	}
	m.Probe.Seed = run.Seed
	if m.FineTune != nil {
		tuning := *m.FineTune
		tuning.Seed = run.Seed
		m.FineTune = &tuning
	}
	result, err := pipeline.Run(ctx, eng, examples, pipeline.Config{
		Pretrain: p.config(run), Space: m.Space, Cluster: m.Cluster, Probe: m.Probe, FineTune: m.FineTune,
	})
	if err != nil {
		return nil, err
	}
	out := &learn.Trained{Members: []learn.Member{memberOf(result.Classifier)}}
	doubt, err := result.Doubt(pseudo.Config{Seed: run.Seed})
	if err != nil { // the labeler cannot label such data, which says nothing of the clusters
		doubt = fmt.Sprintf("the clusters could not be compared with other pseudo-labels (%v)", err)
	}
	if doubt != "" {
		out.Doubts = append(out.Doubts, doubt)
	}
	return out, nil
}

// memberOf returns a classifier of classify as a member.
func memberOf(c *classify.Classifier) learn.Member {
	return learn.Member{Network: c.Model, Unit: true, Head: c.Probe}
}
