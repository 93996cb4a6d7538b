package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// Classes at +1 and −1 and τ = 1: only the number of positive examples matters, K of the unlabeled being binomial. The
// difference to the limit at b examples must decrease like 1/b.
func TestLimitPartitionGapOfTwoPoints(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1}), Negative: Uniform([]float64{-1})}
	gapOf := func(m, u int, pi float64) float64 {
		b := float64(m + u)
		gap := -(math.Log(math.E + (2*b-2)/math.E)) // the ideal's partition is the same for all its anchors
		for k := range u + 1 {
			lu, _ := math.Lgamma(float64(u + 1))
			lk, _ := math.Lgamma(float64(k + 1))
			lr, _ := math.Lgamma(float64(u - k + 1))
			weight := math.Exp(lu - lk - lr + float64(k)*math.Log(pi) + float64(u-k)*math.Log(1-pi))
			positive := float64(m + k)
			gap += weight * positive / b * math.Log((2*positive-1)*math.E+2*(b-positive)/math.E)
			if positive < b {
				gap += weight * (b - positive) / b * math.Log((2*(b-positive)-1)*math.E+2*positive/math.E)
			}
		}
		return gap
	}
	limit := expect.Must(LimitPartitionGap(p, 0.5, 0.75, 1))(t)
	byHand := 0.75*math.Log(0.75*math.E+0.25/math.E) + 0.25*math.Log(0.25*math.E+0.75/math.E) + 1
	near(t, "limit", limit, byHand, 1e-14)
	near(t, "extrapolated from 200 and 400 examples", 2*gapOf(200, 200, 0.5)-gapOf(100, 100, 0.5), limit, 1e-4)
	if gap := gapOf(100, 100, 0.5); math.Abs(gap-limit) < 1e-3 {
		t.Errorf("the gap at 200 examples is %g already; extrapolating shows nothing", gap)
	}
}

// Many examples on several points, with partly equal views: sampled at 12, 24 and 48 examples. The quadratic in 1/b
// through the gaps is extrapolated to 0.
func TestLimitPartitionGapAgainstSampling(t *testing.T) {
	expect.Slow(t)
	var gaps [3]float64
	var d Design
	for k := range gaps {
		d = Design{Labeled: 3 << k, Unlabeled: 9 << k, Prior: 0.35, SameView: 0.5}
		r, err := meterOf(t, pucl.SSCL(), 0.5).MonteCarlo(quartet(), d, Draws{Batches: 4000, Confidence: 0.9999, Seed: 5})
		expect.NoError(t, err)
		number := r.LogPartition.Mean.Minus(r.Ideal.LogPartition)
		expect.That(t, number.High-number.Low <= 0.008/float64(int(1)<<k), "the sample is too small: %s", number)
		gaps[k] = number.Value
	}
	limit := expect.Must(LimitPartitionGap(quartet(), 0.35, d.PositiveShare(), 0.5))(t)
	near(t, "extrapolated gap", (8*gaps[2]-6*gaps[1]+gaps[0])/3, limit, 0.01)
	expect.That(t, math.Abs(gaps[2]-limit) >= 0.05,
		"the gap at 48 examples is %g already, for a limit of %g; extrapolating shows nothing", gaps[2], limit)
}

// A low temperature must not underflow: the logarithm of the far class is about −2/τ, not −∞.
func TestLimitPartitionGapIsStable(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1}), Negative: Uniform([]float64{-1})}
	got := expect.Must(LimitPartitionGap(p, 0.5, 0.5, 0.001))(t)
	near(t, "gap", got, 2000-math.Ln2, 1e-12)
}

func TestLimitPartitionGapRefuses(t *testing.T) {
	wantError(t, "prior", expect.Err(LimitPartitionGap(quartet(), 2, 0.5, 1)), "π = 2")
	wantError(t, "share", expect.Err(LimitPartitionGap(quartet(), 0.5, -1, 1)), "-1", "share of positives")
	wantError(t, "population", expect.Err(LimitPartitionGap(Population{}, 0.5, 0.5, 1)), "at least one atom")
}

// The difference to the limit, times the number of examples, at three sizes: the quadratic in 1/b through them is
// extrapolated to 0.
func TestLimitPartitionRateAgainstBatches(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		name string
		p    Population
		d    Design // the smallest of three sizes, each twice the previous one
		tau  float64
		tol  float64
	}{
		{"two points", Population{Uniform([]float64{1, 0}), Uniform([]float64{-1, 1})}, Design{Labeled: 8, Unlabeled: 24, Prior: 0.3}, 1, 1e-4},
		{"no labels", Population{Uniform([]float64{1, 0}), Uniform([]float64{-1, 1})}, Design{Unlabeled: 16, Prior: 0.3}, 1, 1e-4},
		{"quartet", quartet(), Design{Labeled: 2, Unlabeled: 2, Prior: 0.35}, 1, 3e-3},
	} {
		limit := expect.Must(LimitPartitionGap(tt.p, tt.d.Prior, tt.d.PositiveShare(), tt.tau))(t)
		rate := expect.Must(LimitPartitionRate(tt.p, tt.d, tt.tau))(t)
		var left [3]float64
		for k := range left {
			d := tt.d
			d.Labeled, d.Unlabeled = d.Labeled<<k, d.Unlabeled<<k
			r := expect.Must(meterOf(t, pucl.SSCL(), tt.tau).Exact(tt.p, d))(t)
			left[k] = (r.PartitionBias().Value - limit) * float64(d.Examples())
		}
		near(t, tt.name, (8*left[2]-6*left[1]+left[0])/3, rate, tt.tol)
		expect.That(t, math.Abs(rate) >= 0.05, "%s: the rate is %g, so nothing is shown", tt.name, rate)
	}
	wantError(t, "no batch", expect.Err(LimitPartitionRate(quartet(), Design{}, 1)), "neither may be negative")
	_, err := LimitPartitionRate(quartet(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.5, SameView: 0.3}, 1)
	wantError(t, "views that may coincide", err, "ρ = 0.3", "independent views")
}

// The bias of the PU-debiased loss vanishes as the batch grows, while that of PUCL grows; its cost is variance. With a
// wrong prior it stays biased.
func TestThePUDebiasedLossIsUnbiasedInLargeBatches(t *testing.T) {
	expect.Slow(t)
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0}, []float64{0, -1})}
	const prior = 0.3
	measure := func(o pucl.Objective, half, batches int) Result {
		m := expect.Must(NewMeter(eng, o, 1))(t)
		defer m.Close()
		r, err := m.MonteCarlo(world, Design{Labeled: half, Unlabeled: half, Prior: prior}, Draws{Batches: batches, Seed: 1})
		expect.NoError(t, err)
		return r
	}
	small, large := measure(pucl.PUDebiased(prior), 2, 1500), measure(pucl.PUDebiased(prior), 24, 1500)
	plain, wrong := measure(pucl.PUCL(), 24, 300), measure(pucl.PUDebiased(0.6), 24, 300)
	if !(large.Bias.High < 0.03 && large.Bias.Low > -0.03) || math.Abs(large.Bias.Value) > math.Abs(small.Bias.Value) {
		t.Errorf("bias %v in batches of 4 and %v in batches of 48, want it to fade", small.Bias, large.Bias)
	}
	expect.That(t, plain.Bias.Low >= 0.6 && wrong.Bias.High <= -0.5,
		"bias of PUCL %v, want above 0.6; with a prior of 0.6 %v, want below -0.5", plain.Bias, wrong.Bias)
	expect.That(t, large.Loss.Variance.Low >= 5*plain.Loss.Variance.High,
		"variance %v, and PUCL's is %v", large.Loss.Variance, plain.Loss.Variance)
}

// With true negatives the bias against the ideal loss vanishes as the batch grows, since only the logarithm is
// nonlinear. The bias of ssCL, which treats its own class as negative, remains.
func TestTrueNegativesAreUnbiasedInLargeBatches(t *testing.T) {
	expect.Slow(t)
	eng := openEngine(t)
	world := Population{Positive: Uniform([]float64{1, 0}, []float64{0, 1}), Negative: Uniform([]float64{-1, 0}, []float64{0, -1})}
	measure := func(o pucl.Objective, examples int) Result {
		m := expect.Must(NewMeter(eng, o, 1))(t)
		defer m.Close()
		return expect.Must(m.MonteCarlo(world, Design{Unlabeled: examples, Prior: 0.5}, Draws{Batches: 1500, Seed: 1}))(t)
	}
	small, large, plain := measure(pucl.TrueNegatives(0), 4), measure(pucl.TrueNegatives(0), 48), measure(pucl.SSCL(), 48)
	expect.That(t, large.Bias.High < 0.03 && large.Bias.Low > -0.03,
		"bias %v in batches of 48 with true negatives, want about none", large.Bias)
	if !(small.Bias.High < large.Bias.Low) {
		t.Errorf("bias %v in batches of 4 and %v in those of 48, want less in small ones, some of which have no true negative", small.Bias, large.Bias)
	}
	expect.That(t, plain.Bias.Low >= 0.2, "bias of ssCL %v, want it to stay", plain.Bias)
}

// +1 with probability ¾, −1 with ¼, τ = 1: s = z·z' has mean ¼ and variance 15/16. g(z) = z/2 has variance ¼·¾. The
// rest is 15/16 − 3/8 = 9/16, and indeed r = (z − ½)(z' − ½), whose square has mean (¾)².
func TestPairVarianceByHand(t *testing.T) {
	p := Population{Positive: []Atom{{[]float64{1}, 0.75}, {[]float64{-1}, 0.25}}, Negative: Uniform([]float64{2})}
	v, none, err := p.PairVariance(1)
	expect.NoError(t, err)
	near(t, "mean", v.Mean, 0.25, 1e-15)
	near(t, "variance", v.Total, 15.0/16, 1e-15)
	near(t, "linear part", v.Linear, 3.0/16, 1e-15)
	near(t, "rest", v.Rest, 9.0/16, 1e-15)
	expect.That(t, none == (PairVariance{Mean: 1}), "a class of one point varies: %+v", none)
	_, _, err = p.PairVariance(0)
	expect.That(t, err != nil, "τ = 0: no error")
}

// The variance of the mean over all pairs of 2m draws, by enumerating all draws.
func TestMeanOverAllPairs(t *testing.T) {
	p := quartet()
	v, _ := expect.Must2(p.PairVariance(0.5))(t)
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
	expect.That(t, math.Abs(v.Linear) >= 1e-3 && math.Abs(v.Rest) >= 1e-3, "%+v leaves a part untested", v)
}
