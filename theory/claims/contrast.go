package claims

import (
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
)

// What the claims on Theorems 1, 2 and 4 share.

// TwoPoints returns the smallest population: every positive shows +1 and every negative −1, on a line. At τ = 1 two examples
// have similarity 1 within a class and −1 across.
func TwoPoints() theory.Population {
	return theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
}

// TwoSigns returns the smallest population in which two draws of one class can differ: either class shows +1 and −1, each with
// probability ½. At τ = 1 the similarity of two draws is ±1, with mean 0 and variance 1.
func TwoSigns() theory.Population {
	signs := theory.Uniform([]float64{1}, []float64{-1})
	return theory.Population{Positive: signs, Negative: signs}
}

// randomPlanes draws populations of two or three atoms a class in the plane, with unequal probabilities.
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

// designsOf returns case-control designs with independent views, of so many labeled and unlabeled examples.
func designsOf(prior float64, sizes [][2]int) []theory.Design {
	return lists.Map(sizes, func(size [2]int) theory.Design {
		return theory.Design{Labeled: size[0], Unlabeled: size[1], Prior: prior}
	})
}

func closeAll(meters []*theory.Meter) {
	for _, m := range meters {
		m.Close()
	}
}
