package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/rows"
)

// Classes holds measures of how well multi-class predictions agree with the true classes.
type Classes struct {
	Accuracy  float64   // share of correct predictions
	Balanced  float64   // mean of Recall over the classes that occur
	Recall    []float64 // recall of each class; NaN for a class without examples
	Predicted []int     // number of predictions of each class
	N         int       // examples
}

// ScoreClasses compares predicted with true classes, numbered from 0 to classes−1.
func ScoreClasses(predicted, truth []int, classes int) (Classes, error) {
	if err := cmp.Or(checkPairs(len(predicted), "predictions", len(truth), "true classes"),
		rows.CheckClasses(classes, predicted, "example"), rows.CheckClasses(classes, truth, "example")); err != nil {
		return Classes{}, err
	}
	s := Classes{Recall: make([]float64, classes), Predicted: make([]int, classes), N: len(truth)}
	occurs, right := make([]int, classes), make([]int, classes)
	total := 0
	for i, p := range predicted {
		s.Predicted[p]++
		occurs[truth[i]]++
		if p == truth[i] {
			right[p]++
			total++
		}
	}
	s.Accuracy = share(total, s.N)
	for class := range classes {
		if s.Recall[class] = share(right[class], occurs[class]); occurs[class] > 0 {
			s.Balanced += s.Recall[class]
		}
	}
	s.Balanced /= float64(s.present())
	return s, nil
}

// Degeneracy returns whether all predictions are the same class.
func (s Classes) Degeneracy() Degeneracy {
	if slices.Contains(s.Predicted, s.N) {
		return OneClass
	}
	return NotDegenerate
}

// Degenerate reports whether all predictions are the same class.
func (s Classes) Degenerate() bool { return s.Degeneracy() != NotDegenerate }

// present returns the number of classes that occur.
func (s Classes) present() int { return len(s.Recall) - floats.Count(math.IsNaN, s.Recall) }

// String returns both accuracies in percent, and states absent classes and degeneracy.
func (s Classes) String() string {
	present := s.present()
	over := fmt.Sprintf("%d classes", present)
	if present < len(s.Recall) {
		over = fmt.Sprintf("the %d of %d classes that occur", present, len(s.Recall))
	}
	return fmt.Sprintf("accuracy %s of %d, balanced %s over %s", percent(s.Accuracy), s.N, percent(s.Balanced), over) +
		s.Degeneracy().remark()
}

// TopK returns the share of examples whose true class is among the k classes of highest score, for scores [n, classes]
// and true classes [n]. If the true class ties for the last of the k places, the example counts with the probability
// that a fair draw gives it a place. Constant scores therefore give k/classes, not 1.
func TopK(scores *mat.Dense, truth []int, k int) (float64, error) {
	if scores == nil || scores.IsEmpty() {
		return 0, errors.New("evaluate: no scores to evaluate; at least one example is needed")
	}
	n, classes := scores.Dims()
	if n != len(truth) {
		return 0, fmt.Errorf("evaluate: scores of %d examples and %d true classes; give one for each, in the same order", n, len(truth))
	}
	if k < 1 || k > classes {
		return 0, fmt.Errorf("evaluate: the top %d of %d classes; k must be from 1 to the number of classes", k, classes)
	}
	if err := rows.CheckClasses(classes, truth, "example"); err != nil {
		return 0, err
	}
	var sum float64
	for i, class := range truth {
		row := scores.RawRowView(i)
		if slices.ContainsFunc(row, math.IsNaN) {
			return 0, fmt.Errorf("evaluate: a score of example %d is not a number; did training diverge?", i)
		}
		higher, equal := 0, 0
		for _, s := range row {
			if s > row[class] {
				higher++
			} else if s == row[class] {
				equal++
			}
		}
		sum += min(max(float64(k-higher)/float64(equal), 0), 1)
	}
	return sum / float64(n), nil
}
