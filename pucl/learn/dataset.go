package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/rows"
)

// Dataset is a set of examples of one kind: images, or rows of a table. Either Pixels and Shape are set, or Table is.
type Dataset struct {
	Pixels []uint8       // of the images, n·height·width·channels bytes, image by image
	Shape  augment.Shape // of one image
	Table  *tabular.Frame

	// Labeled marks the labeled positives [n]. All other examples are unlabeled. A data set used only for prediction
	// needs no labels.
	Labeled []bool

	// CaseControl states that the labeled positives were sampled separately, so that the unlabeled examples alone are a
	// sample of the population. By default the labeled positives were selected from one sample (the single-data-set
	// setting).
	CaseControl bool

	// Truth is the true class of each example, true for positive; nil if unknown. No method gets it; it is for
	// evaluation only.
	Truth []bool

	// Files states how image files are scaled to Shape, so that a classifier can read files of any size; nil if pixels
	// were given.
	Files *folder.Config

	// Skipped lists the errors of skipped input, such as broken files, if the caller asked to skip it.
	Skipped []error
}

// Len returns the number of examples.
func (d *Dataset) Len() int {
	if d.Table != nil {
		return d.Table.Len()
	}
	if size := pixels.Bytes(d.Shape); size > 0 {
		return len(d.Pixels) / size
	}
	return 0
}

// Validate returns an error that names inconsistent fields, or nil. It does not require labels.
func (d *Dataset) Validate() error {
	if d == nil {
		return errors.New("learn: no data set; pu.OpenFolder, OpenTable, Images and Features make one")
	}
	var err error
	switch {
	case d.Table != nil && len(d.Pixels) > 0:
		err = errors.New("both Pixels and Table are set; a data set holds images or rows, not both")
	case d.Table != nil:
		err = d.Table.Validate()
	case pixels.Bytes(d.Shape) <= 0:
		err = fmt.Errorf("images of %s (height×width×channels); all three must be at least 1", d.Shape)
	default:
		_, err = pixels.Count(d.Pixels, "images", d.Shape)
	}
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	n, kind := d.Len(), d.kind()
	return errors.Join(
		fault.If(d.Labeled != nil && len(d.Labeled) != n, "learn: %d %s, but %d entries in Labeled; give one for each",
			n, kind, len(d.Labeled)),
		fault.If(d.Truth != nil && len(d.Truth) != n, "learn: %d %s, but %d entries in Truth; give one for each, or "+
			"nil", n, kind, len(d.Truth)),
	)
}

// Encode returns the examples for methods, and the encoding of rows: gaps filled, categories as indicators,
// standardized. The encoding is nil for images.
func (d *Dataset) Encode() (Data, *tabular.Encoding, error) {
	if err := d.Validate(); err != nil {
		return Data{}, nil, err
	}
	out := Data{Pixels: d.Pixels, Shape: d.Shape, Labeled: slices.Clone(d.Labeled), CaseControl: d.CaseControl}
	if d.Table == nil {
		return out, nil, nil
	}
	encoding, err := tabular.NewEncoding(d.Table)
	if err == nil {
		out.X, err = encoding.Rows(d.Table)
	}
	return out, encoding, err
}

// Select returns a data set with copies of the given examples, in that order.
func (d *Dataset) Select(index []int) (*Dataset, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	for _, i := range index {
		if i < 0 || i >= d.Len() {
			return nil, fmt.Errorf("learn: example %d of %d; examples are numbered from 0 to %d", i, d.Len(), d.Len()-1)
		}
	}
	if len(index) == 0 {
		return nil, errors.New("learn: no example selected; give the number of at least one")
	}
	out := &Dataset{Shape: d.Shape, CaseControl: d.CaseControl, Files: d.Files}
	if d.Labeled != nil {
		out.Labeled = rows.Pick(d.Labeled, index)
	}
	if d.Truth != nil {
		out.Truth = rows.Pick(d.Truth, index)
	}
	if d.Table == nil {
		out.Pixels = pixels.Pick(d.Pixels, index, pixels.Bytes(d.Shape))
		return out, nil
	}
	var err error
	out.Table, err = d.Table.Select(index)
	return out, err
}

// kind returns the word for the examples, in the plural.
func (d *Dataset) kind() string {
	if d.Table != nil {
		return fmt.Sprintf("rows of %d columns", len(d.Table.Columns))
	}
	return fmt.Sprintf("images of %s", d.Shape)
}

// String returns the number of examples, their kind and how many are labeled.
func (d *Dataset) String() string {
	text := fmt.Sprintf("%d %s", d.Len(), d.kind())
	if d.Labeled != nil {
		positive, unlabeled := rows.Split(d.Labeled)
		text += fmt.Sprintf(", %d labeled positives and %d unlabeled", len(positive), len(unlabeled))
	}
	if len(d.Skipped) > 0 {
		text += fmt.Sprintf(", %d skipped", len(d.Skipped))
	}
	return text
}

// Data holds the examples for a method: without a true class. Either Pixels and Shape are set, or X is.
type Data struct {
	Pixels      []uint8
	Shape       augment.Shape
	X           *mat.Dense // [n, d], numbers only: encoded, without gaps, standardized
	Labeled     []bool     // [n]
	CaseControl bool
}

// Images reports whether the examples are images.
func (d Data) Images() bool { return d.X == nil }

// Counts returns the numbers of labeled positives and of unlabeled examples.
func (d Data) Counts() (positive, unlabeled int) {
	p, u := rows.Split(d.Labeled)
	return len(p), len(u)
}

// Check returns an error if the data are unsuitable for every method.
func (d Data) Check() error {
	positive, unlabeled := rows.Split(d.Labeled)
	var err error
	n := len(d.Labeled)
	switch {
	case d.X != nil && len(d.Pixels) > 0:
		err = errors.New("both Pixels and X are set; give images or rows, not both")
	case d.X != nil:
		if n, _ = d.X.Dims(); n > 0 {
			err = cmp.Or(rows.CheckFinite(d.X), checkFloat32(d.X), rows.CheckSpread(d.X))
		}
	case pixels.Bytes(d.Shape) <= 0:
		err = fmt.Errorf("images of %s (height×width×channels); all three must be at least 1", d.Shape)
	default:
		n, err = pixels.Count(d.Pixels, "images", d.Shape)
	}
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	return cmp.Or(
		fault.If(d.Labeled != nil && len(d.Labeled) != n, "learn: %d examples, but %d entries in Labeled; give one for each",
			n, len(d.Labeled)),
		fault.If(len(positive) == 0 || len(unlabeled) == 0, "learn: %d labeled positives and %d unlabeled examples; "+
			"training needs at least one of each: mark the examples that are known to be positive in Labeled, and no "+
			"others", len(positive), max(len(unlabeled), n-len(positive))),
		fault.If(d.Images() && n > 1 && pixels.AllSame(d.Pixels, pixels.Bytes(d.Shape)),
			"learn: all %d images are identical; give images that differ", n),
	)
}

// checkFloat32 returns an error if a number is too large for float32, the precision of encoders.
func checkFloat32(x *mat.Dense) error {
	n, _ := x.Dims()
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if math.Abs(v) > math.MaxFloat32 {
				return fmt.Errorf("feature %d of row %d is %g, which is too large for float32, in which encoders compute; "+
					"scale the features down", j, i, v)
			}
		}
	}
	return nil
}

// UnlabeledScores returns the scores of the unlabeled examples in ascending order.
func (d Data) UnlabeledScores(scores []float64) []float64 {
	_, unlabeled := rows.Split(d.Labeled)
	out := rows.Pick(scores, unlabeled)
	slices.Sort(out)
	return out
}
