package pseudo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// Of normal scores, positives of which lie two deviations above negatives, the prior is known; the log-odds of the class are a straight
// line in the score, and nearly so in the log-odds of the place.
func TestCurvePriorOfNormalScores(t *testing.T) {
	expect.Slow(t)
	for _, prior := range []float64{0.1, 0.5, 0.9} {
		rng := rand.New(rand.NewPCG(1, uint64(100*prior)))
		var unlabeled, places []float64
		for range 20_000 {
			x := rng.NormFloat64()
			if rng.Float64() < prior {
				x += 2
			}
			unlabeled = append(unlabeled, x)
		}
		place := placesAmong(unlabeled)
		for range 5_000 {
			places = append(places, place(2+rng.NormFloat64()))
		}
		expect.Near(t, expect.Must(curvePrior(places))(t), prior, 0.02)
	}
}

// The estimate is the highest point of the likelihood, which a walk over a grid of curves finds too.
func TestCurvePriorAgainstAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var places []float64
	for range 300 { // most of them high
		places = append(places, 1-0.5*rng.Float64()*rng.Float64())
	}
	best, want := math.Inf(-1), 0.0
	for a := -4.0; a <= 4; a += 0.1 {
		for b := 0.0; b <= 5; b += 0.1 {
			mean, log := 0.0, 0.0
			for i := range 1000 {
				u := (float64(i) + 0.5) / 1000
				mean += 1 / (1 + math.Exp(-a)*math.Pow(u/(1-u), -b)) / 1000
			}
			for _, u := range places {
				log -= math.Log1p(math.Exp(-a)*math.Pow(u/(1-u), -b)) / 300
			}
			if value := log - math.Log(mean); value > best {
				best, want = value, mean
			}
		}
	}
	expect.Near(t, expect.Must(curvePrior(places))(t), want, 0.01)
}

// Where every labeled row is above all others there are next to no other positives. Where labeled rows are below all others, and where one is
// above and one below, nothing tells a prior.
func TestCurvePriorAtTheEnds(t *testing.T) {
	for _, places := range [][]float64{{1}, slices.Repeat([]float64{1}, 50)} {
		got := expect.Must(curvePrior(places))(t)
		expect.That(t, got >= 0 && got < 0.001, "%g of %v", got, places)
	}
	// Labeled rows in the middle may lie at the foot of the upper half, or at the top of the lower one.
	if got, err := curvePrior(slices.Repeat([]float64{0.5}, 50)); err == nil && math.Abs(got-0.5) > 0.01 {
		t.Errorf("%g in the middle", got)
	}
	for _, places := range [][]float64{{0}, slices.Repeat([]float64{0}, 50), {0, 1}} {
		refusal.Check(t, refusal.Err(curvePrior(places)), fmt.Sprintf("%d labeled rows from unlabeled ones … give Config.Prior", len(places)))
	}
}

// Places that tell nothing tell no prior, but for one set in twenty or so that is uneven by chance.
func TestCurvePriorOfEvenPlaces(t *testing.T) {
	expect.Slow(t)
	const sets = 20
	read := 0
	for seed := range uint64(sets) {
		rng := rand.New(rand.NewPCG(seed, 6))
		places := make([]float64, 300)
		for i := range places {
			places[i] = rng.Float64()
		}
		if prior, err := curvePrior(places); err == nil {
			t.Logf("seed %d: %.3f", seed, prior)
			read++
		}
	}
	expect.That(t, read <= 3, "a prior is read off %d of %d sets of places that tell nothing", read, sets)
}
