package claims

import (
	"math/big"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory/internal/must"
)

// grounds lists what a claim's verdict rests on, so that a mistake can be planted in each. A check that asks its subject for
// anything else, or leaves anything of it out, is an error.
type grounds struct {
	objectives  []string   // by the names that they have in package pucl: "PUCL"
	constants   []string   // of formulas, each moved up and down: "kappa"
	assumptions []string   // that cases are drawn under, alike in all claims that share one: "independent views"
	mistakes    []mistake  // what else can be done wrongly
	unneeded    []unneeded // what of all this the verdict does not change with, and why
}

// mistake is a step done wrongly: an algorithm that skips a line, an estimate in another's place.
type mistake struct{ name, what string }

// unneeded says why a verdict stays as it is under a plant: one of a given name, or all that concern a ground of that name.
type unneeded struct{ name, why string }

// subject is what a check looks at: it hands out all that a verdict rests on, as it is, or with the mistake that is planted.
type subject struct {
	eng   *engine.Engine
	plant Plant
	rests *grounds // nil asks for no list, and for no equation of an objective
	bench *bench
	asked []string
}

// objective returns o, or what is planted in its place under the same name. It ends the check of a claim where that is not
// what the equation of this name says.
func (s *subject) objective(o pucl.Objective) pucl.Objective {
	s.note(o.Name, "objectives", func(g grounds) []string { return g.objectives })
	o = s.planted(o)
	if s.rests != nil {
		must.Do(s.gauge(o))
	}
	return o
}

// planted returns o, or what is planted in its place.
func (s *subject) planted(o pucl.Objective) pucl.Objective {
	if s.plant.instead == nil {
		return o
	}
	planted := s.plant.instead(o)
	planted.Name = o.Name
	return planted
}

// constant returns the value of a formula's constant, or the moved one.
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

// assumes reports whether cases are to be drawn under the assumption, as they are where it is not dropped.
func (s *subject) assumes(assumption string) bool {
	s.note(assumption, "assumptions", func(g grounds) []string { return g.assumptions })
	return s.plant.assumption != assumption
}

// mistaken reports whether a step is to be done wrongly.
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

// note remembers that the check asked for name, and ends it where the claim does not list that.
func (s *subject) note(name, kind string, of func(grounds) []string) {
	if s.rests != nil && !slices.Contains(of(*s.rests), name) {
		must.Fail("the check asks for %q, which is not among the %s that the claim rests on: %q", name, kind, of(*s.rests))
	}
	if !slices.Contains(s.asked, name) {
		s.asked = append(s.asked, name)
	}
}

// forgotten returns what the claim lists and its check did not ask for, "" where there is none.
func (s *subject) forgotten() string {
	g := *s.rests
	for _, name := range slices.Concat(g.objectives, g.constants, g.assumptions, g.mistakeNames()) {
		if !slices.Contains(s.asked, name) {
			return name
		}
	}
	return ""
}
