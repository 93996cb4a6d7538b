package theory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
)

// Seeding is everything that the one random choice of [pucl.PUPL] can lead to on given points.
type Seeding struct {
	Starts   []Start
	Expected float64 // E[potential right after seeding], over the starts
	Optimal  float64 // the least potential of all ways to split the points in two, Definition 6
}

// Start is one row at which the negative centre can start.
type Start struct {
	Probability float64
	*pucl.Clustering
}

// maxSplitPoints bounds the points whose splits are all tried: 2^19 of them.
const maxSplitPoints = 20

// EnumerateSeeding runs [pucl.PUPLFrom] from every unlabeled row that Algorithm 1(B) can draw, with the row's probability,
// and finds the optimal two-way split of all rows by trying every one; there may be at most 20 rows.
func EnumerateSeeding(labeled, unlabeled *mat.Dense) (Seeding, error) {
	if _, err := pucl.PUPLFrom(labeled, unlabeled, 0); err != nil { // refuses sets that are empty or do not fit
		return Seeding{}, err
	}
	optimal, err := optimalSplit(labeled, unlabeled)
	if err != nil {
		return Seeding{}, err
	}
	s := Seeding{Optimal: optimal}
	weights := pucl.SeedingWeights(labeled, unlabeled)
	total := floats.Sum(weights)
	if total == 0 {
		return Seeding{}, errors.New("theory: every unlabeled row equals the mean of the labeled ones; there is nothing to draw")
	}
	var expected kahan
	for i, w := range weights {
		if w == 0 {
			continue
		}
		c, err := pucl.PUPLFrom(labeled, unlabeled, i)
		if err != nil {
			return Seeding{}, err
		}
		s.Starts = append(s.Starts, Start{w / total, c})
		expected.add(w / total * c.SeedingPotential)
	}
	s.Expected = expected.value()
	return s, nil
}

// optimalSplit is the least sum of squared distances to the mean of the own part, over all splits of the rows in two.
func optimalSplit(sets ...*mat.Dense) (float64, error) {
	var rows [][]float64
	for _, set := range sets {
		n, _ := set.Dims()
		for i := range n {
			rows = append(rows, set.RawRowView(i))
		}
	}
	if len(rows) > maxSplitPoints {
		return 0, fmt.Errorf("theory: %d points have too many two-way splits to try them all; at most %d points are", len(rows), maxSplitPoints)
	}
	best := math.Inf(1)
	// The last row stays in the first part: a split and its mirror image are the same.
	for split := range 1 << (len(rows) - 1) {
		potential := 0.0
		for part := range 2 {
			potential += spread(rows, func(i int) bool { return split>>i&1 == part })
		}
		best = min(best, potential)
	}
	return best, nil
}

// spread is the sum of squared distances of the chosen rows to their mean, 0 where none is chosen.
func spread(rows [][]float64, chosen func(int) bool) float64 {
	mean, count := make([]float64, len(rows[0])), 0.0
	for i, row := range rows {
		if chosen(i) {
			count++
			for k, x := range row {
				mean[k] += (x - mean[k]) / count
			}
		}
	}
	sum := 0.0
	for i, row := range rows {
		if chosen(i) {
			d := floats.Distance(row, mean, 2)
			sum += d * d
		}
	}
	return sum
}
