package evaluate

import "fmt"

// Degeneracy is the way in which a classifier gives every example the same answer, if it does.
type Degeneracy int

const (
	// NotDegenerate: at least two answers occur.
	NotDegenerate Degeneracy = iota
	// AllPositive: every example is predicted positive.
	AllPositive
	// AllNegative: every example is predicted negative.
	AllNegative
	// ConstantScore: every example has the same score, so that no threshold tells two of them apart.
	ConstantScore
	// OneClass: of several classes only one is ever predicted.
	OneClass
)

var degeneracies = [...]string{
	NotDegenerate: "not degenerate",
	AllPositive:   "degenerate: every prediction is positive",
	AllNegative:   "degenerate: every prediction is negative",
	ConstantScore: "degenerate: every score is the same",
	OneClass:      "degenerate: every prediction is the same class",
}

// String says in words what the classifier does; it is "not degenerate" for a classifier that does more.
func (d Degeneracy) String() string {
	return nameOf("Degeneracy", int(d), degeneracies[:])
}

// nameOf returns the name of a value of the integer type kind, or "kind(value)" for a value that has none.
func nameOf(kind string, value int, names []string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, value)
	}
	return names[value]
}

// remark returns what a String appends: nothing for a classifier that is not degenerate.
func (d Degeneracy) remark() string {
	if d == NotDegenerate {
		return ""
	}
	return "; " + d.String()
}
