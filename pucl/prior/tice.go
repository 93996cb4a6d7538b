package prior

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Constants of TIcE, the paper's.
const (
	ticeFolds     = 5
	ticeRounds    = 2   // of estimates, the second with the deviation that follows from the first
	ticeSplits    = 500 // of a tree at most
	ticeSmoothing = 5   // rows added to a node's, k of max-bepp
	ticeFewest    = 10  // rows of a node that counts or is split
	ticeParts     = 4   // into which a feature is split
)

// TIcE estimates the class prior by trees: c, the share of the positives that is labeled, is at least the share of labeled rows of any
// node, less one deviation for chance, and so is the largest such share of all nodes. A tree is grown on a fifth of the rows, by the
// nodes that promise most, and read off the others. One feature, such as a classifier's scores, is as well as many. It is a bound, and mostly
// too high, of which its interval knows nothing. It cannot tell whether the classes overlap, which DEDPUL or BBE tell of scores of the same
// rows; see [Estimate].
//
// Source: Jessa Bekker and Jesse Davis, "Estimating the Class Prior in Positive and Unlabeled Data through Decision Tree Induction",
// AAAI 2018. Differences: a feature is split by its ranks, not by its values, and may be split again; the two samples are taken for
// one, and c turned into the prior of the unlabeled rows at the end.
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
	t := tice{labeled: labeled, weights: make([]float64, n), fold: make([]int, n), bins: make([][]uint8, d)}
	for k, i := range random.Perm(n) {
		t.fold[i], t.weights[k] = k%ticeFolds, 1
	}
	for j := range t.bins {
		t.bins[j] = binned(mat.Col(nil, j, x), 256)
	}
	e := Estimate{Prior: t.prior(), OverlapUnknown: true}
	e.bound(c, func() float64 {
		t.resample(random)
		return t.prior()
	})
	return e, nil
}

// tice is rows as TIcE sees them.
type tice struct {
	bins    [][]uint8 // ranks by feature and row
	labeled []bool
	weights []float64 // how often a row counts
	fold    []int
}

// resample draws as many labeled rows and as many unlabeled ones as there are.
func (t *tice) resample(random *rand.Rand) {
	labeled, unlabeled := rows.Split(t.labeled)
	clear(t.weights)
	for _, index := range [][]int{unlabeled, labeled} {
		for range index {
			t.weights[index[random.IntN(len(index))]]++
		}
	}
}

// prior returns the estimate.
func (t *tice) prior() float64 {
	c := 0.5
	for range ticeRounds {
		mean := 0.0
		for k := range ticeFolds {
			mean += t.tree(k, c) / ticeFolds
		}
		c = mean
	}
	all, labeled := t.count(t.all(func(int) bool { return true }))
	return min((1-c)/c*labeled/(all-labeled), 1)
}

// all returns the rows of folds.
func (t *tice) all(of func(fold int) bool) (index []int) {
	for i, k := range t.fold {
		if of(k) && t.weights[i] > 0 {
			index = append(index, i)
		}
	}
	return index
}

// count returns how many rows there are, and how many labeled ones.
func (t *tice) count(index []int) (all, labeled float64) {
	for _, i := range index {
		all += t.weights[i]
		if t.labeled[i] {
			labeled += t.weights[i]
		}
	}
	return all, labeled
}

// ticeNode is a node of a tree.
type ticeNode struct {
	grow, read []int      // rows on which the tree is grown, and off which it is read
	spans      [][2]uint8 // first and last rank of each feature
	promise    float64    // lower bound of c on the rows of grow
}

// tree returns the largest lower bound of c that the rows outside of a fold give for nodes grown on the fold.
func (t *tice) tree(fold int, c float64) float64 {
	root := ticeNode{
		grow: t.all(func(k int) bool { return k == fold }), read: t.all(func(k int) bool { return k != fold }),
	}
	for _, ranks := range t.bins {
		root.spans = append(root.spans, [2]uint8{0, slices.Max(ranks)})
	}
	all, labeled := t.count(root.read)
	delta := max(0.025, 1/(1+0.004*all))
	bound := func(all, labeled float64) float64 { return labeled/all - math.Sqrt(c*(1-c)*(1-delta)/(delta*all)) }
	largest := labeled / all
	queue := &ticeQueue{root}
	for range ticeSplits {
		if queue.Len() == 0 {
			break
		}
		node := heap.Pop(queue).(ticeNode)
		feature := t.promising(node)
		if feature < 0 {
			continue
		}
		for part := range ticeParts {
			child := t.child(node, feature, part)
			all, labeled := t.count(child.read)
			if all >= ticeFewest {
				largest = max(largest, bound(all, labeled))
			}
			grow, growLabeled := t.count(child.grow)
			// With fewer labeled rows no share of them, not even 1, would raise the bound.
			fewest := c * (1 - c) * (1 - delta) / (delta * (1 - largest) * (1 - largest))
			if labeled > fewest && grow > ticeFewest && growLabeled > 0 && growLabeled < grow {
				child.promise = bound(grow, growLabeled)
				heap.Push(queue, child)
			}
		}
	}
	return largest
}

// promising returns the feature of which a part holds the largest share of labeled rows, by max-bepp; −1 where none can be split.
func (t *tice) promising(node ticeNode) int {
	feature, best := -1, 0.0
	for j, span := range node.spans {
		if span[0] == span[1] {
			continue
		}
		var all, labeled [ticeParts]float64
		for _, i := range node.grow {
			part := partOf(span, t.bins[j][i])
			all[part] += t.weights[i]
			if t.labeled[i] {
				labeled[part] += t.weights[i]
			}
		}
		for part := range all {
			if share := labeled[part] / (all[part] + ticeSmoothing); share > best {
				feature, best = j, share
			}
		}
	}
	return feature
}

// partOf returns the part of a span in which a rank is.
func partOf(span [2]uint8, rank uint8) int {
	return int(rank-span[0]) * ticeParts / (int(span[1]-span[0]) + 1)
}

// child returns the node of a part of a feature.
func (t *tice) child(node ticeNode, feature, part int) ticeNode {
	span := node.spans[feature]
	width := int(span[1]-span[0]) + 1
	child := ticeNode{spans: slices.Clone(node.spans)}
	// The first rank r with r·parts/width ≥ part, and the last one before the next part's.
	first, last := (part*width+ticeParts-1)/ticeParts, ((part+1)*width+ticeParts-1)/ticeParts-1
	child.spans[feature] = [2]uint8{span[0] + uint8(first), span[0] + uint8(max(first, last))}
	pick := func(index []int) (picked []int) {
		for _, i := range index {
			if partOf(span, t.bins[feature][i]) == part {
				picked = append(picked, i)
			}
		}
		return picked
	}
	child.grow, child.read = pick(node.grow), pick(node.read)
	return child
}

// ticeQueue has the node of the largest promise first.
type ticeQueue []ticeNode

func (q ticeQueue) Len() int           { return len(q) }
func (q ticeQueue) Less(i, j int) bool { return q[i].promise > q[j].promise }
func (q ticeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *ticeQueue) Push(node any) { *q = append(*q, node.(ticeNode)) }

// Pop implements [heap.Interface].
func (q *ticeQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
