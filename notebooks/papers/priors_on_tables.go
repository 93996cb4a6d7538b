package papers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// priorsOnTables names the grid of estimates of class priors.
const priorsOnTables = "priors-on-tables"

// TablePrior is the configuration of a run that estimates a class prior on a table.
type TablePrior struct {
	Set     string
	Labeled int
	Pool    int     // positives from which the labeled ones are drawn by Uneven; 0 if they are drawn uniformly from all
	Uneven  float64 // ratio of labeling probabilities between successive thirds of the pool
	Drawn   [2]int  // unlabeled positives and negatives
	Trees   prior.Trees
	Folds   int
	Repeats int
	Again   int // resamples of scores for an interval
	Rows    int // resamples of rows
}

// prior returns the fraction of positives among unlabeled rows.
func (c TablePrior) prior() float64 { return float64(c.Drawn[0]) / float64(c.Drawn[0]+c.Drawn[1]) }

// percent returns it in percent.
func (c TablePrior) percent() int { return int(math.Round(100 * c.prior())) }

// priorStream separates the draws of estimates from draws of baselines with the same seed.
const priorStream = 0x9f107

// priorVersion is the version of the runs that estimate class priors; see experiment.Run. Version 3 changed only TIcE.
const priorVersion = 3

// The measurements of an estimator, a head of its run, in addition to 1 or 0 for whether supports appear to overlap.
const (
	TruePrior      = "true prior"
	EstimatedPrior = "estimate"
	PriorLow       = "interval from"
	PriorHigh      = "interval to"
	PriorOverlap   = "overlap seen"
	// PriorLimit, only in the grid uneven-priors, is the largest prior compatible with such labels, if no negative lies
	// among the most-labeled positives.
	PriorLimit = "limit"
)

// priorMethod is the method of all runs of [PriorsOnTables]; the estimators are its heads.
const priorMethod = "class priors"

// priorShares are the percentages of positives in a set's draws.
var priorShares = [5]int{5, 25, 50, 75, 95}

// half is the index of one half in [priorShares].
const half = 2

// priorDraws are n_P and the unlabeled positives and negatives of a draw, for each of [priorShares].
//
// Source: that of [uciSets].
var priorDraws = map[string][5][3]int{
	"landsat":     {{1000, 189, 3594}, {1000, 1000, 3000}, {1000, 1841, 1841}, {1000, 1841, 613}, {1000, 1841, 96}},
	"mushroom":    {{1000, 200, 3800}, {1000, 1000, 3000}, {1000, 2000, 2000}, {1000, 2916, 972}, {990, 2926, 154}},
	"page blocks": {{100, 234, 4446}, {100, 460, 1380}, {100, 460, 460}, {101, 459, 153}, {104, 456, 24}},
	"shuttle":     {{1000, 2399, 45586}, {1000, 11414, 34242}, {1000, 11414, 11414}, {1000, 11414, 3804}, {1000, 11414, 600}},
	"spambase":    {{400, 147, 2788}, {400, 929, 2788}, {400, 1413, 1413}, {400, 1413, 471}, {407, 1406, 74}},
	"wine":        {{500, 257, 4898}, {500, 1099, 3297}, {500, 1099, 1099}, {500, 1099, 366}, {500, 1099, 57}},
}

// PriorsOnTables is all estimators of the class prior on six tables of the UCI repository, ten draws for each of five
// fractions of positives: labeled positives, and a separate unlabeled sample. The estimators that use scores share
// those of one ensemble.
func PriorsOnTables(size experiment.Size) (experiment.Grid, error) {
	c, sets, draws, err := tablePriors(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	shares := []int{0, 1, 2, 3, 4}
	if size == experiment.Smoke {
		shares = []int{half}
	}
	grid := experiment.Grid{Name: priorsOnTables, Size: size}
	for _, set := range sets {
		for _, share := range shares {
			drawn := priorDraws[set.name][share]
			c.Set, c.Labeled, c.Drawn = set.name, drawn[0], [2]int(drawn[1:])
			for draw := range draws {
				grid.Runs = append(grid.Runs, set.estimate(c, PriorSetting(set.name, priorShares[share]), draw+1))
			}
		}
	}
	return grid, nil
}

// tablePriors returns the common parameters of class-prior estimates on tables: their configuration, the tables, and
// the number of draws of each.
func tablePriors(size experiment.Size) (c TablePrior, sets []uciSet, draws uint64, err error) {
	c = TablePrior{
		Trees: prior.Trees{Trees: 60, Depth: 3, Rate: 0.1, MinLeaf: 20, Columns: 0.5, MaxRows: 4096}, Folds: 5, Repeats: 5, Again: 100, Rows: 20,
	}
	switch size {
	case experiment.Smoke:
		c.Repeats, c.Again, c.Rows = 1, 20, 10
		return c, uciSets()[:1], 1, nil
	case experiment.Laptop, experiment.Paper: // a GPU gives no speedup here
		return c, uciSets(), 10, nil
	default:
		return c, nil, 0, size.Unknown()
	}
}

// PriorSetting names the setting of a set with that percentage of positives.
func PriorSetting(set string, percent int) string {
	return fmt.Sprintf("%s, %d%% positive", set, percent)
}

// estimate returns the run of a draw.
func (u uciSet) estimate(c TablePrior, setting string, seed uint64) experiment.Run {
	return experiment.Run{
		Setting: setting, Method: priorMethod, Seed: seed, Version: priorVersion, Config: c,
		Train: func(ctx context.Context, eng *engine.Engine, _ experiment.Place) (*experiment.Outcome, error) {
			table, digest, err := u.read()
			if err != nil {
				return nil, err
			}
			u.labeled, u.positives, u.negatives = cmp.Or(c.Pool, c.Labeled), c.Drawn[0], c.Drawn[1]
			known, positives, negatives, err := u.deal(table.Labels, seed, priorStream)
			if err != nil {
				return nil, err
			}
			limits := map[string]float64{}
			if c.Pool > 0 {
				if known, limits[PriorLimit], err = c.label(table, known, seed); err != nil {
					return nil, err
				}
			}
			x, labeled, err := stacked(table.Features, known, positives, negatives)
			if err != nil {
				return nil, err
			}
			points, err := c.estimate(ctx, x, labeled, u.prior(), seed)
			if err != nil {
				return nil, err
			}
			for _, p := range points {
				maps.Copy(p.Values, limits)
			}
			return &experiment.Outcome{Record: train.NewRecord(eng, u.source(digest), fmt.Sprintf("%+v; seed %d", c, seed)), Points: points}, nil
		},
	}
}

// stacked returns the rows of a draw, labeled ones first.
func stacked(features *mat.Dense, known, positives, negatives []int) (x *mat.Dense, labeled []bool, err error) {
	index := slices.Concat(known, positives, negatives)
	labeled = make([]bool, len(index))
	for i := range known {
		labeled[i] = true
	}
	x, err = rows.Take(features, index)
	return x, labeled, err
}

// estimate returns the estimates of all estimators for rows, a point for each; it stops between two of them when ctx is
// done.
func (c TablePrior) estimate(ctx context.Context, x *mat.Dense, labeled []bool, truth float64, seed uint64) ([]experiment.Point, error) {
	fit, err := c.Trees.OfRows(x, labeled)
	if err != nil {
		return nil, err
	}
	folds := prior.Folds{Folds: c.Folds, Repeats: c.Repeats, Seed: seed}
	scores, err := prior.OutOfFold(labeled, folds, fit)
	if err != nil {
		return nil, err
	}
	ofScores := prior.Config{Resamples: c.Again, Seed: seed}
	ofRows := prior.Config{Resamples: c.Rows, Seed: seed}
	scored := func(of func([]float64, []bool, prior.Config) (prior.Estimate, error)) func() (prior.Estimate, error) {
		return func() (prior.Estimate, error) { return of(scores, labeled, ofScores) }
	}
	probabilities := mat.NewDense(len(scores), 1, nil)
	for i, score := range scores {
		probabilities.Set(i, 0, 1/(1+math.Exp(-score)))
	}
	var points []experiment.Point
	for _, e := range []struct {
		name string
		of   func() (prior.Estimate, error)
	}{
		{"Elkan–Noto e1", scored(prior.ElkanNoto)}, {"Elkan–Noto e3", scored(prior.ElkanNotoMax)},
		{"DEDPUL", scored(prior.DEDPUL)}, {"BBE", scored(prior.BBE)},
		{"TED^n", func() (prior.Estimate, error) {
			folds.Repeats = 1
			_, e, err := prior.TEDn(labeled, folds, 0, fit, ofScores)
			return e, err
		}},
		{"TIcE", func() (prior.Estimate, error) { return prior.TIcE(x, labeled, ofRows) }},
		{"TIcE of scores", func() (prior.Estimate, error) { return prior.TIcE(probabilities, labeled, ofRows) }},
		{"KM2", func() (prior.Estimate, error) { return prior.KM2(x, labeled, ofRows) }},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := e.of()
		if err != nil {
			return nil, fmt.Errorf("papers: %s: %w", e.name, err)
		}
		overlap := 0.0
		if found.Overlap {
			overlap = 1
		}
		points = append(points, experiment.Point{Head: e.name, Values: map[string]float64{
			TruePrior: truth, EstimatedPrior: found.Prior, PriorLow: found.Low, PriorHigh: found.High, PriorOverlap: overlap,
		}})
	}
	return points, nil
}
