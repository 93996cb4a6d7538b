package pucl

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Classifier is the whole of Algorithm 1: images or features to embeddings, embeddings to probabilities. Its probe reads
// encoder outputs scaled to length one, see [UnitRows].
type Classifier struct {
	Model *Model
	Probe *Probe

	// Clusters is where the pseudo-labels came from and which cluster was taken for the positive one; nil where the
	// probe was trained otherwise.
	Clusters *Clustering

	// Tuning tells how model and probe were fine-tuned, see [FineTunePU]; nil where they were not.
	Tuning *Tuning
}

// Probabilities returns, for images of height×width×channels bytes each, the probability of the positive class that the
// probe assigns: 1/(1+e^(−logit)).
func (c *Classifier) Probabilities(eng *engine.Engine, pixels []uint8) ([]float64, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, err := c.Model.Embed(eng, pixels)
	if err != nil {
		return nil, err
	}
	return c.ofEmbeddings(e)
}

// Score judges the classifier on images by their true classes: a probability above ½ is predicted positive.
func (c *Classifier) Score(eng *engine.Engine, pixels []uint8, truth []bool) (evaluate.Binary, error) {
	x, err := c.rows(eng, pixels, len(truth), "true classes")
	if err != nil {
		return evaluate.Binary{}, err
	}
	return c.Probe.Score(x, truth)
}

// ScorePU judges the classifier on held-out images by labeled positives and unlabeled examples alone, as [Probe.ScorePU].
func (c *Classifier) ScorePU(eng *engine.Engine, pixels []uint8, labeled []bool, config evaluate.ScoreConfig) (evaluate.PU, error) {
	x, err := c.rows(eng, pixels, len(labeled), "labels")
	if err != nil {
		return evaluate.PU{}, err
	}
	return c.Probe.ScorePU(x, labeled, config)
}

// rows is what the probe reads of images with so many labels, or what else is known of each.
func (c *Classifier) rows(eng *engine.Engine, pixels []uint8, labels int, what string) (*mat.Dense, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.Model.labeled(pixels, labels, what); err != nil {
		return nil, err
	}
	e, err := c.Model.Embed(eng, pixels)
	if err != nil {
		return nil, err
	}
	return UnitRows(e.H), nil
}

// check refuses a classifier that is not whole.
func (c *Classifier) check() error {
	if c.Model == nil || c.Probe == nil {
		return errors.New("pucl: a Classifier needs both a Model and a Probe")
	}
	return nil
}

// ofEmbeddings returns the probabilities of examples that are embedded already.
func (c *Classifier) ofEmbeddings(e *Embedding) ([]float64, error) {
	probabilities, err := c.Probe.Logits(UnitRows(e.H))
	if err != nil {
		return nil, err
	}
	for i, t := range probabilities {
		probabilities[i] = 1 / (1 + math.Exp(-t))
	}
	return probabilities, nil
}

// classifierHead comes before the model in a classifier's file.
type classifierHead struct {
	Probe    Probe
	Clusters *Clustering
	Tuning   *Tuning
}

// Save writes the classifier to one file, whole or not at all. Of the clustering it keeps the centres, which one is
// positive and the potentials, not the label of every row.
func (c *Classifier) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	head := classifierHead{Probe: *c.Probe, Tuning: c.Tuning}
	if c.Clusters != nil {
		clusters := *c.Clusters
		clusters.Labels, clusters.Labeled = nil, nil
		head.Clusters = &clusters
	}
	err := writeFile(path, func(w io.Writer) error {
		if err := gob.NewEncoder(w).Encode(head); err != nil {
			return err
		}
		return c.Model.write(w)
	})
	if err != nil {
		return fmt.Errorf("pucl: saving the classifier: %w", err)
	}
	return nil
}

// LoadClassifier reads what [Classifier.Save] wrote; custom is as for [LoadModel].
func LoadClassifier(path string, custom encoder.Encoder) (*Classifier, error) {
	var c *Classifier
	err := readFile(path, func(r io.Reader) error {
		var head classifierHead
		if err := gob.NewDecoder(r).Decode(&head); err != nil {
			return err
		}
		m, err := readModel(r, custom)
		c = &Classifier{Model: m, Probe: &head.Probe, Clusters: head.Clusters, Tuning: head.Tuning}
		return err
	})
	return c, err
}

// Orient makes sure that the positive cluster is the one which holds more of the labeled rows, swapping the two where
// clustering ended the other way round, and reports whether it swapped them.
func (c *Clustering) Orient() (swapped bool) {
	mine := 0
	for _, p := range c.Labeled {
		if p {
			mine++
		}
	}
	if 2*mine >= len(c.Labeled) {
		return false
	}
	c.Positive, c.Negative = c.Negative, c.Positive
	c.Swapped = !c.Swapped
	for _, labels := range [][]bool{c.Labels, c.Labeled} {
		for i := range labels {
			labels[i] = !labels[i]
		}
	}
	return true
}
