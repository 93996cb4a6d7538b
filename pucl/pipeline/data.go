package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Data is positive and unlabeled examples: [Images] or [Features], or a pointer to either.
type Data interface {
	value() Data // Images or Features
	check() (examples int, err error)
	labeled() []bool
	hide(labels []bool) (Data, error) // with batches in which these labels are hidden
	pretrain(ctx context.Context, eng *engine.Engine, config train.Config) (*train.Model, error)
	embed(eng *engine.Engine, m *train.Model) (*train.Embedding, error)
	pixels() ([]uint8, error) // of the examples, in memory
}

// Images are examples that are images.
type Images struct {
	Batches train.Batches // what the encoder learns from, such as datasets.Batches; [Fit], and what is held out, need none
	Images  train.Images
	Index   []int  // the image of each example, such as those of a datasets.PU; nil means that every image is one
	Labeled []bool // which of the examples are labeled positives

	// HideLabels returns batches of the data without the labels of the examples that hidden marks, for [CrossFit]; nil elsewhere.
	HideLabels func(hidden []bool) (train.Batches, error)
}

// Features are examples that are rows of features.
type Features struct {
	Batches train.FeatureBatches // what the encoder learns from, such as tabular.Batches; [Fit], and what is held out, need none
	X       *mat.Dense           // [n, d], a row for each example
	Labeled []bool               // which of the examples are labeled positives

	// HideLabels returns batches of the data without the labels of the rows that hidden marks, for [CrossFit]; nil elsewhere.
	HideLabels func(hidden []bool) (train.FeatureBatches, error)
}

// plain returns Images or Features where data are one of them, a pointer to one, or a type that embeds one.
func plain(data Data) (Data, error) {
	images, pointsToImages := data.(*Images)
	features, pointsToFeatures := data.(*Features)
	if err := cmp.Or(
		fault.If(data == nil, "no data; give Images or Features"),
		fault.If(pointsToImages && images == nil || pointsToFeatures && features == nil, "no data, as the pointer is nil; give Images or Features"),
	); err != nil {
		return nil, err
	}
	return data.value(), nil
}

// check returns data as Images or Features, or an error if the stages after pretraining cannot go with them and config.
func check(data Data, config Config) (Data, error) {
	data, err := checkStages(data, config)
	if err != nil {
		err = fmt.Errorf("pipeline: %w", err)
	}
	return data, err
}

// checkStages is check without the name of the package.
func checkStages(data Data, config Config) (Data, error) {
	data, err := plain(data)
	if err != nil {
		return nil, err
	}
	n, err := data.check()
	if err != nil {
		return nil, err
	}
	positive, unlabeled := rows.Split(data.labeled())
	_, features := data.(Features)
	return data, cmp.Or(
		fault.If(len(data.labeled()) != n, "%d examples and %d entries in Labeled; give one for each, in the same order", n, len(data.labeled())),
		fault.If(len(positive) == 0 || len(unlabeled) == 0, "%d labeled and %d unlabeled examples; at least one of each is needed: mark in Labeled "+
			"those that are known to be positive, and no others", len(positive), len(unlabeled)),
		fault.If(config.Space != EncoderOutputs && config.Space != Projections, "there is no %v; cluster EncoderOutputs or Projections", config.Space),
		fault.If(features && config.FineTune != nil, "fine-tuning takes images; leave FineTune nil for features"),
	)
}

func (d Images) value() Data { return d }

func (d Images) check() (int, error) {
	if d.Images == nil {
		return 0, errors.New("no images given; set Images to those of a loader")
	}
	if set, ok := d.Images.(interface{ Validate() error }); ok { // as one in memory that was filled by hand
		if err := set.Validate(); err != nil {
			return 0, err
		}
	}
	n := d.Images.Len()
	if d.Batches != nil {
		h, w, c := d.Images.Shape()
		bh, bw, bc := d.Batches.ImageShape()
		if [3]int{h, w, c} != [3]int{bh, bw, bc} {
			return 0, fmt.Errorf("images of %d×%d×%d (height×width×channels), but batches of images of %d×%d×%d; both must be of one size",
				h, w, c, bh, bw, bc)
		}
	}
	if d.Index == nil {
		return n, d.checkSpread(n, func(i int) int { return i })
	}
	for i, image := range d.Index {
		if image < 0 || image >= n {
			return 0, fmt.Errorf("example %d is image %d; %d images are numbered from 0 to %d", i, image, n, n-1)
		}
	}
	return len(d.Index), d.checkSpread(len(d.Index), func(i int) int { return d.Index[i] })
}

// checkSpread returns an error if several examples are given and all are one image. It reads images until one differs.
func (d Images) checkSpread(examples int, image func(example int) int) error {
	height, width, channels := d.Images.Shape()
	first, other := make([]uint8, height*width*channels), make([]uint8, height*width*channels)
	for i := range examples {
		if err := d.Images.ReadImage(image(i), other); err != nil {
			return fmt.Errorf("reading image %d: %w", image(i), err)
		}
		if i == 0 {
			copy(first, other)
		} else if !bytes.Equal(first, other) {
			return nil
		}
	}
	return fault.If(examples > 1, "all %d images are the same, so that nothing tells them apart; give images that differ", examples)
}

func (d Images) labeled() []bool { return d.Labeled }

func (d Images) pretrain(ctx context.Context, eng *engine.Engine, config train.Config) (*train.Model, error) {
	if d.Batches == nil {
		return nil, errNoBatches
	}
	return train.Pretrain(ctx, eng, d.Batches, config)
}

func (d Images) embed(eng *engine.Engine, m *train.Model) (*train.Embedding, error) {
	all, err := m.EmbedImages(eng, d.Images)
	if err != nil || d.Index == nil {
		return all, err
	}
	return all.Take(d.Index)
}

func (d Images) pixels() ([]uint8, error) {
	height, width, channels := d.Images.Shape()
	size := height * width * channels
	out := make([]uint8, len(d.Labeled)*size)
	for i := range d.Labeled {
		image := i
		if d.Index != nil {
			image = d.Index[i]
		}
		if err := d.Images.ReadImage(image, out[i*size:(i+1)*size]); err != nil {
			return nil, fmt.Errorf("reading image %d: %w", image, err)
		}
	}
	return out, nil
}

func (d Features) value() Data { return d }

func (d Features) check() (int, error) {
	if d.X == nil || d.X.IsEmpty() {
		return 0, errors.New("no rows of features given; set X to at least one")
	}
	n, columns := d.X.Dims()
	if d.Batches != nil && d.Batches.Features() != columns {
		return 0, fmt.Errorf("rows of %d features, but batches of rows of %d; both must have the same columns", columns, d.Batches.Features())
	}
	if err := rows.CheckFinite(d.X); err != nil {
		return 0, err
	}
	return n, cmp.Or(rows.CheckSpread(d.X), checkFloat32(d.X))
}

// checkFloat32 returns an error if the rows of x are not finite, or all the same, in float32, in which encoders compute.
func checkFloat32(x *mat.Dense) error {
	n, _ := x.Dims()
	first, differ := x.RawRowView(0), false
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if math.Abs(v) > math.MaxFloat32 {
				return fmt.Errorf("feature %d of row %d is %g, which is too large for float32, in which encoders compute; scale the features down", j, i, v)
			}
			differ = differ || float32(v) != float32(first[j])
		}
	}
	return fault.If(!differ, "all %d rows are the same in float32, in which encoders compute; bring the features to mean 0 and standard deviation 1", n)
}

func (d Features) labeled() []bool { return d.Labeled }

func (d Features) pretrain(ctx context.Context, eng *engine.Engine, config train.Config) (*train.Model, error) {
	if d.Batches == nil {
		return nil, errNoBatches
	}
	return train.PretrainFeatures(ctx, eng, d.Batches, config)
}

func (d Features) embed(eng *engine.Engine, m *train.Model) (*train.Embedding, error) {
	return m.EmbedFeatures(eng, d.X)
}

func (d Features) pixels() ([]uint8, error) { return nil, errors.New("features have no pixels") }

var errNoBatches = errors.New("no Batches to learn from; datasets.NewBatches makes them of a PU data set")
