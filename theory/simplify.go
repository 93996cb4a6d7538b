package theory

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/theory/internal/lists"
)

// largestDenominator is the largest denominator of rounded probabilities.
const largestDenominator = 12

// coordinateSteps are the rounding steps for coordinates, the coarsest first, with the largest coordinate of a point
// scaled to 1.
var coordinateSteps = []float64{1, 0.5, 0.25, 0.1}

// simplifyBound returns how many cases simplify measures at most, for classes of up to atoms atoms.
func simplifyBound(atoms, designs int) int {
	total := 2 * atoms
	return designs - 1 + // smaller designs
		total*(total+1)/2 - 3 + // each atom of total, then each of total − 1, until each class has one
		2*largestDenominator + // probabilities of either class
		1 + len(coordinateSteps)*(1+total) // turning; rounding all points together, and each
}

// simplify makes the worst case smaller and rounder, as long as it keeps at least Keep of the largest number.
func (r *searchRun) simplify() {
	r.stage = "simplify"
	current := r.result.Worst
	// try replaces current by a simpler case that is bad enough, and reports whether that or the same case is current
	// now. A case that is worse than all others raises the limit and is accepted, so that current is never below it.
	try := func(p Population, design int) bool {
		if r.Designs[design] == current.Design && reflect.DeepEqual(p, current.Population) {
			return true
		}
		next := r.measure(p, design)
		enough := r.enough(next)
		if enough {
			current = next
		}
		return enough
	}
	design := r.fewerExamples(&current, try)
	for r.dropAtom(&current, design) {
	}
	roundProbabilities(&current, design, try)
	try(inOwnBasis(current.Population), design)
	roundPoints(&current, design, try)
	r.result.Simple = current
	r.answer(r.question.Again == nil)
}

func (r *searchRun) enough(c Case) bool { return c.Value.Low >= r.Keep*r.result.Worst.Value.Low }

// fewerExamples selects the smallest design that is bad enough, and returns its number.
func (r *searchRun) fewerExamples(current *Case, try func(Population, int) bool) int {
	order := lists.Make(len(r.Designs), func(i int) int { return i })
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := r.Designs[i], r.Designs[j]
		return cmp.Or(cmp.Compare(a.Examples(), b.Examples()), cmp.Compare(a.Labeled, b.Labeled))
	})
	for _, design := range order {
		if r.Designs[design].Examples() >= current.Design.Examples() {
			break
		}
		if try(current.Population, design) {
			return design
		}
	}
	return slices.Index(r.Designs, current.Design)
}

// dropAtom removes the atom with the smallest effect, and reports whether one could be removed.
func (r *searchRun) dropAtom(current *Case, design int) bool {
	var best *Case
	for k, class := range current.Population.classes() {
		for i := range *class {
			p := current.Population.clone()
			atoms := p.classes()[k]
			if len(*atoms) == 1 {
				continue
			}
			*atoms = normalized(slices.Delete(*atoms, i, i+1))
			next := r.measure(p, design)
			if best == nil || next.Value.Low > best.Value.Low {
				best = &next
			}
		}
	}
	if best == nil || !r.enough(*best) {
		return false
	}
	*current = *best
	return true
}

// roundProbabilities sets the probabilities of each class to fractions with the smallest sufficient denominator.
func roundProbabilities(current *Case, design int, try func(Population, int) bool) {
	for k, class := range current.Population.classes() {
		for denominator := len(*class); denominator <= largestDenominator; denominator++ {
			p := current.Population.clone()
			roundShares(*p.classes()[k], denominator)
			if try(p, design) {
				break
			}
		}
	}
}

// roundShares rounds the probabilities of a class, in place, to multiples of 1/denominator, none of them 0. Each gets
// one part, and the other parts go one by one to the atom with the largest deficit.
func roundShares(atoms []Atom, denominator int) {
	parts := slices.Repeat([]int{1}, len(atoms))
	lack := func(i int) float64 { return atoms[i].P*float64(denominator) - float64(parts[i]) }
	for range denominator - len(atoms) {
		most := 0
		for i := range atoms {
			if lack(i) > lack(most) {
				most = i
			}
		}
		parts[most]++
	}
	for i := range atoms {
		atoms[i].P = float64(parts[i]) / float64(denominator)
	}
}

// roundPoints scales points so that the largest coordinate is ±1 and rounds the others: all points with one step, then
// each with its coarsest acceptable step. Atoms of a class that coincide afterwards are merged.
func roundPoints(current *Case, design int, try func(Population, int) bool) {
	coarsest := len(coordinateSteps)
	for i, step := range coordinateSteps {
		p := current.Population.clone()
		for _, atom := range slices.Concat(p.Positive, p.Negative) {
			roundPoint(atom.Z, step)
		}
		if try(merged(p), design) {
			coarsest = i
			break
		}
	}
	for k, class := range current.Population.classes() {
		for i := 0; i < len(*class); i++ {
			for _, step := range coordinateSteps[:coarsest] {
				p := current.Population.clone()
				roundPoint((*p.classes()[k])[i].Z, step)
				if try(merged(p), design) {
					break
				}
			}
		}
	}
}

func roundPoint(z []float64, step float64) {
	largest := floats.Norm(z, math.Inf(1))
	for k, x := range z {
		// A quotient of whole numbers prints as 0.7 where the product 7·0.1 prints as 0.7000000000000001; + 0 turns −0
		// into 0.
		z[k] = math.Round(x/largest/step)/math.Round(1/step) + 0
	}
}

// merged merges atoms of a class that lie on the same point.
func merged(p Population) Population {
	for _, class := range p.classes() {
		var kept []Atom
		for _, atom := range *class {
			if i := slices.IndexFunc(kept, func(k Atom) bool { return slices.Equal(k.Z, atom.Z) }); i >= 0 {
				kept[i].P += atom.P
			} else {
				kept = append(kept, atom)
			}
		}
		*class = kept
	}
	return p
}

// inOwnBasis rotates and mirrors a population so that its points have as many zeros as possible. Its first point lies
// on the first axis, the next one in the plane of the first two, and so on.
func inOwnBasis(p Population) Population {
	var basis [][]float64
	next := p.clone()
	for _, atom := range slices.Concat(next.Positive, next.Negative) {
		rest, length := slices.Clone(atom.Z), floats.Norm(atom.Z, 2)
		coordinates := make([]float64, len(rest))
		for range 2 { // the second round removes rounding errors of the first
			for k, e := range basis {
				along := floats.Dot(rest, e)
				coordinates[k] += along
				floats.AddScaled(rest, -along, e)
			}
		}
		if across := floats.Norm(rest, 2); across > 1e-9*length && len(basis) < len(rest) {
			coordinates[len(basis)] = across
			floats.Scale(1/across, rest)
			basis = append(basis, rest)
		}
		copy(atom.Z, coordinates)
	}
	return next
}
