package theory

import (
	"math"
	"testing"
)

// +1 with probability ¾, −1 with ¼, τ = 1: s = z·z' has mean ¼ and variance 15/16; g(z) = z/2 varies by ¼·¾; what is left
// is 15/16 − 3/8 = 9/16, and indeed r = (z − ½)(z' − ½), whose square has mean (¾)².
func TestPairVarianceByHand(t *testing.T) {
	p := Population{
		Positive: []Atom{{[]float64{1}, 0.75}, {[]float64{-1}, 0.25}},
		Negative: Uniform([]float64{2}),
	}
	v, none, err := p.PairVariance(1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", v.Mean, 0.25, 1e-15)
	near(t, "variance", v.Total, 15.0/16, 1e-15)
	near(t, "linear part", v.Linear, 3.0/16, 1e-15)
	near(t, "rest", v.Rest, 9.0/16, 1e-15)
	if none != (PairVariance{Mean: 1}) {
		t.Errorf("a class of one point varies: %+v", none)
	}
	if _, _, err = p.PairVariance(0); err == nil {
		t.Error("τ = 0: no error")
	}
}

// The variance of the mean over all pairs of 2m draws, by going over all draws.
func TestMeanOverAllPairs(t *testing.T) {
	p := quartet()
	v, _, err := p.PairVariance(0.5)
	if err != nil {
		t.Fatal(err)
	}
	for m := 1; m <= 3; m++ {
		var mean, square float64
		for draw := range 1 << (2 * m) {
			weight, sum := 1.0, 0.0
			for i := range 2 * m {
				weight *= p.Positive[draw>>i&1].P
				for j := range 2 * m {
					if j != i {
						sum += cosine(p.Positive[draw>>i&1].Z, p.Positive[draw>>j&1].Z) / 0.5
					}
				}
			}
			sum /= float64(2 * m * (2*m - 1))
			mean += weight * sum
			square += weight * sum * sum
		}
		k := float64(m)
		near(t, "variance of the mean over all pairs", 2*v.Linear/k+v.Rest/(k*(2*k-1)), square-mean*mean, 1e-13)
	}
	near(t, "whole", v.Total, 2*v.Linear+v.Rest, 1e-15)
	if math.Abs(v.Linear) < 1e-3 || math.Abs(v.Rest) < 1e-3 {
		t.Errorf("%+v leaves a part untested", v)
	}
}
