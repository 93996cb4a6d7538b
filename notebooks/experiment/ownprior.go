package experiment

import (
	"slices"

	"github.com/puclab/puclab/pucl/prior"
)

// withOwnPrior returns the points with the class prior that a head itself lets see, in place of the one that the run was told: the least of
// [prior.BBEOfOrder] by any of its points. Each of them bounds the prior from above, as far as chance allows, and a better classifier does so
// more closely. An estimate of 0, for which no risk can be had, is passed over; where none tells anything the prior is 0, not known.
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
