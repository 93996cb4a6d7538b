package prior

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// Forest holds the boosted trees of [Trees.Fit]: a classifier of rows that returns the logit of being labeled, for
// equal total weight of labeled and unlabeled rows. It can be saved as JSON.
type Forest struct {
	Bias  float64     // added to every score
	Edges [][]float64 // for each feature, the smallest value of each bin, in ascending order
	Roots []int       // indices of the roots in Nodes
	Nodes []Node
}

// Node is a split or a leaf of a tree.
type Node struct {
	Feature   int // feature compared; −1 in a leaf
	Bin       int // rows with a bin of Feature up to this go to Low, others to High
	Low, High int // indices in Forest.Nodes, above this node's
	Value     float64
}

// Fit grows trees on the rows of x [n, d]; labeled [n] marks the labeled positives. The same seed grows the same trees.
func (t Trees) Fit(x *mat.Dense, labeled []bool, seed uint64) (*Forest, error) {
	t = t.withDefaults()
	if err := cmp.Or(t.check(), checkRows(x, labeled), rows.CheckBoth(labeled)); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	out := &Forest{Edges: make([][]float64, d)}
	bins := make([][]uint8, d)
	for j := range bins {
		values := mat.Col(nil, j, x)
		out.Edges[j] = edgesOf(values, maxBins)
		bins[j] = binsOf(out.Edges[j], values)
	}
	g := &growth{Trees: t, bins: bins, labeled: labeled, random: rand.New(rand.NewPCG(seed, 0x73ee5)),
		margin: make([]float64, n)}
	g.grow(rows.All(n), rows.All(n))
	out.Roots, out.Nodes = g.roots, g.nodes
	return out, nil
}

// Check returns an error if the forest is inconsistent, as after editing a file: indices out of range, numbers that are
// not finite, unsorted edges.
func (f *Forest) Check() error {
	bad := f == nil || len(f.Roots) == 0 || len(f.Edges) == 0 || f.Bias-f.Bias != 0 // NaN also if Bias is infinite
	for at := 0; !bad && at < len(f.Nodes); at++ {
		if n := f.Nodes[at]; n.Feature < 0 {
			bad = n.Value-n.Value != 0
		} else {
			bad = n.Feature >= len(f.Edges) || n.Low <= at || n.High <= at || max(n.Low, n.High) >= len(f.Nodes)
		}
	}
	for i := 0; !bad && i < len(f.Roots); i++ {
		bad = f.Roots[i] < 0 || f.Roots[i] >= len(f.Nodes)
	}
	for i := 0; !bad && i < len(f.Edges); i++ {
		edges := f.Edges[i]
		bad = len(edges) == 0 || len(edges) > maxBins || !slices.IsSorted(edges) ||
			slices.ContainsFunc(edges, func(v float64) bool { return v-v != 0 })
	}
	return fault.If(bad, "prior: the trees do not hold together; grow them with Trees.Fit")
}

// Scores returns the score of each row of x [n, d].
func (f *Forest) Scores(x *mat.Dense) ([]float64, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if x == nil || x.IsEmpty() {
		return nil, fmt.Errorf("prior: no rows to score; give at least one")
	}
	n, d := x.Dims()
	if d != len(f.Edges) {
		return nil, fmt.Errorf("prior: rows of %d features, but the trees were grown on rows of %d; give the same "+
			"columns", d, len(f.Edges))
	}
	scores, bins := make([]float64, n), make([]int, d)
	for i := range n {
		for j, value := range x.RawRowView(i) {
			bins[j] = int(binOf(f.Edges[j], value))
		}
		sum := 0.0
		for _, at := range f.Roots {
			for f.Nodes[at].Feature >= 0 {
				if node := f.Nodes[at]; bins[node.Feature] <= node.Bin {
					at = node.Low
				} else {
					at = node.High
				}
			}
			sum += f.Nodes[at].Value
		}
		scores[i] = sum + f.Bias
	}
	return scores, nil
}
