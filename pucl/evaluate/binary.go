package evaluate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/rows"
)

// Binary holds measures of how well scores separate positives from negatives, given the true classes.
type Binary struct {
	Confusion         // of the predictions: positive if the score is above Threshold
	Threshold float64 // 0 for logits, 0.5 for probabilities
	AUC       float64 // see [AUC]; NaN where only one class occurs
	Constant  bool    // all scores are equal up to rounding
}

// ScoreBinary measures scores against the true classes. An example is predicted positive if its score is above
// threshold. It is an error if a score or the threshold is NaN, or if the lengths differ.
func ScoreBinary(scores []float64, truth []bool, threshold float64) (Binary, error) {
	predicted, err := above(scores, len(truth), threshold)
	if err != nil {
		return Binary{}, err
	}
	b := Binary{Threshold: threshold, AUC: math.NaN(), Constant: rows.Constant(scores)}
	if b.Confusion, err = Count(predicted, truth); err != nil {
		return Binary{}, err
	}
	if slices.Contains(truth, true) && slices.Contains(truth, false) {
		if b.AUC, err = AUC(scores, truth); err != nil {
			return Binary{}, err
		}
	}
	return b, nil
}

// Degeneracy returns the kind of degeneracy: all scores are equal, or else all predictions are equal.
func (b Binary) Degeneracy() Degeneracy {
	if b.Constant && b.N() > 1 {
		return ConstantScore
	}
	return b.Confusion.Degeneracy()
}

// Degenerate reports whether the classifier is degenerate in any way.
func (b Binary) Degenerate() bool { return b.Degeneracy() != NotDegenerate }

// String returns all measures in percent and the degeneracy of a degenerate classifier.
func (b Binary) String() string {
	return b.measures() + ", AUC " + percent(b.AUC) + b.Degeneracy().remark()
}

// Threshold returns the score above which a share prior of the examples lies, rounded to whole examples. It uses no
// class. Use it for [ScoreBinary] and [ScorePU] if the class prior is known and the scale of the scores has no meaning,
// as for the votes of a [KNN] over labeled positives. Examples tied at the threshold are not above it, so constant
// scores leave nothing above. A prior of 1 gives −Inf.
func Threshold(scores []float64, prior float64) (float64, error) {
	if err := checkScores(scores, len(scores)); err != nil {
		return 0, err
	}
	if !(prior >= 0 && prior <= 1) {
		return 0, fmt.Errorf("evaluate: class prior %g is not between 0 and 1; give the share of positives, known or estimated", prior)
	}
	above := int(math.Round(prior * float64(len(scores))))
	if above == len(scores) {
		return math.Inf(-1), nil
	}
	return slices.Sorted(slices.Values(scores))[len(scores)-1-above], nil
}

// above returns which of n scores are above threshold. It is an error if a score or the threshold is NaN.
func above(scores []float64, n int, threshold float64) ([]bool, error) {
	if err := checkScores(scores, n); err != nil {
		return nil, err
	}
	if math.IsNaN(threshold) {
		return nil, errors.New("evaluate: the threshold is not a number; use 0 for logits and 0.5 for probabilities")
	}
	predicted := make([]bool, n)
	for i, s := range scores {
		predicted[i] = s > threshold
	}
	return predicted, nil
}

// AUC returns the area under the ROC curve: the probability that a random positive has a higher score than a random
// negative, where a tie counts as half. It is 1 if the scores separate the classes and 0.5 for scores independent of
// the class. It needs no threshold. It depends on the order of the scores only, so infinite scores are allowed.
//
// It is an error if a score is NaN, if the lengths differ, or if one of the classes does not occur.
//
// Source: J. Hanley and B. McNeil, "The meaning and use of the area under a receiver operating characteristic (ROC) curve"
// (1982).
func AUC(scores []float64, truth []bool) (float64, error) {
	if err := checkScores(scores, len(truth)); err != nil {
		return 0, err
	}
	positives, negatives := rows.Split(truth)
	if len(positives) == 0 || len(negatives) == 0 {
		return 0, fmt.Errorf("evaluate: %d positives and %d negatives; the AUC compares the two, so give at least one of each",
			len(positives), len(negatives))
	}
	return below(scores, truth).auc(len(negatives)), nil
}

// checkScores returns an error unless there are n scores, at least one, and none of them is NaN.
func checkScores(scores []float64, n int) error {
	if err := checkPairs(len(scores), "scores", n, "labels"); err != nil {
		return err
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return fmt.Errorf("evaluate: the score of example %d is not a number; did training diverge?", i)
	}
	return nil
}

// checkPairs returns an error unless n equals m and is at least 1. The argument what names the n items, such as
// "scores"; labels names the m items.
func checkPairs(n int, what string, m int, labels string) error {
	switch {
	case n != m:
		return fmt.Errorf("evaluate: %d %s and %d %s; give one for each, in the same order", n, what, m, labels)
	case n == 0:
		return errors.New("evaluate: no examples to evaluate on; at least one is needed")
	}
	return nil
}
