package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/sample"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// FineTuneConfig configures further training of an encoder together with a linear head. The zero value trains all
// weights for 50 epochs on the images without augmentation.
type FineTuneConfig struct {
	// FreezeEncoder trains the head alone. With a Recipe this is a linear probe with new features in every step;
	// without one, [probe.Fit] on the embeddings does the same in a fraction of the time.
	FreezeEncoder bool

	// Head is the initial head; nil means zero. Fine-tuning usually keeps more of the encoder's representation if the
	// head was trained first, by [probe.Fit] or [probe.FitPU] on the [rows.Unit] of the embeddings.
	Head *probe.Probe

	// BatchStatistics normalizes by the mean and variance of each batch, and updates the running averages, as
	// pretraining does. Otherwise fine-tuning uses the running averages unchanged: the network is then trained as it
	// will be used, and the noisy statistics of small batches do no harm. An encoder gets this as the argument
	// training.
	BatchStatistics bool

	Epochs       int             // passes over the images; 0 means 50
	BatchSize    int             // images per step, at most all; 0 means 64
	LearningRate float64         // maximum rate; 0 means the default of Optimizer, else 0.001, or 0.05 with FreezeEncoder
	Optimizer    optim.Optimizer // nil means gomlx's Adam
	Schedule     optim.Schedule  // of the rate; nil means optim.Cosine{Warmup: -1}: it falls to 0 as a half cosine
	Recipe       augment.Recipe  // new views in every epoch, nil means none; the encoder handles Normalize steps at its end
	Seed         uint64          // of the order of the images and of their views

	// HeldOut is evaluated after every epoch of [FineTunePU]; nil means nothing is. It does not affect training.
	HeldOut *HeldOut

	// Keep is the epoch whose weights are returned: evaluate.LastEpoch or, with HeldOut, evaluate.WithoutNegatives.
	Keep evaluate.Choice

	// Checkpoint is a folder for checkpoints; the run resumes from a checkpoint of the same run found there; "" means
	// none. See [train.Config].
	Checkpoint      string
	CheckpointEvery int  // steps between checkpoints; 0 means 500
	SameEnvironment bool // reject a checkpoint of another engine.Environment, instead of noting it

	Observer train.Observer // called at the start, after every step and at the end; may be nil
}

// withDefaults fills in the zero fields for n images, except those that train.Settings fill in.
func (c FineTuneConfig) withDefaults(n int) FineTuneConfig {
	c.Epochs, c.BatchSize = cmp.Or(c.Epochs, 50), min(cmp.Or(c.BatchSize, 64), n)
	if c.LearningRate == 0 {
		switch {
		case c.Optimizer != nil:
			c.LearningRate = c.Optimizer.PeakRate()
		case c.FreezeEncoder:
			c.LearningRate = 0.05
		default:
			c.LearningRate = 1e-3
		}
	}
	if c.Schedule == nil {
		c.Schedule = optim.Cosine{Warmup: -1}
	}
	c.Recipe, _ = c.Recipe.Split()
	return c
}

// Check returns an error if c is invalid for images of height×width×channels.
func (c FineTuneConfig) Check(height, width, channels int) error {
	return c.withDefaults(math.MaxInt).check(augment.Shape{Height: height, Width: width, Channels: channels})
}

// check returns an error if c, defaults filled in, is invalid for images of that shape.
func (c FineTuneConfig) check(shape augment.Shape) error {
	switch {
	case c.Epochs < 0 || c.BatchSize < 1:
		return fmt.Errorf("classify: %d epochs of batches of %d images; there must be 1 or more of both, or 0 for the defaults", c.Epochs, c.BatchSize)
	case c.BatchStatistics && c.FreezeEncoder:
		return errors.New("classify: BatchStatistics moves the running averages of an encoder that FreezeEncoder keeps as it is; " +
			"choose one of them")
	case c.BatchStatistics && c.BatchSize < 2:
		return errors.New("classify: a batch of one image has no statistics to normalize by; leave BatchStatistics off, or take 2 images " +
			"or more a batch")
	case c.Keep == evaluate.WithoutNegatives && c.HeldOut == nil:
		return errors.New("classify: nothing to choose an epoch by; set HeldOut, or keep evaluate.LastEpoch")
	case c.Keep != evaluate.WithoutNegatives && c.Keep != evaluate.LastEpoch:
		return fmt.Errorf("classify: weights cannot be kept by the rule %q; use evaluate.LastEpoch or evaluate.WithoutNegatives", c.Keep)
	}
	if _, err := c.Recipe.Check(shape); err != nil {
		return fmt.Errorf("classify: %w", err)
	}
	return c.HeldOut.check(shape)
}

// settings returns the settings of the loop for n images.
func (c FineTuneConfig) settings(n int) train.Settings {
	return train.Settings{
		Steps: c.Epochs * (n / c.BatchSize), LearningRate: c.LearningRate, Optimizer: c.Optimizer, Schedule: c.Schedule,
		Checkpoint: c.Checkpoint, CheckpointEvery: c.CheckpointEvery, SameEnvironment: c.SameEnvironment, Observer: c.Observer,
	}
}

// String describes every setting that the numbers depend on.
func (c FineTuneConfig) String() string {
	what, norm := "encoder and head", "running statistics"
	if c.FreezeEncoder {
		what = "head alone"
	}
	if c.BatchStatistics {
		norm = "batch statistics"
	}
	return fmt.Sprintf("%s, %d epochs of batches of %d, %s; %s; views: %s; keeping: %s; seed %d",
		what, c.Epochs, c.BatchSize, train.Settings{LearningRate: c.LearningRate, Optimizer: c.Optimizer, Schedule: c.Schedule}.Update(),
		norm, c.Recipe, c.Keep, c.Seed)
}

// FineTune trains the encoder of m further, together with a linear head, to classify: by the cross-entropy, in nats, of
// images with their classes, 0 to classes−1. m is unchanged; the result holds a copy of it with the tuned encoder.
//
// The head takes encoder outputs scaled to length one, like a [Tuned]'s probe. For training they are shifted by their
// mean and divided by their spread, measured on m's embeddings of the images; the result folds this into the head.
// Every epoch passes over the images in a new random order and skips the last incomplete batch. [train.Run] documents
// how it ends early and resumes.
func FineTune(ctx context.Context, eng *engine.Engine, m *train.Model, data LabeledImages[int], classes int,
	config FineTuneConfig) (*Tuned, error) {
	if config.HeldOut != nil {
		return nil, errors.New("classify: HeldOut is for PU data; with classes, score the result on images of your own")
	}
	if classes < 2 {
		return nil, fmt.Errorf("classify: fine-tuning for %d classes; it takes 2 or more", classes)
	}
	if err := rows.CheckClasses(classes, data.Labels, "image"); err != nil {
		return nil, err
	}
	if config.Head != nil {
		if err := config.Head.Check(); err != nil {
			return nil, fmt.Errorf("classify: the head to start at: %w", err)
		}
		if has := len(config.Head.Bias); has != classes {
			return nil, fmt.Errorf("classify: the head to start at has %d classes, the data %d; start at one of as many, or at none", has, classes)
		}
	}
	n := len(data.Labels)
	t := finetuning{
		config: config, outputs: classes, images: data.Pixels, n: n,
		data:    fmt.Sprintf("%d images of %d classes", n, classes),
		loss:    probe.CrossEntropy,
		labels:  sample.Classes(data.Labels),
		batches: func(size int, rng *rand.Rand) func() []int { return sample.Shuffled(n, size, rng) },
	}
	return t.run(ctx, eng, m)
}

// FineTunePU is [FineTune] for positives against negatives, by a risk and its labels: risk.CrossEntropy on
// pseudo-labels, risk.NNPU and similar risks on "is a labeled positive". Every batch of 2 images or more holds the same
// share of true labels as the whole, rounded, and at least one. So rare labels, fewer than one per batch, get more
// weight. Labels of only one kind are an error. An initial head has one output, or the two of classes 0 and 1.
func FineTunePU(ctx context.Context, eng *engine.Engine, m *train.Model, data LabeledImages[bool], risk risk.Risk,
	config FineTuneConfig) (*Tuned, error) {
	if risk == nil {
		return nil, errors.New("classify: no risk to minimize; CrossEntropy on pseudo-labels, or NNPU on labeled positives, is one")
	}
	if config.Head != nil {
		err := config.Head.Check()
		if err == nil && len(config.Head.Bias) != 1 {
			config.Head, err = config.Head.Binary()
		}
		if err != nil {
			return nil, fmt.Errorf("classify: the head to start at: %w", err)
		}
	}
	if err := rows.CheckBoth(data.Labels); err != nil && len(data.Labels) > 0 { // missing labels are an error below
		return nil, err
	}
	positives, _ := rows.Split(data.Labels)
	n := len(data.Labels)
	t := finetuning{
		config: config, outputs: 1, images: data.Pixels, n: n,
		data:   fmt.Sprintf("%d images, %d of them labeled true", n, len(positives)),
		loss:   func(logits, labels *Node) *Node { return risk(Squeeze(logits, -1), labels) },
		labels: sample.Labels(data.Labels),
		batches: func(size int, rng *rand.Rand) func() []int {
			return sample.Stratified(data.Labels, size, rng)
		},
	}
	return t.run(ctx, eng, m)
}
