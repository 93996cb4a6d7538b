package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/pixels"
)

// Batches returns the training batches. The batch of a step must depend on the step alone, not on earlier calls, so
// that training can resume at any step; datasets.Batches implements it. Another goroutine than the training one calls
// it.
//
// A type that wraps batches to change only their String can have a method Unwrap() Batches that returns them. Pretrain
// then finds methods that the wrapper lacks in the wrapped batches: [ClassBatches] and [PairedBatches].
type Batches interface {
	// Batch returns b images, height×width×channels bytes each, and which of them are labeled positives, or an error.
	Batch(step int) (pixels []uint8, labeled []bool, err error)
	// ImageShape returns height, width and channels of every image.
	ImageShape() (height, width, channels int)
}

// ClassBatches is [Batches] with the true class of every image, for objectives that use classes, such as [pucl.SCL] and
// [pucl.TrueNegatives]. Pretrain then passes the classes to the objective beside the labels; they do not affect an
// objective that does not use them.
type ClassBatches interface {
	Batches
	// Classes returns the classes of the images of [Batches].Batch(step), in their order.
	Classes(step int) ([]int32, error)
}

// PairedBatches is [Batches] whose second views are made of other given images, not of the images of Batch: for data
// that consists of pairs, and for deliberately false positives.
type PairedBatches interface {
	Batches
	// Seconds returns the images for the second views of Batch(step), as many and in its order.
	Seconds(step int) (pixels []uint8, err error)
}

// as returns batches, or the batches that they wrap, as a T if one of them implements it.
func as[T Batches](batches Batches) (found T, ok bool) {
	for batches != nil {
		if found, ok = batches.(T); ok {
			return found, true
		}
		wrapper, wraps := batches.(interface{ Unwrap() Batches })
		if !wraps {
			break
		}
		batches = wrapper.Unwrap()
	}
	return found, false
}

// source describes the examples for pretraining, images or rows of features.
type source struct {
	example string // the word for one example
	data    string // the String of the batches
	views   string // a description of how views differ

	batch     func(step int) (Batch, error)                            // its second input holds the labels of the examples
	makeViews func(inputs []*Node) *Node                               // all first views, then all second ones and so on
	monitored func(Monitor) (*monitored, func([]*Node) []*Node, error) // the monitored examples, and the graph of their views
}

// Pretrain trains an encoder and its projector with a contrastive loss, Algorithm 1A: two views of every image, and the
// loss on the projections of all of them. [Run] documents how it ends early and resumes. For instance, an unreadable
// batch ends it with an error, after a checkpoint is saved if a folder is set.
func Pretrain(ctx context.Context, eng *engine.Engine, batches Batches, config Config) (*Model, error) {
	c := config.withDefaults()
	if c.Encoder == nil {
		c.Encoder = encoder.SmallCNN{}
	}
	if config.Recipe == nil {
		c.Recipe = augment.Recipe{augment.CropJitter{}}
	}
	if err := c.check(eng); err != nil {
		return nil, err
	}
	if batches == nil {
		return nil, errors.New("train: no batches of images; NewBatches of a data set makes some")
	}
	height, width, channels := batches.ImageShape()
	shape := augment.Shape{Height: height, Width: width, Channels: channels}
	if _, err := c.Recipe.Check(shape); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	read := func(step int) ([]uint8, []bool, error) { return readBatch(batches, step, shape) }
	views := c.Views
	paired, pairs := as[PairedBatches](batches)
	if pairs && views != 2 {
		return nil, fmt.Errorf("train: %d views of every image, of batches that tell of which images the second views are; leave Views 0", views)
	}
	return newModel(c.Encoder, c.Projection, shape, 0).pretrain(ctx, eng, c, source{
		example: "image",
		data:    fmt.Sprintf("images %d×%d×%d", height, width, channels) + describeBatches(batches),
		views:   describeViews(c),
		batch: func(step int) (Batch, error) {
			images, labeled, err := read(step)
			if err != nil {
				return Batch{}, err
			}
			b := len(labeled)
			numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed, uint64(step))), shape, views*b)
			if err != nil {
				return Batch{}, fmt.Errorf("train: batch %d: %w", step, err)
			}
			each := 1
			if pairs {
				seconds, err := paired.Seconds(step)
				if err == nil && len(seconds) != len(images) {
					err = fmt.Errorf("%d bytes of images for second views, and %d for first ones; there must be as many", len(seconds), len(images))
				}
				if err != nil {
					return Batch{}, fmt.Errorf("train: batch %d: %w", step, err)
				}
				images, each = slices.Concat(images, seconds), 2
			}
			out := Batch{Examples: b, Inputs: []*tensors.Tensor{
				tensors.FromFlatDataAndDimensions(images, each*b, height, width, channels),
				tensors.FromFlatDataAndDimensions(labeled, b),
				tensors.FromFlatDataAndDimensions(numbers, views*b, c.Recipe.Numbers()),
			}}
			known, ok := as[ClassBatches](batches)
			if !ok {
				return out, nil
			}
			class, err := known.Classes(step)
			if err == nil && len(class) != b {
				err = fmt.Errorf("%d classes of %d images; there must be one for each, in their order", len(class), b)
			}
			if err != nil {
				return Batch{}, fmt.Errorf("train: batch %d: %w", step, err)
			}
			out.Inputs = append(out.Inputs, tensors.FromFlatDataAndDimensions(class, b))
			return out, nil
		},
		makeViews: func(inputs []*Node) *Node {
			images := ScalePixels(inputs[0])
			if pairs {
				return c.Recipe.Apply(images, inputs[2])
			}
			return c.Recipe.Apply(Concatenate(slices.Repeat([]*Node{images}, views), 0), inputs[2])
		},
		monitored: func(monitor Monitor) (*monitored, func([]*Node) []*Node, error) {
			return monitoredImages(monitor, c.Seed, c.Recipe, shape, read)
		},
	})
}

// classInput is the index of the classes among the inputs of a batch with classes.
const classInput = 3

// pretrain trains m by a configuration whose defaults are filled in.
func (m *Model) pretrain(ctx context.Context, eng *engine.Engine, c Config, from source) (*Model, error) {
	m.Record = NewRecord(eng, from.data, c.describe(from.views))
	if n := c.Compute.devices(); n > 1 {
		m.Record.Hardware += fmt.Sprintf("; each batch split over %d devices", n)
	}
	task := Task{
		Store: m.store, Batch: from.batch, Networks: m.Networks(),
		Loss: func(projections *Node, inputs []*Node) *Node {
			v := pucl.Views{Z: projections, Labeled: inputs[1], Count: c.Views}
			if len(inputs) > classInput {
				v.Class = inputs[classInput]
			}
			return c.Objective.Loss(v, c.Tau)
		},
		Chance: func(first Batch) (float64, error) { return c.chance(eng, first) },
		Name:   "pretraining", Example: from.example, Data: from.data, Seed: c.Seed, Tau: c.Tau,
	}
	if c.Checkpoint != "" {
		var err error
		if task.Identity, err = c.identity(eng, from.data, from.views); err != nil {
			return nil, err
		}
	}
	readings, err := m.newReader(eng, c, from)
	if err != nil {
		return nil, err
	}
	defer readings.finalize()
	encoder.SetSeed(m.store, c.Seed)
	if err := m.startFrom(eng, c); err != nil {
		return nil, err
	}
	project := m.projector(c.Compute)
	task.Outputs = func(scope *model.Scope, inputs []*Node) *Node { return project(scope, from.makeViews(inputs)) }
	task.AfterStep, task.State = m.afterStep(c, readings), c.State
	history, err := Run(ctx, eng, task, c.settings())
	if err != nil {
		return nil, err
	}
	m.History, m.Record.Earlier = *history, history.Earlier
	return m, m.DropTraining()
}

// afterStep returns the function that a run by c calls after every step, nil for none.
func (m *Model) afterStep(c Config, readings *reader) func(done int) (*Reading, error) {
	read := readings.afterStep(c.settings().WithDefaults().Steps)
	if c.AfterStep == nil {
		return read
	}
	return func(done int) (reading *Reading, err error) {
		if read != nil {
			if reading, err = read(done); err != nil {
				return nil, err
			}
		}
		return reading, c.AfterStep(done, m)
	}
}

// readBatch returns a batch of at least two images, or an error.
func readBatch(batches Batches, step int, shape augment.Shape) ([]uint8, []bool, error) {
	images, labeled, err := batches.Batch(step)
	if err != nil {
		return nil, nil, fmt.Errorf("train: batch %d: %w", step, err)
	}
	if size := pixels.Bytes(shape); len(images) != len(labeled)*size {
		return nil, nil, fmt.Errorf("train: batch %d holds %d labels and %d bytes of pixels, but images of %d×%d×%d (height×width×channels) take "+
			"%d bytes for each label; do ImageShape and Batch speak of the same images?", step, len(labeled), len(images),
			shape.Height, shape.Width, shape.Channels, size)
	}
	return images, labeled, checkExamples(step, len(labeled))
}

// checkExamples returns an error if a batch has fewer than two examples.
func checkExamples(step, examples int) error {
	if examples >= 2 {
		return nil
	}
	return fmt.Errorf("train: batch %d is one of %d; contrast needs at least 2 examples, and so does batch normalization, whose statistics "+
		"are those of the batch: make batches larger", step, examples)
}

// describeViews describes the views of an image, with their number unless it is two.
func describeViews(c Config) string {
	if c.Views == 2 {
		return c.Recipe.String()
	}
	return fmt.Sprintf("%d of every image, %s", c.Views, c.Recipe)
}

// describeBatches returns ", " and the String of batches, "" without a String.
func describeBatches(batches any) string {
	if s, ok := batches.(fmt.Stringer); ok {
		return ", " + s.String()
	}
	return ""
}

// chance returns the loss of an encoder that maps everything to one point. It uses the labels of a batch or, if the
// objective requires them, the classes. For most objectives it is [pucl.ChanceLevel].
func (c Config) chance(eng *engine.Engine, first Batch) (float64, error) {
	labels, err := tensors.CopyFlatData[bool](first.Inputs[1])
	var classes []int32
	if err == nil && len(first.Inputs) > classInput {
		classes, err = tensors.CopyFlatData[int32](first.Inputs[classInput])
	}
	if err != nil {
		return 0, fmt.Errorf("train: reading the labels of a batch: %w", err)
	}
	return c.lossOf(eng, slices.Repeat([][]float64{{1}}, c.Views*first.Examples), labels, classes, c.Tau)
}

// lossOf returns the loss of rows with the given labels or, if the objective requires classes and some are given, with
// the classes.
func (c Config) lossOf(eng *engine.Engine, z [][]float64, labels []bool, classes []int32, tau float64) (float64, error) {
	loss, err := c.Objective.Value(eng, z, labels, tau)
	if err != nil && classes != nil {
		return c.Objective.ValueOfClasses(eng, z, classes, tau)
	}
	return loss, err
}

// projector returns the graph from views to their projections in training. Projections are at least float32.
func (m *Model) projector(c Compute) func(scope *model.Scope, views *Node) *Node {
	return func(scope *model.Scope, views *Node) *Node {
		_, projections := m.graph(scope, c.Prepare(views), true)
		for v := range scope.IterVariables() {
			if v.InUseByGraph(views.Graph()) && v.DType().IsFloat() && v.DType().Size() < dtypes.Float32.Size() {
				panic(fmt.Errorf("the encoder keeps variable %s in %s, which is too coarse to train; make variables with "+
					"encoder.Weight, or in float32", v.Path(), v.DType()))
			}
		}
		if projections.DType().Size() < dtypes.Float32.Size() {
			projections = ConvertDType(projections, dtypes.Float32)
		}
		return projections
	}
}

// startFrom sets the encoder's weights from the configuration, if given.
func (m *Model) startFrom(eng *engine.Engine, c Config) error {
	if c.Weights == nil {
		return nil
	}
	if m.features > 0 {
		return errors.New("train: Weights start encoders of images; leave them nil for features")
	}
	s := m.shape
	return named(encoder.LoadStateDict(eng.Backend, m.store, "/"+encoderScope, c.Encoder, s.Height, s.Width, s.Channels, c.Weights, c.LeaveOut...))
}
