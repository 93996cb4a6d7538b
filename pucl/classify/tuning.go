package classify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

// Tuning records how a network was fine-tuned.
type Tuning struct {
	History   train.History    // of every step: the cross-entropy in nats, or the risk, and more
	Epochs    []evaluate.Epoch // measurements on HeldOut after every epoch; Test is NaN without test images
	Predicted []int            // number of predictions of each class on the training images; negative, positive for PU data
	Record    train.Record     // environment, data and settings
}

// Degeneracy returns whether the result classifies all its training images alike.
func (t *Tuning) Degeneracy() evaluate.Degeneracy {
	answered := func(count int) bool { return count > 0 }
	if first := slices.IndexFunc(t.Predicted, answered); first < 0 || slices.ContainsFunc(t.Predicted[first+1:], answered) {
		return evaluate.NotDegenerate
	}
	return evaluate.OneClass
}

// Degenerate reports whether the result classifies all its training images alike.
func (t *Tuning) Degenerate() bool { return t.Degeneracy() != evaluate.NotDegenerate }

// Selection returns the epochs by each rule of choosing one: the last, the best without negatives, the best by the test
// classes. It returns an error without HeldOut or without test images.
func (t *Tuning) Selection() (evaluate.Selection, error) {
	if len(t.Epochs) == 0 {
		return evaluate.Selection{}, errors.New("classify: nothing was measured while fine-tuning; set FineTuneConfig.HeldOut")
	}
	if math.IsNaN(t.Epochs[0].Test) {
		return evaluate.Selection{}, errors.New("classify: no test was measured while fine-tuning; set HeldOut.Test")
	}
	return evaluate.Select(t.Epochs)
}

// String returns the course of the loss and the measurements, and a warning if the result is degenerate.
func (t *Tuning) String() string {
	losses := t.History.Losses
	text := fmt.Sprintf("%d steps", len(losses))
	if len(losses) > 0 {
		text += fmt.Sprintf(", loss %.4g at first and %.4g at last", losses[0], losses[len(losses)-1])
	}
	if s, err := t.Selection(); err == nil {
		text += "; test " + s.String()
	}
	if d := t.Degeneracy(); d != evaluate.NotDegenerate {
		text += "; " + d.String() + " on the training images"
	}
	return text
}
