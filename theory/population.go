package theory

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Atom is one point of a class, with its probability.
type Atom struct {
	Z []float64 `json:"z"` // the embedding; of any length but zero, since only its direction counts
	P float64   `json:"p"` // its probability within the class
}

// Population is a small, fully known population: each class has finitely many points. An example of a class and each of
// its views are draws from the class.
type Population struct {
	Positive []Atom `json:"positive"`
	Negative []Atom `json:"negative"`
}

// Uniform returns the atoms of a class with equal probabilities for the given points. The points are not copied.
func Uniform(points ...[]float64) []Atom {
	return lists.Map(points, func(z []float64) Atom { return Atom{Z: z, P: 1 / float64(len(points))} })
}

// Points returns the embeddings of the atoms, in their order. They are not copied.
func Points(atoms []Atom) [][]float64 {
	return lists.Map(atoms, func(a Atom) []float64 { return a.Z })
}

// probabilitySlack is the largest deviation from 1 of the sum of a class's probabilities; they are rescaled to 1.
const probabilitySlack = 1e-9

// Validate returns an error if p is not a population: a class without atoms, points of different dimension, zero or not
// finite, probabilities that are negative or do not add up to 1 within 1e-9.
func (p Population) Validate() error {
	if len(p.Positive) == 0 || len(p.Negative) == 0 {
		return fmt.Errorf("theory: a population needs at least one atom in each class; it has %d positive and %d negative ones",
			len(p.Positive), len(p.Negative))
	}
	for k, name := range []string{"positive", "negative"} {
		class := *p.classes()[k]
		for i, atom := range class {
			if err := atom.validate(p.Dim()); err != nil {
				return fmt.Errorf("theory: %s atom %d: %w", name, i, err)
			}
		}
		if total := totalOf(class); !(math.Abs(total-1) <= probabilitySlack) {
			return fmt.Errorf("theory: the probabilities of the %s class add up to %.12g; they must add up to 1", name, total)
		}
	}
	return nil
}

func (a Atom) validate(dim int) error {
	if len(a.Z) != dim {
		return fmt.Errorf("its point has %d coordinates, the first positive one has %d; all points live in one space", len(a.Z), dim)
	}
	length := floats.Norm(a.Z, 2)
	switch {
	case math.IsNaN(length) || math.IsInf(length, 0):
		return fmt.Errorf("its point %v is not finite", a.Z)
	case length == 0:
		return errors.New("its point is the origin, which has no direction and so no place on the sphere")
	case !(a.P >= 0) || math.IsInf(a.P, 0):
		return fmt.Errorf("its probability is %g; it must be a number from 0 to 1", a.P)
	}
	return nil
}

// UnmarshalJSON reads {"positive": [{"z": [..], "p": ..}, ..], "negative": [..]} and validates it.
func (p *Population) UnmarshalJSON(data []byte) error {
	type plain Population
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("theory: reading a population: %w", err)
	}
	if err := Population(read).Validate(); err != nil {
		return err
	}
	*p = Population(read)
	return nil
}

// Dim returns the number of coordinates of a point, 0 for a population without positive atoms.
func (p Population) Dim() int {
	if len(p.Positive) == 0 {
		return 0
	}
	return len(p.Positive[0].Z)
}

// Proximity returns the mean similarity of two independent draws, E[z·z'] = E[cos(z, z')]/τ: both from the positive
// class (μ_P* of Theorem 1), both from the negative class (μ_N*), and one from each (μ_PN).
func (p Population) Proximity(tau float64) (positive, negative, between float64, err error) {
	defer must.Catch(&err)
	must.Do(errors.Join(p.Validate(), checkTau(tau)))
	s := p.support(false)
	sim := s.similarities(tau)
	mean := func(a, b []mass) float64 {
		return meanOfPairs(a, b, func(x, y int) float64 { return sim[a[x].point][b[y].point] })
	}
	return mean(s.positive, s.positive), mean(s.negative, s.negative), mean(s.positive, s.negative), nil
}

// meanOfPairs returns E[f(x, y)] over independent draws of two classes; x and y number their points.
func meanOfPairs(a, b []mass, f func(x, y int) float64) float64 {
	var sum kahan
	for x := range a {
		for y := range b {
			sum.add(a[x].p * b[y].p * f(x, y))
		}
	}
	return sum.value()
}

// mass is a probability put on a point of a support.
type mass struct {
	point int
	p     float64
}

// support is a valid population with its points numbered; the probabilities of each class add up to 1.
type support struct {
	points             [][]float64
	positive, negative []mass
}

// support numbers the points: the positive atoms first, then the negative ones. If merge is set, atoms with the same
// coordinates share a number, also across the classes.
func (p Population) support(merge bool) support {
	var s support
	number := func(z []float64) int {
		if merge {
			for i, known := range s.points {
				if floats.Equal(known, z) {
					return i
				}
			}
		}
		s.points = append(s.points, z)
		return len(s.points) - 1
	}
	class := func(atoms []Atom) []mass {
		total := totalOf(atoms)
		return lists.Map(atoms, func(a Atom) mass { return mass{number(a.Z), a.P / total} })
	}
	s.positive, s.negative = class(p.Positive), class(p.Negative)
	return s
}

// anchorSide describes the anchors of one class: their own class, the other one, and the fraction of these anchors
// among all.
type anchorSide struct {
	own, other []mass
	share      float64
}

// sides returns the sides of the positive and of the negative anchors, without sides of probability 0.
func (s support) sides(prior float64) []anchorSide {
	sides := []anchorSide{{s.positive, s.negative, prior}, {s.negative, s.positive, 1 - prior}}
	return slices.DeleteFunc(sides, func(s anchorSide) bool { return s.share == 0 })
}

// massesOf returns the probabilities of a class.
func massesOf(class []mass) []float64 { return lists.Map(class, func(m mass) float64 { return m.p }) }

// unit returns the points scaled to length one.
func (s support) unit() [][]float64 {
	return lists.Map(s.points, func(z []float64) []float64 {
		length := floats.Norm(z, 2)
		return lists.Map(z, func(x float64) float64 { return x / length }) // not times 1/length, which can overflow
	})
}

// similarities returns s_ij = cos(z_i, z_j)/τ of all pairs of points.
func (s support) similarities(tau float64) [][]float64 {
	unit := s.unit()
	return lists.Table(len(unit), len(unit), func(i, j int) float64 { return floats.Dot(unit[i], unit[j]) / tau })
}

// checkShare returns an error unless value lies from 0 to 1.
func checkShare(name string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return fmt.Errorf("theory: %s = %g; it must lie from 0 to 1", name, value)
	}
	return nil
}

// checkTau returns an error if similarities cannot be divided by tau.
func checkTau(tau float64) error {
	if !(tau > 0) || math.IsInf(tau, 0) {
		return fmt.Errorf("theory: temperature τ = %g; it divides the similarities and must be positive (0.5 is the paper's)", tau)
	}
	return nil
}
