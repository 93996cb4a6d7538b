// Package probe trains and applies linear classifiers of embeddings: the linear probe that evaluates contrastive
// learning, and Algorithm 1C of "Contrastive Positive Unlabeled Learning".
//
//   - [Fit] trains for any number of classes by cross-entropy.
//   - [FitPU] trains positive against negative by a risk: cross-entropy on pseudo-labels, or a PU risk on labeled
//     positives.
//
// A [Probe] has one output per class, or a single output, the logit of the positive class.
package probe

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Probe is a linear classifier of rows x of k entries with logits Weights·x + Bias. With several outputs the largest
// logit determines the class; with one output x is positive if the logit is above 0.
//
// It can be saved by encoding/gob.
type Probe struct {
	Weights *mat.Dense // [outputs, k]
	Bias    []float64  // [outputs]
}

// New returns the zero probe with the given number of outputs, for rows of k entries.
func New(outputs, k int) (*Probe, error) {
	if outputs < 1 || k < 1 {
		return nil, fmt.Errorf("probe: %d outputs for rows of %d entries; there must be 1 or more of both", outputs, k)
	}
	return &Probe{Weights: mat.NewDense(outputs, k, nil), Bias: make([]float64, outputs)}, nil
}

// Check returns an error unless p can start a training: it must have a shape, see [Probe.Shape], and finite numbers.
func (p *Probe) Check() error {
	outputs, k, err := p.Shape()
	if err != nil {
		return err
	}
	for output := range outputs {
		for j, w := range append(slices.Clone(p.Weights.RawRowView(output)), p.Bias[output]) {
			if err := fault.If(math.IsNaN(w) || math.IsInf(w, 0), "probe: output %d has %g at place %d of its %d weights and its bias; training must "+
				"start at finite numbers", output, w, j, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// Shape returns the numbers of outputs and of entries of a row. It is an error if there are no weights, or not one bias
// per output.
func (p *Probe) Shape() (outputs, k int, err error) {
	if p == nil || p.Weights == nil || p.Weights.IsEmpty() {
		return 0, 0, errors.New("probe: the probe has no weights; make one with New, Fit or FitPU")
	}
	outputs, k = p.Weights.Dims()
	if len(p.Bias) != outputs {
		return 0, 0, fmt.Errorf("probe: weights for %d outputs and %d biases; there must be one for each", outputs, len(p.Bias))
	}
	return outputs, k, nil
}

// Logits returns Weights·x + Bias for every row of x [n, k], [n, outputs]; evaluate.TopK takes them. A row with NaN has
// logits of NaN.
func (p *Probe) Logits(x *mat.Dense) (*mat.Dense, error) {
	outputs, k, err := p.Shape()
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, errors.New("probe: no rows given; embed at least one example")
	}
	n, entries := x.Dims()
	if entries != k {
		return nil, fmt.Errorf("probe: rows have %d entries, the probe is for %d; embed them with the model of its training", entries, k)
	}
	logits := mat.NewDense(n, outputs, nil)
	if outputs == 1 { // row by row: a matrix product of one column is slower and rounds differently
		for i := range n {
			logits.Set(i, 0, floats.Dot(p.Weights.RawRowView(0), x.RawRowView(i)))
		}
	} else {
		logits.Mul(x, p.Weights.T())
	}
	for i := range n {
		floats.Add(logits.RawRowView(i), p.Bias)
	}
	return logits, nil
}

// Predict returns the class of every row of x [n, k], by the largest logit, and the smaller number of tied classes.
// With one output it is 1 if the logit is above 0 and otherwise 0. It is an error if a logit is NaN.
func (p *Probe) Predict(x *mat.Dense) ([]int, error) {
	logits, err := p.Logits(x)
	if err != nil {
		return nil, err
	}
	n, outputs := logits.Dims()
	classes := make([]int, n)
	for i := range classes {
		row := logits.RawRowView(i)
		switch {
		case slices.ContainsFunc(row, math.IsNaN):
			return nil, fmt.Errorf("probe: the logits of row %d are %g; did training diverge?", i, row)
		case outputs > 1:
			classes[i] = floats.MaxIdx(row)
		case row[0] > 0:
			classes[i] = 1
		}
	}
	return classes, nil
}

// Scores returns the logit of the positive class of every row of x [n, k]: the single output or, of two, the second
// minus the first. It is an error if there are more.
func (p *Probe) Scores(x *mat.Dense) ([]float64, error) {
	logits, err := p.Logits(x)
	if err != nil {
		return nil, err
	}
	_, outputs := logits.Dims()
	scores := mat.Col(nil, outputs-1, logits)
	switch outputs {
	case 1:
	case 2:
		floats.Sub(scores, mat.Col(nil, 0, logits))
	default:
		return nil, fmt.Errorf("probe: one score for each row takes 1 output, or 2 classes; the probe has %d: ask for its logits or classes", outputs)
	}
	return scores, nil
}

// Classes returns the probe of two outputs, class 0 negative and class 1 positive, with the predictions of p, a probe
// of one output.
func (p *Probe) Classes() (*Probe, error) {
	out, err := p.convert(1, 2)
	if err != nil {
		return nil, err
	}
	// Half the logit with each sign: the softmax of ±t/2 is the sigmoid of t.
	for class, factor := range []float64{-0.5, 0.5} {
		floats.ScaleTo(out.Weights.RawRowView(class), factor, p.Weights.RawRowView(0))
		out.Bias[class] = factor * p.Bias[0]
	}
	return out, nil
}

// Binary returns the probe of one output with the predictions of p, a probe of two classes; its logit is the second of
// p minus the first.
func (p *Probe) Binary() (*Probe, error) {
	out, err := p.convert(2, 1)
	if err != nil {
		return nil, err
	}
	floats.SubTo(out.Weights.RawRowView(0), p.Weights.RawRowView(1), p.Weights.RawRowView(0))
	out.Bias[0] = p.Bias[1] - p.Bias[0]
	return out, nil
}

// convert checks that p has from outputs and returns a zero probe with to outputs.
func (p *Probe) convert(from, to int) (*Probe, error) {
	outputs, k, err := p.Shape()
	if err != nil {
		return nil, err
	}
	if outputs != from {
		return nil, fmt.Errorf("probe: a probe of %d outputs is made of one of %d; this one has %d: fit one of that number", to, from, outputs)
	}
	return New(to, k)
}

// Score evaluates the [Probe.Scores] of the rows of x [n, k] against their true classes [n], positive or not.
func (p *Probe) Score(x *mat.Dense, truth []bool) (evaluate.Binary, error) {
	scores, err := p.scores(x, len(truth), "true classes")
	if err != nil {
		return evaluate.Binary{}, err
	}
	return evaluate.ScoreBinary(scores, truth, 0)
}

// ScorePU evaluates the [Probe.Scores] of held-out rows of x [n, k] given only the mask of labeled positives [n].
func (p *Probe) ScorePU(x *mat.Dense, labeled []bool, config evaluate.ScoreConfig) (evaluate.PU, error) {
	scores, err := p.scores(x, len(labeled), "labels")
	if err != nil {
		return evaluate.PU{}, err
	}
	return evaluate.ScorePU(scores, labeled, 0, config)
}

// ScoreClasses evaluates the predictions on the rows of x [n, k] against their true classes [n], numbered as the
// outputs; a probe of one output has the classes 0 and 1.
func (p *Probe) ScoreClasses(x *mat.Dense, truth []int) (evaluate.Classes, error) {
	if _, _, err := rows.Check(x, len(truth), "true classes"); err != nil {
		return evaluate.Classes{}, err
	}
	predicted, err := p.Predict(x)
	if err != nil {
		return evaluate.Classes{}, err
	}
	return evaluate.ScoreClasses(predicted, truth, max(len(p.Bias), 2))
}

// scores returns the scores of x; x must have n rows, and what names the n items in an error.
func (p *Probe) scores(x *mat.Dense, n int, what string) ([]float64, error) {
	if _, _, err := rows.Check(x, n, what); err != nil {
		return nil, err
	}
	return p.Scores(x)
}
