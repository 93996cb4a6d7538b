package prior

import "math"

// Constants of the rules for far scores.
const (
	farShare      = 0.01 // share of either kind at either end that may be far
	farRange      = 100  // far scores have a range above this many spans of the others
	wideShare     = 0.1  // share of either kind at either end that may widen a standard deviation
	wideDeviation = 5    // a wide standard deviation is above this many spans of the others
	wideInterval  = 0.6  // wide scores are pulled in if their interval is longer

	few = 30 // labeled positives, below which intervals of resampled estimates are too short
)

// far reports whether some scores lie so far from all others that a grid over all scores does not resolve the others.
func (s scored) far() bool {
	p, u := s.positive.scores, s.unlabeled.scores
	return max(p[len(p)-1], u[len(u)-1])-min(p[0], u[0]) > farRange*s.span(farShare)
}

// wide reports whether at most a tenth of the scores determines a standard deviation.
func (s scored) wide() bool {
	return max(s.positive.deviation(), s.unlabeled.deviation()) > wideDeviation*s.span(wideShare)
}

// farAbove reports whether [scored.far] holds because of the largest score alone.
func (s scored) farAbove() bool {
	_, high := s.inner(farShare)
	return max(s.positive.largest(), s.unlabeled.largest())-high > farRange*s.span(farShare)
}

// inner returns the smallest and the largest score after removing a share of either kind, rounded up, at both ends.
func (s scored) inner(share float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range [][]float64{s.positive.scores, s.unlabeled.scores} {
		from, to := innerOf(x, share)
		low, high = min(low, from), max(high, to)
	}
	return low, high
}

// innerOf returns the smallest and the largest of sorted numbers after removing a share, rounded up, at both ends.
func innerOf(sorted []float64, share float64) (low, high float64) {
	out := int(math.Ceil(share * float64(len(sorted))))
	return sorted[out], sorted[len(sorted)-1-out]
}

// span returns the range of [scored.inner].
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

// pulledIn returns the scores; those outside [scored.inner] by more than its span are moved to that distance.
func (s scored) pulledIn(scores []float64, share float64) []float64 {
	low, high := s.inner(share)
	span := high - low
	out := make([]float64, len(scores))
	for i, x := range scores {
		out[i] = min(max(x, low-span), high+span)
	}
	return out
}
