package papers

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// TrueLabels is the fully supervised row of Table 2: the network of the baselines with the class of every image. The
// gap of a baseline to it is the cost of PU data; its own gap to published numbers is due to the network and the files.
const TrueLabels = "all true labels"

// trueLabelsVersion is the version of these runs.
const trueLabelsVersion = 1

// Supervised is the configuration of a run with [TrueLabels].
type Supervised struct {
	Data    Data
	Encoder string // with a linear output layer, whose input is normalized to unit length
	Update  string // optimizer, learning rate and schedule
	Batch   int    // images in a batch, with the overall fraction of positives
	Epochs  int    // as many as for baselines; the last one is evaluated
}

// trueLabels returns the run of a setting that trains the network of the baselines on the classes of the images that
// are unlabeled for baselines.
func (s setting) trueLabels(seed uint64) experiment.Run {
	config := classify.FineTuneConfig{
		BatchStatistics: true, Epochs: s.Epochs, BatchSize: s.Baseline.Positives + s.Baseline.Unlabeled,
		LearningRate: 1e-3, Schedule: optim.Cosine{Warmup: -1}, Seed: seed,
	}
	return experiment.Run{
		Setting: s.Name, Method: TrueLabels, Seed: seed, Version: trueLabelsVersion,
		Config: Supervised{
			Data: s.Data, Encoder: encoder.Describe(s.Encoder),
			Update: update(train.Config{LearningRate: config.LearningRate, Schedule: config.Schedule}),
			Batch:  config.BatchSize, Epochs: config.Epochs,
		},
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.supervise(ctx, eng, place, config)
		},
	}
}

// supervise does a run.
func (s setting) supervise(ctx context.Context, eng *engine.Engine, place experiment.Place, config classify.FineTuneConfig) (
	_ *experiment.Outcome, err error) {
	data, err := s.Data.open(config.Seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	height, width, channels := data.train.images.Shape()
	start, err := train.NewModel(eng, height, width, channels, train.Config{Encoder: s.Encoder, Seed: config.Seed})
	if err != nil {
		return nil, err
	}
	_, unlabeled := rows.Split(data.train.Labeled) // these include the labeled images
	learn, err := read(data.train.images, rows.Pick(data.train.Index, unlabeled))
	held, heldErr := read(data.held.images, data.held.Index)
	test, testErr := read(data.test, rows.All(data.test.Len()))
	if err := errors.Join(err, heldErr, testErr); err != nil {
		return nil, err
	}
	classes := classify.LabeledImages[bool]{Pixels: learn, Labels: rows.Pick(data.train.Positive, unlabeled)}
	config.Checkpoint, config.CheckpointEvery = filepath.Join(place.Folder, "training"), checkpointEvery
	config.Observer = place.Observer
	tuned, err := classify.FineTunePU(ctx, eng, start, classes, risk.CrossEntropy, config)
	if err != nil {
		return nil, err
	}
	pu, err := tuned.ScorePU(eng, classify.LabeledImages[bool]{Pixels: held, Labels: data.held.Labeled}, evaluate.ScoreConfig{Prior: data.held.Prior})
	logits, testErr := tuned.Scores(eng, test)
	if err := errors.Join(err, testErr); err != nil {
		return nil, err
	}
	p, err := scored(logits, data.truth)
	if err != nil {
		return nil, err
	}
	p.Step, p.PU = len(tuned.Tuning.History.Losses), &pu
	return data.outcome(tuned.Tuning.Record, []experiment.Point{p}), nil
}
