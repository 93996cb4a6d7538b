package prior

import "math"

// Constants of extremes.
const (
	farShare      = 0.01 // of either kind at either end that may be far
	farRange      = 100  // times the span of the others that the range of far scores exceeds
	wideShare     = 0.1  // of either kind at either end that may make a standard deviation wide
	wideDeviation = 5    // times the span of the others that a wide standard deviation exceeds
	wideInterval  = 0.6  // length of an interval from wide scores above which they are pulled in

	few = 30 // labeled positives, below which intervals of resampled estimates are too short
)

// far reports whether some scores lie so far from all others that a grid over all of them does not resolve the others.
func (s scored) far() bool {
	p, u := s.positive.scores, s.unlabeled.scores
	return max(p[len(p)-1], u[len(u)-1])-min(p[0], u[0]) > farRange*s.span(farShare)
}

// wide reports whether a standard deviation follows from a tenth of the scores or less.
func (s scored) wide() bool {
	return max(s.positive.deviation(), s.unlabeled.deviation()) > wideDeviation*s.span(wideShare)
}

// farAbove reports whether the largest score alone makes the scores [scored.far].
func (s scored) farAbove() bool {
	_, high := s.inner(farShare)
	return max(s.positive.largest(), s.unlabeled.largest())-high > farRange*s.span(farShare)
}

// inner returns the least and the largest score when a share of either kind, rounded up, is left out at both ends.
func (s scored) inner(share float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range [][]float64{s.positive.scores, s.unlabeled.scores} {
		out := int(math.Ceil(share * float64(len(x))))
		low, high = min(low, x[out]), max(high, x[len(x)-1-out])
	}
	return low, high
}

// span returns the distance of the ends of [scored.inner].
func (s scored) span(share float64) float64 {
	low, high := s.inner(share)
	return high - low
}

// deviation returns the standard deviation of the scores.
func (s sample) deviation() float64 {
	mean, variance := s.mean(), 0.0
	for i, x := range s.scores {
		variance += s.weights[i] * (x - mean) * (x - mean)
	}
	return math.Sqrt(variance)
}

// pulledIn returns the scores with those outside of [scored.inner] by more than its span moved to there.
func (s scored) pulledIn(scores []float64, share float64) []float64 {
	low, high := s.inner(share)
	span := high - low
	out := make([]float64, len(scores))
	for i, x := range scores {
		out[i] = min(max(x, low-span), high+span)
	}
	return out
}
