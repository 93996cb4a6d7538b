package claims

import (
	"math/big"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/must"
)

// grounds lists the parts that a claim's verdict depends on, so that a bug can be injected in each. It is an error if a
// check uses an unlisted part or does not use a listed one.
type grounds struct {
	objectives  []string   // by the names that they have in package pucl: "PUCL"
	constants   []string   // of formulas, each increased and decreased: "kappa"
	assumptions []string   // of the cases, with the same names in all claims: "independent views"
	mistakes    []mistake  // other possible bugs
	unneeded    []unneeded // bugs that do not change the verdict, and why
}

// mistake is a wrong step: an algorithm that skips a line, or a wrong estimate.
type mistake struct{ name, what string }

// unneeded gives the reason why a bug does not change the verdict. name is the name of one bug, or of a ground, for all
// its bugs.
type unneeded struct{ name, why string }

// subject supplies a check with the parts that its verdict depends on, either unchanged or with the injected bug.
type subject struct {
	eng   *engine.Engine
	plant Plant
	rests *grounds // nil disables the list, and the comparison of objectives with equations
	bench *bench
	asked []string
}

// objective returns o, or its mutation under the same name. It ends the check of a claim if the result disagrees with
// the equation of this name.
func (s *subject) objective(o pucl.Objective) pucl.Objective {
	s.note(o.Name, "objectives", func(g grounds) []string { return g.objectives })
	o = s.planted(o)
	if s.rests != nil {
		must.Do(s.gauge(o))
	}
	return o
}

// planted returns o, or its mutation.
func (s *subject) planted(o pucl.Objective) pucl.Objective {
	if s.plant.instead == nil {
		return o
	}
	planted := s.plant.instead(o)
	planted.Name = o.Name
	return planted
}

// constant returns the value of a formula's constant, or the mutated one.
func (s *subject) constant(name string, value float64) float64 {
	moved, _ := s.rational(name, big.NewRat(1, 1)).Float64()
	return moved * value
}

// rational is constant for a rational number.
func (s *subject) rational(name string, value *big.Rat) *big.Rat {
	if s.note(name, "constants", func(g grounds) []string { return g.constants }); s.plant.constant != name {
		return value
	}
	return times(s.plant.factor, value)
}

// assumes reports whether cases must satisfy the assumption, which is true unless the injected bug drops it.
func (s *subject) assumes(assumption string) bool {
	s.note(assumption, "assumptions", func(g grounds) []string { return g.assumptions })
	return s.plant.assumption != assumption
}

// mistaken reports whether a step must be done wrongly.
func (s *subject) mistaken(name string) bool {
	s.note(name, "mistakes", grounds.mistakeNames)
	return s.plant.mistake == name
}

// mistakeNames lists the mistakes by name.
func (g grounds) mistakeNames() []string {
	var names []string
	for _, m := range g.mistakes {
		names = append(names, m.name)
	}
	return names
}

// note records that the check used name, and ends the check if the claim does not list it.
func (s *subject) note(name, kind string, of func(grounds) []string) {
	if s.rests != nil && !slices.Contains(of(*s.rests), name) {
		must.Fail("the check asks for %q, which is not among the %s that the claim rests on: %q", name, kind, of(*s.rests))
	}
	if !slices.Contains(s.asked, name) {
		s.asked = append(s.asked, name)
	}
}

// forgotten returns a listed part that the check did not use, "" if there is none.
func (s *subject) forgotten() string {
	if s.rests == nil {
		return ""
	}
	g := *s.rests
	for _, name := range slices.Concat(g.objectives, g.constants, g.assumptions, g.mistakeNames()) {
		if !slices.Contains(s.asked, name) {
			return name
		}
	}
	return ""
}
