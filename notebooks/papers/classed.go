package papers

import (
	"context"
	"errors"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// The values of classed runs besides those that watched runs have: evaluate.Negatives of the projections z of two views
// of held-out images, in batches of the run's size. Bias and deviation are relative to the true mean of exp s over
// other classes.
const (
	FalseNegatives     = "false negatives"      // fraction of the negatives with the anchor's class
	PlainBias          = "bias, plain"          // of the mean over all negatives
	PlainDeviation     = "deviation, plain"     // over batches
	CorrectedBias      = "bias, corrected"      // of DCL's estimate
	CorrectedDeviation = "deviation, corrected" // over batches
	Clipped            = "share on the floor"   // of DCL's estimates
)

// Classed is the configuration of a run that pretrains an encoder on images of several classes without labels and
// evaluates it with all classes.
type Classed struct {
	Contrastive         // Points, Restarts, Neighbors and Heads are not used
	At          []int   // steps after which values are measured; heads are evaluated at the end
	Bank        int     // training images with known classes for the evaluation, evenly spaced; 0 means all
	Spread      int     // held-out images for the values; 0 means all
	PerImage    int     // views of each image in a batch
	Projection  int     // length of a projection; 0 means 128
	TauPlus     float64 // of the measured correction
	Positives   int     // M of the correction; 0 means all other views
}

// classedVersion is the version of classed runs, see experiment.Run.
const classedVersion = 1

// classed returns the run of a setting that pretrains by an objective. Method names it in tables; corrected has τ⁺ and
// M of the correction that is measured along the run. An objective that uses classes receives them.
func (s setting) classed(method string, o pucl.Objective, corrected pucl.DCLConfig, seed uint64) experiment.Run {
	// The parameter of an objective is part of its name, so that runs with other parameters do not share it.
	o.Name = method
	c := s.Pretrain
	c.Objective, c.Encoder, c.Seed = o, s.Encoder, seed
	like := s.unjudged(o, seed)
	config := Classed{Contrastive: like, At: classedAt(like.Steps), Bank: s.Bank, Spread: s.Bank / 2, PerImage: max(c.Views, 2),
		Projection: c.Projection, TauPlus: corrected.TauPlus, Positives: corrected.Positives}
	c.Tau = config.Tau
	return experiment.Run{
		Setting: s.Name, Method: method, Seed: seed, Version: classedVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			return s.trainClassed(ctx, eng, place, c, config)
		},
	}
}

// classedAt returns the steps at which values are measured in a run of the given length.
func classedAt(steps int) (at []int) {
	for _, hundredths := range []int{5, 10, 20, 40, 70, 100} {
		if step := (steps*hundredths + 50) / 100; step > 0 && !slices.Contains(at, step) {
			at = append(at, step)
		}
	}
	return at
}

// trainClassed does a run.
func (s setting) trainClassed(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config, config Classed) (*experiment.Outcome, error) {
	return s.followAt(ctx, eng, place, c, config.At, func(data *opened, batches *datasets.Batches) (train.Batches, judging, error) {
		// Views of the held-out images, so that with data.views there are as many as in a batch.
		var more []*datasets.Images
		for k := 1; k < config.PerImage; k++ {
			views, err := data.viewsOf(eng, c.Recipe, c.Seed+uint64(k)<<32)
			if err != nil {
				return nil, nil, err
			}
			more = append(more, views)
		}
		return classedBatches{batches, data.train, data.learn}, func(done int, m *train.Model) ([]experiment.Point, error) {
			return data.judgeClasses(eng, m, more, config, c.Seed, done == c.Steps)
		}, nil
	})
}

// classedBatches are batches with the true class of each image.
type classedBatches struct {
	*datasets.Batches
	part
	of []int // the class of each image of the part
}

// Classes returns the classes of the images of a step's batch.
func (b classedBatches) Classes(step int) (classes []int32, err error) {
	for _, example := range b.Rows(step) {
		classes = append(classes, int32(b.of[b.Index[example]]))
	}
	return classes, nil
}

// String describes the batches.
func (b classedBatches) String() string { return b.Batches.String() + ", with classes" }

// judgeClasses measures the spread of an encoder's embeddings and the quality of its negatives. If whole is true, it
// also evaluates it by nearest neighbors and a linear probe.
func (o *opened) judgeClasses(eng *engine.Engine, m *train.Model, more []*datasets.Images, config Classed, seed uint64, whole bool) ([]experiment.Point, error) {
	spread, err := o.measureSpread(eng, m, config.Spread)
	if err != nil {
		return nil, err
	}
	all := []*mat.Dense{spread.views}
	for _, images := range more {
		view, err := m.EmbedImages(eng, subset{images, spread.held})
		if err != nil {
			return nil, err
		}
		all = append(all, view.Z)
	}
	negatives, err := evaluate.MeasureNegatives(all, rows.Pick(o.aside, spread.held), evaluate.NegativesConfig{
		Tau: config.Tau, TauPlus: config.TauPlus, Positives: config.Positives, Batch: config.Batch, Seed: seed})
	if err != nil {
		return nil, err
	}
	maps.Copy(spread.values, map[string]float64{
		FalseNegatives: negatives.False, PlainBias: negatives.Plain.Bias, PlainDeviation: negatives.Plain.Deviation,
		CorrectedBias: negatives.Corrected.Bias, CorrectedDeviation: negatives.Corrected.Deviation, Clipped: negatives.Clipped,
	})
	points := []experiment.Point{{Values: spread.values}}
	if !whole {
		return points, nil
	}
	judged, err := o.topOne(eng, m, config.Bank, seed)
	return append(judged, points...), err
}

// topOne evaluates an encoder by the test accuracy of nearest neighbors and of a linear probe, given the classes of
// bank training images.
func (o *opened) topOne(eng *engine.Engine, m *train.Model, bank int, seed uint64) ([]experiment.Point, error) {
	linear, known, tests, err := o.linear(eng, m, bank, seed)
	if err != nil {
		return nil, err
	}
	neighbors, err := evaluate.KNN{K: min(judgedBy, known.Len())}.ReadClasses(known, tests, o.test.labels)
	if err != nil {
		return nil, err
	}
	separable, err := linear.ScoreClasses(tests, o.test.labels)
	return []experiment.Point{{Head: Neighbors, Many: &neighbors.Classes}, {Head: Ceiling, Many: &separable}}, err
}

// linear returns a linear probe of an encoder trained on the classes of bank training images, these images as a bank,
// and h of the test images, with unit length.
func (o *opened) linear(eng *engine.Engine, m *train.Model, bank int, seed uint64) (*probe.Probe, *evaluate.Bank, *mat.Dense, error) {
	index := evenly(o.train.images.Len(), bank)
	learn, err := m.EmbedImages(eng, subset{o.train.images, index})
	test, testErr := m.EmbedImages(eng, o.test)
	if err := errors.Join(err, testErr); err != nil {
		return nil, nil, nil, err
	}
	x, labels, count := rows.Unit(learn.H), rows.Pick(o.learn, index), len(o.test.classes)
	known, err := evaluate.Supervised(x, labels, count)
	if err != nil {
		return nil, nil, nil, err
	}
	linear, err := probe.Fit(eng, x, labels, count, probe.Config{Epochs: 100, Seed: seed})
	return linear, known, rows.Unit(test.H), err
}
