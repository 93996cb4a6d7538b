package experiment

import (
	"slices"

	"github.com/puclab/puclab/pucl/prior"
)

// withOwnPrior returns the points with a class prior estimated from a head's scores in place of the given prior: the
// minimum of [prior.BBEOfOrder] over its points. Each estimate is an upper bound of the prior, up to sampling error,
// and a better classifier gives a tighter bound. Estimates of 0, which define no risk, are skipped. If no estimate is
// left, the prior is 0 (unknown).
func withOwnPrior(points []Point, head string) []Point {
	points = slices.Clone(points)
	least := 0.0
	for _, p := range points {
		if p.Head == head && p.PU != nil {
			e, err := prior.BBEOfOrder(p.PU.Below, p.PU.Unlabeled, prior.Config{Resamples: -1})
			if err == nil && e.Prior > 0 && (least == 0 || e.Prior < least) {
				least = e.Prior
			}
		}
	}
	for i, p := range points {
		if p.Head == head && p.PU != nil {
			own := *p.PU
			own.Prior = least
			points[i].PU = &own
		}
	}
	return points
}
