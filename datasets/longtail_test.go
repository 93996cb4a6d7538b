package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The published sizes of CIFAR-10-LT with an imbalance of 100.
func TestExponentialCounts(t *testing.T) {
	got := expect.Must(ExponentialCounts(10, 5000, 100))(t)
	expect.Equal(t, got, []int{5000, 2997, 1796, 1077, 645, 387, 232, 139, 83, 50}, "counts")
	for _, tt := range []struct {
		classes, most int
		imbalance     float64
		want          []int
	}{{1, 7, 1, []int{7}}, {3, 4, 1, []int{4, 4, 4}}, {3, 400, 100, []int{400, 40, 4}}, {2, 10, 10, []int{10, 1}}} {
		expect.Equal(t, expect.Must(ExponentialCounts(tt.classes, tt.most, tt.imbalance))(t), tt.want, "%+v", tt)
	}
	for _, tt := range []struct {
		classes, most int
		imbalance     float64
		want          string
	}{
		{0, 5, 2, "0 classes"}, {3, 0, 2, "at most 0"}, {3, 5, 0.5, "imbalance of 0.5"}, {3, 5, math.NaN(), "NaN"},
		{3, 5, math.Inf(1), "Inf"}, {3, 5, 6, "largest possible imbalance is 5"},
	} {
		expect.Error(t, expect.Err(ExponentialCounts(tt.classes, tt.most, tt.imbalance)), tt.want)
	}
}

// With α = 1 the quantile of rank r/K is K/r, so the sizes are rescaled harmonic numbers.
func TestParetoCounts(t *testing.T) {
	got := expect.Must(ParetoCounts(4, 31, 1, 1))(t)
	expect.Equal(t, got, []int{31, 11, 4, 1}, "α = 1") // 1 + 30·(4/r − 1)/3
	expect.Equal(t, expect.Must(ParetoCounts(3, 5, 5, 6))(t), []int{5, 5, 5}, "flat")
	for _, alpha := range []float64{0.001, 6, 1e17} { // a single class does not depend on α
		expect.Equal(t, expect.Must(ParetoCounts(1, 9, 2, alpha))(t), []int{9}, "one class, α = %g", alpha)
	}
	// At a large α the size is linear in the logarithm of the rank: 5 + 995·ln(5/r)/ln 5.
	expect.Equal(t, expect.Must(ParetoCounts(5, 1000, 5, 1e6))(t), []int{1000, 571, 321, 143, 5}, "α = 1e6")
	long := expect.Must(ParetoCounts(1000, 1280, 5, 6))(t)
	expect.That(t, long[0] == 1280 && long[999] == 5 && slices.IsSortedFunc(long, func(a, b int) int { return b - a }),
		"1000 classes: %v", long)
	for _, tt := range []struct {
		classes, most, least int
		alpha                float64
		want                 string
	}{
		{0, 5, 1, 6, "0 classes"}, {3, 4, 5, 6, "from 4 examples down to 5"}, {3, 4, 0, 6, "down to 0"},
		{3, 5, 1, 0, "α = 0"}, {3, 5, 1, math.NaN(), "NaN"},
		{5, 1000, 5, 0.001, "α = 0.001"}, {5, 1000, 5, 1e17, "α = 1e+17"}, {5, 1000, 5, 1e12, "α = 1e+12"},
	} {
		expect.Error(t, expect.Err(ParetoCounts(tt.classes, tt.most, tt.least, tt.alpha)), tt.want)
	}
}

// 12,205 images of 100 classes, from 1280 down to 6; the groups of the published results.
func TestImageNet100LTCounts(t *testing.T) {
	counts := ImageNet100LTCounts()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	expect.That(t, len(counts) == 100 && sum == 12_205 && counts[0] == 1280 && counts[99] == 6 &&
		slices.IsSortedFunc(counts, func(a, b int) int { return b - a }),
		"%d classes, %d images: %v", len(counts), sum, counts)
	// It was drawn from a Pareto distribution with α = 6, so its quartiles follow (1−p)^(−1/6) − 1 up to one scale.
	q := func(p float64) float64 { return math.Pow(1-p, -1./6) - 1 }
	scale := (float64(counts[49]) - 5) / q(0.5)
	for rank, p := range map[int]float64{24: 0.75, 74: 0.25, 89: 0.1} {
		if want := 5 + scale*q(p); !(math.Abs(float64(counts[rank])-want) <= 0.1*want) {
			t.Errorf("rank %d has %d images, the distribution %.1f", rank, counts[rank], want)
		}
	}
}

func TestLongTail(t *testing.T) {
	labels, _ := hundred()
	tail := expect.Must(NewLongTail(labels, LongTailConfig{Counts: []int{6, 3, 2, 1, 1}, Mix: true, Seed: 42}))(t)
	// Golden values, computed independently of this package: see testdata/golden.py.
	expect.Equal(t, tail.Ranks, []int{3, 2, 4, 0, 1}, "ranks")
	expect.Equal(t, tail.Rows, []int{13, 17, 23, 27, 55, 56, 57, 63, 64, 73, 78, 88, 99}, "rows")
	expect.Equal(t, tail.Counts, []int{1, 1, 3, 6, 2}, "counts")
	got := make([]int, 5)
	for _, row := range tail.Rows {
		got[labels[row]]++
	}
	expect.That(t, slices.Equal(got, tail.Counts), "%v are in the tail, it says %v", got, tail.Counts)
	both := slices.Concat(tail.Rows, tail.Rest)
	slices.Sort(both)
	for i, row := range both {
		expect.Require(t, row == i && len(both) == 100, "tail and rest are %v", both)
	}
	want := "long tail: 13 examples in 5 classes, from 6 to 1 (imbalance 6), 87 left over, seed 42"
	expect.That(t, tail.String() == want, "%v, want %s", tail, want)
	counts := []int{6, 3, 2, 1, 1}
	plain := expect.Must(NewLongTail(labels, LongTailConfig{Counts: counts, Seed: 42}))(t)
	expect.Equal(t, plain.Counts, counts, "in the order of classes")
	byHand := expect.Must(NewLongTail(labels, LongTailConfig{Counts: counts, Ranks: []int{3, 2, 4, 0, 1}, Seed: 42}))(t)
	expect.Equal(t, byHand.Rows, tail.Rows, "the same ranks by hand: rows")
}

func TestLongTailErrors(t *testing.T) {
	labels, _ := hundred()
	for _, tt := range []struct {
		cfg  LongTailConfig
		want []string
	}{
		{LongTailConfig{}, []string{"without Counts"}},
		{LongTailConfig{Counts: []int{1, 2, 1, 1, 1}}, []string{"2 examples at rank 1 after 1"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1, 0}}, []string{"0 examples at rank 4"}},
		{LongTailConfig{Counts: []int{21, 1, 1, 1, 1}}, []string{"21 examples of class 0", "largest possible number", "20"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1}}, []string{"class 4", "4 classes"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1, 1}, Ranks: []int{0}}, []string{"1 Ranks for 5"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1, 1}, Ranks: []int{0, 1, 2, 3, 3}}, []string{"class 3", "twice"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1, 1}, Ranks: []int{0, 1, 2, 3, 5}}, []string{"no class 5"}},
		{LongTailConfig{Counts: []int{2, 1, 1, 1, 1}, Ranks: []int{4, 3, 2, 1, 0}, Mix: true}, []string{"Ranks and Mix"}},
	} {
		expect.Error(t, expect.Err(NewLongTail(labels, tt.cfg)), tt.want...)
	}
}

func TestShots(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want []Shots
	}{
		{"by count", ShotsByCount([]int{101, 100, 20, 19, 0}), []Shots{Many, Medium, Medium, Few, Few}},
		{"by rank", ShotsByRank([]int{50, 5000, 1077, 2997, 83, 139, 1796, 645, 387, 232}),
			[]Shots{Few, Many, Many, Many, Few, Few, Many, Medium, Medium, Medium}},
		{"ties", ShotsByRank([]int{5, 5, 5}), []Shots{Many, Medium, Few}},
		{"two classes", ShotsByRank([]int{1, 9}), []Shots{Many, Many}},
		{"none", ShotsByRank(nil), []Shots{}},
	} {
		expect.That(t, slices.Equal(tt.got, tt.want), "%s: %v, want %v", tt.name, tt.got, tt.want)
	}
	groups := map[Shots]int{}
	for _, g := range ShotsByCount(ImageNet100LTCounts()) {
		groups[g]++
	}
	expect.That(t, groups[Many] == 39 && groups[Medium] == 48 && groups[Few] == 13,
		"ImageNet-100-LT has %v", groups) // counted in the list of files
	expect.That(t, Shots(3).String() == "Shots(3)" && Few.String() == "few", "names")
}

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

// wantShare fails if a count out of the given trials is five standard deviations from its expectation.
func wantShare(t *testing.T, what string, count float64, trials int, probability float64) {
	t.Helper()
	n := float64(trials)
	expect.Near(t, count, n*probability, 5*math.Sqrt(n*probability*(1-probability)), "%s, of %d", what, trials)
}

// The definition of SAR: an example is labeled with its own probability, independently of the others.
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

// Three positives of weights 1, 2 and 3 (all others 0), and two labels. The probability that an example is labeled:
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

// Only ratios of weights matter, even if they are very large or small.
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
	// An example with a weight below one part in 2⁴⁰ can still be drawn, and must be if no other is left.
	all := newSplit(t, SplitConfig{Positive: []int{1, 3}, Labeled: 40, Draw: Weighted,
		Propensity: func(i int) float64 { return math.Ldexp(1, 1000-21*i) }}) // from 2⁹⁷⁹ to 2⁻¹⁰⁵⁸
	expect.That(t, all.NumLabeled() == 40, "%d labels, want 40", all.NumLabeled())
}

// Every class has the same number of labels or one more; the first listed classes have the extra ones.
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

// The tree must agree with a linear search after any removals.
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
