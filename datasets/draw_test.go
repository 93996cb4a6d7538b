package datasets

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// labelCounts draws with many seeds and counts how often each row is labeled.
func labelCounts(t *testing.T, cfg SplitConfig, seeds int) []float64 {
	t.Helper()
	labels, classes := hundred()
	counts := make([]float64, len(labels))
	for seed := range seeds {
		cfg.Seed = uint64(seed)
		s := expect.Must(NewSplit(labels, classes, cfg))(t)
		for _, row := range s.Index[:s.NumLabeled()] {
			counts[row]++
		}
	}
	return counts
}

// wantShare fails if a count of so many trials is five standard deviations from its expectation.
func wantShare(t *testing.T, what string, count float64, trials int, probability float64) {
	t.Helper()
	n := float64(trials)
	expect.Near(t, count, n*probability, 5*math.Sqrt(n*probability*(1-probability)), "%s, of %d", what, trials)
}

// The definition of SAR: an example is labeled with its own probability, whatever happens to the others.
func TestIndependentHasThePropensities(t *testing.T) {
	t.Parallel()
	const seeds = 4000
	e := func(i int) float64 { return float64(i) / 100 }
	counts := labelCounts(t, SplitConfig{Positive: []int{1, 3}, Draw: Independent, Propensity: e}, seeds)
	for row, n := range counts {
		probability := e(row)
		if row%5 != 1 && row%5 != 3 {
			probability = 0
		}
		expect.That(t, probability != 0 || n == 0, "row %d is labeled %v times", row, n)
		wantShare(t, "labels", n, seeds, probability)
	}
}

// With three positives of weights 1, 2 and 3 (and any others 0), two labels. The chance that an example is among them:
// drawn first, or second after each of the others.
func TestWeightedHasTheClosedForm(t *testing.T) {
	t.Parallel()
	const seeds = 6000
	weights := map[int]float64{11: 1, 43: 2, 96: 3}
	counts := labelCounts(t, SplitConfig{Positive: []int{1, 3}, Labeled: 2, Draw: Weighted,
		Propensity: func(i int) float64 { return weights[i] }}, seeds)
	for row, w := range weights {
		probability := w / 6
		for other, v := range weights {
			if other != row {
				probability += v / 6 * w / (6 - v)
			}
		}
		wantShare(t, "labels", counts[row], seeds, probability)
		counts[row] = 0
	}
	for row, n := range counts {
		expect.That(t, n == 0, "row %d has weight 0 and is labeled %v times", row, n)
	}
}

// Only ratios of weights count, also where they are very large or small.
func TestWeightedScale(t *testing.T) {
	base := newSplit(t, SplitConfig{Positive: []int{1, 3}, Labeled: 20, Draw: Weighted, Seed: 5,
		Propensity: func(i int) float64 { return 1 + float64(i) }})
	for _, scale := range []float64{0x1p-60, 0x1p+900} {
		s := newSplit(t, SplitConfig{Positive: []int{1, 3}, Labeled: 20, Draw: Weighted, Seed: 5,
			Propensity: func(i int) float64 { return scale * (1 + float64(i)) }})
		for i := range 20 {
			expect.Require(t, s.Index[i] == base.Index[i],
				"scale %v: label %d is row %d, want %d", scale, i, s.Index[i], base.Index[i])
		}
	}
	// An example whose weight is below one part in 2⁴⁰ can still be drawn, and with all others gone it must be.
	all := newSplit(t, SplitConfig{Positive: []int{1, 3}, Labeled: 40, Draw: Weighted,
		Propensity: func(i int) float64 { return math.Ldexp(1, 1000-21*i) }}) // from 2⁹⁷⁹ to 2⁻¹⁰⁵⁸
	expect.That(t, all.NumLabeled() == 40, "%d labels, want 40", all.NumLabeled())
}

// Every class has the same number of labels or one more, the first ones named having the rest.
func TestBalanced(t *testing.T) {
	for n := range 41 {
		s := newSplit(t, SplitConfig{Positive: []int{3, 1}, Labeled: n, Draw: Balanced, Seed: uint64(n)})
		counts := make([]int, 5)
		for _, row := range s.Index[:n] {
			counts[row%5]++
		}
		expect.That(t, counts[3] == (n+1)/2 && counts[1] == n/2,
			"%d labels: %d of class 3 and %d of class 1", n, counts[3], counts[1])
	}
}

// The tree must agree with a walk along the line, whatever has been removed.
func TestWeightTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 40; n++ {
		weights := make([]uint64, n)
		for i := range weights {
			weights[i] = rng.Uint64N(4) // some are 0
		}
		tree := newWeightTree(weights)
		for {
			total := uint64(0)
			for _, w := range weights {
				total += w
			}
			expect.Require(t, tree.total == total, "total %d, want %d", tree.total, total)
			if total == 0 {
				break
			}
			place := uint64(0)
			for i, w := range weights {
				for range w {
					got := tree.find(place)
					expect.Require(t, got == i, "weights %v: place %d is of item %d, want %d", weights, place, got, i)
					place++
				}
			}
			gone := tree.find(rng.Uint64N(total))
			tree.remove(gone, weights[gone])
			weights[gone] = 0
		}
	}
}
