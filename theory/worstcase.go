package theory

import (
	"fmt"
	"math"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// Case is a population and a design with the measured value of a question.
type Case struct {
	Population Population
	Design     Design
	Value      Number
}

// String returns one line from which the case can be measured again, with all digits of points and probabilities. An
// example is "positive 1 at (1, 0); negative 1 at (-1, 0); m = 0, u = 2, π = 0.5, ρ = 0: 1.33333".
func (c Case) String() string {
	return fmt.Sprintf("%s: %s", situation(c.Population, c.Design), c.Value)
}

// situation formats a population and a design with all digits.
func situation(p Population, d Design) string {
	class := func(atoms []Atom) string {
		return strings.Join(lists.Map(atoms, func(atom Atom) string {
			coordinates := lists.Map(atom.Z, func(x float64) string { return fmt.Sprint(x) })
			return fmt.Sprintf("%s at (%s)", share(atom.P), strings.Join(coordinates, ", "))
		}), ", ")
	}
	design := fmt.Sprintf("m = %d, u = %d, π = %v, ρ = %v", d.Labeled, d.Unlabeled, d.Prior, d.SameView)
	if d.Scheme != CaseControl {
		design += fmt.Sprintf(", %s, c = %v", d.Scheme, d.LabelRate)
	}
	return fmt.Sprintf("positive %s; negative %s; %s", class(p.Positive), class(p.Negative), design)
}

// share formats a probability as a fraction with a small denominator if it is one, else with all its digits.
func share(p float64) string {
	for denominator := 2.0; denominator <= largestDenominator; denominator++ {
		if parts := math.Round(p * denominator); p > 0 && p < 1 && p == parts/denominator {
			return fmt.Sprintf("%g/%g", parts, denominator)
		}
	}
	return fmt.Sprint(p)
}

// SearchStep is a case that was worse than all before it.
type SearchStep struct {
	Stage string // "grid", "random", "climb" or "simplify"
	Cases int    // cases measured by then, itself included
	Case
}

// SearchResult is the result of a search for a question.
type SearchResult struct {
	Question string
	Answer   string // the question's Yes where Found, else its No

	// Found reports whether the number of Simple is above Tolerance: by its lower end, and for random draws by the
	// lower end of Confirmed.
	Found bool

	Worst  Case // the largest lower end of all cases measured
	Simple Case // fewer examples and atoms, rounder numbers, at least Keep of Worst; Worst if nothing was found

	// Confirmed is Simple measured again with fresh random draws; nil for exact measurements or if nothing was found.
	Confirmed *Number

	Trail           []SearchStep // each case that was worse than all before it; the last is Worst
	Cases           int          // number of measured cases, Confirmed not counted
	Tolerance, Keep float64
	Seed            uint64
}

// String returns the answer, and below it the worst case if one was found.
func (r SearchResult) String() string {
	if r.Cases == 0 {
		return fmt.Sprintf("%s: no case was measured", r.Question)
	}
	text := fmt.Sprintf("%s: %s; largest %s over %d cases (seed %d)", r.Question, r.Answer, r.Worst.Value, r.Cases, r.Seed)
	if r.Worst.Value.Low > r.Tolerance {
		text += fmt.Sprintf("\nsimplest case with %.3g%% of that or more: %s", 100*r.Keep, r.Simple)
	}
	if r.Confirmed != nil {
		text += fmt.Sprintf("\nthe same with fresh draws: %s", r.Confirmed)
	}
	return text
}
