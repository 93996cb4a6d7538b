package prior

import (
	"fmt"
	"slices"
)

// BBEOfOrder is [BBE] from the order of scores. For each labeled positive, below [n_P] holds the number of unlabeled
// examples with a lower score, where an equal score counts half, as in Below and Unlabeled of evaluate.PU. Half of the
// unlabeled examples tied with a labeled one count as scoring as high; BBE counts all of them. With many such ties the
// estimate may be too low.
//
// It supplies the class prior for selecting an epoch by PU risk. Each epoch with few ties bounds the prior from above,
// up to chance; the smallest bound serves for all epochs; see the example. In the single-dataset setting convert it
// first by [Estimate.OneSample].
//
// It is an error if there are fewer than 10 of either kind, if an entry of below is not a number from 0 to unlabeled,
// or if all entries are unlabeled/2, as for constant scores.
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
