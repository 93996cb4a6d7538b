// Package gomlxdata hands data sets to GoMLX and takes them from it: a training loop of GoMLX reads a train.Dataset, and
// this package makes one of [datasets.Batches] ([FromBatches]) and of [datasets.Images] ([FromImages]), and Images of one
// ([ToImages]).
//
// It is apart from the package datasets because that one needs the standard library only.
package gomlxdata

import (
	"cmp"
	"iter"
	"math"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/ahead"
)

// BatchesConfig says which part of the batches [FromBatches] hands out. The zero value is all of them, without end.
type BatchesConfig struct {
	First int // step to begin with; for a run that goes on after a break, the number of steps that it has done
	Steps int // how many steps; 0 means without end
	Ahead int // batches that are prepared while the device works; 0 means 2
}

// Batches is PU data as a data set of GoMLX: a train.Dataset that yields the batches of training steps in order.
type Batches struct {
	from *datasets.Batches
	cfg  BatchesConfig
}

// FromBatches makes a data set of b. Each of its batches has one input, the pixels, Uint8 [size, height, width,
// channels], and one label, Bool [size], which says of each image whether it is a labeled positive. A batch that cannot be
// read ends the loop with its error.
//
// Every Iter begins at cfg.First again. Batches reshuffle the examples for each epoch by themselves, so leave cfg.Steps 0
// and use the loop's RunSteps or RunToGlobalStep rather than its RunEpochs, which would repeat the same batches. Batches
// are prepared while the device works; when ranging over the data set ends, so does the goroutine that does that. (GoMLX's own
// dataset.Buffer stops the iterator that its goroutine may still be in.)
func FromBatches(b *datasets.Batches, cfg BatchesConfig) *Batches {
	b.Rows(cfg.First) // panics if negative, and here rather than in a goroutine
	return &Batches{from: b, cfg: cfg}
}

// Name returns the description of the data and of how batches are drawn.
func (d *Batches) Name() string { return d.from.String() }

// ShortName returns "PU".
func (d *Batches) ShortName() string { return "PU" }

// Iter returns the batches.
func (d *Batches) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		end := math.MaxInt
		if d.cfg.Steps > 0 {
			end = d.cfg.First + d.cfg.Steps
		}
		reader := ahead.Start(d.cfg.First, end, max(cmp.Or(d.cfg.Ahead, 2), 1), d.step)
		defer reader.Close()
		for step := d.cfg.First; step < end; step++ {
			if b, err := reader.Next(); !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// step returns the batch of a step.
func (d *Batches) step(step int) (train.Batch, error) {
	pixels, labeled, err := d.from.Batch(step)
	if err != nil {
		return train.Batch{}, err
	}
	height, width, channels := d.from.ImageShape()
	return batch(pixels, labeled, height, width, channels), nil
}

// batch returns a batch of the pixels of images and what is known of each.
func batch[T bool | int32](pixels []uint8, labels []T, height, width, channels int) train.Batch {
	return train.Batch{
		Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(pixels, len(labels), height, width, channels)},
		Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(labels, len(labels))},
	}
}
