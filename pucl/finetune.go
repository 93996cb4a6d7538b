package pucl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
)

// FineTuneConfig says how to train an encoder further, together with a linear head. The zero value trains all weights for 50
// epochs on the images as they are.
type FineTuneConfig struct {
	// FreezeEncoder trains the head alone. With a Recipe this is a linear probe whose features are new in every step;
	// without one, [FitClassProbe] on the embeddings does the same in a fraction of the time.
	FreezeEncoder bool

	// Head is where the head starts; nil means at zero. Fine-tuning mostly keeps more of what the encoder knows when the
	// head was trained first: by [FitClassProbe] on the [UnitRows] of the embeddings, or, for [FineTunePU], by [FitProbe] and
	// then [Probe.Classes].
	Head *ClassProbe

	// BatchStatistics normalises by the mean and variance of each batch, and moves the running averages along, as
	// pretraining does. Otherwise fine-tuning uses the running averages and leaves them as they are: the network is then
	// trained as it will be used, and small batches, which have rough statistics, do no harm. An encoder gets it as the
	// argument training.
	BatchStatistics bool

	Epochs       int             // passes over the images; 0 means 50
	BatchSize    int             // images a step, at most all there are; 0 means 64
	LearningRate float64         // at its height; 0 means what Optimizer names, else 0.001, or 0.05 with FreezeEncoder
	Optimizer    optim.Optimizer // nil means gomlx's Adam
	Schedule     optim.Schedule  // of the rate; nil means optim.Cosine{Warmup: -1}: it falls to 0 as a half cosine
	Recipe       augment.Recipe  // new views in every epoch, nil means none; Normalize steps at its end are the encoder's task
	Seed         uint64          // of the order of the images and of their views

	// HeldOut is measured after every epoch of [FineTunePU]; nil means nothing is. It does not change what is learned.
	HeldOut *HeldOut

	// Keep is the epoch whose weights are returned: evaluate.LastEpoch or, with HeldOut, evaluate.WithoutNegatives.
	Keep evaluate.Choice

	OnStep   func(Progress) // called after every step; may be nil
	Observer Observer       // told of the start, of every step and of the end; lab.Progress shows them to a person; may be nil
}

// withDefaults fills in the zero fields for n images.
func (c FineTuneConfig) withDefaults(n int) FineTuneConfig {
	if c.Epochs == 0 {
		c.Epochs = 50
	}
	if c.BatchSize == 0 {
		c.BatchSize = 64
	}
	c.BatchSize = min(c.BatchSize, n)
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

// steps is the number of steps for n images.
func (c FineTuneConfig) steps(n int) int { return c.Epochs * (n / c.BatchSize) }

// check tells what is wrong with c, defaults filled in, for n images of that shape, if anything.
func (c FineTuneConfig) check(n int, shape augment.Shape) error {
	switch {
	case c.Epochs < 0 || c.BatchSize < 1:
		return fmt.Errorf("pucl: %d epochs of batches of %d images; there must be 1 or more of both, or 0 for the defaults",
			c.Epochs, c.BatchSize)
	case c.BatchStatistics && c.FreezeEncoder:
		return errors.New("pucl: BatchStatistics moves the running averages of an encoder that FreezeEncoder keeps as it is; " +
			"choose one of them")
	case c.BatchStatistics && c.BatchSize < 2:
		return errors.New("pucl: a batch of one image has no statistics to normalise by; leave BatchStatistics off, or take 2 images " +
			"or more a batch")
	case !(c.LearningRate >= 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("pucl: learning rate %g; it must be a positive number", c.LearningRate)
	case c.Keep == evaluate.WithoutNegatives && c.HeldOut == nil:
		return errors.New("pucl: nothing to choose an epoch by; set HeldOut, or keep evaluate.LastEpoch")
	case c.Keep != evaluate.WithoutNegatives && c.Keep != evaluate.LastEpoch:
		return fmt.Errorf("pucl: weights cannot be kept by the rule %q; use evaluate.LastEpoch or evaluate.WithoutNegatives", c.Keep)
	}
	if c.Optimizer != nil {
		if err := c.Optimizer.Check(); err != nil {
			return fmt.Errorf("pucl: %w", err)
		}
	}
	if err := c.Schedule.Check(c.steps(n)); err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	if _, err := c.Recipe.Check(shape); err != nil {
		return fmt.Errorf("pucl: %w", err)
	}
	return nil
}

// String names everything that the numbers depend on.
func (c FineTuneConfig) String() string {
	what, norm, update := "encoder and head", "running statistics", "Adam"
	if c.FreezeEncoder {
		what = "head alone"
	}
	if c.BatchStatistics {
		norm = "batch statistics"
	}
	if c.Optimizer != nil {
		update = c.Optimizer.String()
	}
	return fmt.Sprintf("%s, %d epochs of batches of %d, %s, rate up to %g, %s; %s; views: %s; keeping: %s; seed %d",
		what, c.Epochs, c.BatchSize, update, c.LearningRate, c.Schedule, norm, c.Recipe, c.Keep, c.Seed)
}

// FineTune trains the encoder of m further, together with a linear head, to tell classes apart: by the cross-entropy, in nats,
// of images of height×width×channels bytes each with their classes, 0 to classes−1. m stays as it is; the result holds a copy
// of it whose encoder is the tuned one.
//
// The head reads encoder outputs scaled to length one, as a [Classifier]'s probe does. For training they are shifted by their
// mean and divided by their spread, as m embeds the images, which is folded back in the end. Every epoch goes through the
// images in a new random order; those that fill no batch are left out. It ends early with a [Stopped] when ctx is done, and
// with an error when the loss or what it has learned is no longer finite. Unlike [Pretrain] it saves nothing on the way: run
// again, it starts anew.
func FineTune(ctx context.Context, eng *engine.Engine, m *Model, pixels []uint8, labels []int, classes int,
	config FineTuneConfig) (*MultiClassifier, error) {
	if config.HeldOut != nil {
		return nil, errors.New("pucl: HeldOut is for PU data; with classes, score the result on images of your own")
	}
	if classes < 2 {
		return nil, fmt.Errorf("pucl: fine-tuning for %d classes; it takes 2 or more", classes)
	}
	if err := classesBelow(classes, labels, "image"); err != nil {
		return nil, err
	}
	t := tuner{
		outputs: classes,
		data:    fmt.Sprintf("%d images of %d classes", len(labels), classes),
		loss:    classCrossEntropy,
		labels:  labelsOf(int32s(labels)),
		batches: func(size int, rng *rand.Rand) func() []int { return shuffled(len(labels), size, rng) },
	}
	if config.Head != nil {
		has, _, err := config.Head.shape()
		if err != nil {
			return nil, err
		}
		if has != classes {
			return nil, fmt.Errorf("pucl: the head to start at has %d classes, the data %d", has, classes)
		}
	}
	tuned, err := t.run(ctx, eng, m, pixels, len(labels), config.Head, config)
	if err != nil {
		return nil, err
	}
	return &MultiClassifier{Model: tuned, Probe: t.result, Tuning: t.tuning}, nil
}

// FineTunePU is [FineTune] for positives against negatives, by a risk on labels as the risk reads them: [CrossEntropy] on
// pseudo-labels, [UPU], [NNPU] or [NNPUKiryo] on "is a labeled positive". Every batch holds the same share of true labels as
// the whole. A head to start at must have the two classes of [Probe.Classes].
func FineTunePU(ctx context.Context, eng *engine.Engine, m *Model, pixels []uint8, labels []bool, risk Risk,
	config FineTuneConfig) (*Classifier, error) {
	if risk == nil {
		return nil, errors.New("pucl: no risk to minimise; CrossEntropy on pseudo-labels, or NNPU on labeled positives, is one")
	}
	positives := 0
	for _, l := range labels {
		if l {
			positives++
		}
	}
	t := tuner{
		outputs: 1,
		data:    fmt.Sprintf("%d images, %d of them labeled true", len(labels), positives),
		loss:    func(logits, labels *Node) *Node { return risk(Squeeze(logits, -1), labels) },
		labels:  labelsOf(labels),
		batches: func(size int, rng *rand.Rand) func() []int {
			if size < 2 {
				return shuffled(len(labels), size, rng)
			}
			return stratified(labels, size, rng)
		},
	}
	var head *ClassProbe
	if config.Head != nil {
		classes, k, err := config.Head.shape()
		if err != nil {
			return nil, err
		}
		if classes != 2 {
			return nil, fmt.Errorf("pucl: the head to start at has %d classes; FineTunePU takes the 2 that Probe.Classes makes", classes)
		}
		// The logit of the positive class is what the second output has more than the first.
		head = &ClassProbe{Weights: mat.NewDense(1, k, nil), Bias: []float64{config.Head.Bias[1] - config.Head.Bias[0]}}
		for j := range k {
			head.Weights.Set(0, j, config.Head.Weights.At(1, j)-config.Head.Weights.At(0, j))
		}
	}
	tuned, err := t.run(ctx, eng, m, pixels, len(labels), head, config)
	if err != nil {
		return nil, err
	}
	return &Classifier{Model: tuned, Probe: t.result.alone(), Tuning: t.tuning}, nil
}
