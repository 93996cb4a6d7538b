package prior

import (
	"fmt"
	"slices"
)

// BBEOfOrder is [BBE] where of the scores only their order is kept: below [n_P] tells of each labeled positive how many of so many unlabeled
// examples have a lower score, one of the same score counting half, as Below and Unlabeled of evaluate.PU do. Of unlabeled examples that
// share a score with a labeled one half count as scoring as high, where BBE counts all: with many such ties the estimate may be too low.
//
// With it a class prior need not be known to choose an epoch by PU risk: each epoch of few ties bounds it from above, as far as chance
// allows, and the least bound of all is the prior for all; see the example. In the single-dataset setting [Estimate.OneSample] converts it
// first.
//
// It is an error if there are fewer than 10 of either kind, if an entry of below is no number from 0 to unlabeled, or if all are
// unlabeled/2, as where all scores are the same.
func BBEOfOrder(below []float64, unlabeled int, c Config) (Estimate, error) {
	for i, b := range below {
		if !(b >= 0 && b <= float64(unlabeled)) {
			return Estimate{}, fmt.Errorf("prior: %g of %d unlabeled examples are below labeled positive %d; count them anew, 0 to all of them", b, unlabeled, i)
		}
	}
	apart := slices.ContainsFunc(below, func(b float64) bool { return b != float64(unlabeled)/2 })
	if !apart && len(below) > 0 && unlabeled > 0 {
		return Estimate{}, fmt.Errorf("prior: half of %d unlabeled examples are below each labeled positive, as where all scores are the same, which tells "+
			"nothing; train the classifier, or give it features that differ", unlabeled)
	}
	scores, labeled := slices.Clone(below), slices.Repeat([]bool{true}, len(below))
	for i := range unlabeled {
		scores, labeled = append(scores, float64(i)+0.5), append(labeled, false)
	}
	return BBE(scores, labeled, c)
}
