package pucl

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
)

// Images are images that know their size, in memory or in files: *datasets.Images is one, and so is every datasets.Source.
type Images interface {
	// Len returns the number of images.
	Len() int
	// Shape returns the size of every image.
	Shape() (height, width, channels int)
	// ReadImage writes image i to dst, height×width×channels bytes.
	ReadImage(i int, dst []uint8) error
}

// ImageShape returns height, width and channels of the images that the model embeds, zeros where it embeds features.
func (m *Model) ImageShape() (height, width, channels int) { return m.height, m.width, m.channels }

// CheckShape returns an error where the model embeds images of another shape than this one, or none. All that takes images as
// bytes, such as [Model.Embed], [Classifier.Score] and [FineTune], cannot tell images of one shape from as many bytes of another;
// where a data set knows the shape, compare it first:
//
//	err := model.CheckShape(images.Shape())
func (m *Model) CheckShape(height, width, channels int) error {
	if m.features > 0 {
		return m.notImages()
	}
	if height != m.height || width != m.width || channels != m.channels {
		return fmt.Errorf("pucl: images of %d×%d×%d (height×width×channels), but this model embeds images of %d×%d×%d; "+
			"bring them to that size, or train a model on these", height, width, channels, m.height, m.width, m.channels)
	}
	return nil
}

// EmbedImages is [Model.Embed] for images that know their shape, which must be that of the model's. It reads some hundred at a
// time, so that images in files need not fit into memory.
func (m *Model) EmbedImages(eng *engine.Engine, images Images) (*Embedding, error) {
	none := errors.New("pucl: no images given to embed")
	if images == nil {
		return nil, none
	}
	if set, ok := images.(interface{ Validate() error }); ok { // as one in memory that was filled by hand
		if err := set.Validate(); err != nil {
			return nil, fmt.Errorf("pucl: %w", err)
		}
	}
	if err := m.CheckShape(images.Shape()); err != nil {
		return nil, err
	}
	n := images.Len()
	if n == 0 {
		return nil, none
	}
	size := imageBytes(m.shape())
	read := func(first int, to []uint8) error {
		for i := range len(to) / size {
			if err := images.ReadImage(first+i, to[i*size:(i+1)*size:(i+1)*size]); err != nil {
				return fmt.Errorf("pucl: reading image %d: %w", first+i, err)
			}
		}
		return nil
	}
	return embed(m, eng, n, read, []int{m.height, m.width, m.channels}, scalePixels)
}

// shape is that of the images that m embeds.
func (m *Model) shape() augment.Shape {
	return augment.Shape{Height: m.height, Width: m.width, Channels: m.channels}
}

// notImages says that m embeds no images.
func (m *Model) notImages() error {
	return fmt.Errorf("pucl: this model embeds rows of %d features, not images; use EmbedFeatures", m.features)
}

// imageBytes is how many bytes an image of that shape takes.
func imageBytes(s augment.Shape) int { return s.Height * s.Width * s.Channels }

// wholeImages is how many images pixels hold; it refuses a part of one, and none. The images are called what, such as
// "images" or "test images".
func wholeImages(pixels []uint8, what string, shape augment.Shape) (n int, err error) {
	size := imageBytes(shape)
	if len(pixels) == 0 || len(pixels)%size != 0 {
		return 0, fmt.Errorf("pucl: %d bytes are no whole number of %s of %d×%d×%d (height×width×channels), at least one; "+
			"each takes %d bytes", len(pixels), what, shape.Height, shape.Width, shape.Channels, size)
	}
	return len(pixels) / size, nil
}
