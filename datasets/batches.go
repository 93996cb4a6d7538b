package datasets

import (
	"context"
	"errors"
	"fmt"
)

// Batches provides the images of each training step: a [Schedule] and the pixels of its examples, from memory or read
// on demand from a [Source], such as STL-10 on disk or a folder of JPEG files. It has no state: any step can be
// requested at any time, also concurrently.
type Batches struct {
	*Schedule
	source    Source
	imageSize int
	workers   int // goroutines that read the images of one batch; 0 means one per processor
}

// NewBatches returns the batches of pu. It is an error if the images are not valid, or if their number differs from
// that of the split's classes. The other errors are those of [NewSchedule].
func NewBatches(pu *PU, cfg BatchConfig) (*Batches, error) {
	if pu == nil {
		return nil, errors.New("datasets: no PU data given to cut into batches")
	}
	if err := pu.Images.Validate(); err != nil {
		return nil, err
	}
	return NewSourceBatches(pu.Images, pu.Split, cfg)
}

// NewSourceBatches returns the batches of the images of src that split lists; they equal those from memory. Several
// goroutines may read from src concurrently, also for one batch. The split is made of the classes of src, as given by
// its reader:
//
//	split, err := datasets.NewSplit(set.Labels, set.Classes, datasets.SplitConfig{Positive: []int{0}, Labeled: 100})
//
// It is an error if src has another number of images than the split has classes. The other errors are those of
// [NewSchedule].
func NewSourceBatches(src Source, split *Split, cfg BatchConfig) (*Batches, error) {
	if src == nil {
		return nil, errors.New("datasets: no images given to cut into batches (the source is nil); give those of a loader")
	}
	schedule, err := NewSchedule(split, cfg)
	if err != nil {
		return nil, err
	}
	if err := split.Fits(src.Len()); err != nil {
		return nil, err
	}
	size, err := pixelCount(schedule.Size(), src)
	if err != nil {
		return nil, err
	}
	b := &Batches{Schedule: schedule, source: src, imageSize: size / schedule.Size()}
	if _, inMemory := src.(*Images); inMemory {
		b.workers = 1 // copying is faster than starting goroutines
	}
	return b, nil
}

// ImageShape returns the size of an image.
func (b *Batches) ImageShape() (height, width, channels int) { return b.source.Shape() }

// Batch returns the images of a step's batch, Size × Height × Width × Channels bytes in the order of Rows, and the mask
// of labeled images. The caller may modify both slices. If images cannot be read, the error names the first of them in
// the batch and the cause. A negative step panics.
func (b *Batches) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rows := b.Rows(step)
	pixels, labeled = make([]uint8, len(rows)*b.imageSize), make([]bool, len(rows))
	for i, example := range rows {
		labeled[i] = b.split.Labeled[example]
	}
	err = inParallel(context.Background(), len(rows), b.workers, func(i int) error {
		image := b.split.Index[rows[i]]
		if err := b.source.ReadImage(image, imageAt(pixels, i, b.imageSize)); err != nil {
			return fmt.Errorf("datasets: reading image %d for step %d: %w", image, step, err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return pixels, labeled, nil
}
