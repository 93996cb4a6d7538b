// Package gomlxdata converts data sets to and from GoMLX's train.Dataset: [FromBatches] converts [datasets.Batches],
// [FromImages] converts [datasets.Images], and [ToImages] returns Images.
//
// It is separate from package datasets, which needs only the standard library.
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

// BatchesConfig selects the batches of [FromBatches]. The zero value means all of them, without end.
type BatchesConfig struct {
	First int // first step; for a resumed run, the number of steps done
	Steps int // number of steps; 0 means without end
	Ahead int // batches prepared while the device works; 0 means 2
}

// Batches is PU data as a data set of GoMLX: a train.Dataset that yields the batches of training steps in order.
type Batches struct {
	from *datasets.Batches
	cfg  BatchesConfig
}

// FromBatches returns a data set of b. Each of its batches has one input, the pixels, Uint8 [size, height, width,
// channels], and one label, Bool [size], the mask of labeled positives. A batch that cannot be read ends the loop with
// its error.
//
// Every Iter starts at cfg.First. Batches reshuffle the examples for each epoch themselves, so leave cfg.Steps 0 and
// use the loop's RunSteps or RunToGlobalStep rather than its RunEpochs, which would repeat the same batches. A
// goroutine prepares batches while the device works; it ends with the range loop. (GoMLX's own dataset.Buffer stops the
// iterator while its goroutine may still use it.)
func FromBatches(b *datasets.Batches, cfg BatchesConfig) *Batches {
	b.Rows(cfg.First) // panics here if negative, not in a goroutine
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

// batch returns a batch of the pixels and labels of images.
func batch[T bool | int32](pixels []uint8, labels []T, height, width, channels int) train.Batch {
	return train.Batch{
		Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(pixels, len(labels), height, width, channels)},
		Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(labels, len(labels))},
	}
}
