package theory

import (
	"errors"
	"math"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// LimitPartitionGap returns the limit, as the batch grows, of the expected log partition of a batch minus that of the
// ideal loss (3) with N = 2b − 2. The argument share is the fraction of positive examples ([Design.PositiveShare]) and
// prior the class prior of the ideal loss's anchors. With M_y(z) = E[exp(z·z')] over draws z' of class y,
//
//	E_{z in batch} log[share·M_P(z) + (1−share)·M_N(z)]  −  E_{(z,y), prior} log M_other(y)(z),
//
// because Z/2b tends to the first mean, for all kinds of views, and the ideal's partition over N to the second (law of
// large numbers; similarities are bounded, so the expectations follow). The gap is not 0 because the negatives of a
// batch also contain the anchor's own class.
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

// LimitPartitionRate returns the rate of convergence to [LimitPartitionGap]: the c of gap + c/b + O(1/b²) for a batch
// of b examples as b grows in the proportions of d. It requires independent views: a design whose views may coincide is
// an error.
//
// Given its anchor z, Z/2b has a mean M(z) + δ/2b and a variance V/2b, and log Z = log 2b + log M + δ/(2bM) − V/(4bM²)
// + O(1/b²). Let V_y(z) = Var(exp(z·z')) over draws z' of class y, and q the prior of the unlabeled examples, with mean
// M_q. For a labeled anchor δ = −M_P, since the anchor itself is excluded. For an unlabeled anchor of class y δ = M_y −
// 2M_q, since it has a view of its own class and lacks one example. V is (m/b)V_P for the labeled rows and, since the
// two views of an unlabeled example share a class, (u/b)[qV_P + (1−q)V_N + 2q(1−q)(M_P − M_N)²] for the others. In the
// ideal loss δ = M_y − 2M_other and V = V_other.
func LimitPartitionRate(p Population, d Design, tau float64) (rate float64, err error) {
	defer must.Catch(&err)
	must.Do(validate(p, d, tau))
	if d.SameView != IndependentViews {
		must.Fail("theory: views that coincide with probability ρ = %g; the rate is that of independent views, so SameView must be 0", d.SameView)
	}
	s := p.support(false)
	sim := s.similarities(tau)
	moments := func(z int, class []mass) (mean, variance float64) {
		var first, second kahan
		for _, m := range class {
			first.add(m.p * math.Exp(sim[z][m.point]))
		}
		for _, m := range class {
			second.add(m.p * math.Pow(math.Exp(sim[z][m.point])-first.value(), 2))
		}
		return first.value(), second.value()
	}
	labeled, q := float64(d.Labeled)/float64(d.Examples()), 0.0
	if d.Unlabeled > 0 {
		q = d.UnlabeledPrior()
	}
	unlabeled := 1 - labeled
	var sum kahan
	add := func(share, mean, delta, variance float64) { sum.add(share * (delta/mean/2 - variance/(mean*mean)/4)) }
	for _, class := range []struct {
		own, other    []mass
		hidden, prior float64 // fractions of the class among unlabeled examples and ideal anchors
		labeled       float64
	}{{s.positive, s.negative, q, d.Prior, labeled}, {s.negative, s.positive, 1 - q, 1 - d.Prior, 0}} {
		for _, z := range class.own {
			mP, vP := moments(z.point, s.positive)
			mN, vN := moments(z.point, s.negative)
			mOwn, _ := moments(z.point, class.own)
			mOther, vOther := moments(z.point, class.other)
			mQ := q*mP + (1-q)*mN
			mean := labeled*mP + unlabeled*mQ
			variance := labeled*vP + unlabeled*(q*vP+(1-q)*vN+2*q*(1-q)*(mP-mN)*(mP-mN))
			add(class.labeled*z.p, mean, -mP, variance)
			add(unlabeled*class.hidden*z.p, mean, mOwn-2*mQ, variance)
			add(-class.prior*z.p, mOther, mOwn-2*mOther, vOther)
		}
	}
	return sum.value(), nil
}
