package pu

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/pipeline"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// pretrained pretrains an encoder and embeds all examples, scaled to length one. Labeled marks the labeled positives in
// the order of the rows.
func pretrained(ctx context.Context, eng *engine.Engine, data pipeline.Data, config train.Config) (
	network *train.Model, labeled []bool, embedded *mat.Dense, err error) {
	var e *train.Embedding
	switch d := data.(type) {
	case pipeline.Images:
		if network, err = train.Pretrain(ctx, eng, d.Batches, config); err == nil {
			if e, err = network.EmbedImages(eng, d.Images); err == nil {
				e, err = e.Take(d.Index)
			}
		}
		labeled = d.Labeled
	case pipeline.Features:
		if network, err = train.PretrainFeatures(ctx, eng, d.Batches, config); err == nil {
			e, err = network.EmbedFeatures(eng, d.X)
		}
		labeled = d.Labeled
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("pu: pretraining: %w", err)
	}
	return network, labeled, rows.Unit(e.H), nil
}
