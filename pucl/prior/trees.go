package prior

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/rows"
)

// Trees is a classifier of labeled against unlabeled rows by boosted trees. Each tree takes a Newton step on the
// logistic loss on a random half of the rows, with equal total weight of both kinds. Only the ranks of feature values
// matter, so that features need no scaling. The zero value is usable.
//
// Source: Jerome H. Friedman, "Stochastic Gradient Boosting", Computational Statistics & Data Analysis 38, 2002; with histograms of
// features and the second order as in Tianqi Chen and Carlos Guestrin, "XGBoost", KDD 2016.
type Trees struct {
	Trees   int     // 0 means 60
	Depth   int     // splits from the root to a leaf; 0 means 3
	Rate    float64 // factor of each tree's prediction; 0 means 0.1
	MinLeaf int     // least rows of a leaf; 0 means 20
	Columns float64 // share of the features that a tree uses; 0 means 0.5
	MaxRows int     // most rows that a tree uses; 0 means 4096
}

// maxBins is the largest number of bins of a feature; more values are binned by rank.
const maxBins = 64

// leafPenalty is the coefficient of half the squared leaf values, for a total weight equal to the number of rows.
const leafPenalty = 1.0

// withDefaults sets the zero fields to their defaults.
func (t Trees) withDefaults() Trees {
	t.Trees, t.Depth, t.MinLeaf = cmp.Or(t.Trees, 60), cmp.Or(t.Depth, 3), cmp.Or(t.MinLeaf, 20)
	t.Rate, t.Columns, t.MaxRows = cmp.Or(t.Rate, 0.1), cmp.Or(t.Columns, 0.5), cmp.Or(t.MaxRows, 4096)
	return t
}

// Check returns an error if t is invalid for all rows.
func (t Trees) Check() error { return t.withDefaults().check() }

// check returns an error if t, with defaults set, is invalid.
func (t Trees) check() error {
	return cmp.Or(
		fault.If(t.Trees < 1 || t.Depth < 1 || t.MinLeaf < 1 || t.MaxRows < 2, "prior: %d trees of depth %d, at least %d rows a leaf and "+
			"at most %d a tree; all must be above 0, or 0 for the defaults, and a tree needs 2 rows", t.Trees, t.Depth, t.MinLeaf, t.MaxRows),
		fault.If(!(t.Rate > 0 && t.Rate <= 1) || !(t.Columns > 0 && t.Columns <= 1), "prior: trees of rate %g that see a share %g of the "+
			"features; both must lie above 0 and be at most 1, or be 0 for the defaults", t.Rate, t.Columns),
	)
}

// OfRows returns the function that [OutOfFold] calls, for the rows of x [n, d]; labeled [n] marks the labeled
// positives. The function is valid for these labels only; a row number outside x is an error.
func (t Trees) OfRows(x *mat.Dense, labeled []bool) (Fit, error) {
	t = t.withDefaults()
	if err := cmp.Or(t.check(), checkRows(x, labeled)); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	bins := make([][]uint8, d)
	for j := range bins {
		bins[j] = binned(mat.Col(nil, j, x), maxBins)
	}
	return func(learn, held []int, seed uint64) ([]float64, error) {
		all := slices.Concat(learn, held)
		for _, i := range all {
			if i < 0 || i >= n {
				return nil, fmt.Errorf("prior: example %d of %d rows; make the classifier of the rows that are labeled", i, n)
			}
		}
		f := &growth{Trees: t, bins: bins, labeled: labeled, random: rand.New(rand.NewPCG(seed, 0x73ee5)), margin: make([]float64, n)}
		f.grow(learn, all)
		return rows.Pick(f.margin, held), nil
	}, nil
}

// binned returns the bin of each value: equal values share a bin, and smaller values are in lower bins.
func binned(values []float64, most int) []uint8 { return binsOf(edgesOf(values, most), values) }

// binsOf returns the bin of each value, for bins with the given edges.
func binsOf(edges, values []float64) []uint8 {
	bins := make([]uint8, len(values))
	for i, v := range values {
		bins[i] = binOf(edges, v)
	}
	return bins
}

// binOf returns the bin of a value: the last whose edge is not above it, or the first.
func binOf(edges []float64, value float64) uint8 {
	at, found := slices.BinarySearch(edges, value)
	if !found {
		at--
	}
	return uint8(max(at, 0))
}

// edgesOf returns the smallest value of each bin.
func edgesOf(values []float64, most int) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	edges := slices.Compact(slices.Clone(sorted))
	if len(edges) > most {
		edges = edges[:0]
		for b := range most {
			edges = append(edges, sorted[b*len(sorted)/most])
		}
		edges = slices.Compact(edges)
	}
	return edges
}

// growth holds trees while they are grown.
type growth struct {
	Trees
	bins           [][]uint8 // by feature and row
	labeled        []bool
	random         *rand.Rand
	margin         []float64 // logit of each row being labeled, for balanced kinds
	slope, bending []float64 // first and second derivative of the loss, by row
	nodes          []Node    // nodes of all trees, each root first
	roots          []int     // indices of the roots in nodes
}

// grow grows all trees on the rows learn, and adds up their predictions for the rows all.
func (f *growth) grow(learn, all []int) {
	var weight [2]float64
	count := 0
	for _, i := range learn {
		if f.labeled[i] {
			count++
		}
	}
	weight[0], weight[1] = float64(len(learn))/2/float64(len(learn)-count), float64(len(learn))/2/float64(count)
	f.slope, f.bending = make([]float64, len(f.margin)), make([]float64, len(f.margin))
	for range f.Trees.Trees {
		for _, i := range learn {
			p := 1 / (1 + math.Exp(-f.margin[i]))
			if f.labeled[i] {
				f.slope[i], f.bending[i] = weight[1]*(p-1), weight[1]*p*(1-p)
			} else {
				f.slope[i], f.bending[i] = weight[0]*p, weight[0]*p*(1-p)
			}
		}
		sample := make([]int, min((len(learn)+1)/2, f.MaxRows))
		for k, at := range f.random.Perm(len(learn))[:len(sample)] {
			sample[k] = learn[at]
		}
		columns := f.random.Perm(len(f.bins))[:max(1, int(math.Ceil(f.Columns*float64(len(f.bins)))))]
		f.roots = append(f.roots, len(f.nodes))
		f.split(sample, slices.Clone(all), columns, f.Depth)
	}
}

// split splits a node by its rows sample, or adds the value of a leaf to the rows all. It returns the index of the
// node.
func (f *growth) split(sample, all, columns []int, depth int) (place int) {
	feature, bin := -1, 0
	slope, bending := 0.0, 0.0
	for _, i := range sample {
		slope, bending = slope+f.slope[i], bending+f.bending[i]
	}
	if depth > 0 && len(sample) >= 2*f.MinLeaf {
		feature, bin = f.best(sample, columns, slope, bending)
	}
	if feature < 0 {
		value := -f.Rate * slope / (bending + leafPenalty)
		for _, i := range all {
			f.margin[i] += value
		}
		f.nodes = append(f.nodes, Node{Feature: -1, Value: value})
		return len(f.nodes) - 1
	}
	place = len(f.nodes)
	f.nodes = append(f.nodes, Node{Feature: feature, Bin: bin})
	low, high := part(sample, f.bins[feature], bin)
	lowAll, highAll := part(all, f.bins[feature], bin)
	lower := f.split(low, lowAll, columns, depth-1)
	higher := f.split(high, highAll, columns, depth-1)
	f.nodes[place].Low, f.nodes[place].High = lower, higher
	return place
}

// best returns the split that lowers the loss most: a feature, and the largest bin of the lower side. The feature is −1
// if no split lowers the loss.
func (f *growth) best(sample, columns []int, slope, bending float64) (feature, bin int) {
	feature = -1
	gain := slope * slope / (bending + leafPenalty)
	gain += 1e-9 * math.Abs(gain)
	loss := make([][2]float64, len(sample)) // first and second derivatives, in the order of the sample for speed
	for k, i := range sample {
		loss[k] = [2]float64{f.slope[i], f.bending[i]}
	}
	for _, j := range columns {
		var sums [maxBins]struct {
			slope, bending float64
			count          int
		}
		bins := f.bins[j]
		for k, i := range sample {
			sum := &sums[bins[i]&(maxBins-1)]
			sum.slope += loss[k][0]
			sum.bending += loss[k][1]
			sum.count++
		}
		g, h, c := 0.0, 0.0, 0
		for b := range sums {
			g, h, c = g+sums[b].slope, h+sums[b].bending, c+sums[b].count
			if c < f.MinLeaf {
				continue
			}
			if len(sample)-c < f.MinLeaf {
				break
			}
			if now := g*g/(h+leafPenalty) + (slope-g)*(slope-g)/(bending-h+leafPenalty); sums[b].count > 0 && now > gain {
				gain, feature, bin = now, j, b
			}
		}
	}
	return feature, bin
}

// part moves the rows with a bin up to bin to the front.
func part(index []int, bins []uint8, bin int) (low, high []int) {
	at := 0
	for k, i := range index {
		if int(bins[i]) <= bin {
			index[at], index[k] = index[k], index[at]
			at++
		}
	}
	return index[:at], index[at:]
}
