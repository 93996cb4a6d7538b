package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// PAbove returns the p-value of Student's one-sided t test for a mean over all seeds above number; it is small if the
// mean is above. 1 − PAbove tests that it is below. If all seeds gave the same result, the p-value is 0 or 1, or 1/2 if
// that result equals number. For one seed it is NaN.
//
// Source: Student, "The probable error of a mean" (1908).
func (s Summary) PAbove(number float64) float64 {
	if s.Seeds < 2 || math.IsNaN(s.Mean) {
		return math.NaN()
	}
	lead := number - s.Mean
	if s.StdDev == 0 && lead == 0 {
		return 0.5
	}
	t := lead / (s.StdDev / math.Sqrt(float64(s.Seeds)))
	return distuv.StudentsT{Sigma: 1, Nu: float64(s.Seeds - 1)}.CDF(t)
}

// Detectable returns the smallest distance of the mean from 0 that the two-sided t test at level 0.05 detects with the
// given power, for the same number of seeds and standard deviation. A non-significant result rules out larger
// distances. It is NaN for one seed.
//
// It panics unless power is strictly between 0.05 and 1.
//
// Source: the noncentral t distribution, integrated over the standard deviation.
func (s Summary) Detectable(power float64) float64 {
	if !(power > 0.05 && power < 1) {
		panic(fmt.Sprintf("evaluate: a power of %g; it must be above 0.05 and below 1, such as 0.8", power))
	}
	if s.Seeds < 2 {
		return math.NaN()
	}
	return distanceOf(test{s.Seeds, power}) * s.StdDev / math.Sqrt(float64(s.Seeds))
}

// test is a two-sided t test at level 0.05.
type test struct {
	seeds int
	power float64
}

// distances caches the results of distanceOf: tables need hundreds of tests of few sizes.
var distances sync.Map // from test to float64

// distanceOf returns the distance of the mean from 0, in standard errors, at which the test has its power.
func distanceOf(t test) float64 {
	if distance, ok := distances.Load(t); ok {
		return distance.(float64)
	}
	degrees := float64(t.seeds - 1)
	low, high := 0.0, 1.0
	for powerOfT(high, degrees) < t.power {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; powerOfT(middle, degrees) < t.power {
			low = middle
		} else {
			high = middle
		}
	}
	distances.Store(t, high)
	return high
}

// powerOfT returns the power of the two-sided t test at level 0.05 for a mean that is distance standard errors from 0.
func powerOfT(distance, degrees float64) float64 {
	critical := distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(0.975)
	square := distuv.ChiSquared{K: degrees}
	// of returns the density of w times the power given w; w is the sample standard deviation divided by the true one.
	of := func(w float64) float64 {
		if w == 0 {
			return 0
		}
		found := distuv.UnitNormal.CDF(distance-critical*w) + distuv.UnitNormal.CDF(-distance-critical*w)
		return 2 * degrees * w * square.Prob(degrees*w*w) * found
	}
	largest := math.Sqrt(square.Quantile(1-1e-12) / degrees)
	return quad.Fixed(of, 0, largest, 400, nil, 1)
}

// FalseDiscoveryRates returns the q-value of each p-value by Benjamini and Hochberg: the expected share of false
// discoveries if all tests with a q-value as small or smaller are declared significant. With m p-values in ascending
// order, q(i) is the smallest of m·p(j)/j over j ≥ i, and at most 1. A NaN stays NaN and does not count toward m.
//
// The bound holds for independent tests and for positively dependent ones, such as comparisons that share runs.
//
// It panics if a p-value is below 0 or above 1.
//
// Source: Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
func FalseDiscoveryRates(p []float64) []float64 {
	q := slices.Clone(p)
	var order []int
	for i, value := range p {
		if value < 0 || value > 1 {
			panic(fmt.Sprintf("evaluate: p-value %d is %g; it must be between 0 and 1", i+1, value))
		}
		if !math.IsNaN(value) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	lowest := 1.0
	for rank := len(order); rank >= 1; rank-- {
		i := order[rank-1]
		lowest = min(lowest, p[i]*float64(len(order))/float64(rank))
		q[i] = lowest
	}
	return q
}
