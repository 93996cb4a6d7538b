package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Config configures the training of a method. All fields except Method may be zero.
type Config struct {
	Method  Method
	Encoder encoder.Encoder // nil means encoder.SmallCNN for images and encoder.MLP for rows
	Recipe  augment.Recipe  // new views of images in every step; nil means none; the encoder handles Normalize steps at its end

	Positives int // labeled positives in a batch; 0 means 64
	Unlabeled int // unlabeled examples in a batch; 0 means 192

	Seed     uint64         // of weights, batches, views and mixtures
	Settings train.Settings // Compute.MicroBatches must be 0 or 1

	// HeldOut is scored after every epoch and evaluated without negatives. An epoch is a pass over all unlabeled
	// examples, and the last one may be shorter.
	HeldOut HeldOut
	// Test are examples that are scored after every epoch; nil means none. The caller keeps their classes: see
	// [Result.Select].
	Test Examples
}

// withDefaults fills in the zero fields.
func (c Config) withDefaults(like Examples) Config {
	c.Positives, c.Unlabeled = cmp.Or(c.Positives, 64), cmp.Or(c.Unlabeled, 192)
	if c.Encoder == nil {
		c.Encoder = like.encoder()
	}
	c.Recipe, _ = c.Recipe.Split()
	c.Settings = c.Settings.WithDefaults() // for the record
	return c
}

// check returns an error if c, defaults filled in, is invalid for such examples.
func (c Config) check(like Examples) error {
	switch {
	case c.Method == nil:
		return errors.New("baseline: no Method; NNPU with the class prior is one, VPU needs no prior")
	case c.Positives < 1 || c.Unlabeled < 1:
		return fmt.Errorf("baseline: batches of %d labeled positives and %d unlabeled examples; there must be at least 1 of both, or 0 for "+
			"the defaults", c.Positives, c.Unlabeled)
	case c.Settings.Compute.MicroBatches > 1:
		return errors.New("baseline: a part of a batch may hold positives alone, and batch normalization would see no other; " +
			"leave MicroBatches 0")
	}
	if err := c.Method.check(); err != nil {
		return err
	}
	positives, unlabeled := c.Method.plan().aside.inBatch(c)
	if devices := c.Settings.Compute.Devices; devices > 1 && (positives+unlabeled)%devices != 0 {
		return fmt.Errorf("baseline: %d rows of a batch set aside, which %d devices cannot share evenly; change the size of the batch, "+
			"or Devices", positives+unlabeled, devices)
	}
	images, ok := like.(Images)
	if !ok && len(c.Recipe) > 0 {
		return errors.New("baseline: a Recipe makes views of images; leave it nil for rows of features")
	}
	if ok {
		if _, err := c.Recipe.Check(images.Shape); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
	}
	return nil
}

// Train trains a network by a method. [train.Run] documents how it ends early and resumes from a checkpoint.
func Train(ctx context.Context, eng *engine.Engine, data Data, config Config) (*Result, error) {
	positive, unlabeled, err := data.pools()
	if err != nil {
		return nil, err
	}
	if err := checkSpread(data.Examples, len(data.Labeled)); err != nil {
		return nil, err
	}
	r := &run{data: data, config: config.withDefaults(data.Examples)}
	if err := cmp.Or(r.config.check(data.Examples), eng.Check()); err != nil {
		return nil, err
	}
	r.plan = r.config.Method.plan()
	if err := r.deal(positive, unlabeled); err != nil {
		return nil, err
	}
	r.network = &Network{store: model.NewStore(), encoder: r.config.Encoder, like: data.Examples}
	encoder.SetSeed(r.network.store, r.config.Seed)
	if err := r.checkHeldOut(); err != nil {
		return nil, err
	}
	if r.scorer, err = r.network.newScorer(eng, ofLogits); err != nil {
		return nil, err
	}
	defer r.scorer.exec.Finalize()
	if r.plan.reading != nil {
		if r.reader, err = r.network.newScorer(eng, *r.plan.reading); err != nil {
			return nil, err
		}
		defer r.reader.exec.Finalize()
	}

	text := fmt.Sprintf("%d examples, %d of them labeled positives", len(data.Labeled), len(positive))
	task := train.Task{
		Store: r.network.store, Batch: r.batch, Outputs: r.outputs, AfterStep: r.afterStep, State: &r.epochs,
		Loss:     func(*Node, []*Node) *Node { return r.plan.loss(r.seen) },
		Networks: []string{networkScope, secondScope, teacherScope}, Identity: r.identity(),
		Name: r.config.Method.String(), Example: data.Examples.name(), Data: text, Seed: r.config.Seed,
	}
	if r.plan.teacher > 0 {
		task.Trained, task.AfterUpdate = networkScope, train.MovingAverage(teacherScope, networkScope, r.plan.teacher)
	}
	history, err := train.Run(ctx, eng, task, r.config.Settings)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Network: r.network, History: *history, Epochs: r.epochs, Record: train.NewRecord(eng, text, r.config.describe(), history.Earlier...),
	}
	return result, train.DropTraining(r.network.store, networkScope+"/encoder", networkScope+"/head")
}

// run is one run of a method.
type run struct {
	data                Data
	config              Config // defaults filled in
	plan                plan
	positive, unlabeled deck    // of the training examples
	aside               [2]deck // reserved positives and unlabeled examples
	network             *Network
	scorer              *scorer
	reader              *scorer // of plan.reading; nil without one
	seen                batch   // of the graph being built
	epochs              []Epoch
}
