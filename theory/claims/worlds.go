package claims

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
)

// halfTau is the temperature at which exp(cos/τ) is 2, 1 and ½ for the cosines 1, 0 and −1, so that losses of points on the
// axes are logarithms of rational numbers.
const halfTau = 1 / math.Ln2

// world is a population with its class prior.
type world struct {
	theory.Population
	prior float64
}

// randomWorld draws a world with so many positive and negative atoms in space, their probabilities and the class prior.
func randomWorld(rng *rand.Rand, positive, negative int) world {
	class := func(count int) []theory.Atom {
		atoms, total := make([]theory.Atom, count), 0.0
		for i := range atoms {
			atoms[i] = theory.Atom{Z: []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, P: 0.1 + rng.Float64()}
			total += atoms[i].P
		}
		for i := range atoms {
			atoms[i].P /= total
		}
		return atoms
	}
	return world{theory.Population{Positive: class(positive), Negative: class(negative)}, 0.1 + 0.8*rng.Float64()}
}

// onAxis is a class that shows +1 and −1 on the line, the first with probability plus.
func onAxis(plus float64) []theory.Atom {
	switch plus {
	case 1:
		return theory.Uniform([]float64{1})
	case 0:
		return theory.Uniform([]float64{-1})
	}
	return []theory.Atom{{Z: []float64{1}, P: plus}, {Z: []float64{-1}, P: 1 - plus}}
}

// figure names a number without uncertainty.
func figure(name string, x float64) Measurement { return Measurement{name, theory.Exactly(x)} }

// meanOver is the mean over a world's anchors.
func meanOver(anchors []theory.Anchor, f func(theory.Anchor) float64) float64 {
	sum := 0.0
	for _, a := range anchors {
		sum += a.P * f(a)
	}
	return sum
}
