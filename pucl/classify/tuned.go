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

// Tuned is a fine-tuned encoder with a linear head on its outputs, scaled to length one (see [rows.Unit]). The head has
// one output for positives against negatives, or one for each class. A savable classifier of positives against
// negatives is a learn.Classifier, which pu.Fit returns with FineTune set.
type Tuned struct {
	Model  *train.Model
	Probe  *probe.Probe
	Tuning *Tuning // the record of fine-tuning
}

// check returns an error if a part of c is missing.
func (c *Tuned) check() error {
	if c == nil || c.Model == nil || c.Probe == nil {
		return errors.New("classify: a Tuned needs both a Model and a Probe; FineTune returns one with both")
	}
	_, _, err := c.Probe.Shape()
	return err
}

// read returns f of the probe and its input for images of height×width×channels bytes each.
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

// judge returns f of the probe, its input for images, and their labels; what names the labels in errors.
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

// Predict returns the class of every image: the class with the largest logit or, for one output, 1 if it is positive,
// else 0.
func (c *Tuned) Predict(eng *engine.Engine, images []uint8) ([]int, error) {
	return read(c, eng, images, (*probe.Probe).Predict)
}

// Scores returns the logit of the positive class for every image: above 0 means positive. It is an error if the head
// has more than two outputs.
func (c *Tuned) Scores(eng *engine.Engine, images []uint8) ([]float64, error) {
	return read(c, eng, images, (*probe.Probe).Scores)
}

// Score evaluates the classifier with the true classes of images, true for positive: a probability above ½ is predicted
// positive.
func (c *Tuned) Score(eng *engine.Engine, test LabeledImages[bool]) (evaluate.Binary, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).Score)
}

// ScorePU evaluates the classifier on held-out images, given only which are labeled positives.
func (c *Tuned) ScorePU(eng *engine.Engine, held LabeledImages[bool], config evaluate.ScoreConfig) (evaluate.PU, error) {
	return judge(c, eng, held, "labels", func(p *probe.Probe, x *mat.Dense, labeled []bool) (evaluate.PU, error) {
		return p.ScorePU(x, labeled, config)
	})
}

// ScoreClasses evaluates the predictions with the true classes of images.
func (c *Tuned) ScoreClasses(eng *engine.Engine, test LabeledImages[int]) (evaluate.Classes, error) {
	return judge(c, eng, test, "true classes", (*probe.Probe).ScoreClasses)
}
