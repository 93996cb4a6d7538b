package reduce

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/internal/spans"
)

// pairs is a sparse symmetric matrix of affinities between rows. The values sum to 1.
type pairs struct {
	first  []int // row i has the entries first[i] to first[i+1]
	column []int32
	value  []float64
}

func (p pairs) row(i int) ([]int32, []float64) {
	return p.column[p.first[i]:p.first[i+1]], p.value[p.first[i]:p.first[i+1]]
}

// pull returns the sum over j of p_ij (y_i − y_j) / (1 + |y_i − y_j|²).
func (p pairs) pull(i int, y []point) (sum point) {
	here := y[i]
	columns, values := p.row(i)
	for k, j := range columns {
		dx, dy := here.x-y[j].x, here.y-y[j].y
		w := values[k] / (1 + dx*dx + dy*dy)
		sum.x += w * dx
		sum.y += w * dy
	}
	return sum
}

// neighbor is a row and its squared distance.
type neighbor struct {
	row      int32
	distance float64
}

func (a neighbor) compare(b neighbor) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
}

// affinities returns p_ij = (p_j|i + p_i|j) / 2n, where p_j|i is a Gaussian of the distance over the nearest
// 3·perplexity rows. Its width gives the requested perplexity. The rows must be centered.
func affinities(ctx context.Context, data *mat.Dense, perplexity float64) (pairs, error) {
	n, _ := data.Dims()
	near, err := nearest(ctx, data, min(n-1, int(3*perplexity+1)))
	if err != nil {
		return pairs{}, err
	}
	shares := make([][]float64, n)
	spans.EachOf(n, blockSize, func(_, first, end int) {
		for i := first; i < end; i++ {
			shares[i] = withPerplexity(near[i], perplexity)
		}
	})
	return symmetric(near, shares), nil
}

// rowsAtOnce is the number of rows compared with all others in one product.
const rowsAtOnce = 256

// nearest returns the k nearest other rows of each row, the nearest first; of equally near rows the first comes first.
// The rows must be centered.
func nearest(ctx context.Context, data *mat.Dense, k int) ([][]neighbor, error) {
	n, d := data.Dims()
	squares := make([]float64, n)
	for i := range squares {
		row := mat.NewVecDense(d, data.RawRowView(i))
		squares[i] = mat.Dot(row, row)
	}
	exact := dominated(squares)
	near := make([][]neighbor, n)
	products := mat.NewDense(min(rowsAtOnce, n), n, nil)
	for first := 0; first < n; first += rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := min(rowsAtOnce, n-first)
		block := products.Slice(0, m, 0, n).(*mat.Dense)
		block.Mul(data.Slice(first, first+m, 0, d), data.T())
		spans.EachOf(m, blockSize, func(_, from, end int) {
			for r := from; r < end; r++ {
				i := first + r
				near[i] = least(k, n, i, func(j int, product float64) float64 {
					if exact {
						distance := floats.Distance(data.RawRowView(i), data.RawRowView(j), 2)
						return distance * distance
					}
					return max(0, squares[i]+squares[j]-2*product)
				}, block.RawRowView(r))
			}
		})
	}
	return near, nil
}

// dominated reports whether some squared length is more than a million times the median: differences of squares then
// lose the distances between the other rows.
func dominated(squares []float64) bool {
	sorted := slices.Sorted(slices.Values(squares))
	return sorted[len(sorted)-1] > 1e6*sorted[len(sorted)/2]
}

// center subtracts the mean from every row of x, so that differences of squares lose less, and scales all rows so that
// squares neither overflow nor vanish; affinities are invariant to that. If rows far away dominate, it subtracts the
// median of each column instead.
func center(x *mat.Dense) {
	n, d := x.Dims()
	largest := max(mat.Max(x), -mat.Min(x))
	if largest == 0 {
		return
	}
	x.Apply(func(_, _ int, v float64) float64 { return v / largest }, x)
	mean, median := make([]float64, d), make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	for j := range median {
		median[j] = slices.Sorted(slices.Values(mat.Col(nil, j, x)))[n/2]
	}
	squares := make([]float64, n)
	for i := range squares {
		squares[i] = math.Pow(floats.Distance(x.RawRowView(i), median, 2), 2)
	}
	if dominated(squares) {
		mean = median
	}
	x.Apply(func(_, j int, v float64) float64 { return v - mean[j] }, x)
}

// least returns the k nearest rows except self. It keeps up to 2k candidates and periodically keeps the better half.
func least(k, n, self int, distance func(j int, product float64) float64, products []float64) []neighbor {
	kept := make([]neighbor, 0, 2*k)
	limit := math.Inf(1)
	for j := range n {
		if d := distance(j, products[j]); d < limit && j != self {
			if kept = append(kept, neighbor{int32(j), d}); len(kept) == 2*k {
				slices.SortFunc(kept, neighbor.compare)
				kept, limit = kept[:k], kept[k-1].distance
			}
		}
	}
	slices.SortFunc(kept, neighbor.compare)
	return slices.Clip(kept[:k])
}

// withPerplexity returns Gaussian weights of the neighbors, which sum to 1, with exp(entropy) equal to perplexity, or
// as near as possible if no width gives it, as for equidistant neighbors.
func withPerplexity(near []neighbor, perplexity float64) []float64 {
	share := make([]float64, len(near))
	goal := math.Log(perplexity)
	precision, low, high := 1.0, 0.0, math.Inf(1)
	if scale := near[len(near)-1].distance - near[0].distance; scale > 0 {
		precision = 1 / scale
	}
	for range 200 {
		entropy := gaussian(near, precision, share)
		if math.Abs(entropy-goal) < 1e-10 {
			break
		}
		if entropy > goal { // too uniform
			low = precision
			precision = 2 * min(precision, math.MaxFloat64/4)
			if !math.IsInf(high, 1) {
				precision = (low + high) / 2
			}
		} else {
			high = precision
			precision = (low + high) / 2
		}
	}
	return share
}

// gaussian writes exp(−precision·distance), normalized to sum 1, into share and returns the entropy in nats.
func gaussian(near []neighbor, precision float64, share []float64) (entropy float64) {
	sum, mean := 0.0, 0.0
	for k, other := range near {
		farther := other.distance - near[0].distance
		share[k] = math.Exp(-precision * farther)
		sum += share[k]
		mean += share[k] * precision * farther
	}
	for k := range share {
		share[k] /= sum
	}
	return math.Log(sum) + mean/sum
}

// symmetric returns (p_j|i + p_i|j) / 2n.
func symmetric(near [][]neighbor, shares [][]float64) pairs {
	n := len(near)
	type entry struct {
		column int32
		value  float64
	}
	all := make([][]entry, n)
	for i := range near {
		for k, other := range near[i] {
			half := shares[i][k] / (2 * float64(n))
			all[i] = append(all[i], entry{other.row, half})
			all[other.row] = append(all[other.row], entry{int32(i), half})
		}
	}
	p := pairs{first: make([]int, n+1)}
	for i, row := range all {
		slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.column, b.column) })
		for k, e := range row {
			if k > 0 && row[k-1].column == e.column {
				p.value[len(p.value)-1] += e.value
				continue
			}
			p.column = append(p.column, e.column)
			p.value = append(p.value, e.value)
		}
		p.first[i+1] = len(p.column)
	}
	return p
}

// blockSize is the number of rows per unit of work. It does not depend on the number of processors, so that sums over
// blocks do not either.
const blockSize = 128
