package evaluate

import (
	"fmt"
	"math"
)

// Confusion counts the four outcomes of binary predictions.
type Confusion struct {
	TruePositive  int // positives predicted positive
	FalseNegative int // positives predicted negative
	FalsePositive int // negatives predicted positive
	TrueNegative  int // negatives predicted negative
}

// Count compares predictions with the true classes. Both must have the same length, at least 1.
func Count(predicted, truth []bool) (Confusion, error) {
	var c Confusion
	if err := checkPairs(len(predicted), "predictions", len(truth), "true classes"); err != nil {
		return c, err
	}
	for i, p := range predicted {
		switch {
		case p && truth[i]:
			c.TruePositive++
		case p:
			c.FalsePositive++
		case truth[i]:
			c.FalseNegative++
		default:
			c.TrueNegative++
		}
	}
	return c, nil
}

// N returns the number of examples.
func (c Confusion) N() int {
	return c.TruePositive + c.FalseNegative + c.FalsePositive + c.TrueNegative
}

// Accuracy returns the share of correct predictions.
func (c Confusion) Accuracy() float64 { return share(c.TruePositive+c.TrueNegative, c.N()) }

// Recall returns the share of the positives that are predicted positive, also called the true positive rate; NaN without
// positives.
func (c Confusion) Recall() float64 { return share(c.TruePositive, c.TruePositive+c.FalseNegative) }

// Specificity returns the share of the negatives that are predicted negative; NaN without negatives.
func (c Confusion) Specificity() float64 {
	return share(c.TrueNegative, c.TrueNegative+c.FalsePositive)
}

// Balanced returns the balanced accuracy: the mean of [Confusion.Recall] and [Confusion.Specificity]. It is 0.5 for
// every classifier that ignores its input. If only one class occurs, it is the share of that class that is predicted
// correctly.
func (c Confusion) Balanced() float64 {
	recall, specificity := c.Recall(), c.Specificity()
	switch {
	case math.IsNaN(recall):
		return specificity
	case math.IsNaN(specificity):
		return recall
	}
	return (recall + specificity) / 2
}

// Precision returns the share of the examples predicted positive that are positive; NaN if nothing is predicted
// positive.
func (c Confusion) Precision() float64 { return share(c.TruePositive, c.TruePositive+c.FalsePositive) }

// F1 returns the harmonic mean of precision and recall, 2TP/(2TP+FP+FN); NaN if no example is positive or predicted
// positive.
func (c Confusion) F1() float64 {
	return share(2*c.TruePositive, 2*c.TruePositive+c.FalsePositive+c.FalseNegative)
}

// Predicted returns the share of examples that are predicted positive.
func (c Confusion) Predicted() float64 { return share(c.TruePositive+c.FalsePositive, c.N()) }

// Degeneracy returns whether all predictions are positive, or all negative.
func (c Confusion) Degeneracy() Degeneracy {
	switch c.TruePositive + c.FalsePositive {
	case 0:
		return AllNegative
	case c.N():
		return AllPositive
	}
	return NotDegenerate
}

// Degenerate reports whether all predictions are equal, so that the accuracy is only the share of a class.
func (c Confusion) Degenerate() bool { return c.Degeneracy() != NotDegenerate }

// String returns the measures in percent and the degeneracy of a degenerate classifier.
func (c Confusion) String() string { return c.measures() + c.Degeneracy().remark() }

func (c Confusion) measures() string {
	return fmt.Sprintf("accuracy %s of %d, balanced %s, precision %s, recall %s, F1 %s",
		percent(c.Accuracy()), c.N(), percent(c.Balanced()), percent(c.Precision()), percent(c.Recall()), percent(c.F1()))
}

// share returns part/whole, NaN for 0/0.
func share(part, whole int) float64 { return float64(part) / float64(whole) }

// percent returns a share in percent, or "undefined".
func percent(x float64) string {
	if math.IsNaN(x) {
		return "undefined"
	}
	return fmt.Sprintf("%.1f%%", 100*x)
}

// Degeneracy is the kind of constant output of a classifier.
type Degeneracy int

const (
	// NotDegenerate: at least two different outputs occur.
	NotDegenerate Degeneracy = iota
	// AllPositive: every example is predicted positive.
	AllPositive
	// AllNegative: every example is predicted negative.
	AllNegative
	// ConstantScore: every example has the same score, so that no threshold separates two examples.
	ConstantScore
	// OneClass: a multi-class classifier predicts only one class.
	OneClass
)

var degeneracies = [...]string{
	NotDegenerate: "not degenerate",
	AllPositive:   "degenerate: every prediction is positive",
	AllNegative:   "degenerate: every prediction is negative",
	ConstantScore: "degenerate: every score is the same",
	OneClass:      "degenerate: every prediction is the same class",
}

// String returns the name of the degeneracy; "not degenerate" for NotDegenerate.
func (d Degeneracy) String() string { return nameOf("Degeneracy", int(d), degeneracies[:]) }

// nameOf returns the name of a value of the integer type kind, or "kind(value)" for a value without a name.
func nameOf(kind string, value int, names []string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, value)
	}
	return names[value]
}

// remark returns the suffix that String methods append; empty for a classifier that is not degenerate.
func (d Degeneracy) remark() string {
	if d == NotDegenerate {
		return ""
	}
	return "; " + d.String()
}
