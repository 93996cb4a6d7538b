package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// Batches hands out the training batches. The batch of a step must depend on the step alone, not on what was asked before,
// so that training can resume at any step; datasets.Batches is one.
type Batches interface {
	// Batch returns b images, height×width×channels bytes each, and which of them are labeled positives.
	Batch(step int) (pixels []uint8, labeled []bool, err error)
	// ImageShape returns height, width and channels of every image.
	ImageShape() (height, width, channels int)
}

// PretrainConfig says how to train an encoder. The zero value trains [PUCL] with the defaults named below.
type PretrainConfig struct {
	Objective    Objective       // the loss; without terms it is PUCL
	Tau          float64         // temperature τ; 0 means 0.5
	Steps        int             // batches to learn from; 0 means 1000
	LearningRate float64         // at its height; 0 means 0.001, or what Optimizer names
	Warmup       int             // steps in which the rate rises from 0, before it falls to 0 as a half cosine; 0 means Steps/20
	Optimizer    optim.Optimizer // nil means gomlx's Adam
	Schedule     optim.Schedule  // of the rate; nil means optim.Cosine{Warmup: Warmup}
	Recipe       augment.Recipe  // how views differ; nil means augment.CropJitter{}; Normalize steps at its end are the encoder's task
	Encoder      encoder.Encoder // g_B; nil means encoder.SmallCNN{}, and for features encoder.MLP{}
	Projection   int             // length of a projection; 0 means 128
	Compute      Compute         // how the work is done: devices, precision, memory against time
	Seed         uint64          // of weights and views; batches have their own

	// Weights, if not nil, are what the encoder starts from, by the names and in the layouts of PyTorch: the Tensors of a
	// safetensors.File, or Model.Weights. Names that begin with one of LeaveOut are not looked at, "fc." for the last layer of
	// a ResNet of torchvision's.
	Weights  map[string]safetensors.Tensor
	LeaveOut []string

	// Checkpoint is a folder to save to, and to resume from where it already holds a checkpoint of the same
	// configuration; "" means none. A resumed run gives the same numbers as one that was never interrupted. Encoders of
	// one's own and data are told apart by what their String says, and objectives by name and by their loss on a small
	// batch: give what changed in other ways a folder of its own.
	Checkpoint      string
	CheckpointEvery int // steps between checkpoints; 0 means 500

	Watch    Watch          // what is measured while training goes on; it changes none of its numbers
	OnStep   func(Progress) // called after every step; may be nil
	Observer Observer       // told of the start, of every step and of the end; lab.Progress shows them to a person; may be nil
}

// withDefaults fills in the zero fields save for the encoder, which depends on the data.
func (c PretrainConfig) withDefaults() PretrainConfig {
	if c.Objective.Attract == nil && c.Objective.Repel == nil {
		c.Objective = PUCL()
	}
	if c.Tau == 0 {
		c.Tau = 0.5
	}
	if c.Steps == 0 {
		c.Steps = 1000
	}
	if c.LearningRate == 0 {
		c.LearningRate = 1e-3
		if c.Optimizer != nil {
			c.LearningRate = c.Optimizer.PeakRate()
		}
	}
	if c.Warmup == 0 {
		c.Warmup = max(c.Steps/20, 1)
	}
	if c.Recipe == nil {
		c.Recipe = augment.Recipe{augment.CropJitter{}}
	}
	c.Recipe, _ = c.Recipe.Split()
	if c.Projection == 0 {
		c.Projection = 128
	}
	if c.CheckpointEvery == 0 {
		c.CheckpointEvery = 500
	}
	c.Watch = c.Watch.withDefaults()
	return c
}

// check tells what is wrong with c, defaults filled in, if anything.
func (c PretrainConfig) check() error {
	switch {
	case !(c.Tau > 0) || math.IsInf(c.Tau, 1):
		return fmt.Errorf("pucl: temperature τ = %g; it divides the similarities and must be a positive number (0 means 0.5, the paper's)", c.Tau)
	case c.Steps < 0 || c.Warmup < 0 || c.CheckpointEvery < 0 || c.Projection < 0:
		return fmt.Errorf("pucl: Steps %d, Warmup %d, CheckpointEvery %d, Projection %d: none may be negative, and 0 means the default", c.Steps, c.Warmup, c.CheckpointEvery, c.Projection)
	case !(c.LearningRate >= 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("pucl: learning rate %g; it must be a positive number (0 means 0.001, or what the Optimizer names)", c.LearningRate)
	}
	if c.Optimizer != nil {
		if err := c.Optimizer.Check(); err != nil {
			return fmt.Errorf("pucl: %w", err)
		}
	}
	if err := c.schedule().Check(c.Steps); err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	return errors.Join(c.Compute.Check(), c.Watch.check())
}

// schedule is the schedule of the rate, the default where none was given: linear warm-up, then a half cosine that ends at 0.
func (c PretrainConfig) schedule() optim.Schedule {
	if c.Schedule == nil {
		return optim.Cosine{Warmup: c.Warmup}
	}
	return c.Schedule
}

// rate is the learning rate of a step.
func (c PretrainConfig) rate(step int) float64 {
	return c.schedule().Rate(c.LearningRate, step, c.Steps)
}

// Pretrain trains an encoder and its projector with a contrastive loss, Algorithm 1A: two views of every image,
// the loss on the projections of all of them.
//
// It ends early with a [Stopped] when ctx is done, saving a checkpoint first where there is a folder for it, and with a
// [Diverged] when the loss, the gradient or the weights are no longer finite, leaving the last checkpoint as it is. A run
// that was stopped or killed, at any moment, goes on from its last checkpoint when it is asked for again, and gives the same
// numbers as one that was never interrupted, bit for bit on the same engine.
//
// A batch that cannot be read ends training with its error, after a checkpoint is saved where there is a folder for it: mend
// what is wrong, and the run goes on from there.
func Pretrain(ctx context.Context, eng *engine.Engine, batches Batches, config PretrainConfig) (*Model, error) {
	c := config.withDefaults()
	if c.Encoder == nil {
		c.Encoder = encoder.SmallCNN{}
	}
	if err := errors.Join(c.check(), checkEngine(eng)); err != nil {
		return nil, err
	}
	height, width, channels := batches.ImageShape()
	shape := augment.Shape{Height: height, Width: width, Channels: channels}
	if _, err := c.Recipe.Check(shape); err != nil {
		return nil, fmt.Errorf("pucl: %w", err)
	}
	m := newModel(c.Encoder, c.Projection, height, width, channels)
	m.Record = newRecord(eng, describe(batches), c.describe(c.Recipe.String()))
	size := height * width * channels
	return m.train(ctx, eng, c, feed{
		inputs: func(step int) ([]any, int, error) {
			pixels, labeled, err := batches.Batch(step)
			if err != nil {
				return nil, 0, fmt.Errorf("pucl: batch %d: %w", step, err)
			}
			b := len(labeled)
			if len(pixels) != b*size {
				return nil, 0, wrongBatch(step, b, len(pixels), height, width, channels)
			}
			if b < 2 {
				return nil, 0, smallBatch(step, b)
			}
			numbers, err := c.Recipe.Draw(rand.New(rand.NewPCG(c.Seed, uint64(step))), shape, 2*b)
			if err != nil {
				return nil, 0, fmt.Errorf("pucl: batch %d: %w", step, err)
			}
			return []any{
				tensors.FromFlatDataAndDimensions(pixels, b, height, width, channels),
				tensors.FromFlatDataAndDimensions(labeled, b),
				tensors.FromFlatDataAndDimensions(numbers, 2*b, c.Recipe.Numbers()),
			}, b, nil
		},
		views: func(inputs []*Node) (views, labeled *Node) {
			images := scalePixels(inputs[0])
			return c.Recipe.Apply(Concatenate([]*Node{images, images}, 0), inputs[2]), inputs[1]
		},
		watched: func(w Watch) (*watched, looks, error) { return watchedImages(w, c.Seed, c.Recipe, batches) },
		example: "image",
	})
}

// wrongBatch says that pixels and labels of a batch do not fit together.
func wrongBatch(step, labels, pixels, height, width, channels int) error {
	return fmt.Errorf("pucl: batch %d holds %d labels and %d bytes of pixels, but images of %d×%d×%d (height×width×channels) take %d bytes for each label; "+
		"do ImageShape and Batch speak of the same images?", step, labels, pixels, height, width, channels, height*width*channels)
}

// smallBatch says that a batch has nothing to contrast.
func smallBatch(step, examples int) error {
	return fmt.Errorf("pucl: batch %d is one of %d; contrast needs at least 2 examples, and so does batch normalisation, whose statistics "+
		"are those of the batch: make batches larger", step, examples)
}

// checkEngine refuses an engine that is not there.
func checkEngine(eng *engine.Engine) error {
	if eng == nil || eng.Backend == nil {
		return errors.New("pucl: no engine; open one with engine.Open")
	}
	return nil
}

// scalePixels turns bytes into numbers in [0, 1].
func scalePixels(pixels *Node) *Node {
	return MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255)
}
