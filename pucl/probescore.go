package pucl

import (
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Score judges the predictions on the rows of x by their true classes.
func (p *ClassProbe) Score(x *mat.Dense, truth []int) (evaluate.Classes, error) {
	if _, _, err := labeledRows(x, len(truth), "true classes"); err != nil {
		return evaluate.Classes{}, err
	}
	predicted, err := p.Predict(x)
	if err != nil {
		return evaluate.Classes{}, err
	}
	classes, _ := p.Weights.Dims()
	return evaluate.ScoreClasses(predicted, truth, classes)
}

// Score judges the probe's logits on the rows of x by the true classes.
func (p *Probe) Score(x *mat.Dense, truth []bool) (evaluate.Binary, error) {
	if _, _, err := labeledRows(x, len(truth), "true classes"); err != nil {
		return evaluate.Binary{}, err
	}
	logits, err := p.Logits(x)
	if err != nil {
		return evaluate.Binary{}, err
	}
	return evaluate.ScoreBinary(logits, truth, 0)
}

// ScorePU judges the probe's logits on held-out rows of x by labeled positives and unlabeled rows alone.
func (p *Probe) ScorePU(x *mat.Dense, labeled []bool, config evaluate.ScoreConfig) (evaluate.PU, error) {
	if _, _, err := labeledRows(x, len(labeled), "labels"); err != nil {
		return evaluate.PU{}, err
	}
	logits, err := p.Logits(x)
	if err != nil {
		return evaluate.PU{}, err
	}
	return evaluate.ScorePU(logits, labeled, 0, config)
}
