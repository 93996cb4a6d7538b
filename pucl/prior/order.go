package prior

import (
	"fmt"
	"slices"
)

// BBEOfOrder is [BBE] where of the scores only their order is kept: below [n_P] tells of each labeled positive how many of so many unlabeled
// examples have a lower score, one of the same score counting half, as Below and Unlabeled of evaluate.PU do. Where several unlabeled
// examples share a score with a labeled one, half of these count as scoring higher, where BBE counts all.
//
// With it a class prior need not be known to choose an epoch by PU risk: each epoch bounds it from above, as far as chance allows, and the
// least bound of all is the prior for all; see the example. In the single-dataset setting [Estimate.OneSample] converts it first.
//
// It is an error if there are fewer than 10 of either kind, or if an entry of below is no number from 0 to unlabeled.
func BBEOfOrder(below []float64, unlabeled int, c Config) (Estimate, error) {
	for i, b := range below {
		if !(b >= 0 && b <= float64(unlabeled)) {
			return Estimate{}, fmt.Errorf("prior: %g of %d unlabeled examples are below labeled positive %d; count them anew, 0 to all of them", b, unlabeled, i)
		}
	}
	scores, labeled := slices.Clone(below), slices.Repeat([]bool{true}, len(below))
	for i := range unlabeled {
		scores, labeled = append(scores, float64(i)+0.5), append(labeled, false)
	}
	return BBE(scores, labeled, c)
}
