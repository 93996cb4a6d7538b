package pucl

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// MultiClassifier is a [Classifier] for any number of classes: images to embeddings, embeddings to classes. Its probe reads
// encoder outputs scaled to length one, see [UnitRows]. [FineTune] makes one; a model and a probe that was trained on its
// embeddings make one too.
type MultiClassifier struct {
	Model *Model
	Probe *ClassProbe

	// Tuning tells how the two were fine-tuned; nil where they were not.
	Tuning *Tuning
}

// check refuses a classifier that is not whole.
func (c *MultiClassifier) check() error {
	if c.Model == nil || c.Probe == nil {
		return errors.New("pucl: a MultiClassifier needs both a Model and a Probe")
	}
	_, _, err := c.Probe.shape()
	return err
}

// Logits returns the logits of images of height×width×channels bytes each, [n, classes]; evaluate.TopK takes them.
func (c *MultiClassifier) Logits(eng *engine.Engine, pixels []uint8) (*mat.Dense, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, err := c.Model.Embed(eng, pixels)
	if err != nil {
		return nil, err
	}
	return c.Probe.Logits(UnitRows(e.H))
}

// Predict returns the class of the largest logit for every image; of equals the one with the smaller number.
func (c *MultiClassifier) Predict(eng *engine.Engine, pixels []uint8) ([]int, error) {
	logits, err := c.Logits(eng, pixels)
	if err != nil {
		return nil, err
	}
	return largest(logits), nil
}

// Score judges the predictions for images by their true classes.
func (c *MultiClassifier) Score(eng *engine.Engine, pixels []uint8, truth []int) (evaluate.Classes, error) {
	if err := c.check(); err != nil {
		return evaluate.Classes{}, err
	}
	if err := c.Model.labeled(pixels, len(truth), "true classes"); err != nil {
		return evaluate.Classes{}, err
	}
	predicted, err := c.Predict(eng, pixels)
	if err != nil {
		return evaluate.Classes{}, err
	}
	classes, _ := c.Probe.Weights.Dims()
	return evaluate.ScoreClasses(predicted, truth, classes)
}

// multiClassifierHead comes before the model in a classifier's file.
type multiClassifierHead struct {
	Probe  ClassProbe
	Tuning *Tuning
}

// Save writes the classifier to one file, whole or not at all.
func (c *MultiClassifier) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	err := writeFile(path, func(w io.Writer) error {
		if err := gob.NewEncoder(w).Encode(multiClassifierHead{*c.Probe, c.Tuning}); err != nil {
			return err
		}
		return c.Model.write(w)
	})
	if err != nil {
		return fmt.Errorf("pucl: saving the classifier: %w", err)
	}
	return nil
}

// LoadMultiClassifier reads what [MultiClassifier.Save] wrote; custom is as for [LoadModel].
func LoadMultiClassifier(path string, custom encoder.Encoder) (*MultiClassifier, error) {
	var c *MultiClassifier
	err := readFile(path, func(r io.Reader) error {
		var head multiClassifierHead
		if err := gob.NewDecoder(r).Decode(&head); err != nil {
			return fmt.Errorf("it is no MultiClassifier, or damaged: %w", err)
		}
		m, err := readModel(r, custom)
		c = &MultiClassifier{Model: m, Probe: &head.Probe, Tuning: head.Tuning}
		return err
	})
	return c, err
}
