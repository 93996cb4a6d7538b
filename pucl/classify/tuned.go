package classify

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// Tuned is an encoder with a linear head on its outputs, scaled to length one (see [rows.Unit]), as fine-tuning returns
// both. The head has one output where positives are told from negatives, or one for each class. A classifier of
// positives against negatives that can be saved is a learn.Classifier, which pu.Fit returns with FineTune set.
type Tuned struct {
	Model  *train.Model
	Probe  *probe.Probe
	Tuning *Tuning // how both were fine-tuned
}

// check returns an error if a part of c is missing.
func (c *Tuned) check() error {
	if c == nil || c.Model == nil || c.Probe == nil {
		return errors.New("classify: a Tuned needs both a Model and a Probe; FineTune returns one with both")
	}
	_, _, err := c.Probe.Shape()
	return err
}

// read returns what the probe makes, by f, of what it reads of images of height×width×channels bytes each.
func read[T any](c *Tuned, eng *engine.Engine, images []uint8,
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
func judge[L bool | int, T any](c *Tuned, eng *engine.Engine, test LabeledImages[L], what string,
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
func (c *Tuned) Logits(eng *engine.Engine, images []uint8) (*mat.Dense, error) {
	return read(c, eng, images, (*probe.Probe).Logits)
}

// Predict returns the class of every image: that of the largest logit, or, of one output, 1 where it is positive and 0
// elsewhere.
func (c *Tuned) Predict(eng *engine.Engine, images []uint8) ([]int, error) {
	return read(c, eng, images, (*probe.Probe).Predict)
}

// Scores returns the logit of the positive class for every image: above 0 means positive. It is an error if the head has
// more than two outputs.
func (c *Tuned) Scores(eng *engine.Engine, images []uint8) ([]float64, error) {
	return read(c, eng, images, (*probe.Probe).Scores)
}

// Score judges the classifier by the true classes of images, true for positive: a probability above ½ is predicted positive.
func (c *Tuned) Score(eng *engine.Engine, test LabeledImages[bool]) (evaluate.Binary, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).Score)
}

// ScorePU judges the classifier on held-out images by which of them are labeled positives alone.
func (c *Tuned) ScorePU(eng *engine.Engine, held LabeledImages[bool], config evaluate.ScoreConfig) (evaluate.PU, error) {
	return judge(c, eng, held, "labels", func(p *probe.Probe, x *mat.Dense, labeled []bool) (evaluate.PU, error) {
		return p.ScorePU(x, labeled, config)
	})
}

// ScoreClasses judges the predictions by the true classes of images.
func (c *Tuned) ScoreClasses(eng *engine.Engine, test LabeledImages[int]) (evaluate.Classes, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).ScoreClasses)
}
