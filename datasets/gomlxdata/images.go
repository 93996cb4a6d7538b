package gomlxdata

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/puclab/puclab/datasets"
)

// Images is a set of images with its true classes as a data set of GoMLX: a train.Dataset of one pass.
type Images struct {
	from *datasets.Images
	size int
}

// FromImages returns a data set of images, in their order, with size images per batch and the rest in the last one.
// Each batch has one input, the pixels, Uint8 [n, height, width, channels], and one label, the classes, Int32 [n]. It
// is an error if the images are not valid or size is below 1.
func FromImages(images *datasets.Images, size int) (*Images, error) {
	if err := images.Validate(); err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, fmt.Errorf("gomlxdata: a batch of %d images: give at least 1", size)
	}
	return &Images{from: images, size: size}, nil
}

// Name returns the description of the images.
func (d *Images) Name() string { return d.from.String() }

// ShortName returns "img".
func (d *Images) ShortName() string { return "img" }

// Iter returns the batches.
func (d *Images) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		m := d.from
		imageSize := m.Height * m.Width * m.Channels
		for first := 0; first < m.Len(); first += d.size {
			n := min(d.size, m.Len()-first)
			classes := make([]int32, n)
			for i := range classes {
				classes[i] = int32(m.Labels[first+i])
			}
			pixels := m.Pixels[first*imageSize : (first+n)*imageSize]
			if !yield(batch(pixels, classes, m.Height, m.Width, m.Channels), nil) {
				return
			}
		}
	}
}

// ToImages reads a data set of GoMLX to its end, into images whose classes have the given names. The first input of
// every batch must be the pixels, [n, height, width, channels] of one size: Uint8, or Float32 or Float64 from 0 to 1,
// which must be close to multiples of 1/255. The first label must be the classes, [n] or [n, 1], of an integer type.
// ToImages takes over the tensors and frees them.
func ToImages(ds train.Dataset, classes []string) (*datasets.Images, error) {
	out := &datasets.Images{Classes: classes}
	batches := 0
	for batch, err := range ds.Iter() {
		if err == nil {
			err = appendBatch(out, batch)
			err = errors.Join(err, batch.Finalize())
		}
		if err != nil {
			return nil, fmt.Errorf("gomlxdata: batch %d of %s: %w", batches, ds.Name(), err)
		}
		batches++
	}
	if batches == 0 {
		return nil, fmt.Errorf("gomlxdata: %s has no batches", ds.Name())
	}
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("gomlxdata: %s: %w", ds.Name(), err)
	}
	return out, nil
}

func appendBatch(out *datasets.Images, batch train.Batch) error {
	if len(batch.Inputs) == 0 || len(batch.Labels) == 0 {
		return fmt.Errorf("%d inputs and %d labels: pixels and classes are needed", len(batch.Inputs), len(batch.Labels))
	}
	input, label := batch.Inputs[0], batch.Labels[0]
	dims := input.Shape().Dimensions
	if len(dims) != 4 {
		return fmt.Errorf("pixels of shape %v: want [n, height, width, channels]", dims)
	}
	if out.Height == 0 {
		out.Height, out.Width, out.Channels = dims[1], dims[2], dims[3]
	}
	switch d := label.Shape().Dimensions; {
	case dims[1] != out.Height || dims[2] != out.Width || dims[3] != out.Channels:
		return fmt.Errorf("images of %d×%d×%d after some of %d×%d×%d", dims[1], dims[2], dims[3],
			out.Height, out.Width, out.Channels)
	case len(d) == 0 || d[0] != dims[0] || label.Shape().Size() != dims[0]:
		return fmt.Errorf("classes of shape %v for %d images: want [%d]", d, dims[0], dims[0])
	}
	pixels, pixelsErr := pixelsOf(input)
	labels, labelsErr := intsOf(label)
	if err := cmp.Or(pixelsErr, labelsErr); err != nil {
		return err
	}
	out.Pixels = append(out.Pixels, pixels...)
	out.Labels = append(out.Labels, labels...)
	return nil
}

func pixelsOf(t *tensors.Tensor) ([]uint8, error) {
	switch t.DType() {
	case dtypes.Uint8:
		return tensors.CopyFlatData[uint8](t)
	case dtypes.Float32:
		return fromFloats[float32](t)
	case dtypes.Float64:
		return fromFloats[float64](t)
	}
	return nil, fmt.Errorf("pixels of type %v: want Uint8, or Float32 or Float64 from 0 to 1", t.DType())
}

// nearPixel is the largest distance of a value from a multiple of 1/255, in units of 1/255: enough for float32, too
// small for other scales.
const nearPixel = 1e-3

func fromFloats[F float32 | float64](t *tensors.Tensor) ([]uint8, error) {
	values, err := tensors.CopyFlatData[F](t)
	if err != nil {
		return nil, err
	}
	pixels := make([]uint8, len(values))
	for i, v := range values {
		scaled := float64(v) * 255
		nearest := math.Round(scaled)
		if !(math.Abs(scaled-nearest) <= nearPixel && nearest >= 0 && nearest <= 255) { // also rejects NaN
			return nil, fmt.Errorf("pixel value %v: want 255ths from 0 to 1, without normalization", v)
		}
		pixels[i] = uint8(nearest)
	}
	return pixels, nil
}

// intsOf returns the numbers of a tensor of any integer type.
func intsOf(t *tensors.Tensor) (numbers []int, err error) {
	if !t.DType().IsInt() {
		return nil, fmt.Errorf("classes of type %v: want an integer type", t.DType())
	}
	err = t.ConstFlatData(func(flat any) {
		values := reflect.ValueOf(flat)
		for i := range values.Len() {
			// A number that is too large becomes negative, which is not a class.
			numbers = append(numbers, int(values.Index(i).Convert(reflect.TypeFor[int]()).Int()))
		}
	})
	return numbers, err
}
