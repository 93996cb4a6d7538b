package prior

import "math"

// Constants of BBE, from the paper: γ, and δ, the probability that the bound fails.
const (
	bbeGamma = 0.01
	bbeDelta = 0.1
)

// BBE estimates the class prior by the best bin: the share of unlabeled examples above a threshold divided by the share
// of labeled ones, at the threshold with the smallest upper bound. Only the order of the scores matters.
//
// Source: Saurabh Garg, Yifan Wu, Alexander J. Smola, Sivaraman Balakrishnan and Zachary C. Lipton, "Mixture Proportion Estimation and
// PU Learning: A Modern Approach", NeurIPS 2021, Algorithm 1. Difference: thresholds are the scores of labeled positives.
func BBE(scores []float64, labeled []bool, c Config) (Estimate, error) {
	s, err := newScored(scores, labeled)
	if err != nil {
		return Estimate{}, err
	}
	return s.estimate(c, scored.bestBin)
}

// bestBin returns the estimate of BBE.
func (s scored) bestBin() float64 {
	p, u := s.positive, s.unlabeled
	deviation := func(n int) float64 { return math.Sqrt(math.Log(4/bbeDelta) / 2 / float64(n)) }
	slack := (1 + bbeGamma) * (deviation(len(p.scores)) + deviation(len(u.scores)))
	least, prior := math.Inf(1), 1.0
	above, unlabeledAbove := 0.0, 0.0
	j := len(u.scores) - 1
	for i := len(p.scores) - 1; i >= 0; i-- {
		above += p.weights[i]
		for ; j >= 0 && u.scores[j] >= p.scores[i]; j-- {
			unlabeledAbove += u.weights[j]
		}
		// Of equal labeled scores the last one decides; for the others the bound is larger.
		if bound := (unlabeledAbove + slack) / above; bound < least {
			least, prior = bound, unlabeledAbove/above
		}
	}
	return min(prior, 1)
}
