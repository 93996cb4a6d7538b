package claims

import (
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// exampleKind is a kind of unlabeled example: the atoms of its views, in either order, with the probability.
type exampleKind struct {
	first, second int
	p             float64
}

// exampleKinds lists the kinds of a population with one positive point, atom 0. Views are independent given the class.
func exampleKinds(p theory.Population, prior float64) []exampleKind {
	if len(p.Positive) != 1 {
		must.Fail("claims: %d positive points; squared errors are counted for one", len(p.Positive))
	}
	kinds := []exampleKind{{0, 0, prior}}
	for i, x := range p.Negative {
		for j, y := range p.Negative[:i+1] {
			ways := 2.0
			if i == j {
				ways = 1
			}
			kinds = append(kinds, exampleKind{1 + i, 1 + j, ways * (1 - prior) * x.P * y.P})
		}
	}
	return kinds
}

// countedErrors returns the mean squared errors of PUCL and of PU-debiased with the true prior, against L*_CL at
// temperature 1. It enumerates the numbers of unlabeled examples of each kind with their multinomial probabilities, and
// so is exact in batches of a hundred examples. The population has one positive point.
func countedErrors(p theory.Population, d theory.Design) (plain, debiased float64) {
	kinds := exampleKinds(p, d.Prior)
	sims := cosineCritic(append(theory.Points(p.Positive), theory.Points(p.Negative)...), 1)
	ideal := must.Get(theory.IdealLoss(p, d.Prior, d.Negatives(), 1)).Loss.Value
	counts := make([]int, len(kinds))
	var visit func(kind, left int, weight float64)
	visit = func(kind, left int, weight float64) {
		if kind == len(kinds)-1 {
			counts[kind] = left
			weight *= math.Pow(kinds[kind].p, float64(left))
			x, y := countedLosses(kinds, counts, sims, d)
			plain += weight * (x - ideal) * (x - ideal)
			debiased += weight * (y - ideal) * (y - ideal)
			return
		}
		for n := range left + 1 { // weight: number of ways to choose n of left, times the probability of each
			counts[kind] = n
			visit(kind+1, left-n, weight)
			weight *= kinds[kind].p * float64(left-n) / float64(n+1)
		}
	}
	visit(0, d.Unlabeled, 1)
	return plain, debiased
}

// countedLosses returns the losses of PUCL and of PU-debiased on a batch with the given number of unlabeled examples of
// each kind.
func countedLosses(kinds []exampleKind, counts []int, sims [][]float64, d theory.Design) (plain, debiased float64) {
	exp := func(z, w int) float64 { return math.Exp(sims[z][w]) }
	unlabeled := make([]float64, len(sims)) // sums of exp over the unlabeled rows, by the atom of the anchor
	for z := range sims {
		for k, kind := range kinds {
			unlabeled[z] += float64(counts[k]) * (exp(z, kind.first) + exp(z, kind.second))
		}
	}
	rows, negatives := float64(2*d.Examples()), float64(d.Negatives())
	partition := func(z int) float64 { return math.Log(float64(2*d.Labeled)*exp(z, 0) + unlabeled[z] - exp(z, z)) }
	plain = float64(2*d.Labeled) * (partition(0) - sims[0][0]) / rows
	for k, kind := range kinds {
		own := sims[kind.first][kind.second]
		for _, z := range []int{kind.first, kind.second} {
			plain += float64(counts[k]) * (partition(z) - own) / rows
			debiased += float64(counts[k]) * (math.Log(math.Exp(own)+negatives*exp(z, 0)) - own) / float64(2*d.Unlabeled)
		}
	}
	g := max((unlabeled[0]/float64(2*d.Unlabeled)-d.Prior*exp(0, 0))/(1-d.Prior), math.Exp(-1))
	own := exp(0, 0)
	return plain, debiased + d.Prior*math.Log((own+negatives*g)/(own+negatives*own))
}

// countedCrossing returns the number of examples at which the two errors are equal, interpolated between consecutive
// even numbers, PUCL being nearer to the ideal loss at the first only. Half of the examples are labeled. It is NaN if
// there is no crossing from first to last.
func countedCrossing(c contrastCase, first, last int) float64 {
	before := math.NaN()
	for half := first / 2; half <= last/2; half++ {
		c.design.Labeled, c.design.Unlabeled = half, half
		plain, debiased := countedErrors(c.world, c.design)
		gain := plain/debiased - 1
		if before < 0 && gain >= 0 {
			return float64(2*half) - 2*gain/(gain-before)
		}
		before = gain
	}
	return math.NaN()
}
