package rival

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Config says how a method is trained. All fields but Method may be left zero.
type Config struct {
	Method  Method
	Encoder encoder.Encoder // nil means encoder.SmallCNN for images and encoder.MLP for rows
	Recipe  augment.Recipe  // new views of images in every step; nil means none; Normalize steps at its end are the encoder's task

	Positives int // labeled positives in a batch; 0 means 64
	Unlabeled int // unlabeled examples in a batch; 0 means 192

	Seed     uint64         // of weights, batches, views and mixtures
	Settings train.Settings // Compute.MicroBatches must stay at one

	// HeldOut is scored after every epoch, and measured without negatives. An epoch is as many steps as go through all
	// unlabeled examples, and the last one may be shorter.
	HeldOut HeldOut
	// Test are examples that are scored after every epoch; nil means none. Their classes stay with the caller: see
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
	c.Settings = c.Settings.WithDefaults() // which are told in the record
	return c
}

// check returns an error if c, defaults filled in, cannot be followed on such examples.
func (c Config) check(like Examples) error {
	switch {
	case c.Method == nil:
		return errors.New("rival: no Method; NNPU with the class prior is one, VPU needs no prior")
	case c.Positives < 1 || c.Unlabeled < 1:
		return fmt.Errorf("rival: batches of %d labeled positives and %d unlabeled examples; there must be at least 1 of both, or 0 for "+
			"the defaults", c.Positives, c.Unlabeled)
	case c.Settings.Compute.MicroBatches > 1:
		return errors.New("rival: a part of a batch may hold positives alone, and batch normalization would see no other; " +
			"leave MicroBatches 0")
	}
	if err := c.Method.Check(); err != nil {
		return err
	}
	images, ok := like.(Images)
	if !ok && len(c.Recipe) > 0 {
		return errors.New("rival: a Recipe makes views of images; leave it nil for rows of features")
	}
	if ok {
		if _, err := c.Recipe.Check(images.Shape); err != nil {
			return fmt.Errorf("rival: %w", err)
		}
	}
	return nil
}

// Train trains a network by a method. How it ends early, and how it goes on from a checkpoint, says [train.Run].
func Train(ctx context.Context, eng *engine.Engine, data Data, config Config) (*Result, error) {
	positive, unlabeled, err := data.pools()
	if err != nil {
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
	if err := r.setAside(); err != nil {
		return nil, err
	}
	if err := r.checkHeldOut(); err != nil {
		return nil, err
	}
	if r.scorer, err = r.network.newScorer(eng); err != nil {
		return nil, err
	}
	defer r.scorer.exec.Finalize()
	if r.plan.groups > 0 {
		if r.projector, err = r.network.newReader(eng, inNetwork, projections); err != nil {
			return nil, err
		}
		defer r.projector.exec.Finalize()
	}
	if r.plan.paced != nil {
		if r.second, err = r.network.newReader(eng, inSecond, logitsOf); err != nil {
			return nil, err
		}
		defer r.second.exec.Finalize()
	}

	text := fmt.Sprintf("%d examples, %d of them labeled positives", len(data.Labeled), len(positive))
	task := train.Task{
		Store: r.network.store, Batch: r.batch, Outputs: r.outputs, Loss: r.loss, AfterStep: r.afterStep, State: &r.epochs,
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

// deal prepares the decks of examples.
func (r *run) deal(positive, unlabeled []int) error {
	seed := r.config.Seed
	pools := [2][]int{positive, unlabeled}
	for i, what := range []string{"labeled positives", "unlabeled examples"} {
		stream := []uint64{positiveStream, unlabeledStream}[i]
		if r.plan.judges == 0 {
			continue
		}
		if len(pools[i]) < 2 {
			return fmt.Errorf("rival: %s sets some %s aside to judge by, and there is only %d; give at least 2, or use a method that "+
				"needs no judges, such as VPU", r.config.Method, what, len(pools[i]))
		}
		r.judges[i].seed = seed ^ judgeStream ^ stream
		pools[i], r.judges[i].examples = setAside(pools[i], r.plan.judges, r.judges[i].seed)
	}
	r.positive = deck{examples: pools[0], seed: seed ^ positiveStream}
	r.unlabeled = deck{examples: pools[1], seed: seed ^ unlabeledStream}
	return nil
}

// run is one run of a method.
type run struct {
	data                Data
	config              Config // defaults filled in
	plan                plan
	positive, unlabeled deck
	judges              [2]deck // positive and unlabeled examples that judge, if plan.judges is above 0
	aside               deck    // what students look ahead to; empty where they do not
	network             *Network
	scorer              *scorer
	second              *scorer // of the second student; nil where there is none
	projector           *scorer // of projections; nil where there are no groups
	epochs              []Epoch
}
