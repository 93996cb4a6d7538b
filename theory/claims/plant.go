package claims

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/lists"
)

// Plant is an injected bug (mutation) in the foundations of claims: [Claim.CheckPlanted] shows whether their checks
// detect it.
type Plant struct {
	Name   string   `json:"name"`   // for a command line: "pucl-as-scl-pu"
	What   string   `json:"what"`   // the bug, in one line
	Claims []string `json:"claims"` // IDs of the claims that it affects

	instead    func(pucl.Objective) pucl.Objective // the replacement of an objective; nil replaces none
	constant   string                              // the constant that is multiplied by factor
	factor     *big.Rat
	assumption string // the assumption that is dropped
	mistake    string // the step with an injected bug
}

// Plants lists the bugs that can be injected.
func Plants() []Plant {
	var plants []Plant
	add := func(id string, p Plant) {
		if at := slices.IndexFunc(plants, func(other Plant) bool { return other.Name == p.Name }); at >= 0 {
			plants[at].Claims = append(plants[at].Claims, id)
			return
		}
		p.Claims = []string{id}
		plants = append(plants, p)
	}
	for _, c := range All() {
		for _, name := range c.rests.objectives {
			for _, p := range objectivePlants(name) {
				add(c.ID, p)
			}
		}
		if slices.Contains(c.rests.objectives, "ssCL") && slices.Contains(c.rests.objectives, "PUCL") {
			add(c.ID, swapped(pucl.SSCL(), pucl.PUCL()))
		}
		for _, name := range c.rests.assumptions {
			add(c.ID, Plant{Name: "without-" + hyphens(name), What: "cases are drawn without " + name, assumption: name})
		}
		for _, name := range c.rests.constants {
			add(c.ID, Plant{Name: c.ID + ":" + hyphens(name) + "-up", What: name + " times 1 + 1/64", constant: name,
				factor: big.NewRat(65, 64)})
			add(c.ID, Plant{Name: c.ID + ":" + hyphens(name) + "-down", What: name + " times 1 − 1/64", constant: name,
				factor: big.NewRat(63, 64)})
		}
		for _, m := range c.rests.mistakes {
			add(c.ID, Plant{Name: c.ID + ":" + hyphens(m.name), What: m.what, mistake: m.name})
		}
	}
	return plants
}

// hyphens writes a name in lower case without spaces.
func hyphens(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// FindPlant returns the injectable bug with the given name. An unknown name is an error.
func FindPlant(name string) (Plant, error) {
	plants := Plants()
	at := slices.IndexFunc(plants, func(p Plant) bool { return p.Name == name })
	if at < 0 {
		known := lists.Map(plants, func(p Plant) string { return p.Name })
		return Plant{}, fmt.Errorf("claims: there is no plant %q%s; Plants lists all %d, and so does the command line with -plants", name,
			naming.DidYouMean(name, known), len(plants))
	}
	return plants[at], nil
}

// noticed reports whether a check detected the bug, given its verdict without it, and its verdict or an error with it.
// The verdict must become undecided. Only a statement with another constant, or without one of its assumptions, may
// instead be refuted where the printed one is not.
func (p Plant) noticed(sound, planted Verdict, err error) bool {
	return err != nil || planted == Undecided || p.instead == nil && planted == Fails && sound != Fails
}

// Touches reports whether the bug affects the claim with the given ID.
func (p Plant) Touches(id string) bool { return slices.Contains(p.Claims, id) }

// ground returns the name of the mutated part, "" for an objective.
func (p Plant) ground() string { return p.constant + p.assumption + p.mistake }

// unneededFor returns why the verdict does not change under a bug, and whether the claim gives a reason.
func (g grounds) unneededFor(p Plant) (why string, said bool) {
	for _, u := range g.unneeded {
		if u.name == p.ground() || u.name == p.Name {
			return u.why, true
		}
	}
	return "", false
}
