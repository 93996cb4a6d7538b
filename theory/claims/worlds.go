package claims

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// halfTau is the temperature at which exp(cos/τ) is 2, 1 and ½ for the cosines 1, 0 and −1, so that losses of points on the
// axes are logarithms of rational numbers.
const halfTau = 1 / math.Ln2

// world is a population with its class prior.
type world struct {
	theory.Population
	prior float64
}

// randomWorld draws a population with the given numbers of positive and negative atoms in space, their probabilities
// and the class prior.
func randomWorld(rng *rand.Rand, positive, negative int) world {
	return world{
		theory.Population{Positive: randomClass(rng, positive, 3, 0.1), Negative: randomClass(rng, negative, 3, 0.1)},
		0.1 + 0.8*rng.Float64(),
	}
}

// randomClass draws atoms with normal coordinates; their probabilities are uniform on least to 1 + least, rescaled.
func randomClass(rng *rand.Rand, atoms, dim int, least float64) []theory.Atom {
	class, p := make([]theory.Atom, atoms), make([]float64, atoms)
	for i := range class {
		class[i].Z = lists.Make(dim, func(int) float64 { return rng.NormFloat64() })
		p[i] = least + rng.Float64()
	}
	for i, share := range normalized(p) {
		class[i].P = share
	}
	return class
}

// normalized rescales weights, in place, to add up to 1.
func normalized(weights []float64) []float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// onAxis returns a class with +1 and −1 on the line, the first with probability plus.
func onAxis(plus float64) []theory.Atom {
	atoms := []theory.Atom{{Z: []float64{1}, P: plus}, {Z: []float64{-1}, P: 1 - plus}}
	return slices.DeleteFunc(atoms, func(a theory.Atom) bool { return a.P == 0 })
}

// meanOver returns the mean of f over the population's anchors at temperature tau.
func (w world) meanOver(tau float64, f func(theory.Anchor) float64) float64 {
	sum := 0.0
	for _, a := range must.Get(theory.Anchors(w.Population, w.prior, tau)) {
		sum += a.P * f(a)
	}
	return sum
}

// Shared parts of the claims on Theorems 1, 2 and 4.

// TwoPoints returns the smallest population: every positive is +1 and every negative −1, on a line. At τ = 1 two
// examples have similarity 1 within a class and −1 across.
func TwoPoints() theory.Population {
	return theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
}

// TwoSigns returns the smallest population in which two draws of one class can differ: either class has +1 and −1, each
// with probability ½. At τ = 1 the similarity of two draws is ±1, with mean 0 and variance 1.
func TwoSigns() theory.Population {
	signs := theory.Uniform([]float64{1}, []float64{-1})
	return theory.Population{Positive: signs, Negative: signs}
}

// randomPlanes draws populations of two or three atoms per class in the plane, with unequal probabilities.
func randomPlanes(count int, seed uint64) []theory.Population {
	rng := rand.New(rand.NewPCG(seed, 0x9c1a))
	return lists.Make(count, func(k int) theory.Population {
		return theory.Population{Positive: randomClass(rng, 2+k%2, 2, 0.2), Negative: randomClass(rng, 3-k%2, 2, 0.2)}
	})
}

// contrastCase is a population with a design.
type contrastCase struct {
	world  theory.Population
	design theory.Design
}

// contrastCases crosses populations with designs.
func contrastCases(worlds []theory.Population, designs []theory.Design) []contrastCase {
	var cases []contrastCase
	for _, world := range worlds {
		for _, design := range designs {
			cases = append(cases, contrastCase{world, design})
		}
	}
	return cases
}

// designsOf returns case-control designs with independent views, with the given numbers of labeled and unlabeled
// examples.
func designsOf(prior float64, sizes [][2]int) []theory.Design {
	return lists.Map(sizes, func(size [2]int) theory.Design {
		return theory.Design{Labeled: size[0], Unlabeled: size[1], Prior: prior}
	})
}

// Assumptions that several claims share.
const (
	independentViews = "independent views"
	caseControl      = "case-control"
	ownShare         = "own share" // every anchor uses the probability of its own class
)

// share returns the class probability that an anchor uses: that of its own class, or of the other one if this
// assumption is dropped.
func (s *subject) share(own *big.Rat) *big.Rat {
	if s.assumes(ownShare) {
		return own
	}
	return minus(whole(1), own)
}

// drawn returns the design from which batches are drawn: d, or, if one of these two assumptions is dropped, one for
// which formulas for d are not valid.
func (s *subject) drawn(d theory.Design) theory.Design {
	if !s.assumes(independentViews) {
		d.SameView = theory.IdenticalViews
	}
	if !s.assumes(caseControl) {
		d.Scheme, d.LabelRate = theory.SingleDataset, 0.5
	}
	return d
}
