package contrast

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/train"
)

// source holds the examples and makes the batches for encoders.
type source struct {
	data   learn.Data
	config train.Config
	given  *train.Model // instead of pretraining; may be nil

	images func(hidden []bool) (train.Batches, error)        // of images, else nil
	rows   func(hidden []bool) (train.FeatureBatches, error) // of rows, else nil
}

// source returns the examples with the functions that make their batches.
func (p Pretraining) source(data learn.Data, run learn.Run) (*source, error) {
	p = p.For(data)
	p.Batch.Seed, p.Config.Seed = run.Seed, run.Seed
	if run.Checkpoint != "" {
		p.Config.Checkpoint = filepath.Join(run.Checkpoint, "pretraining")
	}
	s := &source{data: data, config: p.Config, given: p.Network, images: p.ImageBatches, rows: p.RowBatches}
	if s.given != nil || s.images != nil || s.rows != nil {
		return s, nil
	}
	split, order, err := splitOf(data, run.Seed)
	if err != nil {
		return nil, err
	}
	if data.Images() {
		images := &datasets.Images{
			Height: data.Shape.Height, Width: data.Shape.Width, Channels: data.Shape.Channels,
			Pixels: data.Pixels, Labels: classesOf(data), Classes: split.Classes,
		}
		s.images = without(split, order, func(split *datasets.Split) (train.Batches, error) {
			return datasets.NewSourceBatches(images, split, p.Batch)
		})
		return s, nil
	}
	table := &tabular.Table{Features: data.X, Labels: classesOf(data), Classes: split.Classes}
	corruption, err := tabular.NewCorruption(data.X, p.Corruption)
	if err != nil {
		return nil, err
	}
	s.rows = without(split, order, func(split *datasets.Split) (train.FeatureBatches, error) {
		return tabular.NewBatches(table, split, corruption, p.Batch)
	})
	return s, nil
}

// classesOf returns class 0 for labeled and 1 for unlabeled examples.
func classesOf(data learn.Data) []int {
	classes := make([]int, len(data.Labeled))
	for i, labeled := range data.Labeled {
		if !labeled {
			classes[i] = 1
		}
	}
	return classes
}

// splitOf returns the examples as a split, and the place in the split of each example.
func splitOf(data learn.Data, seed uint64) (split *datasets.Split, place []int, err error) {
	positive, _ := data.Counts()
	split, err = datasets.NewSplit(classesOf(data), []string{"labeled", "unlabeled"}, datasets.SplitConfig{
		Positive: []int{0}, Labeled: positive, Unknown: []int{1}, Setting: datasets.SingleDataset, Seed: seed,
	})
	if err != nil {
		return nil, nil, err
	}
	place = make([]int, len(split.Index))
	for i, example := range split.Index {
		place[example] = i
	}
	return split, place, nil
}

// without returns a function that makes the batches of a split without some of its labels.
func without[B any](split *datasets.Split, place []int, batches func(*datasets.Split) (B, error)) func([]bool) (B,
	error) {
	return func(hidden []bool) (none B, err error) {
		if hidden == nil {
			return batches(split)
		}
		marks := make([]bool, len(hidden))
		for i, hide := range hidden {
			marks[place[i]] = hide
		}
		some, err := split.HideLabels(marks)
		if err != nil {
			return none, err
		}
		return batches(some)
	}
}

// errNoBatches is the error of a function that returns no batches.
var errNoBatches = errors.New("ImageBatches or RowBatches returned no batches and no error; let it return one of the two")

// pretrain trains an encoder without the labels of the hidden examples, by config.
func (s *source) pretrain(ctx context.Context, eng *engine.Engine, hidden []bool, config train.Config) (*train.Model,
	error) {
	if s.given != nil {
		return s.given, nil
	}
	if s.images != nil {
		batches, err := s.images(hidden)
		if err != nil {
			return nil, err
		}
		if batches == nil {
			return nil, errNoBatches
		}
		shape := s.data.Shape
		height, width, channels := batches.ImageShape()
		if err := fault.If(shape.Height != height || shape.Width != width || shape.Channels != channels, "images of "+
			"%s (height×width×channels), but batches of images of %d×%d×%d; both must be of one size", shape, height,
			width, channels); err != nil {
			return nil, err
		}
		if hidden != nil {
			batches = imagesWithout{batches, describeHidden(batches, hidden)}
		}
		return train.Pretrain(ctx, eng, batches, config)
	}
	batches, err := s.rows(hidden)
	if err != nil {
		return nil, err
	}
	if batches == nil {
		return nil, errNoBatches
	}
	if _, columns := s.data.X.Dims(); columns != batches.Features() {
		return nil, fmt.Errorf("rows of %d features, but batches of rows of %d; both must have the same columns", columns,
			batches.Features())
	}
	if hidden != nil {
		batches = rowsWithout{batches, describeHidden(batches, hidden)}
	}
	return train.PretrainFeatures(ctx, eng, batches, config)
}

// embed embeds the examples of data, images or rows.
func embed(eng *engine.Engine, m *train.Model, data learn.Data) (*train.Embedding, error) {
	if !data.Images() {
		return m.EmbedFeatures(eng, data.X)
	}
	if err := m.CheckShape(data.Shape.Height, data.Shape.Width, data.Shape.Channels); err != nil {
		return nil, err
	}
	return m.Embed(eng, data.Pixels)
}

// addEncoder pretrains an encoder without the labels of the hidden examples, and embeds all examples.
func (s *source) addEncoder(ctx context.Context, eng *engine.Engine, f *Fitted, hidden []bool) error {
	m, err := s.pretrain(ctx, eng, hidden, s.config)
	if err != nil {
		return err
	}
	e, err := embed(eng, m, s.data)
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	f.Networks, f.Embeddings = append(f.Networks, m), append(f.Embeddings, e)
	return nil
}

// imagesWithout and rowsWithout are batches with some labels hidden, and a description of these. Checkpoints are
// identified by the description of the batches: a checkpoint of an encoder trained on a label must not pass for one
// without it.
type (
	imagesWithout struct {
		train.Batches
		description string
	}
	rowsWithout struct {
		train.FeatureBatches
		description string
	}
)

// String describes the batches for a record, and for checkpoints.
func (b imagesWithout) String() string { return b.description }

// Unwrap returns the wrapped batches; [train.Pretrain] finds their classes and pairs there.
func (b imagesWithout) Unwrap() train.Batches { return b.Batches }

// String describes the batches for a record, and for checkpoints.
func (b rowsWithout) String() string { return b.description }

// describeHidden returns the String of batches with a digest of the hidden labels.
func describeHidden(batches any, hidden []bool) string {
	marks, count := make([]byte, len(hidden)), 0
	for i, hide := range hidden {
		if hide {
			marks[i] = 1
			count++
		}
	}
	text := fmt.Sprintf("labels of %d examples hidden (%.4x)", count, sha256.Sum256(marks))
	if s, ok := batches.(fmt.Stringer); ok {
		text = s.String() + "; " + text
	}
	return text
}
