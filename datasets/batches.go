package datasets

import "errors"

// Batches hands out the images of each training step: a [Schedule] and the pixels that go with it. Like a schedule it
// remembers nothing, so any step can be asked for at any time, and by several goroutines at once.
type Batches struct {
	*Schedule
	images *Images
}

// NewBatches prepares the batches of pu. It is an error if the images are not valid, or not as many as the split was made of
// classes. The other errors are those of [NewSchedule].
func NewBatches(pu *PU, cfg BatchConfig) (*Batches, error) {
	if pu == nil {
		return nil, errors.New("datasets: no PU data given to cut into batches")
	}
	schedule, err := NewSchedule(pu.Split, cfg)
	if err != nil {
		return nil, err
	}
	if err := pu.Images.Validate(); err != nil {
		return nil, err
	}
	if err := pu.Split.Fits(pu.Images.Len()); err != nil {
		return nil, err
	}
	return &Batches{Schedule: schedule, images: pu.Images}, nil
}

// ImageShape returns the size of an image.
func (b *Batches) ImageShape() (height, width, channels int) {
	return b.images.Height, b.images.Width, b.images.Channels
}

// Batch returns the images of a step's batch, Size × Height × Width × Channels bytes one image after the other in the
// order of Rows, and for each whether it is labeled. Both slices are the caller's.
func (b *Batches) Batch(step int) (pixels []uint8, labeled []bool) {
	rows := b.Rows(step)
	height, width, channels := b.ImageShape()
	pixels = make([]uint8, 0, len(rows)*height*width*channels)
	labeled = make([]bool, len(rows))
	for i, example := range rows {
		pixels = append(pixels, b.images.At(b.split.Index[example])...)
		labeled[i] = b.split.Labeled[example]
	}
	return pixels, labeled
}
