package theory

import (
	"errors"
	"fmt"
	"math"
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
	for _, x := range []struct {
		name  string
		value float64
	}{{"class prior π", prior}, {"share of positives in the batch", share}} {
		if !(x.value >= 0 && x.value <= 1) {
			return 0, fmt.Errorf("theory: %s = %g; it must lie from 0 to 1", x.name, x.value)
		}
	}
	if err := errors.Join(p.Validate(), checkTau(tau)); err != nil {
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

// logWeighted is log(a·M_A + b·M_B), M_C = Σ_j p_j exp(sim_j) over the points of a class; a and b are not both 0.
func logWeighted(sim []float64, classA []mass, a float64, classB []mass, b float64) float64 {
	largest, sum := math.Inf(-1), 0.0
	visit := func(f func(weight, sim float64)) {
		for _, part := range []struct {
			class []mass
			share float64
		}{{classA, a}, {classB, b}} {
			for _, m := range part.class {
				if weight := part.share * m.p; weight > 0 {
					f(weight, sim[m.point])
				}
			}
		}
	}
	visit(func(_, x float64) { largest = max(largest, x) })
	visit(func(weight, x float64) { sum += weight * math.Exp(x-largest) })
	return largest + math.Log(sum)
}
