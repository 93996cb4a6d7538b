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

// Batches hands out the training batches. The batch of a step must depend on the step alone, not on what was asked before,
// so that training can resume at any step; datasets.Batches is one. It is asked for batches by another goroutine than the one
// that trains.
//
// A type that wraps batches to say something else of them in String, and hands out what they do, can have a method Unwrap() Batches that returns
// them: Pretrain then finds in them what the wrapper does not have, whether they are [ClassBatches] and whether they are [PairedBatches].
type Batches interface {
	// Batch returns b images, height×width×channels bytes each, and which of them are labeled positives, or why they cannot
	// be had.
	Batch(step int) (pixels []uint8, labeled []bool, err error)
	// ImageShape returns height, width and channels of every image.
	ImageShape() (height, width, channels int)
}

// ClassBatches is [Batches] that know the true class of every image, for objectives that look at classes, such as [pucl.SCL] and
// [pucl.TrueNegatives]. Pretrain then gives the objective the classes beside the labels; one that does not look at them trains the same.
type ClassBatches interface {
	Batches
	// Classes returns the classes of the images of [Batches].Batch(step), in their order.
	Classes(step int) ([]int32, error)
}

// PairedBatches is [Batches] whose second views are not of the images of Batch, but of images that are given: for pairs that come as pairs,
// and for positives that are false on purpose.
type PairedBatches interface {
	Batches
	// Seconds returns the images of which the second views of Batch(step) are made, as many and in its order.
	Seconds(step int) (pixels []uint8, err error)
}

// as returns batches, or those that they wrap, as a T if they are one.
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

// source is what pretraining needs to know of the examples, images or rows of features.
type source struct {
	example string // what one example is called
	data    string // what the batches say of themselves
	views   string // how views differ, in words

	batch     func(step int) (Batch, error)                            // its second input says which examples are labeled
	makeViews func(inputs []*Node) *Node                               // all first views, then all second ones and so on
	monitored func(Monitor) (*monitored, func([]*Node) []*Node, error) // the examples that are measured, and the graph of their views
}

// Pretrain trains an encoder and its projector with a contrastive loss, Algorithm 1A: two views of every image, the loss on
// the projections of all of them. How it ends early, and how it goes on, says [Run]: a batch that cannot be read, for
// instance, ends it with an error after a checkpoint is saved where there is a folder for it.
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

// classInput is the place of the classes among the inputs of a batch that has them.
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

// afterStep returns what a run by c does after every step, nil for nothing.
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

// readBatch returns a batch of at least two images, or why there is none.
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

// checkExamples returns an error if a batch has nothing to contrast.
func checkExamples(step, examples int) error {
	if examples >= 2 {
		return nil
	}
	return fmt.Errorf("train: batch %d is one of %d; contrast needs at least 2 examples, and so does batch normalization, whose statistics "+
		"are those of the batch: make batches larger", step, examples)
}

// describeViews says how the views of an image differ, and how many there are unless they are two.
func describeViews(c Config) string {
	if c.Views == 2 {
		return c.Recipe.String()
	}
	return fmt.Sprintf("%d of every image, %s", c.Views, c.Recipe)
}

// describeBatches returns what batches say of themselves, if anything, after a comma.
func describeBatches(batches any) string {
	if s, ok := batches.(fmt.Stringer); ok {
		return ", " + s.String()
	}
	return ""
}

// chance returns the loss of an encoder that maps everything to one point, with the labels, or where the objective looks at them the
// classes, of a batch. For most objectives it is [pucl.ChanceLevel].
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

// lossOf returns the loss of rows with those labels, or, where the objective cannot do without classes and there are some, with those.
func (c Config) lossOf(eng *engine.Engine, z [][]float64, labels []bool, classes []int32, tau float64) (float64, error) {
	loss, err := c.Objective.Value(eng, z, labels, tau)
	if err != nil && classes != nil {
		return c.Objective.ValueOfClasses(eng, z, classes, tau)
	}
	return loss, err
}

// projector returns the graph from views to their projections as training has it. Projections are never less than float32.
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

// startFrom gives the encoder the weights of the configuration, if there are any.
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
