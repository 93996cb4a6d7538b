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

// Config configures pretraining of an encoder. The zero value trains [pucl.PUCL] with the defaults named below.
type Config struct {
	Objective    pucl.Objective  // the loss; the zero value is PUCL
	Tau          float64         // temperature τ; 0 means 0.5
	Steps        int             // batches to train on; 0 means 1000
	LearningRate float64         // maximum rate; 0 means 0.001, or the default of Optimizer
	Optimizer    optim.Optimizer // nil means gomlx's Adam
	Schedule     optim.Schedule  // of the rate; nil means optim.Cosine{}: a warm-up, then a half cosine that ends at 0
	Recipe       augment.Recipe  // the augmentation of images; nil means the paper's for gray images. Feature batches return views
	Encoder      encoder.Encoder // g_B; nil means encoder.SmallCNN{}, and for features encoder.MLP{}
	Projection   int             // length of a projection; 0 means 128
	Views        int             // of every image in a batch, m; 0 means 2. Features have 2 views
	Compute      Compute         // devices, precision, memory against time
	Seed         uint64          // of weights and views; batches have their own

	// Weights, if not nil, are the initial weights of the encoder, by the names and in the layouts of PyTorch: the
	// Tensors of a safetensors.File, or Model.Weights. Names that begin with one of LeaveOut are ignored, "fc." for the
	// last layer of a ResNet of torchvision's.
	Weights  map[string]safetensors.Tensor
	LeaveOut []string

	// Checkpoint is a folder for checkpoints; the run resumes from a checkpoint of the same run found there; "" means
	// none. A resumed run gives the same numbers as an uninterrupted one, see [Run]; a checkpoint of another
	// configuration is an error that names the differing fields. User-defined encoders and data are compared by their
	// String, objectives by name and by their loss on a small batch. After any other change use a new folder.
	Checkpoint      string
	CheckpointEvery int  // steps between checkpoints; 0 means 500
	SameEnvironment bool // reject a checkpoint of another engine.Environment, instead of noting it

	Monitor  Monitor  // measurements during training; they change none of its numbers
	Observer Observer // called at the start, after every step and at the end; may be nil

	// AfterStep, if not nil, is called after every step with the number of steps done and the current model, for
	// measurements beyond Monitor. It may embed with the model and must not change it. Training pauses meanwhile, and
	// none of its numbers depend on it. An error ends the run after a checkpoint is saved. AfterStep stores its results
	// in State, as in [Task]: a resumed run gets State from its checkpoint, and AfterStep is called for the later
	// steps.
	AfterStep func(done int, m *Model) error
	State     any // nil, or a pointer to a value that gob can encode
}

// withDefaults fills in the zero fields, except fields that depend on the data or that [Settings] fill in.
func (c Config) withDefaults() Config {
	if o := c.Objective; o.Name == "" && o.Attract == nil && o.Repel == nil && o.Direct == nil && o.Whole == nil {
		c.Objective = pucl.PUCL()
	}
	c.Tau, c.Projection, c.Monitor.Examples = cmp.Or(c.Tau, 0.5), cmp.Or(c.Projection, 128), cmp.Or(c.Monitor.Examples, 512)
	c.Views = cmp.Or(c.Views, 2)
	c.Recipe, _ = c.Recipe.Split()
	return c
}

// Check returns an error if c is invalid on the engine for any data.
func (c Config) Check(eng *engine.Engine) error { return c.withDefaults().check(eng) }

// check returns an error if c, defaults filled in, is invalid on the engine.
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

// settings returns the settings of the training loop.
func (c Config) settings() Settings {
	return Settings{
		Steps: c.Steps, LearningRate: c.LearningRate, Optimizer: c.Optimizer, Schedule: c.Schedule, Compute: c.Compute,
		Checkpoint: c.Checkpoint, CheckpointEvery: c.CheckpointEvery, SameEnvironment: c.SameEnvironment, Observer: c.Observer,
	}
}

// identity holds everything that determines the numbers of pretraining, besides its settings.
type identity struct {
	Data          string // the String of the batches
	Objective     string
	ObjectiveLoss string // on a small batch: functions cannot be compared, but a changed one usually has another loss
	Tau           float64
	Views         string
	Encoder       string
	Projection    int
	Weights       string // digest of the initial weights of the encoder; "" for random ones
	LeaveOut      []string
	Seed          uint64
}

// identity returns the identity of a run by c on the given data.
func (c Config) identity(eng *engine.Engine, data, views string) (identity, error) {
	z := [][]float64{{1, 0, 0}, {0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {0.5, 0.5, 0.7}, {0.1, 0.9, -0.4}, {-0.3, 0.2, 0.9}, {0.7, -0.6, 0.3}}
	for view := 2; view < c.Views; view++ { // views of the same four examples
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

// describe returns, as text, every setting in c that the numbers depend on; views describes how views differ.
func (c Config) describe(views string) string {
	settings, network := c.settings().WithDefaults(), encoder.Describe(c.Encoder)
	if c.Weights != nil {
		network += fmt.Sprintf(" from %d given tensors", len(c.Weights))
	}
	return fmt.Sprintf("%s, τ %g, %d steps, %s; views: %s; encoder: %s; projection %d-d; seed %d",
		c.Objective.Name, c.Tau, settings.Steps, settings.Update(), views, network, c.Projection, c.Seed)
}
