package pucl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Tuning tells how a network was fine-tuned.
type Tuning struct {
	Losses    []float64        // of every step: the cross-entropy in nats, or the risk
	Epochs    []evaluate.Epoch // what HeldOut measured after every epoch; Test is NaN without test images
	Predicted []int            // how often the result predicts each class of its own training images; negative, positive for PU data
	Record    Record           // on what, from which data and with which settings
}

// Degeneracy tells whether the result gives the same answer to all the images that it was trained on.
func (t *Tuning) Degeneracy() evaluate.Degeneracy {
	total := 0
	for _, count := range t.Predicted {
		total += count
	}
	if total > 0 && slices.Contains(t.Predicted, total) {
		return evaluate.OneClass
	}
	return evaluate.NotDegenerate
}

// Degenerate reports whether the result gives the same answer to all the images that it was trained on.
func (t *Tuning) Degenerate() bool { return t.Degeneracy() != evaluate.NotDegenerate }

// Selection reads the epochs by each rule of choosing one: the last, the best without negatives, the best by the test classes.
// It is an error where HeldOut had no test images or was not there.
func (t *Tuning) Selection() (evaluate.Selection, error) {
	if len(t.Epochs) == 0 {
		return evaluate.Selection{}, errors.New("pucl: nothing was measured while fine-tuning; set FineTuneConfig.HeldOut")
	}
	if math.IsNaN(t.Epochs[0].Test) {
		return evaluate.Selection{}, errors.New("pucl: no test was measured while fine-tuning; set TestPixels and Truth of HeldOut")
	}
	return evaluate.Select(t.Epochs)
}

// String tells how the loss went and what was measured, and says so where the result is degenerate.
func (t *Tuning) String() string {
	text := fmt.Sprintf("%d steps", len(t.Losses))
	if len(t.Losses) > 0 {
		text += fmt.Sprintf(", loss %.4g at first and %.4g at last", t.Losses[0], t.Losses[len(t.Losses)-1])
	}
	if s, err := t.Selection(); err == nil {
		text += "; test " + s.String()
	}
	if d := t.Degeneracy(); d != evaluate.NotDegenerate {
		text += "; " + d.String() + " on the training images"
	}
	return text
}

// HeldOut are images that fine-tuning does not learn from, to be measured after every epoch.
type HeldOut struct {
	Pixels  []uint8              // of labeled positives and unlabeled examples
	Labeled []bool               // which of them are labeled positives; both kinds must be there
	PU      evaluate.ScoreConfig // what is known of them; with a Prior the proxy is the proxy accuracy, else the proxy AUC

	// TestPixels and Truth, which may both be nil, are images with their true classes. They are measured, and change nothing.
	TestPixels []uint8
	Truth      []bool
}

// check tells what is wrong with images of that shape, if anything.
func (h *HeldOut) check(shape augment.Shape) error {
	if h == nil {
		return nil
	}
	if err := labeledImages(h.Pixels, len(h.Labeled), "images in HeldOut", "labels", shape); err != nil {
		return err
	}
	if len(h.TestPixels) > 0 || len(h.Truth) > 0 {
		if err := labeledImages(h.TestPixels, len(h.Truth), "test images in HeldOut", "true classes", shape); err != nil {
			return err
		}
	}
	// Scores that mean nothing show whether the rest does, before hours of training rather than after the first epoch.
	if _, err := evaluate.ScorePU(make([]float64, len(h.Labeled)), h.Labeled, 0, h.PU); err != nil {
		return fmt.Errorf("pucl: HeldOut: %w", err)
	}
	return nil
}

// measure scores the images after an epoch; logits are those of the positive class.
func (h *HeldOut) measure(epoch int, logits func(pixels []uint8) ([]float64, error)) (evaluate.Epoch, error) {
	out := evaluate.Epoch{Epoch: epoch, Test: math.NaN()}
	scores, err := logits(h.Pixels)
	if err != nil {
		return out, err
	}
	pu, err := evaluate.ScorePU(scores, h.Labeled, 0, h.PU)
	if err != nil {
		return out, err
	}
	if out.Proxy, out.Degenerate = pu.ProxyAccuracy(), pu.Degenerate(); h.PU.Prior == 0 {
		out.Proxy = pu.ProxyAUC
	}
	if len(h.Truth) == 0 {
		return out, nil
	}
	if scores, err = logits(h.TestPixels); err != nil {
		return out, err
	}
	test, err := evaluate.ScoreBinary(scores, h.Truth, 0)
	if err != nil {
		return out, err
	}
	out.Test, out.Degenerate = test.Accuracy(), test.Degenerate()
	return out, nil
}
