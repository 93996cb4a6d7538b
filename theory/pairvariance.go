package theory

import (
	"errors"
	"math"
)

// PairVariance tells how the similarity s = z·z' of two independent draws of one class varies, split as Hoeffding (1948)
// splits the variance of a U-statistic: with g(z) = E[s | z] and μ the mean,
//
//	s − μ = (g(z) − μ) + (g(z') − μ) + r(z, z'),   Var(s) = 2·Linear + Rest,
//
// the three parts being uncorrelated. Linear is what single points bring in, and a mean over many pairs of the same points
// cannot average it away; Rest is what is left for the pair as a pair.
type PairVariance struct {
	Mean   float64 // μ
	Total  float64 // Var(s)
	Linear float64 // ζ₁ = Var(g(z)), the covariance of two pairs that share one draw
	Rest   float64 // ζ₂ = E[r²]
}

// Mean2m returns the variance of the mean of s over all pairs of 2m independent draws of the class, the U-statistic that the
// labeled anchors of PUCL are attracted by: 2ζ₁/m + ζ₂/(m(2m−1)). The mean over m separate pairs, as ssCL takes it, has
// variance (2ζ₁ + ζ₂)/m.
func (v PairVariance) Mean2m(m int) float64 {
	k := float64(m)
	return 2*v.Linear/k + v.Rest/(k*(2*k-1))
}

// PairVariance returns the split for both classes at temperature tau.
func (p Population) PairVariance(tau float64) (positive, negative PairVariance, err error) {
	if err := errors.Join(p.Validate(), checkTau(tau)); err != nil {
		return PairVariance{}, PairVariance{}, err
	}
	s := p.support(false)
	sim := s.similarities(tau)
	split := func(class []mass) PairVariance {
		mean := make([]float64, len(class)) // g of each point
		var mu kahan
		for i, a := range class {
			var g kahan
			for _, b := range class {
				g.add(b.p * sim[a.point][b.point])
			}
			mean[i] = g.value()
			mu.add(a.p * mean[i])
		}
		v := PairVariance{Mean: mu.value()}
		var total, linear, rest kahan
		for i, a := range class {
			linear.add(a.p * math.Pow(mean[i]-v.Mean, 2))
			for j, b := range class {
				x := sim[a.point][b.point]
				total.add(a.p * b.p * math.Pow(x-v.Mean, 2))
				rest.add(a.p * b.p * math.Pow(x-mean[i]-mean[j]+v.Mean, 2))
			}
		}
		v.Total, v.Linear, v.Rest = total.value(), linear.value(), rest.value()
		return v
	}
	return split(s.positive), split(s.negative), nil
}
