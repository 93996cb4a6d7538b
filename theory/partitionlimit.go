package theory

import (
	"errors"
	"math"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
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
func LimitPartitionGap(p Population, prior, share, tau float64) (float64, error) {
	err := errors.Join(checkShare("class prior π", prior), checkShare("share of positives in the batch", share))
	if err := errors.Join(err, p.Validate(), checkTau(tau)); err != nil {
		return 0, err
	}
	s := p.support(false)
	sim := s.similarities(tau)
	log := func(z int, positive float64) float64 {
		return logWeighted(sim[z], s.positive, positive, s.negative, 1-positive)
	}
	var gap kahan
	for _, z := range s.positive {
		gap.add(share * z.p * log(z.point, share))
		gap.add(-prior * z.p * log(z.point, 0))
	}
	for _, z := range s.negative {
		gap.add((1 - share) * z.p * log(z.point, share))
		gap.add(-(1 - prior) * z.p * log(z.point, 1))
	}
	return gap.value(), nil
}

// logWeighted returns log(a·M_A + b·M_B), M_C = Σ_j p_j exp(sim_j) over the points of a class; a and b are not both 0.
func logWeighted(sim []float64, classA []mass, a float64, classB []mass, b float64) float64 {
	times := func(class []mass, share float64) []mass {
		return lists.Map(class, func(m mass) mass { return mass{m.point, share * m.p} })
	}
	weighted := slices.DeleteFunc(slices.Concat(times(classA, a), times(classB, b)), func(m mass) bool { return m.p == 0 })
	largest, sum := math.Inf(-1), 0.0
	for _, m := range weighted {
		largest = max(largest, sim[m.point])
	}
	for _, m := range weighted {
		sum += m.p * math.Exp(sim[m.point]-largest)
	}
	return largest + math.Log(sum)
}
