package learn

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"strings"

	"github.com/puclab/puclab/datasets/folder"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Classifier predicts whether an example is positive, from raw input: image files or pixels, table rows with gaps and
// categories. It compiles its encoders with the first prediction, and is safe for concurrent use.
type Classifier struct {
	Info Info // how it was trained

	eng      *engine.Engine
	shape    augment.Shape     // of an image; zero for rows
	files    folder.Config     // how image files are brought to that shape
	encoding *tabular.Encoding // of rows; nil for images
	members  []Member
	programs *compiled
}

// Info states how a classifier was trained.
type Info struct {
	Method             string // with all its hyper-parameters
	Seed               uint64
	Labeled, Unlabeled int
	Prior              float64            // share of positives among the unlabeled examples that training used or estimated; 0 for none
	Predicted          float64            // share of the unlabeled training examples that the classifier predicts positive
	Doubts             []string           // reasons to distrust the classifier, each a sentence
	Environment        engine.Environment // of the training
}

// NewClassifier returns the classifier of a method's result t on d. The encoding is that of the rows, nil for images.
func NewClassifier(eng *engine.Engine, d *Dataset, encoding *tabular.Encoding, t *Trained, info Info) (*Classifier,
	error) {
	c := &Classifier{Info: info, eng: eng, shape: d.Shape, encoding: encoding, members: t.Members,
		programs: newCompiled()}
	if d.Table == nil {
		c.files = folder.Config{Height: d.Shape.Height, Width: d.Shape.Width, Gray: d.Shape.Channels == 1}
		if d.Files != nil {
			c.files = *d.Files
		}
	}
	return c, c.check()
}

// check returns an error if a part of c is missing.
func (c *Classifier) check() error {
	if c == nil || len(c.members) == 0 || c.eng == nil {
		return errors.New("learn: the classifier is empty; pu.Fit trains one, and pu.Load reads one")
	}
	for _, m := range c.members {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

// view returns the examples of d in the input format of the classifier's members.
func (c *Classifier) view(d *Dataset) (Data, error) {
	if err := cmp.Or(c.check(), d.Validate()); err != nil {
		return Data{}, err
	}
	if c.encoding == nil {
		return Data{Pixels: d.Pixels, Shape: d.Shape}, cmp.Or(
			fault.If(d.Table != nil, "learn: rows of a table, but the classifier reads images of %s; give images",
				c.shape),
			fault.If(d.Table == nil && d.Shape != c.shape, "learn: images of %s, but the classifier reads images of "+
				"%s (height×width×channels); bring them to that size: PredictFile and pu.OpenFolder "+
				"do", d.Shape, c.shape))
	}
	if d.Table == nil {
		return Data{}, errors.New("learn: images, but the classifier reads rows of a table; give rows, as of " +
			"pu.OpenTable or pu.Features")
	}
	x, err := c.encoding.Rows(d.Table)
	return Data{X: x}, err
}

// Scores returns the logit of the positive class for each example, [n]: above 0 means positive.
func (c *Classifier) Scores(d *Dataset) ([]float64, error) {
	data, err := c.view(d)
	if err != nil {
		return nil, err
	}
	return meanScores(c.eng, c.programs, c.members, data)
}

// Predict returns the probability of the positive class for each example, [n].
func (c *Classifier) Predict(d *Dataset) ([]float64, error) {
	p, err := c.Scores(d)
	for i, logit := range p {
		p[i] = 1 / (1 + math.Exp(-logit))
	}
	return p, err
}

// PredictImage returns the probability that an image is positive. The image is cropped and scaled like the training
// images.
func (c *Classifier) PredictImage(img image.Image) (float64, error) {
	if err := c.checkImages(); err != nil {
		return 0, err
	}
	pixels, err := c.files.Pixels(img)
	if err != nil {
		return 0, err
	}
	return c.predictOne(&Dataset{Pixels: pixels, Shape: c.shape})
}

// PredictFile returns the probability that the image in a JPEG or PNG file is positive, see [Classifier.PredictReader].
func (c *Classifier) PredictFile(path string) (float64, error) {
	if err := c.checkImages(); err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	p, err := c.PredictReader(f)
	if err != nil {
		return 0, fmt.Errorf("the file %s: %w", path, err)
	}
	return p, nil
}

// PredictReader returns the probability that the JPEG or PNG image that r holds is positive. The image is cropped and
// scaled like the training images. Images that are too large to be read safely are an error, see folder.Config.
func (c *Classifier) PredictReader(r io.Reader) (float64, error) {
	if err := c.checkImages(); err != nil {
		return 0, err
	}
	if r == nil {
		return 0, errors.New("learn: no reader given; give an open file or the body of a request")
	}
	pixels, err := c.files.Decode(r)
	if err != nil {
		return 0, fmt.Errorf("learn: %w", err)
	}
	return c.predictOne(&Dataset{Pixels: pixels, Shape: c.shape})
}

// PredictRow returns the probability that a row is positive. Values are given by the names of the columns: a float64,
// an int or a string each, or nil for a gap. A missing column of the training table is an error; columns that it lacks
// are ignored.
func (c *Classifier) PredictRow(values map[string]any) (float64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if c.encoding == nil {
		return 0, fmt.Errorf("learn: a row of a table, but the classifier reads images of %s; use PredictImage or "+
			"PredictFile", c.shape)
	}
	frame := &tabular.Frame{}
	for _, known := range c.encoding.Columns {
		value, given := values[known.Name]
		if !given {
			return 0, fmt.Errorf("learn: the row has no value for the column %s; give one, or nil for a gap",
				known.Name)
		}
		column := tabular.Column{Name: known.Name}
		switch v := value.(type) {
		case string:
			column.Words = []string{v}
		case float64:
			column.Numbers = []float64{v}
		case int:
			column.Numbers = []float64{float64(v)}
		case nil:
			if known.Categories == nil {
				column.Numbers = []float64{math.NaN()}
			} else {
				column.Words = []string{""}
			}
		default:
			return 0, fmt.Errorf("learn: the value of the column %s is a %T; give a float64, an int, a string, or "+
				"nil for a gap", known.Name, value)
		}
		frame.Columns = append(frame.Columns, column)
	}
	return c.predictOne(&Dataset{Table: frame})
}

func (c *Classifier) checkImages() error {
	if err := c.check(); err != nil {
		return err
	}
	return fault.If(c.encoding != nil, "learn: an image, but the classifier reads rows of a table; use PredictRow "+
		"or Predict")
}

func (c *Classifier) predictOne(d *Dataset) (float64, error) {
	p, err := c.Predict(d)
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// Members returns a classifier for each encoder of c, as of CrossFit; c returns the mean of their logits. For one
// encoder it returns c alone.
func (c *Classifier) Members() []*Classifier {
	var out []*Classifier
	for i := range c.members {
		own := *c
		own.members = c.members[i : i+1]
		out = append(out, &own)
	}
	return out
}

// Evaluate compares the predictions with the Truth of d: accuracy, AUC and more.
func (c *Classifier) Evaluate(d *Dataset) (evaluate.Binary, error) {
	scores, err := c.Scores(d)
	if err == nil {
		err = fault.If(d.Truth == nil, "learn: the true classes of the examples are unknown; set Truth, or use "+
			"EvaluatePU, which needs none")
	}
	if err != nil {
		return evaluate.Binary{}, err
	}
	return evaluate.ScoreBinary(scores, d.Truth, 0)
}

// EvaluatePU evaluates the classifier on held-out examples without true classes, given which of them are labeled
// positives.
func (c *Classifier) EvaluatePU(d *Dataset) (evaluate.PU, error) {
	scores, err := c.Scores(d)
	if err != nil {
		return evaluate.PU{}, err
	}
	return evaluate.ScorePU(scores, d.Labeled, 0, evaluate.ScoreConfig{SingleDataset: !d.CaseControl,
		Prior: c.Info.Prior})
}

// String describes the classifier and every doubt, a line each.
func (c *Classifier) String() string {
	i := c.Info
	lines := []string{
		fmt.Sprintf("%s, trained on %d labeled positives and %d unlabeled examples, seed %d", i.Method, i.Labeled,
			i.Unlabeled, i.Seed),
		fmt.Sprintf("predicts %.1f%% of the unlabeled training examples positive", 100*i.Predicted),
	}
	if i.Prior > 0 {
		lines[1] += fmt.Sprintf("; class prior %.3f", i.Prior)
	}
	for _, doubt := range i.Doubts {
		lines = append(lines, "doubt: "+doubt)
	}
	return strings.Join(lines, "\n")
}
