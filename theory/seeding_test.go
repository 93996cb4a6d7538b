package theory

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/rows"
)

// By hand: one labeled row at 0, unlabeled rows at 0, 1 and 3 with weights 0, 1 and 9. Started at 1: distances 0, 0, 0 and 4
// to the nearer center; started at 3: 0, 0, 1, 0. Best split: {0, 0, 1} and {3}, with 2/3.
func TestSeedingByHand(t *testing.T) {
	s := expect.Must(enumerateFloats(stack([][]float64{{0}}, [][]float64{{0}, {1}, {3}})))(t)
	expect.Require(t, len(s.Starts) == 2 && s.Starts[0].StartRow == 2 && s.Starts[1].StartRow == 3,
		"starts %+v", s.Starts)
	near(t, "probability of row 2", s.Starts[0].Probability, 0.1, 1e-15)
	near(t, "probability of row 3", s.Starts[1].Probability, 0.9, 1e-15)
	near(t, "expected potential after seeding", s.Expected, 0.1*4+0.9*1, 1e-15)
	near(t, "optimal potential", s.Optimal, 2.0/3, 1e-15)
}

func TestSeedingRefuses(t *testing.T) {
	one := [][]float64{{1, 2}}
	wantError(t, "nothing labeled", expect.Err(enumerateFloats(stack(nil, one))), "0 labeled and 1 unlabeled")
	_, err := enumerateFloats(dense(one), []bool{true, false})
	wantError(t, "two labels for one row", err, "1 rows and 2 labels")
	_, err = enumerateFloats(stack([][]float64{{0, 2}, {2, 2}}, one))
	wantError(t, "unlabeled row at the mean", err, "nothing to draw")
	wantError(t, "collapsed", expect.Err(enumerateFloats(stack(one, one))), "all 2 rows are the same")
	many := make([][]float64, 20)
	for i := range many {
		many[i] = []float64{float64(i), 1}
	}
	wantError(t, "many points", expect.Err(enumerateFloats(stack(one, many))), "21 points", "at most 20")
}

// floatSeeding is the [RationalSeeding] of the training code: package cluster in float64, and an optimal split found by
// loops.
type floatSeeding struct {
	Starts   []floatStart
	Expected float64 // E[potential right after seeding], over the starts
	Optimal  float64 // the smallest potential of all two-way splits, Definition 6
}

// floatStart is one row at which the negative center can start.
type floatStart struct {
	Probability float64
	*cluster.Clustering
}

// enumerateFloats runs [cluster.From] from every unlabeled row of x that Algorithm 1(B) can draw, with the row's
// probability, and finds the optimal two-way split of all rows by enumeration. There may be at most 20 rows.
func enumerateFloats(x *mat.Dense, labeled []bool) (floatSeeding, error) {
	weights, err := cluster.SeedingWeights(x, labeled)
	if err != nil {
		return floatSeeding{}, err
	}
	var s floatSeeding
	if s.Optimal, err = optimalSplit(x); err != nil {
		return floatSeeding{}, err
	}
	_, unlabeled := rows.Split(labeled)
	total := floats.Sum(rows.Pick(weights, unlabeled))
	if total == 0 {
		return floatSeeding{}, errors.New("theory: every unlabeled row equals the mean of the labeled ones; there is nothing to draw")
	}
	var expected kahan
	for i, w := range weights {
		if w == 0 {
			continue
		}
		c, err := cluster.From(x, labeled, i)
		if err != nil {
			return floatSeeding{}, err
		}
		s.Starts = append(s.Starts, floatStart{w / total, c})
		expected.add(w / total * c.SeedingPotential)
	}
	s.Expected = expected.value()
	return s, nil
}

// optimalSplit returns the smallest sum of squared distances of the rows to the means of their parts, over all two-way
// splits.
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
