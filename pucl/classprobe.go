package pucl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
)

// ClassProbe is a linear classifier on embeddings for any number of classes: a row x belongs to the class of the largest
// Weights·x + Bias.
type ClassProbe struct {
	Weights *mat.Dense // [classes, k]
	Bias    []float64  // [classes]
}

// NewClassProbe returns the probe of all zeros for rows of k entries, from which training starts.
func NewClassProbe(classes, k int) (*ClassProbe, error) {
	if classes < 2 || k < 1 {
		return nil, fmt.Errorf("pucl: a probe for %d classes on rows of %d entries; it takes 2 classes or more, and 1 entry or more",
			classes, k)
	}
	return &ClassProbe{Weights: mat.NewDense(classes, k, nil), Bias: make([]float64, classes)}, nil
}

// Classes returns the probe as one for the two classes 0, negative, and 1, positive, which predicts the same: where to start
// the fine-tuning of a probe that was trained on pseudo-labels.
func (p *Probe) Classes() (*ClassProbe, error) {
	c, err := NewClassProbe(2, len(p.Weights))
	if err != nil {
		return nil, err
	}
	// Half the logit each way: the softmax of ±t/2 is the sigmoid of t.
	for j, w := range p.Weights {
		c.Weights.Set(0, j, -w/2)
		c.Weights.Set(1, j, w/2)
	}
	c.Bias[0], c.Bias[1] = -p.Bias/2, p.Bias/2
	return c, nil
}

// FitClassProbe trains a linear classifier on the rows of x [n, k] with their classes, 0 to classes−1, by minimising the
// cross-entropy in nats: the linear probe of contrastive learning, which needs to know the classes. As in [FitProbe],
// features are standardised for training and the result is folded back.
func FitClassProbe(eng *engine.Engine, x *mat.Dense, labels []int, classes int, config ProbeConfig) (*ClassProbe, error) {
	_, k, err := labeledRows(x, len(labels), "labels")
	if err != nil {
		return nil, err
	}
	start, err := NewClassProbe(classes, k)
	if err != nil {
		return nil, err
	}
	return start.FineTune(eng, x, labels, config)
}

// FineTune returns a probe that starts at p and is trained on the rows of x [n, k] with their classes as [FitClassProbe]
// does it. p stays as it is. Every epoch goes through the rows in a new random order; those that fill no batch are left out.
func (p *ClassProbe) FineTune(eng *engine.Engine, x *mat.Dense, labels []int, config ProbeConfig) (*ClassProbe, error) {
	c := config.withDefaults()
	n, k, err := labeledRows(x, len(labels), "labels")
	if err != nil {
		return nil, err
	}
	classes, entries, err := p.shape()
	if err != nil {
		return nil, err
	}
	if k != entries {
		return nil, fmt.Errorf("pucl: rows have %d entries, the probe is for %d", k, entries)
	}
	if err := c.check(n); err != nil {
		return nil, err
	}
	if err := classesBelow(classes, labels, "row"); err != nil {
		return nil, err
	}
	exec, err := classProgram(eng)
	if err != nil {
		return nil, fmt.Errorf("pucl: building the probe: %w", err)
	}
	rows := standardise(x)
	size := min(c.BatchSize, n)
	fit := probeFit{
		exec: exec, rows: rows, config: c, steps: c.Epochs * (n / size), size: size,
		batch:  shuffled(n, size, rand.New(rand.NewPCG(c.Seed, 0xc1a55))),
		labels: labelsOf(int32s(labels)),
		start:  p.standardised(rows.mean, rows.std), outputs: classes,
	}
	w, err := fit.run()
	if err != nil {
		return nil, err
	}
	return unstandardised(w, rows.mean, rows.std), nil
}

// classPrograms holds for each backend the steps that were compiled for it, which is what takes longest in a short training.
var classPrograms sync.Map // from compute.Backend to *Exec

// classProgram is the step of a probe for classes; one program serves all fits of the same shapes.
func classProgram(eng *engine.Engine) (*Exec, error) {
	if err := checkEngine(eng); err != nil {
		return nil, err
	}
	if exec, ok := classPrograms.Load(eng.Backend); ok {
		return exec.(*Exec), nil
	}
	exec, err := NewExec(eng.Backend, probeStep(classCrossEntropy))
	if err != nil {
		return nil, err
	}
	kept, _ := classPrograms.LoadOrStore(eng.Backend, exec.SetMaxCache(-1))
	return kept.(*Exec), nil
}

// classCrossEntropy is the mean cross-entropy, in nats, of logits [n, classes] with the classes [n] that are right.
func classCrossEntropy(logits, classes *Node) *Node {
	right := OneHot(classes, logits.Shape().Dim(-1), logits.DType())
	return Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits, -1), right), -1)))
}

// shape is the number of classes and of a row's entries; it refuses a probe whose parts do not fit.
func (p *ClassProbe) shape() (classes, entries int, err error) {
	if p.Weights == nil || p.Weights.IsEmpty() {
		return 0, 0, errors.New("pucl: the probe has no weights; make one with NewClassProbe or FitClassProbe")
	}
	classes, entries = p.Weights.Dims()
	if len(p.Bias) != classes {
		return 0, 0, fmt.Errorf("pucl: a probe with weights for %d classes and %d biases; there must be one for each",
			classes, len(p.Bias))
	}
	return classes, entries, nil
}

// standardised is p as a classifier of rows that were shifted by mean and divided by std: for each class the weights, then
// the bias.
func (p *ClassProbe) standardised(mean, std []float64) (parameters []float32) {
	for class, bias := range p.Bias {
		row := p.Weights.RawRowView(class)
		for j, w := range row {
			parameters = append(parameters, float32(w*std[j]))
		}
		parameters = append(parameters, float32(bias+floats.Dot(row, mean)))
	}
	return parameters
}

// unstandardised is the way back: a classifier of the rows as they are.
func unstandardised(parameters []float32, mean, std []float64) *ClassProbe {
	k := len(mean)
	classes := len(parameters) / (k + 1)
	p := &ClassProbe{Weights: mat.NewDense(classes, k, nil), Bias: make([]float64, classes)}
	for class := range p.Bias {
		of, row := parameters[class*(k+1):][:k+1], p.Weights.RawRowView(class)
		for j := range row {
			row[j] = float64(of[j]) / std[j]
		}
		p.Bias[class] = float64(of[k]) - floats.Dot(row, mean)
	}
	return p
}

// alone is p, which has one output, as the probe whose logit that is.
func (p *ClassProbe) alone() *Probe {
	return &Probe{Weights: mat.Row(nil, 0, p.Weights), Bias: p.Bias[0]}
}

// parted takes the parameters of a classifier of rows with k entries apart.
func parted(parameters []float32, k int) (weights, bias []float32) {
	for ; len(parameters) > 0; parameters = parameters[k+1:] {
		weights, bias = append(weights, parameters[:k]...), append(bias, parameters[k])
	}
	return weights, bias
}

// joined is the way back.
func joined(weights, bias []float32) (parameters []float32) {
	k := len(weights) / len(bias)
	for class, b := range bias {
		parameters = append(append(parameters, weights[class*k:(class+1)*k]...), b)
	}
	return parameters
}

// Logits returns Weights·x + Bias for every row of x [n, k] and every class, [n, classes]; evaluate.TopK takes them.
func (p *ClassProbe) Logits(x *mat.Dense) (*mat.Dense, error) {
	n, k := x.Dims()
	classes, entries, err := p.shape()
	if err != nil {
		return nil, err
	}
	if k != entries {
		return nil, fmt.Errorf("pucl: rows have %d entries, the probe was trained on %d", k, entries)
	}
	logits := mat.NewDense(n, classes, nil)
	logits.Mul(x, p.Weights.T())
	for i := range n {
		floats.Add(logits.RawRowView(i), p.Bias)
	}
	return logits, nil
}

// Predict returns the class of the largest logit for every row of x; of equals the one with the smaller number.
func (p *ClassProbe) Predict(x *mat.Dense) ([]int, error) {
	logits, err := p.Logits(x)
	if err != nil {
		return nil, err
	}
	return largest(logits), nil
}

// largest is the column of the largest entry of every row; of equals the first.
func largest(x *mat.Dense) []int {
	n, _ := x.Dims()
	columns := make([]int, n)
	for i := range columns {
		columns[i] = floats.MaxIdx(x.RawRowView(i))
	}
	return columns
}
