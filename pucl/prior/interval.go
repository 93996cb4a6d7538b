package prior

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// widening is the factor by which intervals exceed intervals from resampling alone, because a classifier errs in the
// same direction in all resamples. It is calibrated for [DEDPUL] with [Trees], on 300 draws from Gaussian and uniform
// populations of ten features, with priors from .05 to .95 and 100 to 1,000 labeled positives. The 90% intervals
// contain the prior in 90% of the draws, and in 83% for [BBE]; without widening in 70% and 63%.
const widening = 1.8

// bound sets the interval: the estimate ± a normal quantile times its standard deviation over resamples, widened.
func (e *Estimate) bound(c Config, again func() float64) {
	e.Low, e.High, e.Level = math.NaN(), math.NaN(), c.Level
	if c.Resamples < 0 {
		return
	}
	var sum, squares float64 // sums over differences from the estimate
	for range c.Resamples {
		d := again() - e.Prior
		sum, squares = sum+d, squares+d*d
	}
	n := float64(c.Resamples)
	deviation := math.Sqrt(max(squares-sum*sum/n, 0) / (n - 1))
	half := widening * deviation * distuv.UnitNormal.Quantile((1+c.Level)/2)
	e.Low, e.High = max(e.Prior-half, 0), min(e.Prior+half, 1)
}
