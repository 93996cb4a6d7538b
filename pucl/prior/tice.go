package prior

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Constants of TIcE, from the paper.
const (
	ticeFolds     = 5
	ticeRounds    = 2   // estimates; the second takes its standard deviation from the first
	ticeSplits    = 500 // most splits of a tree
	ticeSmoothing = 5   // rows added to the rows of a part, k of max-bepp
	ticeFewest    = 10  // least rows of a node that gives a bound or is split
	ticeParts     = 4   // of equal width into which a feature's range is split
)

// TIcE estimates the class prior of unlabeled rows by decision trees. The share of labeled rows in any region is at
// most c, the share of positives that is labeled. TIcE takes the largest such share over the nodes of trees, minus one
// standard deviation, for c. The trees are grown on one fifth of the rows and evaluated on the others. A feature is
// split into four parts of equal width between its smallest and its largest value, once on each path. Transform a
// feature with a long tail first. The parts cover the inner 98% of the range instead in two cases: if the range of
// every feature is more than 100 times its inner 98%, or if no feature has 10 rows in each of two parts. Some feature
// must then have so many there. If none has either way, such as constant features, the estimate is 1 and the interval
// is from 0 to 1. With other features an estimate of 1 has no more meaning.
//
// Scores of a classifier are one feature. Pass probabilities, and expect four nodes.
//
// The estimate should be an upper bound, because c is a lower bound. It is one if nodes are large. For Gaussian classes
// with means 3 apart in half of 1 to 20 features, 5,000 rows and π from 0.3 to 0.7, it is above π in all of 750 draws,
// by 0.10 to 0.17 on average. With 1,000 rows and 5 to 20 features the maximum over many small nodes makes c too large:
// the mean error is −0.08 to +0.02, and 258 of 450 estimates are below π. On 300 draws from six tables it is above π in
// 270, and by 0.10 on average; with probabilities as the feature in 294, and by 0.08. The interval does not account for
// these errors. TIcE cannot report whether the classes overlap; DEDPUL and BBE report it for scores of the same rows;
// see [Estimate].
//
// Source: Jessa Bekker and Jesse Davis, "Estimating the Class Prior in Positive and Unlabeled Data through Decision
// Tree Induction", AAAI 2018. Differences: labeled and unlabeled rows are two samples, which are pooled, and c is
// converted to the prior of the unlabeled rows at the end. A node with labeled rows only or none is not split; the
// authors' program compares the labeled rows of the node above instead. With the same rule and folds both return the
// same c on six test cases.
func TIcE(x *mat.Dense, labeled []bool, c Config) (Estimate, error) {
	c = c.withDefaults(20)
	if err := c.check(); err != nil {
		return Estimate{}, err
	}
	if err := checkRows(x, labeled); err != nil {
		return Estimate{}, err
	}
	n, d := x.Dims()
	random := rand.New(rand.NewPCG(c.Seed, 0x71ce))
	t := tice{labeled: labeled, weights: make([]float64, n), fold: make([]int, n), parts: make([][]uint8, d)}
	for k, i := range random.Perm(n) {
		t.fold[i], t.weights[k] = k%ticeFolds, 1
	}
	far := true // true if every feature is far
	for j := range t.parts {
		values := mat.Col(nil, j, x)
		t.parts[j] = partsOf(values, 0)
		far = far && isFar(values)
	}
	if far || !t.splits() {
		whole := slices.Clone(t.parts)
		for j := range t.parts {
			t.parts[j] = partsOf(mat.Col(nil, j, x), farShare)
		}
		if !t.splits() { // for example, only rare values
			t.parts = whole
		}
	}
	e := Estimate{Prior: t.prior(), OverlapUnknown: true}
	if !t.splits() {
		e.Prior = 1
		e.bound(c, func() float64 { return e.Prior })
		if c.Resamples >= 0 {
			e.Low, e.High = 0, 1
		}
		return e, nil
	}
	e.bound(c, func() float64 {
		t.resample(random)
		return t.prior()
	})
	return e, nil
}

// partsOf returns for each value its part of the range. The range excludes a share out of the values at either end,
// which count as the ends.
func partsOf(values []float64, out float64) []uint8 {
	low, high := innerOf(slices.Sorted(slices.Values(values)), out)
	parts := make([]uint8, len(values))
	for i, v := range values {
		if high > low {
			parts[i] = uint8(max(0, min((v-low)/(high-low)*ticeParts, ticeParts-1)))
		}
	}
	return parts
}

// isFar reports whether a few values determine the range, as in [scored.far]. A constant also counts as far.
func isFar(values []float64) bool {
	sorted := slices.Sorted(slices.Values(values))
	low, high := innerOf(sorted, farShare)
	return low == high || sorted[len(sorted)-1]-sorted[0] > farRange*(high-low)
}

// splits reports whether some feature has enough rows for a node in each of two parts.
func (t *tice) splits() bool {
	return slices.ContainsFunc(t.parts, func(parts []uint8) bool {
		var counts [ticeParts]int
		filled := 0
		for _, part := range parts {
			if counts[part]++; counts[part] == ticeFewest {
				filled++
			}
		}
		return filled > 1
	})
}

// tice holds the data of TIcE.
type tice struct {
	parts   [][]uint8 // by feature and row
	labeled []bool
	weights []float64 // number of times a row counts
	fold    []int
}

// resample draws a bootstrap sample of the labeled and of the unlabeled rows.
func (t *tice) resample(random *rand.Rand) {
	labeled, unlabeled := rows.Split(t.labeled)
	clear(t.weights)
	for _, index := range [][]int{unlabeled, labeled} {
		for range index {
			t.weights[index[random.IntN(len(index))]]++
		}
	}
}

// prior returns the estimate of TIcE.
func (t *tice) prior() float64 {
	c := t.labelFrequency()
	all, labeled := t.count(t.all(func(int) bool { return true }))
	return min((1-c)/c*labeled/(all-labeled), 1)
}

// labelFrequency returns the estimate of c.
func (t *tice) labelFrequency() float64 {
	c := 0.5
	for range ticeRounds {
		mean := 0.0
		for k := range ticeFolds {
			mean += t.tree(k, c) / ticeFolds
		}
		c = mean
	}
	return c
}

// all returns the rows of the folds selected by of.
func (t *tice) all(of func(fold int) bool) (index []int) {
	for i, k := range t.fold {
		if of(k) && t.weights[i] > 0 {
			index = append(index, i)
		}
	}
	return index
}

// count returns the numbers of rows and of labeled rows.
func (t *tice) count(index []int) (all, labeled float64) {
	for _, i := range index {
		all += t.weights[i]
		if t.labeled[i] {
			labeled += t.weights[i]
		}
	}
	return all, labeled
}

// counts returns the number of rows in each part of a feature.
func (t *tice) counts(feature int, index []int) (counts [ticeParts]float64) {
	parts := t.parts[feature]
	for _, i := range index {
		counts[parts[i]%ticeParts] += t.weights[i] // the remainder removes a bounds check
	}
	return counts
}

// ticeNode is a node of a tree.
type ticeNode struct {
	grow, read []int   // rows to grow the tree, and rows to evaluate it
	features   []int   // features that no node above splits
	promise    float64 // lower bound of c on the rows of grow
	labeled    float64 // rows of grow
}

// tree returns the largest lower bound of c that the rows outside a fold give for nodes grown on the fold.
func (t *tice) tree(fold int, c float64) float64 {
	root := &ticeNode{
		grow: t.all(func(k int) bool { return k == fold }), read: t.all(func(k int) bool { return k != fold }),
	}
	for j := range t.parts {
		root.features = append(root.features, j)
	}
	all, labeled := t.count(root.read)
	delta := max(0.025, 1/(1+0.004*all))
	bound := func(all, labeled float64) float64 { return labeled/all - math.Sqrt(c*(1-c)*(1-delta)/(delta*all)) }
	largest, fewest := labeled/all, 1.0
	queue := []*ticeNode{root} // the most promising node is the last
	for splits := 0; splits < ticeSplits && len(queue) > 0; splits++ {
		node := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		children := t.split(node, fewest)
		for _, child := range children {
			if all, labeled := t.count(child.read); all >= ticeFewest {
				largest = max(largest, bound(all, labeled))
			}
		}
		// With fewer labeled rows not even a share of 1 would raise the bound.
		fewest = c * (1 - c) * (1 - delta) / (delta * (1 - largest) * (1 - largest))
		for _, child := range children {
			_, labeled := t.count(child.read)
			grow, growLabeled := t.count(child.grow)
			if labeled > fewest && grow > ticeFewest && growLabeled > 0 && growLabeled < grow {
				child.promise, child.labeled = bound(grow, growLabeled), growLabeled
				at, _ := slices.BinarySearchFunc(queue, child, func(a, b *ticeNode) int {
					return cmp.Or(cmp.Compare(a.promise, b.promise), cmp.Compare(a.labeled, b.labeled))
				})
				queue = slices.Insert(queue, at, child)
			}
		}
	}
	return largest
}

// split returns the parts of a node by the feature with the largest share of labeled rows in one part, by max-bepp. It
// drops a feature if no part has at least fewest labeled rows to evaluate. It returns nil if no feature splits the
// rows.
func (t *tice) split(node *ticeNode, fewest float64) []*ticeNode {
	feature, best := -1, 0.0
	var features []int
	isUnlabeled := func(i int) bool { return !t.labeled[i] }
	readLabeled := slices.DeleteFunc(slices.Clone(node.read), isUnlabeled)
	growLabeled := slices.DeleteFunc(slices.Clone(node.grow), isUnlabeled)
	for _, j := range node.features {
		if read := t.counts(j, readLabeled); slices.Max(read[:]) < fewest {
			continue
		}
		features = append(features, j)
		all, labeled := t.counts(j, node.grow), t.counts(j, growLabeled)
		for part := range all {
			if share := labeled[part] / (all[part] + ticeSmoothing); share > best {
				feature, best = j, share
			}
		}
	}
	if feature < 0 {
		return nil
	}
	features = slices.DeleteFunc(features, func(j int) bool { return j == feature })
	children := make([]*ticeNode, ticeParts)
	for part := range children {
		pick := func(index []int) (picked []int) {
			for _, i := range index {
				if int(t.parts[feature][i]) == part {
					picked = append(picked, i)
				}
			}
			return picked
		}
		children[part] = &ticeNode{grow: pick(node.grow), read: pick(node.read), features: features}
		if len(children[part].read) == len(node.read) {
			return nil
		}
	}
	return children
}
