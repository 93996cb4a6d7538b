package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/rows"
)

// AUC returns the area under the ROC curve: the probability that a positive, drawn at random, has a higher score than a negative,
// a tie counting as half. It is 1 where the scores separate the classes, 0.5 for scores that know nothing, and needs no
// threshold. Only the order of the scores matters, so that infinite ones are welcome.
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
		return 0, fmt.Errorf("evaluate: the AUC compares positives with negatives; there are %d positives and %d negatives",
			len(positives), len(negatives))
	}
	order := slices.Concat(positives, negatives)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })

	// From the lowest score up, one group of equal scores after the other: each positive beats the negatives below it and
	// halves those beside it.
	var won float64
	below := 0
	for first := 0; first < len(order); {
		end, p := first, 0
		for ; end < len(order) && scores[order[end]] == scores[order[first]]; end++ {
			if truth[order[end]] {
				p++
			}
		}
		n := end - first - p
		won += float64(p) * (float64(below) + float64(n)/2)
		below += n
		first = end
	}
	return won / (float64(len(positives)) * float64(len(negatives))), nil
}

// checkScores returns an error unless there are n scores, at least one, and none of them is NaN.
func checkScores(scores []float64, n int) error {
	if len(scores) != n {
		return fmt.Errorf("evaluate: %d scores and %d labels; give one label for each score, in the same order", len(scores), n)
	}
	if n == 0 {
		return errNoExamples
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return fmt.Errorf("evaluate: the score of example %d is not a number; did training diverge?", i)
	}
	return nil
}
