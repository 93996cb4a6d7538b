package papers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Neighbors is the head of watched runs that evaluates an encoder as in the paper's figures: nearest neighbors with all
// true classes, on encoder outputs h normalized to unit length. Like [Ceiling], it measures an encoder and is not a
// method.
const Neighbors = "kNN, all true labels"

// The values of watched runs, which have no head.
const (
	Alignment  = "alignment"  // evaluate.Collapse, of the projections z of held-out images and of views of them
	Uniformity = "uniformity" // of those projections
	// Separation is a fraction of the variance of the test images' h: 0 if the classes have equal means, 1 if each is a
	// point.
	Separation = "between-class share"
	Rank       = "effective rank" // evaluate.Collapse, of those projections
)

// Watched is the configuration of a run that pretrains an encoder and evaluates it often, with all true classes.
type Watched struct {
	Contrastive       // Points and Restarts are not used
	At          []int // steps after which it is evaluated
	Bank        int   // training images with known classes for the evaluation, evenly spaced; 0 means all
	Spread      int   // held-out images for alignment and uniformity; 0 means all
}

// watchedVersion is the version of watched runs, see experiment.Run. A new [contrastiveVersion] alone does not increase
// it, as Ceiling is their only common head.
const watchedVersion = 2

// watchedAt returns the steps at which a run of the given length is evaluated: at growing intervals, and at the end. A
// smoke run is evaluated halfway and at the end.
func watchedAt(steps int) []int {
	if steps < 100 {
		return []int{(steps + 1) / 2, steps}
	}
	var at []int
	for _, thousandths := range []int{25, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000} {
		at = append(at, steps*thousandths/1000)
	}
	return at
}

// watched returns the run of a setting that pretrains by an objective; method names it in tables.
func (s setting) watched(method string, o pucl.Objective, seed uint64) experiment.Run {
	like := s.unjudged(o, seed)
	config := Watched{Contrastive: like, At: watchedAt(like.Steps), Bank: s.Bank, Spread: s.Bank / 2}
	return experiment.Run{
		Setting: s.Name, Method: method, Seed: seed, Version: watchedVersion, Config: config,
		Train: func(ctx context.Context, eng *engine.Engine, place experiment.Place) (*experiment.Outcome, error) {
			c := s.Pretrain
			c.Objective, c.Encoder, c.Seed, c.Tau = o, s.Encoder, seed, config.Tau
			return s.watch(ctx, eng, place, c, config)
		},
	}
}

// unjudged returns the configuration of [setting.contrastive] without its evaluation parameters.
func (s setting) unjudged(o pucl.Objective, seed uint64) Contrastive {
	c := s.contrastive(o, seed).Config.(Contrastive)
	c.Points, c.Restarts = 0, 0
	return c
}

// watch does a run.
func (s setting) watch(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config, config Watched) (*experiment.Outcome, error) {
	return s.followAt(ctx, eng, place, c, config.At, func(data *opened, batches *datasets.Batches) (train.Batches, judging, error) {
		return batches, func(_ int, m *train.Model) ([]experiment.Point, error) {
			return data.measureEncoder(eng, m, config, c.Seed)
		}, nil
	})
}

// judging returns the measurements of an encoder after the given steps.
type judging func(done int, m *train.Model) ([]experiment.Point, error)

// followAt opens the data of a run and pretrains an encoder on the batches returned by of. It evaluates the encoder
// after the steps at with the function returned by of.
func (s setting) followAt(ctx context.Context, eng *engine.Engine, place experiment.Place, c train.Config, at []int,
	of func(*opened, *datasets.Batches) (train.Batches, judging, error)) (_ *experiment.Outcome, err error) {
	data, batches, err := s.prepare(eng, c, func(o *opened) (*datasets.Split, error) { return o.train.Split, nil })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	learned, judge, err := of(data, batches)
	if err != nil {
		return nil, err
	}
	due := func(done int) bool { return slices.Contains(at, done) }
	return data.follow(place, c, due, func(done int, m *train.Model) ([]experiment.Point, error) {
		points, err := judge(done, m)
		if err != nil {
			return nil, fmt.Errorf("papers: after %d steps: %w", done, err)
		}
		for i := range points {
			points[i].Step = done
		}
		return points, nil
	}, func(c train.Config) (*train.Model, error) { return train.Pretrain(ctx, eng, learned, c) })
}

// measureEncoder evaluates an encoder by nearest neighbors and by a linear probe, both with the true classes of some
// training images, and measures the spread of its embeddings.
func (o *opened) measureEncoder(eng *engine.Engine, m *train.Model, config Watched, seed uint64) ([]experiment.Point, error) {
	index, positive := o.train.sample(config.Bank)
	learn, err := m.EmbedImages(eng, subset{o.train.images, index})
	test, testErr := m.EmbedImages(eng, o.test)
	spread, spreadErr := o.measureSpread(eng, m, config.Spread)
	if err := errors.Join(err, testErr, spreadErr); err != nil {
		return nil, err
	}
	x, tests := rows.Unit(learn.H), rows.Unit(test.H)
	neighbors, err := nearest(eng, judgedBy, x, positive, tests, o.truth)
	if err != nil {
		return nil, err
	}
	linear, err := probe.FitPU(eng, x, positive, risk.CrossEntropy, probe.Config{Epochs: 100, Seed: seed})
	if err != nil {
		return nil, err
	}
	separable, err := linear.Score(tests, o.truth)
	if err != nil {
		return nil, err
	}
	spread.values[Separation] = betweenClasses(tests, o.truth)
	return []experiment.Point{neighbors, {Head: Ceiling, Test: &separable}, {Values: spread.values}}, nil
}

// spread holds embeddings of held-out images for measurements of their spread.
type spread struct {
	held       []int      // the images
	own, views *mat.Dense // z of them and of views of them
	values     map[string]float64
}

// measureSpread measures alignment, uniformity and rank of the projections of the given number of held-out images; 0
// means all.
func (o *opened) measureSpread(eng *engine.Engine, m *train.Model, images int) (spread, error) {
	held := evenly(o.held.images.Len(), images)
	own, err := m.EmbedImages(eng, subset{o.held.images, held})
	views, viewsErr := m.EmbedImages(eng, subset{o.views, held})
	if err := errors.Join(err, viewsErr); err != nil {
		return spread{}, err
	}
	d, err := evaluate.Diagnose(own.Z, views.Z)
	return spread{held, own.Z, views.Z, map[string]float64{Alignment: d.Alignment, Uniformity: d.Uniformity, Rank: d.EffectiveRank}}, err
}

// sample returns n evenly spaced rows of the part's images that are examples, and which of them are positive; 0 means
// all.
func (p part) sample(n int) (index []int, positive []bool) {
	of := map[int]bool{}
	for i, row := range p.Index {
		of[row] = p.Positive[i]
	}
	var all []int
	for row := range p.images.Len() {
		if _, example := of[row]; example {
			all = append(all, row)
		}
	}
	for _, i := range evenly(len(all), n) {
		index, positive = append(index, all[i]), append(positive, of[all[i]])
	}
	return index, positive
}

// evenly returns n evenly spaced numbers below all; all of them if n is 0 or larger.
func evenly(all, n int) []int {
	if n <= 0 || n > all {
		n = all
	}
	index := make([]int, n)
	for i := range index {
		index[i] = i * all / n
	}
	return index
}

// betweenClasses returns the fraction of the variance of the rows of x that is between the means of the two classes: 0
// for rows without variance.
func betweenClasses(x *mat.Dense, positive []bool) float64 {
	n, d := x.Dims()
	var of [2][][]float64
	for i, p := range positive {
		class := 0
		if p {
			class = 1
		}
		of[class] = append(of[class], x.RawRowView(i))
	}
	total, between := 0.0, 0.0
	column := make([]float64, n)
	for j := range d {
		mat.Col(column, j, x)
		mean := stat.Mean(column, nil)
		total += stat.PopVariance(column, nil)
		for _, class := range of {
			values := make([]float64, len(class))
			for i, row := range class {
				values[i] = row[j]
			}
			if len(values) > 0 {
				off := floats.Sum(values)/float64(len(values)) - mean
				between += off * off * float64(len(values)) / float64(n)
			}
		}
	}
	if total == 0 {
		return 0
	}
	return between / total
}
