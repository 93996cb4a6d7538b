package datasets

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// StreamedBatches is [Batches] of images that need not be in memory: it reads those of a step from a [Source], such as
// STL-10 on disk or a folder of JPEG files, when they are asked for. The batches are the same as from memory.
type StreamedBatches struct {
	*Schedule
	source    Source
	imageSize int
}

// NewStreamedBatches prepares the batches of the images of src that split lists; src must bear several goroutines. The
// split is made of the classes of src, which the readers tell:
//
//	split, err := datasets.NewSplit(set.Labels, set.Classes, datasets.PUConfig{Positive: []int{0}, Labeled: 100})
//
// It is an error if src has not as many images as split was made of classes. The other errors are those of [NewSchedule].
func NewStreamedBatches(src Source, split *Split, cfg BatchConfig) (*StreamedBatches, error) {
	if src == nil {
		return nil, errors.New("datasets: no images given to cut into batches (the source is nil)")
	}
	schedule, err := NewSchedule(split, cfg)
	if err != nil {
		return nil, err
	}
	if err := split.Fits(src.Len()); err != nil {
		return nil, err
	}
	height, width, channels := src.Shape()
	size, ok := product(max(0, height), max(0, width), max(0, channels))
	if ok {
		_, ok = product(schedule.Size(), size)
	}
	if !ok || size == 0 {
		return nil, fmt.Errorf("datasets: cannot make batches of images of %d×%d×%d (height×width×channels)", height, width,
			channels)
	}
	return &StreamedBatches{Schedule: schedule, source: src, imageSize: size}, nil
}

// ImageShape returns the size of an image.
func (b *StreamedBatches) ImageShape() (height, width, channels int) { return b.source.Shape() }

// ReadBatch reads the images of a step's batch and returns them as Batches.Batch does. Where images cannot be read, the
// error tells which was the first in the batch, and why. A negative step panics, as an index does.
func (b *StreamedBatches) ReadBatch(step int) (pixels []uint8, labeled []bool, err error) {
	read := b.read(context.Background(), step)
	return read.Pixels, read.Labeled, read.err
}

// readBatch is a batch or the reason why there is none.
type readBatch struct {
	Batch
	err error
}

// read stops between two images where ctx is done.
func (b *StreamedBatches) read(ctx context.Context, step int) readBatch {
	rows := b.Rows(step)
	batch := Batch{Step: step, Pixels: make([]uint8, len(rows)*b.imageSize), Labeled: make([]bool, len(rows))}
	for i, example := range rows {
		if ctx.Err() != nil {
			return readBatch{err: context.Cause(ctx)}
		}
		image := b.split.Index[example]
		to := batch.Pixels[i*b.imageSize : (i+1)*b.imageSize : (i+1)*b.imageSize]
		if err := b.source.ReadImage(image, to); err != nil {
			return readBatch{err: fmt.Errorf("datasets: reading image %d for step %d: %w", image, step, err)}
		}
		batch.Labeled[i] = b.split.Labeled[example]
	}
	return readBatch{Batch: batch}
}

// From returns the batches of the steps first, first+1 and so on, in order, as [Batches.From] does: workers goroutines read
// ahead, each up to two batches, 0 meaning one for each processor.
//
// A batch that cannot be read and a canceled ctx end the sequence with an error, the former after all batches before it.
// When the loop ends, however it ends, all goroutines have ended too.
func (b *StreamedBatches) From(ctx context.Context, first, workers int) iter.Seq2[Batch, error] {
	all := b.from(ctx, first, workers)
	return func(yield func(Batch, error) bool) {
		for read := range all {
			if !yield(read.Batch, read.err) || read.err != nil {
				return
			}
		}
		yield(Batch{}, context.Cause(ctx)) // for all has no other end
	}
}

func (b *StreamedBatches) from(ctx context.Context, first, workers int) iter.Seq[readBatch] {
	if first < 0 {
		b.Rows(first) // panics with the usual message, and here rather than in a goroutine
	}
	return ahead(ctx, first, atLeastOne(workers), b.read)
}

// StreamedPrefetcher is [StreamedBatches] for a caller that asks for one step after the other: it reads the next batches
// meanwhile. It gives the same batches in any order of steps, but only steps in sequence are read ahead. It must be closed,
// and is for one goroutine at a time.
type StreamedPrefetcher struct {
	*StreamedBatches
	pull puller[readBatch]
}

// Prefetch returns a StreamedPrefetcher of b that reads with so many goroutines, 0 meaning one for each processor, until it
// is closed.
func (b *StreamedBatches) Prefetch(workers int) *StreamedPrefetcher {
	return &StreamedPrefetcher{b, puller[readBatch]{from: func(first int) iter.Seq[readBatch] {
		return b.from(context.Background(), first, workers)
	}}}
}

// ReadBatch returns the images of a step's batch as StreamedBatches.ReadBatch does. After an error everything is read anew, so
// that what was mended meanwhile is seen.
func (p *StreamedPrefetcher) ReadBatch(step int) (pixels []uint8, labeled []bool, err error) {
	read := p.pull.at(step)
	if read.err != nil {
		p.Close()
	}
	return read.Pixels, read.Labeled, read.err
}

// Close ends the goroutines. A StreamedPrefetcher that is used after that starts anew.
func (p *StreamedPrefetcher) Close() { p.pull.close() }
