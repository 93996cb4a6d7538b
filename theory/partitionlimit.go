package theory

import (
	"errors"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// LimitPartitionGap returns what becomes of the difference between the expected log partition of a batch and that of the
// ideal loss (3) with N = 2b − 2 as the batch grows, with share of its examples positive ([Design.PositiveShare]) and the
// prior of the ideal loss's anchors. With M_y(z) = E[exp(z·z')] over draws z' of class y,
//
//	E_{z in batch} log[share·M_P(z) + (1−share)·M_N(z)]  −  E_{(z,y), prior} log M_other(y)(z),
//
// because Z/2b tends to the first mean, whatever the views are, and the ideal's partition over N to the second (law of
// large numbers; similarities are bounded, so the expectations follow). It is how far the negatives of a batch, which hold
// the anchor's own class too, stay from those of the ideal loss.
func LimitPartitionGap(p Population, prior, share, tau float64) (gap float64, err error) {
	defer must.Catch(&err)
	must.Do(errors.Join(checkShare("class prior π", prior), checkShare("share of positives in the batch", share)))
	must.Do(errors.Join(p.Validate(), checkTau(tau)))
	s := p.support(false)
	sim := s.similarities(tau)
	log := func(z int, positive float64) float64 { // of positive·M_P + (1−positive)·M_N
		times := func(share float64) func(mass) float64 { return func(m mass) float64 { return share * m.p } }
		return logSum(sim[z], slices.Concat(lists.Map(s.positive, times(positive)), lists.Map(s.negative, times(1-positive))))
	}
	var sum kahan
	for _, z := range s.positive {
		sum.add(share * z.p * log(z.point, share))
		sum.add(-prior * z.p * log(z.point, 0))
	}
	for _, z := range s.negative {
		sum.add((1 - share) * z.p * log(z.point, share))
		sum.add(-(1 - prior) * z.p * log(z.point, 1))
	}
	return sum.value(), nil
}
