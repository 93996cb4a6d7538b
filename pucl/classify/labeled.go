package classify

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/rows"
)

// LabeledImages are images of height×width×channels bytes each, one after the other, and what is known of each, in the same
// order: its class, or whether it is positive, or a labeled positive.
type LabeledImages[L bool | int] struct {
	Pixels []uint8
	Labels []L
}

// check returns an error if there are no images, a part of one, or another number of labels. The images are called what.
func (l LabeledImages[L]) check(what, labels string, shape augment.Shape) error {
	if err := pixels.CheckLabeled(l.Pixels, len(l.Labels), what, labels, shape); err != nil {
		return fmt.Errorf("classify: %w", err)
	}
	return nil
}

// LabeledRows are embeddings [n, k] and the class of each.
type LabeledRows struct {
	X      *mat.Dense
	Labels []int
}

// check returns the length of a row, or an error if the rows or their labels are missing or do not fit.
func (l LabeledRows) check(classes int, row, labels string) (k int, err error) {
	if _, k, err = rows.Check(l.X, len(l.Labels), labels); err != nil {
		return 0, err
	}
	return k, rows.CheckClasses(classes, l.Labels, row)
}
