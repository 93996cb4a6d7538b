package claims

import (
	"math"
	"math/bits"

	"github.com/puclab/puclab/theory/internal/lists"
)

// seedingSearch holds the results of the exhaustive search over small sets of rows: ratios of the expected potential
// right after seeding to the best potential of two centers.
type seedingSearch struct {
	labelings int
	free      seedingExtreme // any rows labeled; sets with best potential 0 are counted in unbounded instead
	unbounded int            // labelings with best potential 0 and a higher expected one
	inCluster seedingExtreme // the labeled rows are from one cluster of an optimal split
	uniform   seedingExtreme // the labeled rows are drawn uniformly from one cluster of an optimal split
	plusPlus  seedingExtreme // k-means++ with two centers
}

// seedingExtreme is the largest ratio found, and a set of rows that attains it.
type seedingExtreme struct {
	ratio float64
	rows  [][]float64
	mask  int // the labeled rows, or the rows of their cluster
	count int // number of labeled rows of the cluster, if they are drawn
}

func (e *seedingExtreme) meet(ratio float64, rows [][]float64, mask, count int) {
	if !math.IsNaN(e.ratio) && exceeds(ratio, e.ratio*(1+1e-12)) {
		*e = seedingExtreme{ratio, rows, mask, count}
	}
}

// searchSeeding tries all sets of two to maxRows rows on the given places, with every labeling. Coordinates should be small
// integers: then squared distances are exact, and only the divisions are rounded.
func searchSeeding(places [][]float64, maxRows int) seedingSearch {
	var s seedingSearch
	for x := range multisets(2, maxRows, len(places)) {
		s.visit(lists.Map(x, func(i int) []float64 { return places[i] }))
	}
	return s
}

func (s *seedingSearch) visit(rows [][]float64) {
	n := len(rows)
	full := 1<<n - 1
	d := squaredDistances(rows)
	spread := make([]float64, full+1) // of every subset: the sum over its pairs, divided by its size
	for mask := 1; mask <= full; mask++ {
		spread[mask] = pairSum(d, mask) / float64(bits.OnesCount(uint(mask)))
	}
	best := spread[full]
	for mask := 1; mask < full; mask++ {
		best = min(best, spread[mask]+spread[full&^mask])
	}
	expected := make([]float64, full)
	for mask := 1; mask < full; mask++ {
		s.labelings++
		expected[mask] = seedingExpectation(d, mask)
		switch {
		case best > 0:
			s.free.meet(expected[mask]/best, rows, mask, 0)
		case expected[mask] > 0:
			s.unbounded++
		}
	}
	if best > 0 {
		s.plusPlus.meet(plusPlusExpectation(d)/best, rows, 0, 0)
	}
	for cluster := 1; cluster <= full; cluster++ {
		if spread[cluster]+spread[full&^cluster] > best*(1+1e-12) {
			continue
		}
		var sum, count [16]float64 // per number of labeled rows
		for mask := cluster; mask > 0; mask = (mask - 1) & cluster {
			if mask == full {
				continue
			}
			size := bits.OnesCount(uint(mask))
			sum[size] += expected[mask]
			count[size]++
			if best > 0 {
				s.inCluster.meet(expected[mask]/best, rows, mask, 0)
			}
		}
		for size := 1; size <= bits.OnesCount(uint(cluster)); size++ {
			if count[size] > 0 && best > 0 {
				s.uniform.meet(sum[size]/count[size]/best, rows, cluster, size)
			}
		}
	}
}

func squaredDistances(rows [][]float64) [][]float64 {
	return lists.Table(len(rows), len(rows), func(i, j int) (d float64) {
		for k, x := range rows[i] {
			d += (x - rows[j][k]) * (x - rows[j][k])
		}
		return d
	})
}

func pairSum(d [][]float64, mask int) float64 {
	sum := 0.0
	for i := range d {
		for j := range i {
			if mask>>i&1 == 1 && mask>>j&1 == 1 {
				sum += d[i][j]
			}
		}
	}
	return sum
}

// seedingExpectation returns the expected potential right after Algorithm 1(B)'s seeding, with the rows of mask
// labeled. The squared distance of a row from the mean of m rows is (m Σ_j d_ij − Σ_{j<k} d_jk)/m², whose numerator is
// an integer for integer distances.
func seedingExpectation(d [][]float64, mask int) float64 {
	m, pairs := float64(bits.OnesCount(uint(mask))), pairSum(d, mask)
	fromMean := make([]float64, len(d))
	one, total := 0.0, 0.0
	for i := range d {
		sum := 0.0
		for j := range d {
			if mask>>j&1 == 1 {
				sum += d[i][j]
			}
		}
		fromMean[i] = (m*sum - pairs) / (m * m)
		one += fromMean[i]
		if mask>>i&1 == 0 {
			total += fromMean[i]
		}
	}
	if total == 0 {
		return one
	}
	expected := 0.0
	for i := range d {
		if mask>>i&1 == 1 || fromMean[i] == 0 {
			continue
		}
		potential := 0.0
		for j := range d {
			potential += min(fromMean[j], d[i][j])
		}
		expected += fromMean[i] / total * potential
	}
	return expected
}

// plusPlusExpectation returns the expected potential right after k-means++ has seeded two centers.
func plusPlusExpectation(d [][]float64) float64 {
	expected := 0.0
	for i := range d {
		total, sum := 0.0, 0.0
		for j := range d {
			potential := 0.0
			for k := range d {
				potential += math.Min(d[i][k], d[j][k])
			}
			sum += d[i][j] * potential
			total += d[i][j]
		}
		if total > 0 {
			expected += sum / total / float64(len(d))
		}
	}
	return expected
}

// linePlaces returns the integers 0 … reach on a line; gridPlaces returns the points of a square grid with that many
// per side.
func linePlaces(reach int) [][]float64 {
	return lists.Table(reach+1, 1, func(i, _ int) float64 { return float64(i) })
}

func gridPlaces(side int) [][]float64 {
	return lists.Table(side*side, 2, func(i, k int) float64 { return float64([]int{i / side, i % side}[k]) })
}
