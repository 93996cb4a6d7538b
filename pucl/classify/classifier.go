package classify

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/files"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Classifier is the whole of Algorithm 1: images or features to embeddings, embeddings to a class. Its probe reads encoder
// outputs scaled to length one, see [rows.Unit]; it has one output where positives are told from negatives, or one for each
// class.
type Classifier struct {
	Model *train.Model
	Probe *probe.Probe

	// Clusters is where the pseudo-labels came from and which cluster was taken for the positive one; nil where the probe was
	// trained otherwise.
	Clusters *cluster.Clustering

	// Tuning says how model and probe were fine-tuned; nil where they were not.
	Tuning *Tuning
}

// check returns an error if a part of c is missing.
func (c *Classifier) check() error {
	if c.Model == nil || c.Probe == nil {
		return errors.New("classify: a Classifier needs both a Model and a Probe")
	}
	_, _, err := c.Probe.Shape()
	return err
}

// read returns what f makes of what the probe reads of images of height×width×channels bytes each.
func read[T any](c *Classifier, eng *engine.Engine, images []uint8, f func(x *mat.Dense) (T, error)) (out T, err error) {
	if err := c.check(); err != nil {
		return out, err
	}
	e, err := c.Model.Embed(eng, images)
	if err != nil {
		return out, err
	}
	return f(rows.Unit(e.H))
}

// judge returns what f makes of what the probe reads of images and of their labels, or what else is known of each.
func judge[L bool | int, T any](c *Classifier, eng *engine.Engine, test LabeledImages[L], what string,
	f func(x *mat.Dense, labels []L) (T, error)) (out T, err error) {
	if err := c.check(); err != nil {
		return out, err
	}
	if err := c.Model.CheckLabeled(test.Pixels, len(test.Labels), what); err != nil {
		return out, err
	}
	return read(c, eng, test.Pixels, func(x *mat.Dense) (T, error) { return f(x, test.Labels) })
}

// Logits returns the logits of images of height×width×channels bytes each, [n, outputs]; evaluate.TopK takes them.
func (c *Classifier) Logits(eng *engine.Engine, images []uint8) (*mat.Dense, error) {
	return read(c, eng, images, c.Probe.Logits)
}

// Predict returns the class of every image: that of the largest logit, or, of one output, 1 where it is positive and 0
// elsewhere.
func (c *Classifier) Predict(eng *engine.Engine, images []uint8) ([]int, error) {
	return read(c, eng, images, c.Probe.Predict)
}

// Probabilities returns the probability of the positive class for every image, 1/(1+e^(−logit)). It is an error if the probe
// has more than two outputs.
func (c *Classifier) Probabilities(eng *engine.Engine, images []uint8) ([]float64, error) {
	return read(c, eng, images, c.probabilities)
}

// ProbabilitiesOfFeatures is [Classifier.Probabilities] for rows of features [n, d].
func (c *Classifier) ProbabilitiesOfFeatures(eng *engine.Engine, x *mat.Dense) ([]float64, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, err := c.Model.EmbedFeatures(eng, x)
	if err != nil {
		return nil, err
	}
	return c.probabilities(rows.Unit(e.H))
}

// probabilities returns those of embeddings of length one.
func (c *Classifier) probabilities(x *mat.Dense) ([]float64, error) {
	scores, err := c.Probe.Scores(x)
	if err != nil {
		return nil, err
	}
	for i, logit := range scores {
		scores[i] = 1 / (1 + math.Exp(-logit))
	}
	return scores, nil
}

// Score judges the classifier by the true classes of images, true for positive: a probability above ½ is predicted positive.
func (c *Classifier) Score(eng *engine.Engine, test LabeledImages[bool]) (evaluate.Binary, error) {
	return judge(c, eng, test, "true classes", c.Probe.Score)
}

// ScorePU judges the classifier on held-out images by which of them are labeled positives alone.
func (c *Classifier) ScorePU(eng *engine.Engine, held LabeledImages[bool], config evaluate.ScoreConfig) (evaluate.PU, error) {
	return judge(c, eng, held, "labels", func(x *mat.Dense, labeled []bool) (evaluate.PU, error) {
		return c.Probe.ScorePU(x, labeled, config)
	})
}

// ScoreClasses judges the predictions by the true classes of images.
func (c *Classifier) ScoreClasses(eng *engine.Engine, test LabeledImages[int]) (evaluate.Classes, error) {
	return judge(c, eng, test, "true classes", c.Probe.ScoreClasses)
}

// format is that of a classifier's file. Files of programs that had one type for two classes and one for more have none.
const format = 2

// head comes before the model in a classifier's file.
type head struct {
	Format   int
	Probe    *probe.Probe
	Clusters *cluster.Clustering
	Tuning   *Tuning
}

// Save writes the classifier to one file, whole or not at all. Of the clustering it keeps the centers, which one is positive
// and the potentials, not the label of every row.
func (c *Classifier) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	h := head{Format: format, Probe: c.Probe, Tuning: c.Tuning}
	if c.Clusters != nil {
		clusters := *c.Clusters
		clusters.Positive, clusters.NearPositive = nil, nil
		h.Clusters = &clusters
	}
	err := files.Write(path, func(w io.Writer) error {
		if err := gob.NewEncoder(w).Encode(h); err != nil {
			return err
		}
		return c.Model.Write(w)
	})
	if err != nil {
		return fmt.Errorf("classify: saving the classifier: %w", err)
	}
	return nil
}

// Load reads what [Classifier.Save] wrote; custom is as for [train.LoadModel].
func Load(path string, custom encoder.Encoder) (*Classifier, error) {
	var c *Classifier
	err := files.Read(path, func(r io.Reader) error {
		var h head
		err := gob.NewDecoder(r).Decode(&h)
		if err == nil && h.Format != format {
			err = fmt.Errorf("its format is %d, not %d", h.Format, format)
		}
		if err != nil {
			return fmt.Errorf("it is no classifier of this version of the program, or damaged; fit the probe anew and save it (%w)", err)
		}
		m, err := train.ReadModel(r, custom)
		c = &Classifier{Model: m, Probe: h.Probe, Clusters: h.Clusters, Tuning: h.Tuning}
		return errors.Join(err, c.check())
	})
	if err != nil {
		return nil, fmt.Errorf("classify: %w", err)
	}
	return c, nil
}
