package pu

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/prior"
	"github.com/puclab/puclab/pucl/rows"
)

// ranker trains a scorer of labeled positives against unlabeled rows.
type ranker struct {
	fit     func(x *mat.Dense, labeled []bool, seed uint64) (learn.Member, error)
	repeats int // of the out-of-fold scores
}

// outOfFold returns a score for every row from scorers that did not train on it.
func (r ranker) outOfFold(data learn.Data, seed uint64) ([]float64, error) {
	scores, err := prior.OutOfFold(data.Labeled, prior.Folds{Repeats: r.repeats, Seed: seed}, func(index, held []int,
		seed uint64) ([]float64, error) {
		x, err := rows.Take(data.X, index)
		if err != nil {
			return nil, err
		}
		member, err := r.fit(x, rows.Pick(data.Labeled, index), seed)
		if err != nil {
			return nil, err
		}
		if x, err = rows.Take(data.X, held); err != nil {
			return nil, err
		}
		return (&learn.Trained{Members: []learn.Member{member}}).Scores(nil, learn.Data{X: x})
	})
	if err != nil {
		return nil, fmt.Errorf("pu: scoring out of fold: %w", err)
	}
	return scores, nil
}

// train returns a scorer that classifies a share of the unlabeled rows, the class prior, as positive.
func (r ranker) train(data learn.Data, run learn.Run) (*learn.Trained, error) {
	scores, err := r.outOfFold(data, run.Seed)
	if err != nil {
		return nil, err
	}
	return r.cut(data, run, scores)
}

// cut trains on all rows and sets the threshold by the class prior of the run, or by its estimate from out-of-fold
// scores. The threshold is a quantile of the out-of-fold scores, because trees score the unlabeled rows that they
// trained on lower than new ones.
func (r ranker) cut(data learn.Data, run learn.Run, outOfFold []float64) (*learn.Trained, error) {
	share, out := run.Prior, &learn.Trained{}
	if share == 0 {
		estimate, err := prior.BBE(outOfFold, data.Labeled, prior.Config{Seed: run.Seed})
		if err != nil {
			return nil, fmt.Errorf("pu: estimating the class prior: %w", err)
		}
		share, out.Prior, out.Doubts = estimate.Prior, estimate.Prior, doubtsOf(estimate)
	}
	member, err := r.fit(data.X, data.Labeled, run.Seed)
	if err != nil {
		return nil, err
	}
	out.Members = []learn.Member{member}
	limit := threshold(data.UnlabeledScores(outOfFold), share)
	if member.Trees != nil {
		member.Trees.Bias -= limit
	} else {
		member.Head.Bias[0] -= limit
	}
	return out, nil
}

// doubtsOf returns the doubts about an estimate of the class prior.
func doubtsOf(e prior.Estimate) (list []string) {
	if e.Overlap {
		list = append(list, "positives and negatives overlap, so that the class prior is an upper bound and the "+
			"decision threshold may be too low: set Config.Prior if it is known")
	}
	if e.High-e.Low > 0.3 {
		list = append(list, fmt.Sprintf("the class prior is only known to lie between %.2f and %.2f: set "+
			"Config.Prior if it is known, or label more",
			e.Low, e.High))
	}
	return list
}

// threshold returns the score above which the given share of sorted scores lies, halfway between two scores.
func threshold(sorted []float64, share float64) float64 {
	n := len(sorted)
	below := min(max(int(math.Round(float64(n)*(1-share))), 0), n)
	switch below {
	case 0:
		return sorted[0] - 1
	case n:
		return sorted[n-1] + 1
	}
	return (sorted[below-1] + sorted[below]) / 2
}

func rowsOnly(name string, data learn.Data) error {
	return fault.If(data.Images(), "pu: %s trains on rows, and the data are images; use Mixture, CrossFit, "+
		"Algorithm1 or a baseline", name)
}
