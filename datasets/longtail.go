package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets/internal/enum"
	"github.com/puclab/puclab/internal/fault"
)

// longTailStream separates the random stream of long tails from other streams of the same seed.
const longTailStream = 0x6c6f6e677461696c // "longtail" in ASCII

// ExponentialCounts returns the class sizes of an exponential long tail. Class k of K, counted from 0, has
//
//	n_k = ⌊n_max · ρ^(−k/(K−1))⌋
//
// examples, where ρ is the imbalance, the size of the first class divided by that of the last. With 10 classes, n_max =
// 5000 and ρ = 100 these are the sizes of CIFAR-10-LT. It is an error if classes or most is below 1, if ρ is below 1,
// or if the last class would be empty.
//
// Source: Cui, Jia, Lin, Song and Belongie, "Class-Balanced Loss Based on Effective Number of Samples", 2019.
func ExponentialCounts(classes, most int, imbalance float64) ([]int, error) {
	err := cmp.Or(
		fault.If(classes < 1 || most < 1,
			"datasets: a long tail of %d classes with at most %d examples: give at least 1 of each", classes, most),
		fault.If(!(imbalance >= 1) || math.IsInf(imbalance, 1), // this form also rejects NaN
			"datasets: a long tail with an imbalance of %v: give a number of at least 1", imbalance),
		fault.If(float64(most)/imbalance < 1, "datasets: a long tail from %d examples with an imbalance of %v leaves the "+
			"last class empty: the largest possible imbalance is %d", most, imbalance, most))
	if err != nil {
		return nil, err
	}
	counts := make([]int, classes)
	for k := range counts {
		exponent := 0.0
		if classes > 1 {
			exponent = -float64(k) / float64(classes-1)
		}
		// The small addend keeps an exact integer from rounding down.
		counts[k] = int(float64(most)*math.Pow(imbalance, exponent) + 1e-6)
	}
	return counts, nil
}

// ParetoCounts returns the class sizes of a long tail that follows the Pareto distribution. The size of the r-th
// largest class of K, counted from 1, is its quantile of rank r/K, q_r = (r/K)^(−1/α), rescaled so that the first class
// has most examples and the last has least:
//
//	n_r = n_min + (n_max − n_min) · (q_r − 1)/(q_1 − 1), rounded
//
// A smaller α gives a longer tail. Published sets such as ImageNet-LT (α = 6, from 1280 down to 5) were drawn at random
// from such a distribution, so their sizes differ: see [ImageNet100LTCounts]. It is an error if classes or least is
// below 1, if most is below least, if α is not positive, or if q_1 cannot be computed in float64.
//
// Source: Liu, Miao, Zhan, Wang, Gong and Yu, "Large-Scale Long-Tailed Recognition in an Open World", 2019, for the
// distribution.
func ParetoCounts(classes, most, least int, alpha float64) ([]int, error) {
	// Infinite if α is too small; if it is too large, almost no digits of the difference remain.
	first := math.Pow(1/float64(classes), -1/alpha) - 1
	err := cmp.Or(
		fault.If(classes < 1 || least < 1 || most < least, "datasets: a long tail of %d classes from %d examples down to %d: "+
			"give at least one class, and at least one example that is not more than the most", classes, most, least),
		fault.If(!(alpha > 0) || math.IsInf(alpha, 1),
			"datasets: a Pareto distribution with α = %v: give a positive number", alpha),
		fault.If(classes > 1 && (math.IsInf(first, 1) || first < smallestStretch), "datasets: a Pareto distribution of %d "+
			"classes with α = %v is out of the range of numbers: give an α nearer to 1", classes, alpha))
	if err != nil {
		return nil, err
	}
	counts := make([]int, classes)
	counts[0] = most
	for i := 1; i < classes; i++ {
		q := math.Pow(float64(i+1)/float64(classes), -1/alpha)
		counts[i] = least + int(math.Round(float64(most-least)*((q-1)/first)))
	}
	return counts, nil
}

// smallestStretch is the smallest q_1 − 1 that has seven digits after the subtraction.
const smallestStretch = 1e-9

// ImageNet100LTCounts returns the numbers of images of the 100 classes of ImageNet-100-LT, the seed set of MAK, from the
// largest class to the smallest: 12,205 images.
//
// Source: the list of files that Jiang, Chen, Chen and Wang published with "Improving Contrastive Learning on Imbalanced
// Seed Data via Open-World Sampling", 2021.
func ImageNet100LTCounts() []int {
	return []int{
		1280, 679, 511, 456, 392, 354, 330, 305, 290, 282, 268, 248, 236, 229, 215, 201, 189, 184, 178, 172,
		169, 165, 157, 152, 149, 143, 138, 137, 133, 130, 126, 124, 120, 116, 113, 110, 108, 104, 102, 100,
		96, 93, 89, 86, 85, 83, 82, 80, 78, 75, 73, 71, 69, 66, 65, 63, 61, 59, 57, 55,
		54, 52, 50, 48, 47, 45, 44, 43, 42, 41, 39, 37, 36, 35, 34, 32, 32, 31, 30, 28,
		27, 26, 25, 23, 22, 21, 20, 19, 18, 16, 15, 15, 14, 12, 11, 10, 9, 8, 7, 6,
	}
}

// LongTailConfig configures [NewLongTail].
type LongTailConfig struct {
	Counts []int  // examples of each rank, from the largest class to the smallest, one number for each class
	Ranks  []int  // the class of each rank; nil means the classes in the order of their numbers
	Mix    bool   // put the ranks into a random order instead; Ranks must be nil then
	Seed   uint64 // of all draws; used as given, 0 included
}

// LongTail is a part of a data set with unequal class sizes, and the rest of the set. Do not change its fields.
type LongTail struct {
	Rows   []int // the rows of the data set that are in the tail, ascending: the seed set
	Rest   []int // all other rows, ascending: a pool to sample from
	Counts []int // examples in Rows of each class
	Ranks  []int // the class of each rank, from the largest to the smallest
	Seed   uint64
}

// NewLongTail draws a long tail from examples with the given classes, each below len(cfg.Counts): Counts[r] random
// examples, without replacement, of the class of rank r. The same seed gives the same draw on every platform, and a
// smaller count takes the first of the examples that a larger one takes.
//
// It is an error if Counts is empty, increases or has a number below 1, if Ranks is not a permutation of the classes,
// or if a class has too few examples; the error then gives their number.
func NewLongTail(labels []int, cfg LongTailConfig) (*LongTail, error) {
	classes := len(cfg.Counts)
	if classes == 0 {
		return nil, errors.New("datasets: a long tail without Counts: give a number of examples for each class")
	}
	for r, n := range cfg.Counts {
		if n < 1 {
			return nil, fmt.Errorf("datasets: a long tail with %d examples at rank %d: give at least 1", n, r)
		}
		if r > 0 && n > cfg.Counts[r-1] {
			return nil, fmt.Errorf("datasets: a long tail with %d examples at rank %d after %d: give the largest number first",
				n, r, cfg.Counts[r-1])
		}
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, longTailStream))
	byClass, err := rowsByClass(labels, classes)
	if err != nil {
		return nil, fmt.Errorf("%w: give Counts for all", err)
	}
	ranks, err := cfg.ranks(rng)
	if err != nil {
		return nil, err
	}
	tail := &LongTail{Counts: make([]int, classes), Ranks: ranks, Seed: cfg.Seed}
	for r, class := range ranks {
		n, rows := cfg.Counts[r], byClass[class]
		if n > len(rows) {
			return nil, fmt.Errorf("datasets: a long tail with %d examples of class %d at rank %d: the data hold %d, "+
				"so that is the largest possible number", n, class, r, len(rows))
		}
		tail.Counts[class] = n
	}
	for class, rows := range byClass { // in the order of classes, so that draws do not depend on ranks
		rows = shuffled(rows, rng)
		tail.Rows = append(tail.Rows, rows[:tail.Counts[class]]...)
		tail.Rest = append(tail.Rest, rows[tail.Counts[class]:]...)
	}
	slices.Sort(tail.Rows)
	slices.Sort(tail.Rest)
	return tail, nil
}

// ranks returns the class of each rank.
func (c LongTailConfig) ranks(rng *rand.Rand) ([]int, error) {
	classes := len(c.Counts)
	mixed := rng.Perm(classes) // always drawn, so that the examples of a seed depend on neither Ranks nor Mix
	if c.Ranks == nil {
		if !c.Mix {
			slices.Sort(mixed)
		}
		return mixed, nil
	}
	_, err := classSet("ranked", c.Ranks, classes)
	return slices.Clone(c.Ranks), cmp.Or(fault.If(c.Mix, "datasets: a long tail with Ranks and Mix: give one of them"),
		fault.If(len(c.Ranks) != classes,
			"datasets: a long tail with %d Ranks for %d classes: give one for each", len(c.Ranks), classes), err)
}

// Imbalance returns the ratio of the sizes of the largest and the smallest class.
func (t *LongTail) Imbalance() float64 {
	return float64(slices.Max(t.Counts)) / float64(slices.Min(t.Counts))
}

// String describes the tail in one line.
func (t *LongTail) String() string {
	return fmt.Sprintf("long tail: %d examples in %d classes, from %d to %d (imbalance %.4g), %d left over, seed %d",
		len(t.Rows), len(t.Counts), slices.Max(t.Counts), slices.Min(t.Counts), t.Imbalance(), len(t.Rest), t.Seed)
}

// Shots is a group of classes by their number of training examples.
type Shots int

// The groups, from the head of a long tail to its end.
const (
	Many Shots = iota
	Medium
	Few
)

var shotsNames = enum.Names[Shots]{Names: []string{"many", "medium", "few"}}

// String returns "many", "medium" or "few".
func (s Shots) String() string { return shotsNames.String(s) }

// ShotsByCount groups classes by their number of examples: Many above 100, Few below 20, Medium between. Results on
// ImageNet-100-LT use these groups.
//
// Source: Liu, Miao, Zhan, Wang, Gong and Yu, "Large-Scale Long-Tailed Recognition in an Open World", 2019.
func ShotsByCount(counts []int) []Shots {
	groups := make([]Shots, len(counts))
	for class, n := range counts {
		switch {
		case n > 100:
			groups[class] = Many
		case n >= 20:
			groups[class] = Medium
		default:
			groups[class] = Few
		}
	}
	return groups
}

// ShotsByRank puts the smallest third of the classes, rounded down, into Few, equally many next ones into Medium and
// the others into Many; of classes of equal size the one with the smaller number counts as larger. Results on
// long-tailed CIFAR use these groups.
//
// Source: the code that Jiang, Chen, Chen and Wang published with "Improving Contrastive Learning on Imbalanced Seed Data
// via Open-World Sampling", 2021.
func ShotsByRank(counts []int) []Shots {
	order := make([]int, len(counts))
	for class := range order {
		order[class] = class
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	third := len(counts) / 3
	groups := make([]Shots, len(counts))
	for rank, class := range order {
		switch {
		case rank >= len(counts)-third:
			groups[class] = Few
		case rank >= len(counts)-2*third:
			groups[class] = Medium
		}
	}
	return groups
}
