package pipeline

import (
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Best returns what came of the second time, or of the first where the Lee–Liu criterion r²/P(called positive) on CrossFitConfig.HeldOut,
// which needs neither a prior nor a negative, is higher for that by more than a standard error. Without HeldOut it is the second.
//
// The standard error is that of the difference of the logarithms, with the variances of both times added as of independent examples. For the same
// examples, as here, it is too large, so that the first time is taken only where it is clearly ahead. A recall of 0 or 1 counts as certain,
// however few labeled positives were held out.
//
// The standard error is what keeps chance out: with 100 labeled positives held out the higher criterion alone takes the worse classifier in
// two of three runs on CIFAR-I, for one and a half points. The notebook without-prior sets both beside each other.
//
// Source: W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", 2003, and the rule of one
// standard error of L. Breiman and others, "Classification and Regression Trees", 1984.
func (c *CrossFitted) Best() *CrossFitted {
	if c.First == nil || c.HeldOut == nil || c.First.HeldOut == nil {
		return c
	}
	first, firstVariance := c.First.logLeeLiu()
	second, secondVariance := c.logLeeLiu()
	if first > second+math.Sqrt(firstVariance+secondVariance) {
		return c.First
	}
	return c
}

// logLeeLiu returns the logarithm of the Lee–Liu criterion, and its variance by chance, as of two shares that are counted apart; −∞ where no
// labeled positive is recalled, or nothing of the population called positive.
func (c *CrossFitted) logLeeLiu() (value, variance float64) {
	s := c.HeldOut
	if s.Recall == 0 || s.Predicted == 0 {
		return math.Inf(-1), 0
	}
	population := s.Unlabeled
	if c.singleDataset {
		population += s.Labeled
	}
	of := func(share float64, n int) float64 { return (1 - share) / (share * float64(n)) } // the variance of log(share)
	return 2*math.Log(s.Recall) - math.Log(s.Predicted), 4*of(s.Recall, s.Labeled) + of(s.Predicted, population)
}

// judge scores the classifier on examples that nothing learned from.
func (c *CrossFitted) judge(eng *engine.Engine, held Data, config evaluate.ScoreConfig) error {
	scores, err := score(eng, c.Classifier, held)
	if err != nil {
		return fmt.Errorf("scoring HeldOut: %w", err)
	}
	pu, err := evaluate.ScorePU(scores, held.labeled(), 0, config)
	if err != nil {
		return fmt.Errorf("HeldOut: %w", err)
	}
	c.HeldOut, c.singleDataset = &pu, config.SingleDataset
	return nil
}

// score returns the mean logit of each example.
func score(eng *engine.Engine, c classify.Ensemble, data Data) ([]float64, error) {
	if features, ok := data.(Features); ok {
		return c.ScoresOfFeatures(eng, features.X)
	}
	pixels, err := data.pixels()
	if err != nil {
		return nil, err
	}
	return c.Scores(eng, pixels)
}

// checkHeldOut returns the examples that are held out of data, nil for none, as Images or Features, or an error if they cannot be scored by config.
func checkHeldOut(data, held Data, config evaluate.ScoreConfig) (Data, error) {
	if held == nil {
		return nil, nil
	}
	held, err := checkStages(held, Config{})
	if err == nil { // what is wrong with config is so whatever the scores
		_, err = evaluate.ScorePU(make([]float64, len(held.labeled())), held.labeled(), 0, config)
	}
	if err != nil {
		return nil, fmt.Errorf("HeldOut: %w", err)
	}
	switch d := data.(type) {
	case Images:
		h, ok := held.(Images)
		if !ok {
			return nil, errors.New("HeldOut are rows of features, and the data are images; hold images out")
		}
		a, b, c := d.Images.Shape()
		if x, y, z := h.Images.Shape(); [3]int{a, b, c} != [3]int{x, y, z} {
			return nil, fmt.Errorf("HeldOut are images of %d×%d×%d (height×width×channels), and the data of %d×%d×%d; both must be of one size",
				x, y, z, a, b, c)
		}
	case Features:
		h, ok := held.(Features)
		if !ok {
			return nil, errors.New("HeldOut are images, and the data are rows of features; hold rows out")
		}
		_, want := d.X.Dims()
		if _, columns := h.X.Dims(); columns != want {
			return nil, fmt.Errorf("HeldOut are rows of %d features, and the data of %d; both must have the same columns", columns, want)
		}
	}
	return held, nil
}
