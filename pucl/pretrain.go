package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
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
	Batch(step int) (pixels []uint8, labeled []bool)
	// ImageShape returns height, width and channels of every image.
	ImageShape() (height, width, channels int)
}

// StreamedBatches is [Batches] whose images are read from somewhere in every step, which can fail;
// datasets.StreamedBatches is one.
type StreamedBatches interface {
	// ReadBatch returns what Batches.Batch does, or why it cannot be had.
	ReadBatch(step int) (pixels []uint8, labeled []bool, err error)
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
	Augment      augment.Config  // how views of gray images differ; for features the batches say it, and this must stay zero
	Recipe       augment.Recipe  // how views differ, instead of Augment; Normalise steps at its end are the encoder's task
	Encoder      encoder.Encoder // g_B; nil means encoder.SmallCNN{}, and for features encoder.MLP{}
	Projection   int             // length of a projection; 0 means 128
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

	// OnStep, if not nil, is called after every step.
	OnStep func(Progress)
}

// Progress is how far training is.
type Progress struct {
	Step, Steps int           // steps done, of how many
	Loss        float64       // of this step, in nats
	Views       int           // views learned from in this call
	Elapsed     time.Duration // of this call, compilation included
	Waited      time.Duration // of that for batches and the numbers of their views, while the engine had nothing to do
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
		c.Recipe = c.Augment.Recipe()
	}
	c.Recipe, _ = c.Recipe.Split()
	if c.Projection == 0 {
		c.Projection = 128
	}
	if c.CheckpointEvery == 0 {
		c.CheckpointEvery = 500
	}
	return c
}

// check tells what is wrong with c, defaults filled in, if anything.
func (c PretrainConfig) check() error {
	switch {
	case !(c.Tau > 0) || math.IsInf(c.Tau, 1):
		return fmt.Errorf("pucl: temperature τ = %g; it must be positive (0.5 is the paper's)", c.Tau)
	case c.Steps < 0 || c.Warmup < 0 || c.CheckpointEvery < 0 || c.Projection < 0:
		return fmt.Errorf("pucl: Steps %d, Warmup %d, CheckpointEvery %d, Projection %d: none may be negative", c.Steps, c.Warmup, c.CheckpointEvery, c.Projection)
	case !(c.LearningRate >= 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("pucl: learning rate %g; it must be a positive number", c.LearningRate)
	}
	if c.Optimizer != nil {
		if err := c.Optimizer.Check(); err != nil {
			return fmt.Errorf("pucl: %w", err)
		}
	}
	if err := c.schedule().Check(c.Steps); err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	return nil
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
// the loss on the projections of all of them. It stops when ctx is done, saving a checkpoint first where there is a folder
// for it, and when the loss is no longer finite; both are errors.
func Pretrain(ctx context.Context, eng *engine.Engine, batches Batches, config PretrainConfig) (*Model, error) {
	return PretrainStreamed(ctx, eng, alwaysRead{batches}, config)
}

// alwaysRead makes StreamedBatches of Batches.
type alwaysRead struct{ Batches }

func (b alwaysRead) ReadBatch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels, labeled = b.Batch(step)
	return pixels, labeled, nil
}

// PretrainStreamed is [Pretrain] on images that are read while it trains. A batch that cannot be read ends training with
// its error, after a checkpoint is saved where there is a folder for it: mend what is wrong, and the run goes on from there.
func PretrainStreamed(ctx context.Context, eng *engine.Engine, batches StreamedBatches, config PretrainConfig) (*Model, error) {
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
			pixels, labeled, err := batches.ReadBatch(step)
			if err != nil {
				return nil, 0, fmt.Errorf("pucl: batch %d: %w", step, err)
			}
			b := len(labeled)
			if b < 2 || len(pixels) != b*size {
				return nil, 0, fmt.Errorf("pucl: batch %d holds %d labels and %d bytes of pixels; %d×%d×%d images need at least 2 labels and %d bytes for each",
					step, b, len(pixels), height, width, channels, size)
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
	})
}

// checkEngine refuses an engine that is not there.
func checkEngine(eng *engine.Engine) error {
	if eng == nil || eng.Backend == nil {
		return errors.New("pucl: no engine; open one with engine.Open")
	}
	return nil
}

// feed is what training needs to know of the batches.
type feed struct {
	// inputs returns what a step's graph takes, and the number of examples.
	inputs func(step int) (inputs []any, examples int, err error)
	// views is the graph that makes two views of every example of it, first all first ones and then all second ones.
	views func(inputs []*Node) (views, labeled *Node)
}

// train is the loop of training, whatever the batches hold. Its configuration has its defaults filled in.
func (m *Model) train(ctx context.Context, eng *engine.Engine, c PretrainConfig, from feed) (*Model, error) {
	encoder.SetSeed(m.store, c.Seed)
	resume, err := openCheckpoint(m, eng, c.Objective, c.Checkpoint)
	if err != nil {
		return nil, err
	}
	if resume.step == 0 {
		if err := m.startFrom(eng, c); err != nil {
			return nil, err
		}
	}
	exec, err := model.NewExec(eng.Backend, m.store, m.trainingStep(c, from))
	if err != nil {
		return nil, fmt.Errorf("pucl: building the training step: %w", err)
	}
	defer exec.Finalize()

	start := time.Now()
	views, waited := 0, time.Duration(0)
	for step := resume.step; step < c.Steps; step++ {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("pucl: training stopped after %d of %d steps: %w", step, c.Steps, errors.Join(ctx.Err(), resume.save(m, step)))
		}
		asked := time.Now()
		inputs, b, err := from.inputs(step)
		if err != nil {
			return nil, errors.Join(err, resume.save(m, step))
		}
		waited += time.Since(asked)
		loss, err := exec.Call1(append(inputs, float32(c.rate(step)))...)
		if err != nil {
			return nil, fmt.Errorf("pucl: step %d: %w", step, err)
		}
		value := float64(tensors.ToScalar[float32](loss))
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("pucl: the loss is %g at step %d (seed %d); a lower learning rate than %g or a higher τ than %g may mend it",
				value, step, c.Seed, c.LearningRate, c.Tau)
		}
		m.Losses = append(m.Losses, value)
		views += 2 * b
		if (step+1)%c.CheckpointEvery == 0 && step+1 < c.Steps {
			if err := resume.save(m, step+1); err != nil {
				return nil, err
			}
		}
		if c.OnStep != nil {
			c.OnStep(Progress{Step: step + 1, Steps: c.Steps, Loss: value, Views: views, Elapsed: time.Since(start), Waited: waited})
		}
	}
	if err := resume.save(m, c.Steps); err != nil {
		return nil, err
	}
	return m, m.dropOptimizer()
}

// trainingStep is the graph of one step: inputs to views, views to projections, projections to the loss, the loss to new
// weights.
func (m *Model) trainingStep(c PretrainConfig, from feed) func(scope *model.Scope, inputs []*Node) *Node {
	return func(scope *model.Scope, inputs []*Node) *Node {
		last := len(inputs) - 1
		views, labeled := from.views(inputs[:last])
		_, projections := m.graph(scope, views, true)
		loss := c.Objective.Loss(Views{Z: projections, Labeled: labeled}, c.Tau)

		optimizer.LearningRateVar(scope, dtypes.Float32, c.LearningRate).SetNodeValue(inputs[last])
		var update optimizer.Interface = optimizer.Adam().Done()
		if c.Optimizer != nil {
			update = c.Optimizer
		}
		update.UpdateGraph(scope, loss.Graph(), loss)
		return loss
	}
}

// scalePixels turns bytes into numbers in [0, 1].
func scalePixels(pixels *Node) *Node {
	return MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255)
}
