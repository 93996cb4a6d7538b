package classify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/rows"
	"gonum.org/v1/gonum/mat"
)

// LabeledImages are images of height×width×channels bytes each, one after the other, with a label for each in the same
// order: its class, or whether it is positive, or a labeled positive.
type LabeledImages[L bool | int] struct {
	Pixels []uint8
	Labels []L
}

// check returns an error if there are no images, a partial one, or a wrong number of labels. what names the images.
func (l LabeledImages[L]) check(what, labels string, shape augment.Shape) error {
	return checkLabeled(l.Pixels, len(l.Labels), what, labels, shape)
}

// checkLabeled returns the error of [pixels.CheckLabeled] with the name of this package.
func checkLabeled(images []uint8, n int, what, labels string, shape augment.Shape) error {
	err := pixels.CheckLabeled(images, n, what, labels, shape)
	if err != nil {
		err = fmt.Errorf("classify: %w", err)
	}
	return err
}

// LabeledRows are embeddings [n, k] and the class of each.
type LabeledRows struct {
	X      *mat.Dense
	Labels []int
}

// check returns the length of a row, or an error if the rows or their labels are missing or mismatch.
func (l LabeledRows) check(classes int, row, labels string) (k int, err error) {
	if _, k, err = rows.Check(l.X, len(l.Labels), labels); err != nil {
		return 0, err
	}
	return k, rows.CheckClasses(classes, l.Labels, row)
}

// HeldOut holds images that fine-tuning does not train on, evaluated after every epoch.
type HeldOut struct {
	Images LabeledImages[bool]  // labeled positives and unlabeled examples; both are required
	PU     evaluate.ScoreConfig // properties of the images for their scores
	Proxy  evaluate.Proxy       // for the choice of an epoch; nil is proxy accuracy if PU has a Prior, else Lee–Liu

	// Test holds images with their true classes, or none. They are evaluated, and change nothing.
	Test LabeledImages[bool]
}

// hasTest reports whether there are images with true classes.
func (h *HeldOut) hasTest() bool { return len(h.Test.Pixels) > 0 || len(h.Test.Labels) > 0 }

// check returns an error if h cannot be evaluated on images of that shape. A nil h is valid.
func (h *HeldOut) check(shape augment.Shape) error {
	if h == nil {
		return nil
	}
	if err := h.Images.check("images in HeldOut", "labels", shape); err != nil {
		return err
	}
	if h.hasTest() {
		if err := h.Test.check("test images in HeldOut", "true classes", shape); err != nil {
			return err
		}
	}
	// Constant scores test the other inputs before hours of training rather than after the first epoch.
	s, err := evaluate.ScorePU(slices.Repeat([]float64{1}, len(h.Images.Labels)), h.Images.Labels, 0, h.PU)
	if err != nil {
		return fmt.Errorf("classify: HeldOut: %w", err)
	}
	if math.IsNaN(h.Proxy.Of(s)) {
		return errors.New("classify: HeldOut.Proxy is not a number even where everything is predicted positive; does it need the class " +
			"prior? Give PU.Prior, or take evaluate.ByLeeLiu")
	}
	return nil
}

// proxyOnSample returns the proxy of 12 artificial scores as text: functions cannot be compared.
func (h *HeldOut) proxyOnSample() (string, error) {
	var scores []float64
	var labeled []bool
	for i := range 12 {
		scores, labeled = append(scores, float64((i*7)%11)/4-1), append(labeled, i%3 == 0)
	}
	s, err := evaluate.ScorePU(scores, labeled, 0, evaluate.ScoreConfig{Prior: h.PU.Prior})
	return fmt.Sprintf("%.5g", h.Proxy.Of(s)), err
}

// measure scores the images after an epoch; scores returns logits of the positive class.
func (h *HeldOut) measure(epoch int, scores func(images []uint8) ([]float64, error)) (evaluate.Epoch, error) {
	out := evaluate.Epoch{Epoch: epoch, Test: math.NaN()}
	held, err := scores(h.Images.Pixels)
	if err != nil {
		return out, err
	}
	pu, err := evaluate.ScorePU(held, h.Images.Labels, 0, h.PU)
	if err != nil {
		return out, err
	}
	out.Proxy, out.Degenerate = h.Proxy.Of(pu), pu.Degenerate()
	if !h.hasTest() {
		return out, nil
	}
	tested, err := scores(h.Test.Pixels)
	if err != nil {
		return out, err
	}
	test, err := evaluate.ScoreBinary(tested, h.Test.Labels, 0)
	if err != nil {
		return out, err
	}
	out.Test, out.Degenerate = test.Accuracy(), test.Degenerate()
	return out, nil
}
