package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// Classes at +1 and −1 and τ = 1: only how many examples are positive matters, K of the unlabeled being binomial. What is
// left of the limit at b examples must fade like 1/b.
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
	limit, err := LimitPartitionGap(p, 0.5, 0.75, 1)
	if err != nil {
		t.Fatal(err)
	}
	byHand := 0.75*math.Log(0.75*math.E+0.25/math.E) + 0.25*math.Log(0.25*math.E+0.75/math.E) + 1
	near(t, "limit", limit, byHand, 1e-14)
	near(t, "extrapolated from 200 and 400 examples", 2*gapOf(200, 200, 0.5)-gapOf(100, 100, 0.5), limit, 1e-4)
	if gap := gapOf(100, 100, 0.5); math.Abs(gap-limit) < 1e-3 {
		t.Errorf("the gap at 200 examples is %g already; extrapolating shows nothing", gap)
	}
}

// Many examples on several points, with views that coincide in part: sampled at 48 and at 96 examples, and extrapolated.
func TestLimitPartitionGapAgainstSampling(t *testing.T) {
	expect.Slow(t)
	gapOf := func(m int) (gap, share float64) {
		d := Design{Labeled: m, Unlabeled: 3 * m, Prior: 0.35, SameView: 0.5}
		r, err := meterOf(t, pucl.SSCL(), 0.5).MonteCarlo(quartet(), d, Draws{Batches: 4000, Confidence: 0.9999, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		number := r.LogPartition.Mean.Minus(r.Ideal.LogPartition)
		if number.High-number.Low > 0.004 {
			t.Errorf("the sample is too small: %s", number)
		}
		return number.Value, d.PositiveShare()
	}
	few, share := gapOf(12)
	many, _ := gapOf(24)
	limit, err := LimitPartitionGap(quartet(), 0.35, share, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "extrapolated gap", 2*many-few, limit, 0.01)
	if math.Abs(many-limit) < 0.05 {
		t.Errorf("the gap at 96 examples is %g already, for a limit of %g; extrapolating shows nothing", many, limit)
	}
}

// A cold temperature must not underflow: the logarithm of the far class is about −2/τ, not −∞.
func TestLimitPartitionGapIsStable(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1}), Negative: Uniform([]float64{-1})}
	got, err := LimitPartitionGap(p, 0.5, 0.5, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "gap", got, 2000-math.Ln2, 1e-12)
}

func TestLimitPartitionGapRefuses(t *testing.T) {
	_, err := LimitPartitionGap(quartet(), 2, 0.5, 1)
	wantError(t, "prior", err, "π = 2")
	_, err = LimitPartitionGap(quartet(), 0.5, -1, 1)
	wantError(t, "share", err, "-1", "share of positives")
	_, err = LimitPartitionGap(Population{}, 0.5, 0.5, 1)
	wantError(t, "population", err, "at least one atom")
}
