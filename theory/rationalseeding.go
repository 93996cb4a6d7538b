package theory

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory/internal/must"
)

// RationalSeeding holds all outcomes of the single random choice of [cluster.PUPL] on given points, in exact
// arithmetic.
type RationalSeeding struct {
	Starts  []RationalStart
	Optimal *big.Rat // φ*, the least potential of two centers
}

// RationalStart is one unlabeled row at which the negative center can start.
type RationalStart struct {
	Probability *big.Rat
	*RationalClustering
}

// Expected averages the potentials over the starts: right after seeding, and after convergence.
func (s RationalSeeding) Expected() (seeded, settled RationalPotentials) {
	average := func(round func(RationalStart) RationalPotentials) RationalPotentials {
		mean := RationalPotentials{new(big.Rat), new(big.Rat)}
		for _, start := range s.Starts {
			r := round(start)
			mean.Free.Add(mean.Free, new(big.Rat).Mul(start.Probability, r.Free))
			mean.Constrained.Add(mean.Constrained, new(big.Rat).Mul(start.Probability, r.Constrained))
		}
		return mean
	}
	return average(RationalStart.Seeded), average(RationalStart.Settled)
}

// EnumerateRationalSeeding runs [RationalPUPLFrom] from every unlabeled row that Algorithm 1(B) can draw, with the
// row's probability, and finds the optimal two-way split of all rows by enumeration. Rows may lie at up to 20 places,
// any number of them at each.
func EnumerateRationalSeeding(labeled, unlabeled RationalPoints) (s RationalSeeding, err error) {
	defer must.Catch(&err)
	must.Do(checkRationalSets(labeled, unlabeled))
	optimal, _ := must.Get2(slices.Concat(labeled, unlabeled).BestSplit())
	weights, total := RationalSeedingWeights(labeled, unlabeled)
	if total.Sign() == 0 {
		must.Fail("theory: every unlabeled row equals the mean of the labeled ones; there is nothing to draw")
	}
	s.Optimal = optimal
	place, places := unlabeled.places()
	runs := make([]*RationalClustering, len(places)) // rows at one place start the same run
	for i, w := range weights {
		if w.Sign() == 0 {
			continue
		}
		j := place[i]
		if runs[j] == nil {
			runs[j] = runRationalPUPL(labeled, unlabeled, unlabeled[i], i, true)
		}
		run := *runs[j]
		run.Seed = i
		s.Starts = append(s.Starts, RationalStart{new(big.Rat).Quo(w, total), &run})
	}
	return s, nil
}

// RationalSeedingWeights returns the squared distances of the unlabeled rows from the mean of the labeled ones, to which the
// probabilities of [cluster.PUPL]'s start are proportional, and their sum.
func RationalSeedingWeights(labeled, unlabeled RationalPoints) (weights []*big.Rat, total *big.Rat) {
	center := labeled.Mean()
	total = new(big.Rat)
	for _, row := range unlabeled {
		w := squaredRationalDistance(row, center)
		weights = append(weights, w)
		total.Add(total, w)
	}
	return weights, total
}

// RationalKMeansPlusPlus returns the expected potential right after k-means++ has seeded two centers (Arthur and
// Vassilvitskii, 2007). The first is at a row drawn uniformly, the second at a row drawn with probability proportional
// to the squared distance from the first. It is 0 if all rows coincide.
func RationalKMeansPlusPlus(points RationalPoints) (*big.Rat, error) {
	if err := points.Validate(); err != nil {
		return nil, err
	}
	_, places := points.places()
	count := func(j int) *big.Rat { return big.NewRat(int64(len(places[j])), 1) }
	distance := func(i, j int) *big.Rat { return squaredRationalDistance(points[places[i][0]], points[places[j][0]]) }
	expected := new(big.Rat)
	for first := range places {
		total, sum := new(big.Rat), new(big.Rat) // Σ of the weights, and of weight times potential
		for second := range places {
			weight := distance(first, second)
			weight.Mul(weight, count(second))
			total.Add(total, weight)
			for j := range places {
				d := lesser(distance(j, first), distance(j, second))
				sum.Add(sum, d.Mul(d, new(big.Rat).Mul(weight, count(j))))
			}
		}
		if total.Sign() > 0 {
			expected.Add(expected, sum.Quo(sum, total).Mul(sum, count(first)))
		}
	}
	return expected.Mul(expected, big.NewRat(1, int64(len(points)))), nil
}

// checkRationalSets returns an error for empty sets, ragged ones, and sets of different dimension.
func checkRationalSets(labeled, unlabeled RationalPoints) error {
	if err := errors.Join(labeled.check("labeled rows"), unlabeled.check("unlabeled rows")); err != nil {
		return err
	}
	if len(labeled[0]) != len(unlabeled[0]) {
		return fmt.Errorf("theory: labeled rows have %d coordinates, unlabeled ones %d; they must live in one space",
			len(labeled[0]), len(unlabeled[0]))
	}
	return nil
}
