package claims

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
)

// objectivePlants returns the bugs that can be injected in the objective of the given name: other objectives, and wrong
// versions of its own terms.
func objectivePlants(name string) []Plant {
	var plants []Plant
	add := func(as, what string, instead func(pucl.Objective) pucl.Objective) {
		plants = append(plants, Plant{Name: hyphens(name + " " + as), What: name + "'s " + what, instead: func(o pucl.Objective) pucl.Objective {
			if o.Name != name {
				return o
			}
			return instead(o)
		}})
	}
	for _, other := range []pucl.Objective{pucl.SSCL(), pucl.PUCL(), pucl.SCLPU(), pucl.SCL()} {
		if other.Name != name {
			add("as "+other.Name, "objective is "+other.Name+"'s", func(pucl.Objective) pucl.Objective { return other })
		}
	}
	terms := func(attract, repel func(pucl.Term) pucl.Term) func(pucl.Objective) pucl.Objective {
		return func(o pucl.Objective) pucl.Objective {
			return pucl.Objective{Attract: attract(o.Attract), Repel: repel(o.Repel)}
		}
	}
	add("attraction halved", "attraction is halved", terms(scaled(0.5), asTheyAre))
	add("attraction negated", "attraction has the other sign", terms(scaled(-1), asTheyAre))
	add("attraction without own view", "attraction forgets the other view of the anchor's example", terms(withoutOwnView, asTheyAre))
	add("partition halved", "log partition is halved", terms(asTheyAre, scaled(0.5)))
	add("partition without own view", "log partition forgets the other view of the anchor's example", terms(asTheyAre, withoutOwnView))
	return plants
}

// swapped returns the bug that exchanges two objectives.
func swapped(first, second pucl.Objective) Plant {
	return Plant{Name: hyphens(first.Name + " and " + second.Name + " swapped"),
		What: first.Name + " and " + second.Name + " stand in each other's place",
		instead: func(o pucl.Objective) pucl.Objective {
			switch o.Name {
			case first.Name:
				return second
			case second.Name:
				return first
			}
			return o
		}}
}

func asTheyAre(term pucl.Term) pucl.Term { return term }

func scaled(by float64) func(pucl.Term) pucl.Term {
	return func(term pucl.Term) pucl.Term { return pucl.Scale(by, term) }
}

// withoutOwnView returns term with the pairs of rows of one example removed from its masks.
func withoutOwnView(term pucl.Term) pucl.Term {
	return func(b *pucl.Block) *Node {
		blind, others := *b, b.OtherExamples()
		for _, mask := range []**Node{&blind.Others, &blind.OwnView, &blind.Labeled, &blind.ToLabeled, &blind.Unlabeled,
			&blind.SameClass} {
			if *mask != nil {
				*mask = And(*mask, others)
			}
		}
		return term(&blind)
	}
}
