package datasets

import (
	"errors"
	"fmt"

	"github.com/puclab/puclab/datasets/internal/check"
)

// Images is a set of images of one size, each with a class.
//
// Image i has class Labels[i], a number below len(Classes), and Classes names the classes. Pixels holds 8-bit values,
// 0 to 255, image by image, each row by row from the top, each pixel with its Channels values side by side: the layout
// [Len, Height, Width, Channels], often called NHWC. Code that fills the fields by hand can call Validate.
type Images struct {
	Height, Width, Channels int
	Pixels                  []uint8
	Labels                  []int
	Classes                 []string
}

// Len returns the number of images.
func (m *Images) Len() int { return len(m.Labels) }

// At returns the Height × Width × Channels pixels of image i. The slice is a view: writing to it changes the set.
// Like an index into a slice, an i outside [0, Len) panics.
func (m *Images) At(i int) []uint8 { return imageAt(m.Pixels, i, m.imageSize()) }

// Counts returns the number of images of each class, one per entry of Classes.
func (m *Images) Counts() []int {
	counts := make([]int, len(m.Classes))
	for _, class := range m.Labels {
		counts[class]++
	}
	return counts
}

// String returns the number, the size and the classes of the images in one line.
func (m *Images) String() string {
	return fmt.Sprintf("%d images of %d×%d×%d (height×width×channels) in %d classes",
		m.Len(), m.Height, m.Width, m.Channels, len(m.Classes))
}

// Select returns a new set with copies of the images numbered by rows, in that order. A number may occur twice; one
// outside [0, Len) is an error. The new set shares the slice Classes with m.
func (m *Images) Select(rows []int) (*Images, error) {
	size := m.imageSize()
	out := &Images{Height: m.Height, Width: m.Width, Channels: m.Channels, Classes: m.Classes,
		Pixels: make([]uint8, 0, len(rows)*size), Labels: make([]int, 0, len(rows))}
	for _, row := range rows {
		if row < 0 || row >= m.Len() {
			return nil, fmt.Errorf("datasets: cannot select image %d: the set has %d images, numbered from 0", row, m.Len())
		}
		out.Pixels = append(out.Pixels, m.At(row)...)
		out.Labels = append(out.Labels, m.Labels[row])
	}
	return out, nil
}

// Validate returns an error that names the first inconsistency, or nil. Sizes must be positive, Pixels must hold
// exactly Len images, and every label must have a class. A set of no images is valid.
func (m *Images) Validate() error {
	if m == nil {
		return errors.New("datasets: no images given (the pointer is nil); give those of a loader")
	}
	if m.Height < 1 || m.Width < 1 || m.Channels < 1 {
		return errImageShape(m.Height, m.Width, m.Channels)
	}
	switch size, ok := check.Product(m.Height, m.Width, m.Channels); {
	case !ok || len(m.Pixels)%size != 0:
		return fmt.Errorf("datasets: %d pixel values are no whole number of images of %d×%d×%d (height×width×channels): "+
			"give the size that they have", len(m.Pixels), m.Height, m.Width, m.Channels)
	case len(m.Pixels)/size != m.Len():
		return fmt.Errorf("datasets: %d images of %d×%d×%d (height×width×channels), but %d labels: give one for each image, "+
			"in the same order", len(m.Pixels)/size, m.Height, m.Width, m.Channels, m.Len())
	}
	return check.Labels("datasets: image", m.Labels, len(m.Classes))
}

// errImageShape returns the error for an impossible image shape.
func errImageShape(height, width, channels int) error {
	return fmt.Errorf("datasets: images of %d×%d×%d (height×width×channels): every size must be at least 1", height, width, channels)
}

// imageSize returns the number of bytes of an image.
func (m *Images) imageSize() int { return m.Height * m.Width * m.Channels }
