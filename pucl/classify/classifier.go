package classify

import (
	"bytes"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/internal/strictjson"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
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
	if c == nil || c.Model == nil || c.Probe == nil {
		return errors.New("classify: a Classifier needs both a Model and a Probe; FineTune returns one with both, train.Pretrain and probe.Fit make the two")
	}
	_, _, err := c.Probe.Shape()
	return err
}

// read returns what the probe makes, by f, of what it reads of images of height×width×channels bytes each.
func read[T any](c *Classifier, eng *engine.Engine, images []uint8,
	f func(p *probe.Probe, x *mat.Dense) (T, error)) (out T, err error) {
	if err := c.check(); err != nil {
		return out, err
	}
	e, err := c.Model.Embed(eng, images)
	if err != nil {
		return out, err
	}
	return f(c.Probe, rows.Unit(e.H))
}

// judge returns what the probe makes, by f, of what it reads of images and of their labels, or what else is known of each.
func judge[L bool | int, T any](c *Classifier, eng *engine.Engine, test LabeledImages[L], what string,
	f func(p *probe.Probe, x *mat.Dense, labels []L) (T, error)) (out T, err error) {
	if err := c.check(); err != nil {
		return out, err
	}
	if err := c.Model.CheckLabeled(test.Pixels, len(test.Labels), what); err != nil {
		return out, err
	}
	return read(c, eng, test.Pixels, func(p *probe.Probe, x *mat.Dense) (T, error) { return f(p, x, test.Labels) })
}

// Logits returns the logits of images of height×width×channels bytes each, [n, outputs]; evaluate.TopK takes them.
func (c *Classifier) Logits(eng *engine.Engine, images []uint8) (*mat.Dense, error) {
	return read(c, eng, images, (*probe.Probe).Logits)
}

// Predict returns the class of every image: that of the largest logit, or, of one output, 1 where it is positive and 0
// elsewhere.
func (c *Classifier) Predict(eng *engine.Engine, images []uint8) ([]int, error) {
	return read(c, eng, images, (*probe.Probe).Predict)
}

// Probabilities returns the probability of the positive class for every image, 1/(1+e^(−logit)). It is an error if the probe
// has more than two outputs.
func (c *Classifier) Probabilities(eng *engine.Engine, images []uint8) ([]float64, error) {
	scores, err := read(c, eng, images, (*probe.Probe).Scores)
	return logistic(scores), err
}

// ProbabilitiesOfFeatures is [Classifier.Probabilities] for rows of features [n, d].
func (c *Classifier) ProbabilitiesOfFeatures(eng *engine.Engine, x *mat.Dense) ([]float64, error) {
	scores, err := c.scoresOfFeatures(eng, x)
	return logistic(scores), err
}

// scoresOfFeatures returns the logits of rows of features.
func (c *Classifier) scoresOfFeatures(eng *engine.Engine, x *mat.Dense) ([]float64, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, err := c.Model.EmbedFeatures(eng, x)
	if err != nil {
		return nil, err
	}
	return c.Probe.Scores(rows.Unit(e.H))
}

// Score judges the classifier by the true classes of images, true for positive: a probability above ½ is predicted positive.
func (c *Classifier) Score(eng *engine.Engine, test LabeledImages[bool]) (evaluate.Binary, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).Score)
}

// ScorePU judges the classifier on held-out images by which of them are labeled positives alone.
func (c *Classifier) ScorePU(eng *engine.Engine, held LabeledImages[bool], config evaluate.ScoreConfig) (evaluate.PU, error) {
	return judge(c, eng, held, "labels", func(p *probe.Probe, x *mat.Dense, labeled []bool) (evaluate.PU, error) {
		return p.ScorePU(x, labeled, config)
	})
}

// ScoreClasses judges the predictions by the true classes of images.
func (c *Classifier) ScoreClasses(eng *engine.Engine, test LabeledImages[int]) (evaluate.Classes, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).ScoreClasses)
}

// kind is what a classifier's file says of itself.
var kind = container.Kind{
	Name: "classifier", Reader: "classify.Load", Version: 1, Mend: "copy it again from where it was made, or fit the probe anew and save that",
}

// head is the first section of a classifier's file; the model is the other.
type head struct {
	Weights  [][]float64 // of the probe, a row for each output
	Bias     []float64
	Clusters *cluster.Clustering
	Tuning   *Tuning
}

// Save writes the classifier to one file, whole or not at all. Of the clustering it keeps the centers, which one is positive
// and the potentials, not the label of every row.
func (c *Classifier) Save(path string) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := container.Save(path, c.encode); err != nil {
		return fmt.Errorf("classify: saving the classifier: %w", err)
	}
	return nil
}

func (c *Classifier) encode() (container.Parts, error) {
	h := head{Bias: c.Probe.Bias, Tuning: c.Tuning}
	for i := range c.Probe.Bias {
		h.Weights = append(h.Weights, c.Probe.Weights.RawRowView(i))
	}
	if c.Clusters != nil {
		clusters := *c.Clusters
		clusters.Positive, clusters.NearPositive = nil, nil
		h.Clusters = &clusters
	}
	text, err := strictjson.Marshal(h)
	if err != nil {
		return nil, err
	}
	var model bytes.Buffer
	if err := c.Model.Write(&model); err != nil {
		return nil, err
	}
	return kind.Encode(container.Section{Name: "head", Parts: container.Parts{text}},
		container.Section{Name: "model", Parts: container.Parts{model.Bytes()}})
}

// Load reads what [Classifier.Save] wrote; custom is as for [train.LoadModel]. A file that is not what was saved, bit for bit,
// is an error.
func Load(path string, custom encoder.Encoder) (*Classifier, error) {
	sections, err := kind.Read(path, "head", "model")
	if err != nil {
		return nil, fmt.Errorf("classify: %w", err)
	}
	c, err := decode(sections, custom)
	if err != nil {
		return nil, fmt.Errorf("classify: %s %w", path, err)
	}
	return c, nil
}

func decode(sections [][]byte, custom encoder.Encoder) (*Classifier, error) {
	var h head
	if err := strictjson.Unmarshal(sections[0], &h); err != nil {
		return nil, kind.Damaged("has a damaged head (%v)", err)
	}
	m, err := train.DecodeModel(sections[1], custom)
	if err != nil {
		return nil, fmt.Errorf("holds a model that %w", err)
	}
	c := &Classifier{Model: m, Probe: &probe.Probe{Bias: h.Bias}, Clusters: h.Clusters, Tuning: h.Tuning}
	var weights []float64
	for _, row := range h.Weights {
		weights = append(weights, row...)
		if len(row) != len(h.Weights[0]) {
			return nil, kind.Damaged("has a probe with rows of %d and %d weights", len(h.Weights[0]), len(row))
		}
	}
	if len(weights) > 0 {
		c.Probe.Weights = mat.NewDense(len(h.Weights), len(h.Weights[0]), weights)
	}
	if err := c.check(); err != nil {
		return nil, kind.Damaged("does not hold together (%v)", err)
	}
	return c, nil
}
