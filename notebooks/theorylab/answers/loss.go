package answers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl"
)

// Loss names a loss: one of the library's, or a user-defined choice of terms,
//
//	attract = Weight · [Mix · ByLabel(Labeled, Unlabeled) + (1 − Mix) · With]
//
// against Repel. The terms count only if Name is "own".
type Loss struct {
	Name string `json:"name"` // "ssCL", "PUCL", "SCL-PU", "SCL", "puNCE", "DCL" or "own"

	Labeled   string  `json:"labeled,omitempty"`   // attraction term of labeled anchors
	Unlabeled string  `json:"unlabeled,omitempty"` // attraction term of unlabeled anchors
	With      string  `json:"with,omitempty"`      // term mixed in for all anchors
	Mix       float64 `json:"mix,omitempty"`       // λ, from 0 to 1
	Weight    float64 `json:"weight,omitempty"`    // of the attraction
	Repel     string  `json:"repel,omitempty"`
}

// libraryLosses are the named losses, given the class prior.
var libraryLosses = map[string]func(prior float64) pucl.Objective{
	"ssCL":   func(float64) pucl.Objective { return pucl.SSCL() },
	"PUCL":   func(float64) pucl.Objective { return pucl.PUCL() },
	"SCL-PU": func(float64) pucl.Objective { return pucl.SCLPU() },
	"SCL":    func(float64) pucl.Objective { return pucl.SCL() },
	"puNCE":  pucl.PUNCE,
	"DCL":    func(prior float64) pucl.Objective { return pucl.DCL(pucl.DCLConfig{TauPlus: prior}) },
}

// attractions are the available attraction terms.
var attractions = map[string]pucl.Term{
	"OwnViews": pucl.OwnViews, "LabeledMean": pucl.LabeledMean, "UnlabeledMean": pucl.UnlabeledMean,
	"ClassMean": pucl.ClassMean, "Nothing": pucl.Nothing,
}

// repulsions are the available repulsion terms, given the class prior.
var repulsions = map[string]func(prior float64) pucl.Term{
	"LogPartition": func(float64) pucl.Term { return pucl.LogPartition },
	"N-pair":       func(float64) pucl.Term { return pucl.NPair().Repel },
	"DCL":          func(prior float64) pucl.Term { return pucl.DCL(pucl.DCLConfig{TauPlus: prior}).Repel },
	"Nothing":      func(float64) pucl.Term { return pucl.Nothing },
}

// Objective returns the loss that l names, for a class prior.
func (l Loss) Objective(prior float64) (pucl.Objective, error) {
	if l.Name != "own" {
		make, err := choose("loss", libraryLosses, l.Name, "own")
		if err != nil {
			return pucl.Objective{}, err
		}
		return make(prior), nil
	}
	var terms [3]pucl.Term
	for i, name := range []string{l.Labeled, l.Unlabeled, l.With} {
		term, err := choose("attraction", attractions, name)
		if err != nil {
			return pucl.Objective{}, err
		}
		terms[i] = term
	}
	repel, err := choose("repulsion", repulsions, l.Repel)
	if err != nil {
		return pucl.Objective{}, err
	}
	if !(l.Mix >= 0 && l.Mix <= 1) {
		return pucl.Objective{}, fmt.Errorf("λ = %g; it is a share and must lie from 0 to 1", l.Mix)
	}
	return pucl.Objective{
		Name:    "own loss",
		Attract: pucl.Scale(l.Weight, pucl.Mix(l.Mix, pucl.ByLabel(terms[0], terms[1]), terms[2])),
		Repel:   repel(prior),
	}, nil
}

// choose returns the entry of a name, or an error that lists all names.
func choose[T any](what string, of map[string]T, name string, more ...string) (chosen T, err error) {
	chosen, ok := of[name]
	if !ok {
		names := append(slices.Sorted(maps.Keys(of)), more...)
		err = fmt.Errorf("there is no %s %q; take one of %s", what, name, strings.Join(names, ", "))
	}
	return chosen, err
}

// plain returns l without fields that do not count.
func (l Loss) plain() Loss {
	if l.Name != "own" {
		return Loss{Name: l.Name}
	}
	return l
}

// usesPrior reports whether the loss changes with the class prior.
func (l Loss) usesPrior() bool {
	return l.Name == "puNCE" || l.Name == "DCL" || l.Name == "own" && l.Repel == "DCL"
}

// usesClasses reports whether the loss uses the true classes, so that fewer batches are equivalent.
func (l Loss) usesClasses() bool {
	return l.Name == "SCL" || l.Name == "own" && slices.Contains([]string{l.Labeled, l.Unlabeled, l.With}, "ClassMean")
}
