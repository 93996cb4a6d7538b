package papers

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// contrastiveVersion is the version of pretraining with evaluation by heads; see experiment.Run. A changed head, as in
// packages cluster and probe, also increases it.
const contrastiveVersion = 2

// objectives are the losses of Table 1 in its order.
func objectives() []pucl.Objective { return []pucl.Objective{pucl.SSCL(), pucl.SCLPU(), pucl.PUCL()} }

// restarts is the number of random starts of PUPL; the one with the lowest potential counts.
const restarts = 5

// Contrastive is the configuration of a run that pretrains an encoder.
type Contrastive struct {
	Data      Data
	Objective string
	Tau       float64
	Encoder   string
	Views     string
	Update    string  // optimizer, learning rate and schedule
	Batch     int     // images in a batch
	Share     float64 // fraction of labeled positives forced into a batch; 0 means no forcing
	Steps     int
	Points    int // number of points at which heads are evaluated
	Restarts  int // of PUPL
	Neighbors int // for evaluation, see [Neighbors]

	Heads []string // for evaluation; nil for all
}

// contrastive returns the run of a setting that pretrains by an objective.
func (s setting) contrastive(o pucl.Objective, seed uint64) experiment.Run {
	c := s.Pretrain
	c.Objective, c.Encoder, c.Seed = o, s.Encoder, seed
	if c.Tau == 0 {
		c.Tau = 0.5
	}
	return experiment.Run{
		Setting: s.Name, Method: o.Name, Seed: seed, Version: contrastiveVersion,
		Config: Contrastive{
			Data: s.Data, Objective: o.Name, Tau: c.Tau, Encoder: encoder.Describe(c.Encoder), Views: c.Recipe.String(),
			Update: update(c), Batch: s.Batch.Size, Share: s.Batch.Share, Steps: c.Steps, Points: s.Points, Restarts: restarts,
			Neighbors: s.Judge, Heads: s.Heads,
		},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.pretrain(ctx, eng, place, c)
		},
	}
}

// update describes optimizer, learning rate and schedule with all their parameters.
func update(c train.Config) string {
	return train.Settings{
		Steps: c.Steps, Optimizer: c.Optimizer, LearningRate: c.LearningRate, Schedule: c.Schedule, Compute: c.Compute,
	}.WithDefaults().Update()
}

// pretrain does a run.
func (s setting) pretrain(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config) (
	_ *experiment.Outcome, err error) {
	data, batches, err := s.prepare(eng, c, func(o *opened) (*datasets.Split, error) {
		if c.Objective.Name == sclName {
			return allLabeled(o.train.Split), nil
		}
		return o.train.Split, nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	data.neighbors, data.heads = s.Judge, s.Heads
	return data.pretrain(eng, place, c, s.Points, data.embed, func(c train.Config) (*train.Model, error) {
		return train.Pretrain(ctx, eng, batches, c)
	})
}

// prepare opens the data of a run that pretrains on images, with views of the held-out images. It returns training
// batches of the split selected by of. Close the data after use.
func (s setting) prepare(eng *engine.Engine, c train.Config, of func(*opened) (*datasets.Split, error)) (
	_ *opened, batches *datasets.Batches, err error) {
	data, err := s.Data.open(c.Seed)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, data.close())
		}
	}()
	if data.views, err = data.viewsOf(eng, c.Recipe, c.Seed); err != nil {
		return nil, nil, err
	}
	split, err := of(data)
	if err != nil {
		return nil, nil, err
	}
	size := s.Batch
	size.Seed = c.Seed
	batches, err = datasets.NewSourceBatches(data.train.images, split, size)
	return data, batches, err
}

// pretrain trains an encoder with start and evaluates it at the given number of points, on the embeddings that embed
// returns.
func (o *opened) pretrain(eng *engine.Engine, place experiment.Place, c train.Config, points int,
	embed func(*engine.Engine, *train.Model) (embeddings, error), start func(train.Config) (*train.Model, error)) (*experiment.Outcome, error) {
	due := func(done int) bool { return done*points/c.Steps > (done-1)*points/c.Steps }
	return o.follow(place, c, due, func(done int, m *train.Model) ([]experiment.Point, error) {
		all, err := embed(eng, m)
		if err != nil {
			return nil, err
		}
		return all.judge(eng, o.truth, done, c.Seed)
	}, start)
}

// follow trains an encoder with start, with checkpoints in the folder of the run, and calls judge after each step for
// which due is true.
func (o *opened) follow(place experiment.Place, c train.Config, due func(done int) bool,
	judge func(done int, m *train.Model) ([]experiment.Point, error), start func(train.Config) (*train.Model, error)) (*experiment.Outcome, error) {
	var judged []experiment.Point
	c.Observer, c.State = place.Observer, &judged
	c.Checkpoint, c.CheckpointEvery = filepath.Join(place.Folder, "pretraining"), checkpointEvery
	c.AfterStep = func(done int, m *train.Model) error {
		if !due(done) {
			return nil
		}
		now, err := judge(done, m)
		judged = append(judged, now...)
		return err
	}
	model, err := start(c)
	if err != nil {
		return nil, err
	}
	if place.Keep != "" {
		if err := model.Save(filepath.Join(place.Keep, "encoder.model")); err != nil {
			return nil, err
		}
	}
	return o.outcome(model.Record, judged), nil
}

// checkpointEvery is the number of steps between checkpoints: about half a minute on one core.
const checkpointEvery = 250

// outcome returns the outcome of a run.
func (o *opened) outcome(record train.Record, judged []experiment.Point) *experiment.Outcome {
	record.Data = o.note + "; " + record.Data
	return &experiment.Outcome{Record: record, Points: judged}
}
