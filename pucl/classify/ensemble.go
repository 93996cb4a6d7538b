package classify

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/probe"
)

// Ensemble is several classifiers of positives against negatives that decide together, by the mean of their logits. Errors that its members
// do not share cancel out.
type Ensemble []*Classifier

// Scores returns the mean logit of each image, positive above 0. Images are height×width×channels bytes each, of the size that all
// members were trained on. It is an error if there is no member, or one that tells other classes apart.
func (e Ensemble) Scores(eng *engine.Engine, images []uint8) ([]float64, error) {
	return e.mean(func(c *Classifier) ([]float64, error) {
		return read(c, eng, images, (*probe.Probe).Scores)
	})
}

// ScoresOfFeatures is [Ensemble.Scores] for rows of features [n, d].
func (e Ensemble) ScoresOfFeatures(eng *engine.Engine, x *mat.Dense) ([]float64, error) {
	return e.mean(func(c *Classifier) ([]float64, error) { return c.scoresOfFeatures(eng, x) })
}

// mean returns the mean of what the members say of each example.
func (e Ensemble) mean(scores func(c *Classifier) ([]float64, error)) ([]float64, error) {
	if len(e) == 0 {
		return nil, errors.New("classify: an ensemble without members decides nothing; give it classifiers")
	}
	var mean []float64
	for i, c := range e {
		if c == nil {
			return nil, fmt.Errorf("classify: member %d of the ensemble is missing (it is nil); give a classifier of FineTune or Load in each place", i)
		}
		own, err := scores(c)
		if err != nil {
			return nil, fmt.Errorf("classify: member %d of the ensemble: %w", i, err)
		}
		if mean == nil {
			mean = make([]float64, len(own))
		}
		if len(own) != len(mean) {
			return nil, fmt.Errorf("classify: member %d of the ensemble finds %d examples, and those before it %d; all must be trained on "+
				"examples of one size", i, len(own), len(mean))
		}
		floats.AddScaled(mean, 1/float64(len(e)), own)
	}
	return mean, nil
}

// Probabilities returns the probability of the positive class for every image, 1/(1+e^(−score)).
func (e Ensemble) Probabilities(eng *engine.Engine, images []uint8) ([]float64, error) {
	scores, err := e.Scores(eng, images)
	return logistic(scores), err
}

// Score judges the ensemble by the true classes of images, true for positive.
func (e Ensemble) Score(eng *engine.Engine, test LabeledImages[bool]) (evaluate.Binary, error) {
	scores, err := e.Scores(eng, test.Pixels)
	if err != nil {
		return evaluate.Binary{}, err
	}
	return evaluate.ScoreBinary(scores, test.Labels, 0)
}

// ScorePU judges the ensemble on held-out images by which of them are labeled positives alone.
func (e Ensemble) ScorePU(eng *engine.Engine, held LabeledImages[bool], config evaluate.ScoreConfig) (evaluate.PU, error) {
	scores, err := e.Scores(eng, held.Pixels)
	if err != nil {
		return evaluate.PU{}, err
	}
	return evaluate.ScorePU(scores, held.Labels, 0, config)
}

// logistic returns 1/(1+e^(−logit)) of each logit, in their place.
func logistic(logits []float64) []float64 {
	for i, logit := range logits {
		logits[i] = 1 / (1 + math.Exp(-logit))
	}
	return logits
}
