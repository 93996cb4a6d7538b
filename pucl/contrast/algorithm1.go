package contrast

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Space is the space in which examples are clustered. Rows are scaled to length one in both.
type Space int

const (
	// EncoderOutputs is the space of h, the outputs of the encoder, as in Algorithm 1.
	EncoderOutputs Space = iota
	// Projections is the space of z, the projections that the loss compares. The classes are usually farther apart
	// there.
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

// of returns the rows of e that lie in s.
func (s Space) of(e *train.Embedding) *mat.Dense {
	if s == Projections {
		return e.Z
	}
	return e.H
}

// Algorithm1 is Algorithm 1 of "Contrastive Positive Unlabeled Learning": pretraining with PUCL, pseudo-labels by
// clustering ([cluster.PUPL]), a linear probe on these. It assumes that the classes are two clusters; it reports a
// doubt if a labeler without that assumption disagrees. The zero value is the algorithm as printed.
type Algorithm1 struct {
	Pretraining Pretraining
	Space       Space                    // in which examples are clustered; the zero value is the encoder's outputs, as printed
	Cluster     cluster.Config           // of PUPL; Seed is that of the call
	Probe       probe.Config             // Seed is that of the call
	FineTune    *classify.FineTuneConfig // trains encoder and head further, if not nil; images only
}

// String implements [learn.Method].
func (m Algorithm1) String() string {
	space := ""
	if m.Space != EncoderOutputs {
		space = "clusters in " + m.Space.String()
	}
	return named("Algorithm 1", m.Pretraining.describe(), space, tuned(m.FineTune))
}

// Check implements [learn.Method].
func (m Algorithm1) Check(data learn.Data, _ float64) error {
	return cmp.Or(m.stages(learn.Run{}).check("Algorithm1", data), m.Cluster.Check(),
		fault.If(m.Space != EncoderOutputs && m.Space != Projections, "contrast: there is no %v; cluster "+
			"EncoderOutputs or Projections", m.Space))
}

func (m Algorithm1) stages(run learn.Run) stages {
	m.Cluster.Seed = run.Seed
	return stages{
		pretraining: m.Pretraining, minimized: risk.CrossEntropy, probe: m.Probe, tune: m.FineTune,
		label: func(f *Fitted) (err error) {
			x := rows.Unit(m.Space.of(f.Embeddings[0]))
			if f.Clusters, err = cluster.PUPL(x, f.labeled, m.Cluster); err == nil {
				copy(f.Labels, f.Clusters.Positive)
			}
			return err
		},
	}
}

// Fit trains on data and returns encoder, embedding and clusters as well.
func (m Algorithm1) Fit(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*Fitted, error) {
	if err := m.Check(data, run.Prior); err != nil {
		return nil, err
	}
	return m.stages(run).fit(ctx, eng, data, run)
}

// Train implements [learn.Method].
func (m Algorithm1) Train(ctx context.Context, eng *engine.Engine, data learn.Data, run learn.Run) (*learn.Trained,
	error) {
	f, err := m.stages(run).fit(ctx, eng, data, run)
	if err != nil {
		return nil, err
	}
	out := f.Trained()
	doubt, err := f.Doubt(pseudo.Config{Seed: run.Seed})
	if err != nil { // the labeler cannot label such data, which implies nothing about the clusters
		doubt = fmt.Sprintf("the clusters could not be compared with other pseudo-labels (%v)", err)
	}
	if doubt != "" {
		out.Doubts = append(out.Doubts, doubt)
	}
	return out, nil
}
