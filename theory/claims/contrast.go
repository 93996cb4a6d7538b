package claims

import (
	"fmt"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// What the claims on Theorems 1, 2 and 4 share.

// TwoPoints is the smallest population: every positive shows +1 and every negative −1, on a line. At τ = 1 two examples
// have similarity 1 within a class and −1 across.
func TwoPoints() theory.Population {
	return theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
}

// TwoSigns is the smallest population in which two draws of one class can differ: either class shows +1 and −1, each with
// probability ½. At τ = 1 the similarity of two draws is ±1, with mean 0 and variance 1.
func TwoSigns() theory.Population {
	signs := theory.Uniform([]float64{1}, []float64{-1})
	return theory.Population{Positive: signs, Negative: signs}
}

// randomPlanes draws populations of two or three atoms a class in the plane, with unequal probabilities.
func randomPlanes(count int, seed uint64) []theory.Population {
	rng := rand.New(rand.NewPCG(seed, 0x9c1a))
	class := func(size int) []theory.Atom {
		atoms, total := make([]theory.Atom, size), 0.0
		for i := range atoms {
			atoms[i] = theory.Atom{Z: []float64{rng.NormFloat64(), rng.NormFloat64()}, P: 0.2 + rng.Float64()}
			total += atoms[i].P
		}
		for i := range atoms {
			atoms[i].P /= total
		}
		return atoms
	}
	planes := make([]theory.Population, count)
	for k := range planes {
		planes[k] = theory.Population{Positive: class(2 + k%2), Negative: class(3 - k%2)}
	}
	return planes
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

// withMeters runs use with one meter for each objective, and closes them.
func withMeters(eng *engine.Engine, tau float64, objectives []pucl.Objective, use func(meters []*theory.Meter) error) error {
	meters := make([]*theory.Meter, len(objectives))
	for i, o := range objectives {
		m, err := theory.NewMeter(eng, o, tau)
		if err != nil {
			return err
		}
		defer m.Close()
		meters[i] = m
	}
	return use(meters)
}

// measured makes a measurement of an exact number.
func measured(value float64, format string, args ...any) Measurement {
	return Measurement{Name: fmt.Sprintf(format, args...), Value: theory.Exactly(value)}
}
