package pseudo

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// quantiles is the number of evenly spaced ranks over which a curve is averaged.
const quantiles = 4000

// leastGain is the least log-likelihood gain, in nats, of the fitted curve over a flat one. For uninformative ranks one
// set in twenty reaches it by chance.
const leastGain = 3

// curvePrior returns the maximum-likelihood class prior under a parametric curve. The place p of a row is the share of
// unlabeled rows with a lower score. The model is that the probability of a positive at p has log-odds a +
// b·log(p/(1−p)). Unlabeled places are uniform in (0, 1), so the prior π is the mean of the curve. A labeled row, drawn
// from the positives, has a place with density curve(p)/π. The likelihood uses all places and so varies less than a
// ratio at a threshold.
//
// Uninformative scores do not identify the prior: with b = 0 every π is equally likely. It is an error if the fitted
// curve is hardly more likely than that, or decreases.
func curvePrior(places []float64) (float64, error) {
	even, own := make([]float64, quantiles), make([]float64, len(places))
	for i := range even {
		even[i] = logit((float64(i) + 0.5) / quantiles)
	}
	for i, p := range places {
		own[i] = logit(min(max(p, 0.5/quantiles), 1-0.5/quantiles))
	}
	unlikely := func(v []float64) float64 { return math.Log(meanCurve(v, even)) - meanLogCurve(v, own) }
	best := math.Inf(1)
	var curve []float64
	for _, start := range [][]float64{{-1, 1}, {0, 4}} { // flat and steep: the likelihood may have two maxima
		result, err := optimize.Minimize(optimize.Problem{Func: unlikely}, start, nil, &optimize.NelderMead{})
		if err != nil {
			return 0, fmt.Errorf("pseudo: the likeliest curve over the places of %d labeled rows: %w", len(places), err)
		}
		if result.F < best {
			best, curve = result.F, result.X
		}
	}
	gain := -best * float64(len(places)) // a flat curve gives every place the density 1
	if !(gain >= leastGain) || math.IsInf(gain, 1) || curve[1] <= 0 {
		return 0, fmt.Errorf("pseudo: the embeddings do not tell the %d labeled rows from unlabeled ones, so that no prior can be read off them; "+
			"train the encoders longer, label more rows, or give Config.Prior", len(places))
	}
	return meanCurve(curve, even), nil
}

// meanCurve returns the mean of 1/(1 + e^−(a + b·t)) over t.
func meanCurve(ab, t []float64) float64 {
	sum := 0.0
	for _, t := range t {
		sum += 1 / (1 + math.Exp(-ab[0]-ab[1]*t))
	}
	return sum / float64(len(t))
}

// meanLogCurve returns the mean of the logarithm of the curve over t.
func meanLogCurve(ab, t []float64) float64 {
	logs := make([]float64, len(t))
	for i, t := range t {
		logs[i] = -floats.LogSumExp([]float64{0, -ab[0] - ab[1]*t})
	}
	return floats.Sum(logs) / float64(len(t))
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
