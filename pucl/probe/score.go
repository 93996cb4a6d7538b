package probe

import (
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/rows"
)

// Score judges the [Probe.Scores] of the rows of x [n, k] by their true classes [n], positive or not.
func (p *Probe) Score(x *mat.Dense, truth []bool) (evaluate.Binary, error) {
	scores, err := p.scores(x, len(truth), "true classes")
	if err != nil {
		return evaluate.Binary{}, err
	}
	return evaluate.ScoreBinary(scores, truth, 0)
}

// ScorePU judges the [Probe.Scores] of held-out rows of x [n, k] by which of them are labeled positives [n] alone.
func (p *Probe) ScorePU(x *mat.Dense, labeled []bool, config evaluate.ScoreConfig) (evaluate.PU, error) {
	scores, err := p.scores(x, len(labeled), "labels")
	if err != nil {
		return evaluate.PU{}, err
	}
	return evaluate.ScorePU(scores, labeled, 0, config)
}

// ScoreClasses judges the predictions on the rows of x [n, k] by their true classes [n], numbered as the outputs are; a probe
// of one output has the classes 0 and 1.
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

// scores returns the scores of x, of whose rows something is known of n.
func (p *Probe) scores(x *mat.Dense, n int, what string) ([]float64, error) {
	if _, _, err := rows.Check(x, n, what); err != nil {
		return nil, err
	}
	return p.Scores(x)
}
