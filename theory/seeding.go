package theory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/rows"
)

// Seeding is everything that the one random choice of [cluster.PUPL] can lead to on given points.
type Seeding struct {
	Starts   []Start
	Expected float64 // E[potential right after seeding], over the starts
	Optimal  float64 // the least potential of all ways to split the points in two, Definition 6
}

// Start is one row at which the negative center can start.
type Start struct {
	Probability float64
	*cluster.Clustering
}

// maxSplitPoints bounds the points whose splits are all tried: 2^19 of them.
const maxSplitPoints = 20

// EnumerateSeeding runs [cluster.From] from every unlabeled row of x that Algorithm 1(B) can draw, with the row's probability,
// and finds the optimal two-way split of all rows by trying every one; there may be at most 20 rows.
func EnumerateSeeding(x *mat.Dense, labeled []bool) (Seeding, error) {
	weights, err := cluster.SeedingWeights(x, labeled)
	if err != nil {
		return Seeding{}, err
	}
	var s Seeding
	if s.Optimal, err = optimalSplit(x); err != nil {
		return Seeding{}, err
	}
	_, unlabeled := rows.Split(labeled)
	total := floats.Sum(rows.Pick(weights, unlabeled))
	if total == 0 {
		return Seeding{}, errors.New("theory: every unlabeled row equals the mean of the labeled ones; there is nothing to draw")
	}
	var expected kahan
	for i, w := range weights {
		if w == 0 {
			continue
		}
		c, err := cluster.From(x, labeled, i)
		if err != nil {
			return Seeding{}, err
		}
		s.Starts = append(s.Starts, Start{w / total, c})
		expected.add(w / total * c.SeedingPotential)
	}
	s.Expected = expected.value()
	return s, nil
}

// optimalSplit returns the least sum of squared distances to the mean of the own part, over all splits of the rows in two.
func optimalSplit(x *mat.Dense) (float64, error) {
	n, _ := x.Dims()
	if n > maxSplitPoints {
		return 0, fmt.Errorf("theory: %d points have too many two-way splits to try them all; at most %d points are", n, maxSplitPoints)
	}
	best := math.Inf(1)
	// The last row stays in the first part: a split and its mirror image are the same.
	for split := range 1 << (n - 1) {
		potential := 0.0
		for part := range 2 {
			potential += squaredDeviations(x, func(i int) bool { return split>>i&1 == part })
		}
		best = min(best, potential)
	}
	return best, nil
}

// squaredDeviations returns the sum of squared distances of the chosen rows to their mean, 0 where none is chosen.
func squaredDeviations(x *mat.Dense, chosen func(int) bool) float64 {
	n, k := x.Dims()
	mean, count := make([]float64, k), 0.0
	for i := range n {
		if chosen(i) {
			count++
			for j, value := range x.RawRowView(i) {
				mean[j] += (value - mean[j]) / count
			}
		}
	}
	sum := 0.0
	for i := range n {
		if chosen(i) {
			d := floats.Distance(x.RawRowView(i), mean, 2)
			sum += d * d
		}
	}
	return sum
}
