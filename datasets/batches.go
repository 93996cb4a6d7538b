package datasets

import (
	"errors"
	"fmt"
	"math"
)

const defaultBatchSize = 256

// BatchConfig says how [NewBatches] cuts PU data into batches.
type BatchConfig struct {
	Size  int     // examples in a batch; 0 means 256
	Share float64 // share of labeled positives in each batch, at least 0 and below 1; 0 means as they come
	Seed  uint64  // of the order; used as given, 0 included
}

// Batches says which examples make up the batch of each training step.
//
// The batch of a step depends on the data, the configuration and the number of the step, and on nothing else: steps may
// be asked for in any order, and a run that is taken up at some step sees what it would have seen. Batches may be used
// by several goroutines at once.
//
// With Share 0 all examples are put into a random order, anew for each epoch, and the epochs, one after the other, are
// cut into batches. With a Share above 0 the first round(Share·Size) examples of every batch are labeled positives and
// the others are unlabeled; either kind has a random order and epochs of its own. Hence a batch can end one epoch and
// begin the next, and can then hold an example twice; and where fewer positives are labeled than a batch asks for, they
// occur several times in it. Within an epoch no example is drawn twice, and none is left out.
type Batches struct {
	pu              *PU
	cfg             BatchConfig // as given
	size, labeled   int         // examples in a batch, and how many of them are forced to be labeled
	positives, rest *order      // positives is nil where labeled is 0
}

// NewBatches prepares the batches of pu.
//
// It is an error if Size is negative or greater than the number of examples that fill it, if Share is not in [0, 1), or
// if a Share above 0 comes to no labeled or no unlabeled example in a batch, or has no labeled positives to draw from.
func NewBatches(pu *PU, cfg BatchConfig) (*Batches, error) {
	if pu == nil || pu.Len() == 0 {
		return nil, errors.New("datasets: no PU data given to cut into batches")
	}
	size := cfg.Size
	if size == 0 {
		size = defaultBatchSize
	}
	if size < 0 {
		return nil, fmt.Errorf("datasets: a batch of %d examples: give a positive size, or 0 for %d", size, defaultBatchSize)
	}
	if !(cfg.Share >= 0 && cfg.Share < 1) { // this form also refuses NaN
		return nil, fmt.Errorf("datasets: a share of %v labeled positives: give at least 0 and less than 1", cfg.Share)
	}
	if cfg.Share == 0 {
		if size > pu.Len() {
			return nil, fmt.Errorf("datasets: a batch of %d examples, but there are only %d: use a smaller size", size, pu.Len())
		}
		return &Batches{pu: pu, cfg: cfg, size: size, rest: newOrder(0, pu.Len(), cfg.Seed, allStream)}, nil
	}

	labeled := int(math.Round(cfg.Share * float64(size)))
	switch {
	case pu.NumLabeled() == 0:
		return nil, fmt.Errorf("datasets: a share of %v labeled positives, but none is labeled: use a share of 0", cfg.Share)
	case labeled == 0 || labeled == size:
		return nil, fmt.Errorf("datasets: a share of %v of a batch of %d comes to %d labeled positives and %d unlabeled "+
			"examples: both must be at least 1, so use a larger size or another share", cfg.Share, size, labeled, size-labeled)
	case size-labeled > pu.NumUnlabeled():
		return nil, fmt.Errorf("datasets: a batch with %d unlabeled examples, but there are only %d: use a smaller size",
			size-labeled, pu.NumUnlabeled())
	}
	return &Batches{
		pu: pu, cfg: cfg, size: size, labeled: labeled,
		positives: newOrder(0, pu.NumLabeled(), cfg.Seed, positiveStream),
		rest:      newOrder(pu.NumLabeled(), pu.NumUnlabeled(), cfg.Seed, unlabeledStream),
	}, nil
}

// String says what the batches are, for the record of a result: the data, and how they are drawn from it.
func (b *Batches) String() string {
	return fmt.Sprintf("%s; batches of %d, share of labeled %g, seed %d", b.pu, b.size, b.cfg.Share, b.cfg.Seed)
}

// Size returns the number of examples in a batch.
func (b *Batches) Size() int { return b.size }

// ImageShape returns the size of an image.
func (b *Batches) ImageShape() (height, width, channels int) {
	return b.pu.Images.Height, b.pu.Images.Width, b.pu.Images.Channels
}

// StepsPerEpoch returns the least number of steps after which every example has been drawn, or, with a share above 0,
// every unlabeled one. The last of these steps may belong to the next epoch in part.
func (b *Batches) StepsPerEpoch() int {
	perStep := b.size - b.labeled
	return (b.rest.count + perStep - 1) / perStep
}

// Rows returns the examples of a step's batch by their numbers in the PU data; for the rows of the images go through
// PU.Index. Steps count from 0; a negative one panics, as an index does.
func (b *Batches) Rows(step int) []int {
	if step < 0 {
		panic(fmt.Sprintf("datasets: batch of step %d: steps count from 0", step))
	}
	rows := make([]int, b.size)
	if b.labeled > 0 {
		b.positives.fill(rows[:b.labeled], uint64(step)*uint64(b.labeled))
	}
	unforced := rows[b.labeled:]
	b.rest.fill(unforced, uint64(step)*uint64(len(unforced)))
	return rows
}

// Batch returns the images of a step's batch, Size × Height × Width × Channels bytes one image after the other in the
// order of Rows, and for each whether it is labeled. Both slices are the caller's.
func (b *Batches) Batch(step int) (pixels []uint8, labeled []bool) {
	rows := b.Rows(step)
	height, width, channels := b.ImageShape()
	pixels = make([]uint8, 0, len(rows)*height*width*channels)
	labeled = make([]bool, len(rows))
	for i, example := range rows {
		pixels = append(pixels, b.pu.Images.At(b.pu.Index[example])...)
		labeled[i] = b.pu.Labeled[example]
	}
	return pixels, labeled
}
