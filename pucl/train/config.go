package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// Config says how to pretrain an encoder. The zero value trains [pucl.PUCL] with the defaults named below.
type Config struct {
	Objective    pucl.Objective  // the loss; the zero value is PUCL
	Tau          float64         // temperature τ; 0 means 0.5
	Steps        int             // batches to learn from; 0 means 1000
	LearningRate float64         // at its height; 0 means 0.001, or what Optimizer names
	Optimizer    optim.Optimizer // nil means gomlx's Adam
	Schedule     optim.Schedule  // of the rate; nil means optim.Cosine{}: a warm-up, then a half cosine that ends at 0
	Recipe       augment.Recipe  // how two views of an image differ; nil means the paper's for gray images. Features come as views
	Encoder      encoder.Encoder // g_B; nil means encoder.SmallCNN{}, and for features encoder.MLP{}
	Projection   int             // length of a projection; 0 means 128
	Views        int             // of every image in a batch, m; 0 means 2. Features come in 2
	Compute      Compute         // how the work is done: devices, precision, memory against time
	Seed         uint64          // of weights and views; batches have their own

	// Weights, if not nil, are what the encoder starts from, by the names and in the layouts of PyTorch: the Tensors of a
	// safetensors.File, or Model.Weights. Names that begin with one of LeaveOut are not looked at, "fc." for the last layer of
	// a ResNet of torchvision's.
	Weights  map[string]safetensors.Tensor
	LeaveOut []string

	// Checkpoint is a folder to save to, and to resume from where it already holds a checkpoint of the same run; "" means
	// none. A resumed run gives the same numbers as one that was never interrupted, see [Run], and one of another configuration
	// is refused with the fields that differ. Encoders of one's own and data are told apart by what their String says, and
	// objectives by name and by their loss on a small batch: give what changed in other ways a folder of its own.
	Checkpoint      string
	CheckpointEvery int  // steps between checkpoints; 0 means 500
	SameEnvironment bool // do not go on from a checkpoint of another engine.Environment, instead of noting it

	Monitor  Monitor  // what is measured while training goes on; it changes none of its numbers
	Observer Observer // is told of the start, of every step and of the end; may be nil

	// AfterStep, if not nil, is called after every step with the number of steps done and the model as it stands, for what a
	// Monitor does not measure. It may embed by the model and must not change it; training stands still meanwhile, and none of its
	// numbers depend on it. An error ends the run after a checkpoint is saved. What it gathers belongs into State, as in [Task]:
	// a run that goes on from a checkpoint gets State from there, and AfterStep sees the steps after it.
	AfterStep func(done int, m *Model) error
	State     any // nil, or a pointer to what gob can encode
}

// withDefaults fills in the zero fields but those that depend on the data or that [Settings] fill in.
func (c Config) withDefaults() Config {
	if o := c.Objective; o.Name == "" && o.Attract == nil && o.Repel == nil && o.Direct == nil && o.Whole == nil {
		c.Objective = pucl.PUCL()
	}
	c.Tau, c.Projection, c.Monitor.Examples = cmp.Or(c.Tau, 0.5), cmp.Or(c.Projection, 128), cmp.Or(c.Monitor.Examples, 512)
	c.Views = cmp.Or(c.Views, 2)
	c.Recipe, _ = c.Recipe.Split()
	return c
}

// Check returns an error if no training on the engine can follow c, whatever the data.
func (c Config) Check(eng *engine.Engine) error { return c.withDefaults().check(eng) }

// check returns an error if c, defaults filled in, cannot be followed on the engine.
func (c Config) check(eng *engine.Engine) error {
	switch {
	case !(c.Tau > 0) || math.IsInf(c.Tau, 1):
		return fmt.Errorf("train: temperature τ = %g; it divides the similarities and must be a positive number (0 means 0.5, the paper's)", c.Tau)
	case c.Views < 2:
		return fmt.Errorf("train: Views %d of every image; contrast needs 2 or more, and 0 means 2", c.Views)
	case c.Projection < 0:
		return fmt.Errorf("train: Projection %d; it must not be negative, and 0 means 128", c.Projection)
	}
	settings := c.settings().WithDefaults()
	return errors.Join(c.Objective.Check(), settings.check(), c.Monitor.check(), settings.checkFor(eng))
}

// settings returns how the loop trains.
func (c Config) settings() Settings {
	return Settings{
		Steps: c.Steps, LearningRate: c.LearningRate, Optimizer: c.Optimizer, Schedule: c.Schedule, Compute: c.Compute,
		Checkpoint: c.Checkpoint, CheckpointEvery: c.CheckpointEvery, SameEnvironment: c.SameEnvironment, Observer: c.Observer,
	}
}

// identity is what the numbers of pretraining follow from, beside its settings.
type identity struct {
	Data          string // what the batches say of themselves
	Objective     string
	ObjectiveLoss string // on a small batch: functions cannot be compared, but one that was changed mostly has another loss
	Tau           float64
	Views         string
	Encoder       string
	Projection    int
	Weights       string // digest of those that the encoder starts from; "" where they are drawn
	LeaveOut      []string
	Seed          uint64
}

// identity returns what identifies a run by c on that data.
func (c Config) identity(eng *engine.Engine, data, views string) (identity, error) {
	z := [][]float64{{1, 0, 0}, {0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {0.5, 0.5, 0.7}, {0.1, 0.9, -0.4}, {-0.3, 0.2, 0.9}, {0.7, -0.6, 0.3}}
	for view := 2; view < c.Views; view++ { // of the same four examples
		for _, row := range z[:4] {
			shift := view % 3
			z = append(z, append(slices.Clone(row[shift:]), row[:shift]...))
		}
	}
	loss, err := c.lossOf(eng, z, []bool{true, true, false, false}, []int32{1, 1, 0, 2}, 0.5)
	if err != nil {
		return identity{}, err
	}
	return identity{
		Data: data, Objective: c.Objective.Name, ObjectiveLoss: fmt.Sprintf("%.6g", loss), Tau: c.Tau, Views: views,
		Encoder: encoder.Describe(c.Encoder), Projection: c.Projection, Weights: weightsDigest(c.Weights), LeaveOut: c.LeaveOut, Seed: c.Seed,
	}, nil
}

// describe names, for people, everything in c that the numbers depend on; views says how they differ.
func (c Config) describe(views string) string {
	settings, network := c.settings().WithDefaults(), encoder.Describe(c.Encoder)
	if c.Weights != nil {
		network += fmt.Sprintf(" from %d given tensors", len(c.Weights))
	}
	return fmt.Sprintf("%s, τ %g, %d steps, %s; views: %s; encoder: %s; projection %d-d; seed %d",
		c.Objective.Name, c.Tau, settings.Steps, settings.Update(), views, network, c.Projection, c.Seed)
}
