package folder

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/puclab/puclab/datasets"
)

// Pixels returns the pixels of an image at the size and in the channels of c, as a [Set] reads them:
// height×width×channels bytes.
func (c Config) Pixels(img image.Image) ([]uint8, error) {
	c, err := c.withDefaults()
	switch {
	case err != nil:
		return nil, err
	case img == nil:
		return nil, errors.New("folder: no image; decode one, or use Decode for a file")
	case img.Bounds().Empty():
		return nil, fmt.Errorf("folder: an image of %d×%d pixels", img.Bounds().Dx(), img.Bounds().Dy())
	}
	height, width, channels := (&Set{cfg: c}).Shape()
	out := make([]uint8, height*width*channels)
	c.fit(out, img)
	return out, nil
}

// Decode returns the pixels of the image in one JPEG or PNG file, as a [Set] reads them. The limits of c hold.
func (c Config) Decode(file io.Reader) ([]uint8, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, errors.New("folder: no file to decode")
	}
	data, err := readLimited(file, c.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	img, err := c.decode(data)
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	return c.Pixels(img)
}

// LoadReadable is Load for folders in which some files may be broken: it returns the images that can be read, and the
// error of each file that cannot, in the order of the files. It is an error if no file can be read, or if ctx is
// canceled.
func (s *Set) LoadReadable(ctx context.Context) (images *datasets.Images, broken []error, err error) {
	failures := make([]error, s.Len())
	all, err := datasets.Collect(ctx, &lenient{s, failures}, s.Labels, s.Classes, 0)
	if err != nil {
		return nil, nil, err
	}
	var kept []int
	for i, failure := range failures {
		if failure != nil {
			broken = append(broken, failure)
			continue
		}
		kept = append(kept, i)
	}
	switch {
	case len(kept) == 0:
		return nil, broken, fmt.Errorf("folder: none of %d files can be read: %w", s.Len(), errors.Join(broken[:min(len(broken), 3)]...))
	case len(broken) == 0:
		return all, nil, nil
	}
	images, err = all.Select(kept)
	return images, broken, err
}

// lenient is a set that notes broken files instead of failing; their pixels stay 0.
type lenient struct {
	*Set
	failures []error // of each file
}

// ReadImage reads an image, or notes its error. Several goroutines may read different images.
func (l *lenient) ReadImage(i int, dst []uint8) error {
	l.failures[i] = l.Set.ReadImage(i, dst)
	if l.failures[i] != nil {
		clear(dst)
	}
	return nil
}

// ListBroken returns one error that lists the first 20 of several, and how many more there are; nil for none.
func ListBroken(broken []error) error {
	if len(broken) == 0 {
		return nil
	}
	shown := slices.Clone(broken[:min(len(broken), 20)])
	if more := len(broken) - len(shown); more > 0 {
		shown = append(shown, fmt.Errorf("and %d more", more))
	}
	return fmt.Errorf("%d files cannot be read:\n%w", len(broken), errors.Join(shown...))
}
