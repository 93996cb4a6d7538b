package theory

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/theory/internal/lists"
)

// randomClass draws a class of 1 to atoms atoms, with directions uniform on the sphere and probabilities uniform on the
// simplex.
func randomClass(rng *rand.Rand, atoms, dim int) []Atom {
	return normalized(lists.Make(1+rng.IntN(atoms), func(int) Atom {
		z := make([]float64, dim)
		for {
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			if length := floats.Norm(z, 2); length > 0 {
				floats.Scale(1/length, z)
				break
			}
		}
		return Atom{z, rng.ExpFloat64()}
	}))
}

// normalized rescales the probabilities of a class, in place, to add up to 1.
func normalized(class []Atom) []Atom {
	total := totalOf(class)
	for i := range class {
		class[i].P /= total
	}
	return class
}

// totalOf returns the sum of the probabilities of a class.
func totalOf(class []Atom) float64 {
	total := 0.0
	for _, atom := range class {
		total += atom.P
	}
	return total
}

// clone copies a population with its points.
func (p Population) clone() Population {
	for _, class := range p.classes() {
		*class = lists.Map(*class, func(a Atom) Atom { return Atom{slices.Clone(a.Z), a.P} })
	}
	return p
}

// classes returns the positive class and the negative one.
func (p *Population) classes() [2]*[]Atom { return [2]*[]Atom{&p.Positive, &p.Negative} }

// Step sizes of a climb: a change of a unit point, and of the logarithm of a probability. They grow after a step that
// makes the case worse and shrink after any other, so that the success rate settles near a fifth (Rechenberg's rule,
// 1973).
const (
	firstStep, largestStep, smallestStep = 0.3, 1.0, 1e-4
	stepGrowth, stepShrink               = 1.5, 0.9
)

// climb runs a hill climb from the worst case of each design, the worst designs first. A climb never accepts a smaller
// number.
func (r *searchRun) climb() {
	r.stage = "climb"
	var designs []int
	for i, c := range r.worst {
		if c != nil {
			designs = append(designs, i)
		}
	}
	slices.SortStableFunc(designs, func(i, j int) int { return cmp.Compare(r.worst[j].Value.Low, r.worst[i].Value.Low) })
	for _, design := range designs[:r.plan.Climb/r.Steps] {
		current, step := *r.worst[design], firstStep
		for range r.Steps {
			next := r.measure(perturbed(r.rng, current.Population, step), design)
			if next.Value.Low > current.Value.Low {
				current, step = next, min(step*stepGrowth, largestStep)
			} else {
				step = max(step*stepShrink, smallestStep)
			}
		}
	}
}

// perturbed returns a copy of p, changed by about step: one point, all points, the probabilities, or everything. Points
// keep their length, and probabilities stay above 0 and add up to 1.
func perturbed(rng *rand.Rand, p Population, step float64) Population {
	next := p.clone()
	atoms := len(p.Positive) + len(p.Negative)
	kinds := 4
	if atoms == 2 {
		kinds = 2 // both probabilities are 1 and cannot change
	}
	what, only := rng.IntN(kinds), rng.IntN(atoms)
	at := 0
	for _, class := range [][]Atom{next.Positive, next.Negative} {
		for i := range class {
			if what != 2 && (what != 0 || at == only) {
				nudge(rng, class[i].Z, step)
			}
			if what >= 2 {
				class[i].P *= math.Exp(step * rng.NormFloat64())
			}
			at++
		}
		normalized(class)
	}
	return next
}

// nudge rotates z a little, in place.
func nudge(rng *rand.Rand, z []float64, step float64) {
	before, length := slices.Clone(z), floats.Norm(z, 2)
	for k := range z {
		z[k] += step * length * rng.NormFloat64()
	}
	if turned := floats.Norm(z, 2); turned > 0 {
		floats.Scale(length/turned, z)
	} else {
		copy(z, before)
	}
}
