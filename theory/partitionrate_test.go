package theory

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
)

// What is left of the limit, times the number of examples, at three sizes: the quadratic in 1/b through them is extrapolated to 0.
func TestLimitPartitionRateAgainstBatches(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		name string
		p    Population
		d    Design // the smallest of three sizes, each twice the one before
		tau  float64
		tol  float64
	}{
		{"two points", Population{Uniform([]float64{1, 0}), Uniform([]float64{-1, 1})}, Design{Labeled: 8, Unlabeled: 24, Prior: 0.3}, 1, 1e-4},
		{"no labels", Population{Uniform([]float64{1, 0}), Uniform([]float64{-1, 1})}, Design{Unlabeled: 16, Prior: 0.3}, 1, 1e-4},
		{"quartet", quartet(), Design{Labeled: 2, Unlabeled: 2, Prior: 0.35}, 1, 3e-3},
	} {
		limit, err := LimitPartitionGap(tt.p, tt.d.Prior, tt.d.PositiveShare(), tt.tau)
		if err != nil {
			t.Fatal(err)
		}
		rate, err := LimitPartitionRate(tt.p, tt.d, tt.tau)
		if err != nil {
			t.Fatal(err)
		}
		var left [3]float64
		for k := range left {
			d := tt.d
			d.Labeled, d.Unlabeled = d.Labeled<<k, d.Unlabeled<<k
			r, err := meterOf(t, pucl.SSCL(), tt.tau).Exact(tt.p, d)
			if err != nil {
				t.Fatal(err)
			}
			left[k] = (r.PartitionBias().Value - limit) * float64(d.Examples())
		}
		near(t, tt.name, (8*left[2]-6*left[1]+left[0])/3, rate, tt.tol)
		if math.Abs(rate) < 0.05 {
			t.Errorf("%s: the rate is %g, so nothing is shown", tt.name, rate)
		}
	}
	_, err := LimitPartitionRate(quartet(), Design{}, 1)
	wantError(t, "no batch", err, "neither may be negative")
	_, err = LimitPartitionRate(quartet(), Design{Labeled: 1, Unlabeled: 1, Prior: 0.5, SameView: 0.3}, 1)
	wantError(t, "views that may coincide", err, "ρ = 0.3", "independent views")
}
