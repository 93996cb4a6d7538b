package theory

import (
	"math"
	"testing"
)

func TestIdealAgainstSequences(t *testing.T) {
	for _, p := range []Population{quartet(), sextet()} {
		for _, negatives := range []int{0, 1, 2, 5} {
			for _, prior := range []float64{0, 0.35, 1} {
				for _, tau := range []float64{0.05, 1} {
					attraction, partition := referenceIdeal(p, prior, negatives, tau)
					got, err := IdealLoss(p, prior, negatives, tau)
					if err != nil {
						t.Fatal(err)
					}
					near(t, "attraction", got.Attraction.Value, attraction, 1e-12)
					near(t, "log partition", got.LogPartition.Value, partition, 1e-12)
					near(t, "loss", got.Loss.Value, partition-attraction, 1e-12)
					if got.Negatives != negatives {
						t.Errorf("%d negatives, want %d", got.Negatives, negatives)
					}
				}
			}
		}
	}
}

// One point a class, opposite: log(e^(1/τ) + N e^(−1/τ)) − 1/τ = log(1 + N e^(−2/τ)), here at τ = 0.001 too, where e^(1/τ)
// is beyond float64, and with many negatives.
func TestIdealClosedForm(t *testing.T) {
	p := Population{Positive: Uniform([]float64{1, 0}), Negative: Uniform([]float64{-1, 0})}
	for _, tau := range []float64{0.001, 0.5, 2} {
		for _, negatives := range []int{0, 3, 1000} {
			got, err := IdealLoss(p, 0.3, negatives, tau)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "loss", got.Loss.Value, math.Log1p(float64(negatives)*math.Exp(-2/tau)), 1e-12)
		}
	}
}

// Negatives that show two points on one spot are negatives on that spot: the binomial weights of 1000 draws add up.
func TestIdealWithManyNegatives(t *testing.T) {
	one := Population{Positive: Uniform([]float64{1, 0}), Negative: Uniform([]float64{0, 1})}
	two := Population{Positive: Uniform([]float64{1, 0}), Negative: []Atom{{[]float64{0, 1}, 0.01}, {[]float64{0, 1}, 0.99}}}
	for _, negatives := range []int{100, 1000} {
		a, err := IdealLoss(one, 0.5, negatives, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		b, err := IdealLoss(two, 0.5, negatives, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "loss", b.Loss.Value, a.Loss.Value, 1e-12)
	}
}

func TestIdealRefuses(t *testing.T) {
	p := quartet()
	_, err := IdealLoss(p, 1.5, 2, 0.5)
	wantError(t, "prior", err, "π = 1.5")
	_, err = IdealLoss(p, 0.5, -1, 0.5)
	wantError(t, "negatives", err, "-1 negatives")
	_, err = IdealLoss(p, 0.5, 2, math.NaN())
	wantError(t, "temperature", err, "τ = NaN")
	_, err = IdealLoss(Population{}, 0.5, 2, 0.5)
	wantError(t, "population", err, "at least one atom")
	_, err = IdealLoss(manyOnOneSpot(8), 0.5, 500, 0.5)
	wantError(t, "too many", err, "500 negatives", "too many terms")
	_, err = IdealGradient(manyOnOneSpot(8), 0.5, 500, 0.5)
	wantError(t, "too many for a gradient", err, "500 negatives", "too many terms")
}

// manyOnOneSpot returns a population whose negative class shows one spot, but by k atoms, which makes for many counts.
func manyOnOneSpot(k int) Population {
	points := make([][]float64, k)
	for i := range points {
		points[i] = []float64{0, 1}
	}
	return Population{Positive: Uniform([]float64{1, 0}, []float64{1, 1}), Negative: Uniform(points...)}
}
