package gomlxdata

import (
	"context"
	"iter"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/puclab/puclab/datasets"
)

// BatchesConfig says which part of the batches [FromBatches] hands out. The zero value is all of them, without end.
type BatchesConfig struct {
	First   int // step to begin with; for a run that goes on after a break, the number of steps that it has done
	Steps   int // how many steps; 0 means without end
	Workers int // goroutines that prepare batches ahead; 0 means 2, and one for each processor where images are streamed
}

// Batches is PU data as a data set of GoMLX: a train.Dataset that yields the batches of training steps in order.
type Batches struct {
	from source
	all  func(ctx context.Context, first, workers int) iter.Seq2[datasets.Batch, error]
	cfg  BatchesConfig
}

// source is what both kinds of batches tell of themselves.
type source interface {
	String() string
	ImageShape() (height, width, channels int)
}

// FromBatches makes a data set of b. Each of its batches has one input, the pixels, Uint8 [size, height, width,
// channels], and one label, Bool [size], which says of each image whether it is a labeled positive.
//
// Every Iter begins at cfg.First again. Batches reshuffle the examples for each epoch by themselves, so leave cfg.Steps 0
// and use the loop's RunSteps or RunToGlobalStep rather than its RunEpochs, which would repeat the same batches. Batches
// are prepared while the device works; ranging over the data set ends all goroutines when it ends.
func FromBatches(b *datasets.Batches, cfg BatchesConfig) *Batches {
	all := func(ctx context.Context, first, workers int) iter.Seq2[datasets.Batch, error] {
		return func(yield func(datasets.Batch, error) bool) {
			for batch := range b.From(ctx, first, workers) {
				if !yield(batch, nil) {
					return
				}
			}
		}
	}
	return &Batches{from: b, all: all, cfg: cfg}
}

// FromStreamed is [FromBatches] for images that are read while the device works. A batch that cannot be read ends the loop
// with its error.
func FromStreamed(b *datasets.StreamedBatches, cfg BatchesConfig) *Batches {
	return &Batches{from: b, all: b.From, cfg: cfg}
}

// Name returns the description of the data and of how batches are drawn.
func (d *Batches) Name() string { return d.from.String() }

// ShortName returns "PU".
func (d *Batches) ShortName() string { return "PU" }

// Iter returns the batches.
func (d *Batches) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		height, width, channels := d.from.ImageShape()
		for batch, err := range d.all(context.Background(), d.cfg.First, d.cfg.Workers) {
			if err != nil {
				yield(train.Batch{}, err)
				return
			}
			if d.cfg.Steps > 0 && batch.Step-d.cfg.First >= d.cfg.Steps {
				return
			}
			n := len(batch.Labeled)
			if !yield(train.Batch{
				Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(batch.Pixels, n, height, width, channels)},
				Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(batch.Labeled, n)},
			}, nil) {
				return
			}
		}
	}
}
