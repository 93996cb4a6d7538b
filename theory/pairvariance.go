package theory

import (
	"errors"
	"math"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PairVariance is the variance of the similarity s = z·z' of two independent draws of one class, decomposed like the
// variance of a U-statistic by Hoeffding (1948): with g(z) = E[s | z] and μ the mean,
//
//	s − μ = (g(z) − μ) + (g(z') − μ) + r(z, z'),   Var(s) = 2·Linear + Rest,
//
// where the three parts are uncorrelated. Linear is the contribution of single points, which a mean over many pairs of
// the same points cannot average out; Rest is the remaining contribution of the pair.
type PairVariance struct {
	Mean   float64 // μ
	Total  float64 // Var(s)
	Linear float64 // ζ₁ = Var(g(z)), the covariance of two pairs that share one draw
	Rest   float64 // ζ₂ = E[r²]
}

// PairVariance returns the decomposition for both classes at temperature tau.
func (p Population) PairVariance(tau float64) (positive, negative PairVariance, err error) {
	defer must.Catch(&err)
	must.Do(errors.Join(p.Validate(), checkTau(tau)))
	s := p.support(false)
	sim := s.similarities(tau)
	split := func(class []mass) PairVariance {
		one := []mass{{p: 1}} // averaging over it leaves the class
		between := func(i, j int) float64 { return sim[class[i].point][class[j].point] }
		g := lists.Make(len(class), func(i int) float64 {
			return meanOfPairs(one, class, func(_, j int) float64 { return between(i, j) })
		})
		mu := meanOfPairs(one, class, func(_, i int) float64 { return g[i] })
		return PairVariance{
			Mean:   mu,
			Total:  meanOfPairs(class, class, func(i, j int) float64 { return math.Pow(between(i, j)-mu, 2) }),
			Linear: meanOfPairs(one, class, func(_, i int) float64 { return math.Pow(g[i]-mu, 2) }),
			Rest:   meanOfPairs(class, class, func(i, j int) float64 { return math.Pow(between(i, j)-g[i]-g[j]+mu, 2) }),
		}
	}
	return split(s.positive), split(s.negative), nil
}
