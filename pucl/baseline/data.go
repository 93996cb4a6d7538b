package baseline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Examples are [Images] or [Rows].
type Examples interface {
	check() (n int, err error)          // returns an error unless there is at least one example and all are valid
	shape() []int                       // of one example
	tensor(index []int) *tensors.Tensor // of the examples at index, one row each
	scale(x *Node) *Node                // converts such a tensor to the input of an encoder
	encoder() encoder.Encoder           // the default
	bytes() []byte                      // distinguish the examples from others of the same shape
	name() string                       // of one example
}

// Images are images of height×width×channels bytes each, one after the other.
type Images struct {
	Pixels []uint8
	Shape  augment.Shape
}

// Rows are rows of features [n, d], which should be standardized to mean 0 and standard deviation 1 first.
type Rows struct{ X *mat.Dense }

// Data holds examples, some of them labeled as positive.
type Data struct {
	Examples Examples
	Labeled  []bool // true for labeled positives, in the same order

	// SingleDataset means that the labeled positives were selected from the only sample, so that each example occurs
	// here once. The class prior is then that of all examples, and the unlabeled part of a batch is drawn from all of
	// them, including labeled ones. Methods treat labeled and unlabeled examples as two samples, the second one of all
	// data; the unlabeled ones alone would contain too few positives for that. Otherwise, in the case-control setting,
	// the unlabeled examples are the second sample.
	SingleDataset bool
}

// pools returns the numbers of the examples from which the two parts of a batch are drawn, or an error if d is invalid.
func (d Data) pools() (positive, unlabeled []int, err error) {
	n, err := checkExamples(d.Examples)
	if err != nil {
		return nil, nil, err
	}
	if len(d.Labeled) != n {
		return nil, nil, fmt.Errorf("baseline: %d examples and %d entries in Labeled; give one for each, in the same order",
			n, len(d.Labeled))
	}
	positive, unlabeled = rows.Split(d.Labeled)
	switch {
	case len(positive) == 0:
		return nil, nil, fmt.Errorf("baseline: none of %d examples is a labeled positive; mark at least one in Labeled", n)
	case len(unlabeled) == 0:
		return nil, nil, fmt.Errorf("baseline: all of %d examples are labeled positives; add unlabeled ones, "+
			"from which negatives can be learned", n)
	}
	if d.SingleDataset {
		unlabeled = rows.All(n)
	}
	return positive, unlabeled, nil
}

// checkSpread returns an error if all examples are the same.
func checkSpread(e Examples, n int) error {
	all := e.bytes()
	return fault.If(pixels.AllSame(all, len(all)/n), "baseline: all %d %ss are the same, so that nothing tells them apart; give %ss that differ", n, e.name(), e.name())
}

// checkExamples returns the number of examples, or an error if they are invalid.
func checkExamples(e Examples) (n int, err error) {
	if e == nil {
		return 0, errors.New("baseline: no examples; give Images or Rows")
	}
	if n, err = e.check(); err != nil {
		return 0, fmt.Errorf("baseline: %w", err)
	}
	return n, nil
}

func (x Images) check() (int, error) {
	if pixels.Bytes(x.Shape) <= 0 {
		return 0, fmt.Errorf("images of %s (height×width×channels); all three must be at least 1", x.Shape)
	}
	return pixels.Count(x.Pixels, "images", x.Shape)
}

func (x Images) shape() []int { return []int{x.Shape.Height, x.Shape.Width, x.Shape.Channels} }

func (x Images) tensor(index []int) *tensors.Tensor {
	picked := pixels.Pick(x.Pixels, index, pixels.Bytes(x.Shape))
	return tensors.FromFlatDataAndDimensions(picked, append([]int{len(index)}, x.shape()...)...)
}

func (Images) scale(x *Node) *Node      { return train.ScalePixels(x) }
func (Images) encoder() encoder.Encoder { return encoder.SmallCNN{} }
func (x Images) bytes() []byte          { return x.Pixels }
func (Images) name() string             { return "image" }

func (r Rows) check() (int, error) {
	if r.X == nil || r.X.IsEmpty() {
		return 0, errors.New("no rows given; embed or read at least one example")
	}
	n, _ := r.X.Dims()
	for i := range n {
		for j, v := range r.X.RawRowView(i) {
			if !(math.Abs(v) <= math.MaxFloat32) { // this form also rejects NaN
				return 0, fmt.Errorf("feature %d of row %d is %g; features must be finite numbers in the range of float32: "+
					"leave such rows out, or fill the gaps in first", j, i, v)
			}
		}
	}
	return n, nil
}

func (r Rows) shape() []int {
	_, d := r.X.Dims()
	return []int{d}
}

func (r Rows) tensor(index []int) *tensors.Tensor {
	_, d := r.X.Dims()
	flat := make([]float32, 0, len(index)*d)
	for _, i := range index {
		for _, v := range r.X.RawRowView(i) {
			flat = append(flat, float32(v))
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(index), d)
}

func (Rows) scale(x *Node) *Node      { return x }
func (Rows) encoder() encoder.Encoder { return encoder.MLP{} }
func (Rows) name() string             { return "row" }

func (r Rows) bytes() []byte {
	n, d := r.X.Dims()
	out := make([]byte, 0, 8*n*d)
	for i := range n {
		for _, v := range r.X.RawRowView(i) {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}
