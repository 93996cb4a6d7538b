package datasets

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/datasets/internal/enum"
)

// Draw is the rule that selects the positives to label.
type Draw int

const (
	// Uniform labels n_P positives uniformly: selected completely at random (SCAR).
	Uniform Draw = iota
	// Balanced labels n_P positives so that every positive class has the same number of them, or one more: they are
	// dealt to the classes in turn, in the order of SplitConfig.Positive, and drawn uniformly within a class.
	Balanced
	// Weighted labels n_P positives one after the other, each drawn from the rest in proportion to
	// SplitConfig.Propensity: selected at random (SAR), with n_P fixed. Only ratios of propensities matter; they are
	// rounded to one part in 2⁴⁰.
	Weighted
	// Independent labels each positive independently with probability SplitConfig.Propensity: selected at random, with
	// random n_P.
	//
	// Source: Bekker, Robberechts and Davis, "Beyond the Selected Completely At Random Assumption for Learning from
	// Positive and Unlabeled Data", 2019, in which e(x) denotes the probability.
	Independent
)

var drawNames = enum.Names[Draw]{Unknown: "datasets: unknown draw", Names: []string{"uniform", "class-balanced", "weighted", "independent"}}

// String returns "uniform", "class-balanced", "weighted" or "independent".
func (d Draw) String() string { return drawNames.String(d) }

// MarshalText writes a draw as String does; an unknown one is an error.
func (d Draw) MarshalText() ([]byte, error) { return drawNames.MarshalText(d) }

// UnmarshalText reads the output of MarshalText.
func (d *Draw) UnmarshalText(text []byte) error { return drawNames.UnmarshalText(d, text) }

// label selects the positives to label, in the order of drawing, and returns n_U too. Both numbers follow from cfg and
// the number all of examples, see amounts; with Independent the number of labeled positives is random.
func (p *pool) label(positives []int, all int, cfg SplitConfig) (labeled []int, unlabeled int, err error) {
	n, unlabeled, err := cfg.amounts(all)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case cfg.Draw == Independent:
		labeled, err = independent(positives, cfg)
	case n > len(positives):
		err = fmt.Errorf("datasets: cannot label %d positives: the data hold %d, so that is the largest possible number",
			n, len(positives))
	case cfg.Draw == Balanced:
		labeled, err = p.balanced(positives, n, cfg)
	case cfg.Draw == Weighted:
		labeled, err = weighted(positives, n, cfg)
	default:
		labeled = shuffled(positives, rand.New(rand.NewPCG(cfg.Seed, 0)))[:n]
	}
	return labeled, unlabeled, err
}

func (p *pool) balanced(positives []int, n int, cfg SplitConfig) ([]int, error) {
	byClass := make([][]int, len(cfg.Positive))
	for _, row := range positives {
		i := slices.Index(cfg.Positive, p.labels[row])
		byClass[i] = append(byClass[i], row)
	}
	possible, smallest := len(positives), 0
	for i, rows := range byClass {
		// Class i gets the deals i, i+k, i+2k and so on: its rows last until the deal numbered k·len+i.
		if lasts := len(byClass)*len(rows) + i; lasts < possible {
			possible, smallest = lasts, cfg.Positive[i]
		}
	}
	if n > possible {
		return nil, fmt.Errorf("datasets: cannot label %d positives, as many of each of %d classes: of class %d there are "+
			"too few, so the largest possible number is %d", n, len(byClass), smallest, possible)
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, balancedStream))
	for i, rows := range byClass {
		byClass[i] = shuffled(rows, rng)
	}
	labeled := make([]int, n)
	for i := range labeled {
		labeled[i] = byClass[i%len(byClass)][i/len(byClass)]
	}
	return labeled, nil
}

// weighted draws in integers, because sums of floating-point numbers differ between platforms.
func weighted(positives []int, n int, cfg SplitConfig) ([]int, error) {
	const unit = 1 << 40
	propensities, err := propensitiesOf(positives, cfg)
	if err != nil {
		return nil, err
	}
	largest := slices.Max(propensities)
	weights, possible := make([]uint64, len(positives)), 0
	for i, e := range propensities {
		if e > 0 {
			possible++
			// Rounded up, so that a positive propensity stays positive.
			weights[i] = max(1, uint64(math.Ceil(e/largest*unit)))
		}
	}
	if n > possible {
		return nil, fmt.Errorf("datasets: cannot label %d positives: %d of the %d have a propensity above 0, "+
			"so that is the largest possible number", n, possible, len(positives))
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, weightedStream))
	tree := newWeightTree(weights)
	labeled := make([]int, n)
	for k := range labeled {
		i := tree.find(rng.Uint64N(tree.total))
		labeled[k] = positives[i]
		tree.remove(i, weights[i])
	}
	return labeled, nil
}

func independent(positives []int, cfg SplitConfig) ([]int, error) {
	propensities, err := propensitiesOf(positives, cfg)
	rng := rand.New(rand.NewPCG(cfg.Seed, independentStream))
	var labeled []int
	for i, e := range propensities {
		if rng.Float64() < e {
			labeled = append(labeled, positives[i])
		}
	}
	return labeled, err
}

// propensitiesOf calls the user's function for each of the rows.
func propensitiesOf(rows []int, cfg SplitConfig) ([]float64, error) {
	all := make([]float64, len(rows))
	for i, row := range rows {
		e := cfg.Propensity(row)
		switch {
		case cfg.Draw == Independent && !(e >= 0 && e <= 1): // this form also rejects NaN
			return nil, fmt.Errorf("datasets: example %d has a propensity of %v: labels drawn %v need a probability from 0 to 1",
				row, e, cfg.Draw)
		case !(e >= 0) || math.IsInf(e, 1):
			return nil, fmt.Errorf("datasets: example %d has a propensity of %v: labels drawn %v need a finite number, 0 or more",
				row, e, cfg.Draw)
		}
		all[i] = e
	}
	return all, nil
}

// weightTree is a Fenwick tree that finds the item at a position on a line, on which every item has the length of its
// weight, and removes items. Node i holds the sum of the i&-i weights that end with item i-1.
type weightTree struct {
	nodes []uint64
	total uint64
}

func newWeightTree(weights []uint64) *weightTree {
	t := &weightTree{nodes: make([]uint64, len(weights)+1)}
	for i, w := range weights {
		t.total += w
		t.nodes[i+1] += w
		if parent := (i + 1) + (i+1)&-(i+1); parent < len(t.nodes) {
			t.nodes[parent] += t.nodes[i+1]
		}
	}
	return t
}

// find returns the item that covers position place, which must be below total.
func (t *weightTree) find(place uint64) int {
	item := 0
	for step := 1 << (bits.Len(uint(len(t.nodes)-1)) - 1); step > 0; step /= 2 {
		if next := item + step; next < len(t.nodes) && t.nodes[next] <= place {
			item = next
			place -= t.nodes[next]
		}
	}
	return item
}

func (t *weightTree) remove(item int, weight uint64) {
	t.total -= weight
	for i := item + 1; i < len(t.nodes); i += i & -i {
		t.nodes[i] -= weight
	}
}
