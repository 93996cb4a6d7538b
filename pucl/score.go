package pucl

import (
	"fmt"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Score is how well predictions agree with the truth, on examples that were held out.
type Score struct {
	Accuracy  float64 // share of right predictions
	Balanced  float64 // mean of the shares among the positives and among the negatives
	Predicted float64 // share of examples predicted positive
	N         int     // examples
}

// Evaluate compares predictions with the true classes. Balanced accuracy is the accuracy where truth holds one class only.
func Evaluate(predicted, truth []bool) (Score, error) {
	c, err := evaluate.Count(predicted, truth)
	if err != nil {
		return Score{}, err
	}
	return Score{Accuracy: c.Accuracy(), Balanced: c.Balanced(), Predicted: c.Predicted(), N: c.N()}, nil
}

// Degenerate reports whether all predictions are the same, so that the accuracy is only a class's share.
func (s Score) Degenerate() bool { return s.Predicted == 0 || s.Predicted == 1 }

// String gives the accuracy in percent, and says so where the classifier is degenerate.
func (s Score) String() string {
	text := fmt.Sprintf("%.1f%% of %d (balanced %.1f%%)", 100*s.Accuracy, s.N, 100*s.Balanced)
	if s.Degenerate() {
		text += ", degenerate: every prediction is the same"
	}
	return text
}
