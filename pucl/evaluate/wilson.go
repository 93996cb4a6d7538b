package evaluate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the confidence interval of a proportion, at a confidence such as 0.95, from the observed share of n
// independent examples. It stays within 0 and 1. Its width is positive even if the share is 0 or 1.
//
// It is an error if n is below 1, if the share is not between 0 and 1, or if the confidence is not strictly between.
//
// Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927).
func Wilson(share float64, n int, confidence float64) (low, high float64, err error) {
	switch {
	case n < 1:
		return 0, 0, fmt.Errorf("evaluate: an interval for a share of %d examples; give 1 or more", n)
	case !(share >= 0 && share <= 1):
		return 0, 0, fmt.Errorf("evaluate: an interval for a share of %g; give a number from 0 to 1", share)
	case !(confidence > 0 && (1+confidence)/2 < 1):
		return 0, 0, fmt.Errorf("evaluate: a confidence of %g; give a number above 0 and below 1, such as 0.95", confidence)
	}
	// The proportions p with |share − p| ≤ z √(p(1−p)/n): the roots of a quadratic equation.
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	size := float64(n)
	middle := share + z*z/(2*size)
	half := z * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	scale := 1 + z*z/size
	low, high = max(0, (middle-half)/scale), min(1, (middle+half)/scale)
	if share == 0 { // removes a rounding error
		low = 0
	} else if share == 1 {
		high = 1
	}
	return low, high, nil
}
