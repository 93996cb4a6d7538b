package pucl

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
)

// keep takes the network as it is now for the result.
func (t *tuner) keep(pixels []uint8) error {
	var err error
	if t.tuned, err = t.model.clone(); err != nil {
		return err
	}
	if t.result, err = t.headNow(); err != nil {
		return err
	}
	t.tuning.Predicted, err = t.predicted(pixels)
	return err
}

// headNow is the head as it is now, for embeddings as they are.
func (t *tuner) headNow() (*ClassProbe, error) {
	flat := map[string][]float32{}
	for _, name := range []string{"weights", "bias"} {
		value, err := t.model.store.GetVariable("/" + headScope + "/" + name).Value()
		if err != nil {
			return nil, fmt.Errorf("pucl: reading the head: %w", err)
		}
		flat[name] = tensors.MustCopyFlatData[float32](value)
	}
	return unstandardised(joined(flat["weights"], flat["bias"]), t.mean, t.std), nil
}

// logitsNow returns the logits of images by the network as it is now.
func (t *tuner) logitsNow(pixels []uint8) (*mat.Dense, error) {
	x, err := t.embed(pixels)
	if err != nil {
		return nil, err
	}
	head, err := t.headNow()
	if err != nil {
		return nil, err
	}
	return head.Logits(x)
}

// positiveLogits is logitsNow of a head with one output.
func (t *tuner) positiveLogits(pixels []uint8) ([]float64, error) {
	logits, err := t.logitsNow(pixels)
	if err != nil {
		return nil, err
	}
	return mat.Col(nil, 0, logits), nil
}

// predicted tells how often each class is predicted for the images.
func (t *tuner) predicted(pixels []uint8) ([]int, error) {
	logits, err := t.logitsNow(pixels)
	if err != nil {
		return nil, err
	}
	counts := make([]int, max(t.outputs, 2))
	n, _ := logits.Dims()
	for i := range n {
		row := logits.RawRowView(i)
		if !allFinite(row...) {
			return nil, fmt.Errorf("pucl: after %d steps of fine-tuning the network gives %g for image %d; a lower learning rate may mend it",
				len(t.tuning.Losses), row, i)
		}
		if t.outputs == 1 {
			row = []float64{0, row[0]} // of the negative and the positive class
		}
		counts[floats.MaxIdx(row)]++
	}
	return counts, nil
}
