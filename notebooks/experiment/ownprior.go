package experiment

import (
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/prior"
)

// withOwnPrior returns the points with the class prior that a head itself lets see, in place of the one that the run was told: the least of
// [prior.BBE] by any of its points. Each of them bounds the prior from above, as far as chance allows, and a better classifier does so
// more closely. Where none tells anything the prior is 0, not known.
func withOwnPrior(points []Point, head string) []Point {
	points = slices.Clone(points)
	least := 0.0
	for _, p := range points {
		if p.Head == head && p.PU != nil {
			if e, ok := estimatedPrior(*p.PU); ok && (least == 0 || e < least) {
				least = e
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

// estimatedPrior returns what [prior.BBE] makes of scores, of which it takes the order alone, as evaluate.PU.Below keeps it: so many
// unlabeled examples are below each labeled positive.
func estimatedPrior(s evaluate.PU) (float64, bool) {
	scores, labeled := slices.Clone([]float64(s.Below)), slices.Repeat([]bool{true}, len(s.Below))
	for i := range s.Unlabeled {
		scores, labeled = append(scores, float64(i)+0.5), append(labeled, false)
	}
	e, err := prior.BBE(scores, labeled, prior.Config{Resamples: -1})
	return e.Prior, err == nil
}
