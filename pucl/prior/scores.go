package prior

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/pucl/rows"
)

// sample is scores in increasing order, each of which counts with its weight; these sum to 1.
type sample struct{ scores, weights []float64 }

// sorted returns the scores as a sample of equal weights.
func sorted(scores []float64) sample {
	return sample{slices.Sorted(slices.Values(scores)), slices.Repeat([]float64{1 / float64(len(scores))}, len(scores))}
}

// resample returns s with the weights that as many draws from it give.
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

// scored is the scores of labeled positives and of unlabeled examples.
type scored struct{ positive, unlabeled sample }

// newScored returns the scores by kind, or an error if nothing can be estimated from them.
func newScored(scores []float64, labeled []bool) (scored, error) {
	if err := checkScores(scores, labeled); err != nil {
		return scored{}, err
	}
	positive, unlabeled := rows.Split(labeled)
	return scored{sorted(rows.Pick(scores, positive)), sorted(rows.Pick(scores, unlabeled))}, nil
}

// scoreResamples is how many resamples of scores there are by default.
const scoreResamples = 100

// estimate returns what an estimator makes of scores, with its interval.
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
	overlapRise  = 1.1   // ratio of ratios that is no sign of it: classifiers are not exact
	overlapLimit = 1.645 // standard deviations: where the ratio is level, one time in twenty or less the answer is wrong
)

// overlap reports whether the ratio of unlabeled to labeled examples is smaller among the tenth of the labeled positives that score
// highest than among the next four tenths, by more than chance tells: then it goes on falling up to the top, and not all of the
// unlabeled examples there are positives.
func (s scored) overlap() bool {
	top, next := s.above(0.1), s.above(0.5)
	next[0], next[1] = next[0]-top[0], next[1]-top[1]
	rise := math.Log(next[1]/next[0]) - math.Log(top[1]/top[0]) // infinite, as its deviation, where half of them share the highest score
	return rise-math.Log(overlapRise) > overlapLimit*math.Sqrt(1/top[0]+1/top[1]+1/next[0]+1/next[1])
}

// above returns how many labeled positives and how many unlabeled examples, and a part of one that keeps ratios finite, score as high as a
// share of the labeled positives does.
func (s scored) above(share float64) [2]float64 {
	p, u := s.positive.scores, s.unlabeled.scores
	threshold := p[len(p)-max(int(share*float64(len(p))), 1)]
	i, _ := slices.BinarySearch(p, threshold)
	j, _ := slices.BinarySearch(u, threshold)
	return [2]float64{float64(len(p) - i), float64(len(u)-j) + share}
}
