package pucl

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/augment"
)

// labeledRows is the shape of x; it refuses no rows, and rows with another number of labels, or of what else is known of each.
func labeledRows(x *mat.Dense, labels int, what string) (n, k int, err error) {
	if x == nil || x.IsEmpty() {
		return 0, 0, errors.New("pucl: no rows given; Model.Embed makes them of images")
	}
	if n, k = x.Dims(); n != labels {
		return 0, 0, fmt.Errorf("pucl: %d rows and %d %s; give one for each row, in the same order", n, labels, what)
	}
	return n, k, nil
}

// labeledImages refuses what wholeImages does, and images with another number of labels, or of what else is known of each.
func labeledImages(pixels []uint8, labels int, images, what string, shape augment.Shape) error {
	n, err := wholeImages(pixels, images, shape)
	if err == nil && n != labels {
		err = fmt.Errorf("pucl: %d %s of %d×%d×%d (height×width×channels) and %d %s; give one for each image, in the same order",
			n, images, shape.Height, shape.Width, shape.Channels, labels, what)
	}
	return err
}

// classesBelow refuses labels that are not numbers from 0 to classes−1 of what has them, such as "row".
func classesBelow(classes int, labels []int, what string) error {
	for i, class := range labels {
		if class < 0 || class >= classes {
			return fmt.Errorf("pucl: %s %d has class %d; %d classes are numbered from 0 to %d", what, i, class, classes, classes-1)
		}
	}
	return nil
}

// labeled refuses images with another number of labels, or of what else is known of each, before they are embedded.
func (m *Model) labeled(pixels []uint8, labels int, what string) error {
	if m.features > 0 {
		return m.notImages()
	}
	return labeledImages(pixels, labels, "images", what, m.shape())
}
