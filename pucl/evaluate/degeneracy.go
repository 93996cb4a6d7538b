package evaluate

import "fmt"

// Degeneracy is the way in which a classifier tells nothing apart, if it is one that does not.
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

// String says in words what the classifier does; it is "not degenerate" for a classifier that does more.
func (d Degeneracy) String() string {
	switch d {
	case NotDegenerate:
		return "not degenerate"
	case AllPositive:
		return "degenerate: every prediction is positive"
	case AllNegative:
		return "degenerate: every prediction is negative"
	case ConstantScore:
		return "degenerate: every score is the same"
	case OneClass:
		return "degenerate: every prediction is the same class"
	}
	return fmt.Sprintf("Degeneracy(%d)", int(d))
}

// remark is what a String appends: nothing for a classifier that is not degenerate.
func (d Degeneracy) remark() string {
	if d == NotDegenerate {
		return ""
	}
	return "; " + d.String()
}
