package cluster

import (
	"cmp"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/spans"
	"github.com/puclab/puclab/pucl/rows"
)

// maxRounds bounds the rounds of two-means, which usually end after a few dozen.
const maxRounds = 1000

// points holds the rows of x and the indices of labeled and unlabeled rows. Sums run over the labeled rows first, then
// over the unlabeled ones, span by span.
type points struct {
	x                  *mat.Dense
	labeled, unlabeled []int     // rows
	origin             []float64 // offset subtracted from the rows; nil for none
	rounding           float64   // squared distance explained by rounding of a mean
}

func newPoints(x *mat.Dense, labeled []bool) (points, error) {
	p := points{x: x}
	p.labeled, p.unlabeled = rows.Split(labeled)
	_, _, err := rows.Check(x, len(labeled), "labels")
	err = cmp.Or(err, rows.CheckFinite(x), fault.If(len(p.labeled) == 0 || len(p.unlabeled) == 0,
		"cluster: %d labeled and %d unlabeled rows; pseudo-labeling needs at least one of each: mark the known positives as labeled, and leave rows to label unmarked",
		len(p.labeled), len(p.unlabeled)))
	if err != nil {
		return p, err
	}
	p.x, p.origin = rows.Near(x)
	p.rounding = math.Pow(1e-14*max(mat.Max(p.x), -mat.Min(p.x)), 2)
	return p, rows.CheckSpread(x)
}

// outside returns c with its centers in the coordinates of the given rows.
func (p points) outside(c *Clustering) *Clustering {
	if p.origin != nil {
		floats.Add(c.PositiveCenter, p.origin)
		floats.Add(c.NegativeCenter, p.origin)
	}
	return c
}

// mean returns the mean of the rows at index.
func (p points) mean(index []int) []float64 {
	_, k := p.x.Dims()
	out := make([]float64, k)
	for _, i := range index {
		floats.Add(out, p.x.RawRowView(i))
	}
	floats.Scale(1/float64(len(index)), out)
	return out
}

// run alternates assignment and update from the initial centers of c. If fixed is true, labeled rows stay with the
// positive center.
func (p points) run(c *Clustering, fixed bool) {
	n, _ := p.x.Dims()
	c.Positive, c.NearPositive = make([]bool, n), make([]bool, n)
	for _, i := range p.labeled {
		c.Positive[i] = true
	}
	members := c.NearPositive
	if fixed {
		members = c.Positive
	}
	p.assign(c, fixed)
	c.SeedingPotential, _ = p.potentials(c)
	for c.Iterations < maxRounds && !c.Converged {
		p.move(c, members)
		c.Converged = !p.assign(c, fixed)
		c.Iterations++
	}
	c.Potential, c.ConstrainedPotential = p.potentials(c)
}

// assign labels every row by the nearer center, and reports whether a row changed its cluster.
func (p points) assign(c *Clustering, fixed bool) bool {
	var changed atomic.Bool
	for set, index := range [][]int{p.labeled, p.unlabeled} {
		labeled := set == 0
		spans.Each(len(index), func(_, first, end int) {
			moved := false
			for _, i := range index[first:end] {
				row := p.x.RawRowView(i)
				near := squaredDistance(row, c.PositiveCenter) <= squaredDistance(row, c.NegativeCenter)
				moved = moved || near != c.NearPositive[i]
				c.NearPositive[i], c.Positive[i] = near, near || labeled
			}
			if moved && !(fixed && labeled) {
				changed.Store(true)
			}
		})
	}
	return changed.Load()
}

// clusters holds the sum and the number of rows of the positive and of the negative cluster.
type clusters struct {
	sum   [2][]float64
	count [2]float64
}

func newClusters(k int) clusters {
	return clusters{sum: [2][]float64{make([]float64, k), make([]float64, k)}}
}

// move moves each center to the mean of its rows; a center without rows stays.
func (p points) move(c *Clustering, positive []bool) {
	k := len(c.PositiveCenter)
	all := newClusters(k)
	for _, index := range [][]int{p.labeled, p.unlabeled} {
		parts := make([]clusters, spans.Count(len(index)))
		spans.Each(len(index), func(span, first, end int) {
			part := newClusters(k)
			for _, i := range index[first:end] {
				side := 1
				if positive[i] {
					side = 0
				}
				floats.Add(part.sum[side], p.x.RawRowView(i))
				part.count[side]++
			}
			parts[span] = part
		})
		for _, part := range parts {
			for side := range all.sum {
				floats.Add(all.sum[side], part.sum[side])
				all.count[side] += part.count[side]
			}
		}
	}
	for side, center := range [][]float64{c.PositiveCenter, c.NegativeCenter} {
		if all.count[side] > 0 {
			floats.ScaleTo(center, 1/all.count[side], all.sum[side])
		}
	}
}

// potentials returns the potential of Definition 6, and the same with labeled rows assigned to the positive center.
func (p points) potentials(c *Clustering) (free, constrained float64) {
	for set, index := range [][]int{p.labeled, p.unlabeled} {
		nearer, positive := make([]float64, spans.Count(len(index))), make([]float64, spans.Count(len(index)))
		spans.Each(len(index), func(span, first, end int) {
			for _, i := range index[first:end] {
				row := p.x.RawRowView(i)
				distance := squaredDistance(row, c.PositiveCenter)
				nearer[span] += min(distance, squaredDistance(row, c.NegativeCenter))
				positive[span] += distance
			}
		})
		free += floats.Sum(nearer)
		if set == 0 {
			constrained += floats.Sum(positive)
		} else {
			constrained += floats.Sum(nearer)
		}
	}
	return free, constrained
}

// squaredDistance returns ‖a−b‖². Four running sums keep the processor from waiting for each addition.
func squaredDistance(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(a); k += 4 {
		a, b := a[k:k+4:k+4], b[k:k+4:k+4]
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0, s1, s2, s3 = s0+d0*d0, s1+d1*d1, s2+d2*d2, s3+d3*d3
	}
	for ; k < len(a); k++ {
		d := a[k] - b[k]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}
