package viz

import (
	"fmt"
	"math"
	"slices"
)

// Constants of innerLimits.
const (
	farShare = 0.01 // of a series at either end, rounded up, that may lie far from the others
	farRange = 100  // times the range of the others that the range of all exceeds then
	fewest   = 10   // values of a series; all of a shorter one are drawn
)

// innerLimits returns the range of all values of some series. If a few values lie far from all others, so that a
// figure would show these as one point, it is the range of the inner 98% of each series of 10 values or more, widened
// by its length on both sides.
func innerLimits(series ...[]float64) (low, high float64) {
	innerLow, innerHigh := math.Inf(1), math.Inf(-1)
	low, high = innerLow, innerHigh
	for _, values := range series {
		if len(values) == 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(values))
		last := len(sorted) - 1
		out := 0
		if len(sorted) >= fewest {
			out = int(math.Ceil(farShare * float64(len(sorted))))
		}
		low, high = min(low, sorted[0]), max(high, sorted[last])
		innerLow, innerHigh = min(innerLow, sorted[out]), max(innerHigh, sorted[last-out])
	}
	if span := innerHigh - innerLow; high-low > farRange*span {
		return max(low, innerLow-span), min(high, innerHigh+span)
	}
	return low, high
}

// beyond returns the name of a series of n entries of which some lie outside of the axes: "positive (2 of 500
// outside)".
func beyond(name string, outside, n int) string {
	if outside == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s of %s outside)", name, number(float64(outside), 0), number(float64(n), 0))
}
