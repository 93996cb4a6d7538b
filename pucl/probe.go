package pucl

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
)

// Probe is a linear classifier on embeddings: a row x is positive where Weights·x + Bias > 0.
type Probe struct {
	Weights []float64
	Bias    float64
}

// ProbeConfig says how to train a probe. The zero value works.
type ProbeConfig struct {
	Epochs       int     // passes over the rows; 0 means 10
	BatchSize    int     // rows a step; 0 means 1024
	LearningRate float64 // of Adam, falling to 0 as a half cosine; 0 means 0.05
	L2           float64 // times ‖w‖²/2 is added to the risk, for standardised features; 0 means 1e-4, negative means none
	Seed         uint64  // of the order of the rows
}

func (c ProbeConfig) withDefaults() ProbeConfig {
	if c.Epochs == 0 {
		c.Epochs = 10
	}
	if c.BatchSize == 0 {
		c.BatchSize = 1024
	}
	if c.LearningRate == 0 {
		c.LearningRate = 0.05
	}
	if c.L2 == 0 {
		c.L2 = 1e-4
	}
	c.L2 = max(c.L2, 0)
	return c
}

// check tells what is wrong with c, defaults filled in, for n rows, if anything.
func (c ProbeConfig) check(n int) error {
	if n < 2 || c.Epochs < 0 || c.BatchSize < 1 {
		return fmt.Errorf("pucl: a probe needs at least 2 rows, 1 row a batch and no negative number of epochs; "+
			"got %d rows, %d a batch, %d epochs", n, c.BatchSize, c.Epochs)
	}
	return nil
}

// FitProbe trains a linear classifier on the rows of x [n, k] by minimising risk, with labels [n] as the risk reads them:
// [risk.CrossEntropy] on pseudo-labels is Algorithm 1C, [risk.NNPU] on "is a labeled positive" the baseline.
//
// Features are standardised for training and the result is folded back, so a Probe takes the rows as they are. Every batch
// holds the same share of true labels as the whole, so that the labeled positives are never missing from one.
func FitProbe(eng *engine.Engine, x *mat.Dense, labels []bool, risk risk.Risk, config ProbeConfig) (*Probe, error) {
	c := config.withDefaults()
	n, k, err := labeledRows(x, len(labels), "labels")
	if err != nil {
		return nil, err
	}
	if err := checkEngine(eng); err != nil {
		return nil, err
	}
	if err := c.check(n); err != nil {
		return nil, err
	}
	exec, err := NewExec(eng.Backend, probeStep(func(logits, labels *Node) *Node {
		return risk(Squeeze(logits, -1), labels)
	}))
	if err != nil {
		return nil, fmt.Errorf("pucl: building the probe: %w", err)
	}
	defer exec.Finalize()

	size := min(c.BatchSize, n)
	fit := probeFit{
		exec: exec, rows: standardise(x), config: c, steps: c.Epochs * max(n/c.BatchSize, 1), size: size,
		batch:  stratified(labels, size, rand.New(rand.NewPCG(c.Seed, 0x9b0be))),
		labels: labelsOf(labels),
		start:  make([]float32, k+1), outputs: 1,
	}
	w, err := fit.run()
	if err != nil {
		return nil, err
	}
	return unstandardised(w, fit.rows.mean, fit.rows.std).alone(), nil
}

// Logits returns Weights·x + Bias for every row of x.
func (p *Probe) Logits(x *mat.Dense) ([]float64, error) {
	n, k := x.Dims()
	if k != len(p.Weights) {
		return nil, fmt.Errorf("pucl: rows have %d entries, the probe was trained on %d", k, len(p.Weights))
	}
	logits := make([]float64, n)
	for i := range logits {
		logits[i] = floats.Dot(p.Weights, x.RawRowView(i)) + p.Bias
	}
	return logits, nil
}

// Predict tells for every row of x whether its logit is positive.
func (p *Probe) Predict(x *mat.Dense) ([]bool, error) {
	logits, err := p.Logits(x)
	if err != nil {
		return nil, err
	}
	positive := make([]bool, len(logits))
	for i, t := range logits {
		positive[i] = t > 0
	}
	return positive, nil
}
