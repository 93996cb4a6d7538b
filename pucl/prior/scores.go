package prior

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/pucl/rows"
)

// sample holds scores in increasing order, and their weights, which sum to 1.
type sample struct{ scores, weights []float64 }

// sorted returns the scores as a sample of equal weights.
func sorted(scores []float64) sample {
	return sample{slices.Sorted(slices.Values(scores)), slices.Repeat([]float64{1 / float64(len(scores))}, len(scores))}
}

// resample returns s with bootstrap weights.
func (s sample) resample(random *rand.Rand) sample {
	weights := make([]float64, len(s.scores))
	for range weights {
		weights[random.IntN(len(weights))] += 1 / float64(len(weights))
	}
	return sample{s.scores, weights}
}

// mean returns the mean score.
func (s sample) mean() (mean float64) {
	for i, x := range s.scores {
		mean += s.weights[i] * x
	}
	return mean
}

// scored holds the scores of labeled positives and of unlabeled examples.
type scored struct{ positive, unlabeled sample }

// newScored returns the scores by kind, or an error if they do not allow an estimate.
func newScored(scores []float64, labeled []bool) (scored, error) {
	if err := checkScores(scores, labeled); err != nil {
		return scored{}, err
	}
	positive, unlabeled := rows.Split(labeled)
	return scored{sorted(rows.Pick(scores, positive)), sorted(rows.Pick(scores, unlabeled))}, nil
}

// scoreResamples is the default number of resamples of scores.
const scoreResamples = 100

// estimate returns the estimate of estimator with its interval.
func (s scored) estimate(c Config, estimator func(scored) float64) (Estimate, error) {
	c = c.withDefaults(scoreResamples)
	if err := c.check(); err != nil {
		return Estimate{}, err
	}
	e := Estimate{Prior: estimator(s), Overlap: s.overlap()}
	random := rand.New(rand.NewPCG(c.Seed, 0xb007))
	e.bound(c, func() float64 {
		return estimator(scored{s.positive.resample(random), s.unlabeled.resample(random)})
	})
	return e, nil
}

// Constants of overlap.
const (
	overlapRise  = 1.1   // ratio of ratios tolerated, because classifiers are not exact
	overlapLimit = 1.645 // standard deviations; for a constant ratio the error rate is at most 1 in 20
)

// overlap reports whether the ratio of unlabeled to labeled examples is smaller, by more than chance, at the top tenth
// of the labeled positives than at the next four tenths. The ratio then falls up to the top, so that some unlabeled
// examples there are not positives.
func (s scored) overlap() bool {
	top, next := s.above(0.1), s.above(0.5)
	next[0], next[1] = next[0]-top[0], next[1]-top[1]
	rise := math.Log(next[1]/next[0]) - math.Log(top[1]/top[0]) // infinite, like its deviation, if half share the top score
	return rise-math.Log(overlapRise) > overlapLimit*math.Sqrt(1/top[0]+1/top[1]+1/next[0]+1/next[1])
}

// above returns the numbers of labeled positives and of unlabeled examples at or above the top share of the labeled
// positives, plus a fraction that keeps ratios finite.
func (s scored) above(share float64) [2]float64 {
	p, u := s.positive.scores, s.unlabeled.scores
	threshold := p[len(p)-max(int(share*float64(len(p))), 1)]
	i, _ := slices.BinarySearch(p, threshold)
	j, _ := slices.BinarySearch(u, threshold)
	return [2]float64{float64(len(p) - i), float64(len(u)-j) + share}
}
