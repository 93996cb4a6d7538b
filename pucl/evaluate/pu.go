package evaluate

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl/rows"
)

// ScoreConfig holds the known facts about held-out PU data. The zero value means an unknown class prior and unlabeled
// examples that are a sample of all data.
type ScoreConfig struct {
	// Prior is the class prior π, above 0 and below 1: in the case-control settings the share of positives among the
	// unlabeled examples, in the single-dataset setting their share among all examples. 0 means unknown; the measures
	// that need it are then undefined.
	Prior float64

	// SingleDataset states that the labeled positives were taken out of the only sample, so that labeled and unlabeled
	// examples together are a sample of all data. Otherwise (case-control) the unlabeled examples alone are.
	SingleDataset bool
}

// PU holds measures of scores on held-out labeled positives and unlabeled examples, none of which was used for
// training. If labeled positives are a random sample of the positives, the measures estimate or rank the measures with
// true classes.
type PU struct {
	Recall    float64 // share of labeled positives predicted positive; estimates the recall
	Predicted float64 // share of the population predicted positive; ScoreConfig.SingleDataset defines the population
	ProxyAUC  float64 // [AUC] of labeled positives against unlabeled examples as negatives
	Prior     float64 // π as in ScoreConfig; 0 if unknown
	Labeled   int     // labeled positives held out
	Unlabeled int     // unlabeled examples held out
	Constant  bool    // all scores are equal up to rounding

	// UnlabeledPrior is the share of positives among the unlabeled examples; 0 if π is unknown. It equals π in the
	// case-control settings and is below π in the single-dataset setting.
	UnlabeledPrior float64

	// Below holds, for every labeled positive, the number of unlabeled examples with a lower score, in ascending order.
	// An equal score counts half. Measures that depend only on the order of scores use it. It does not record ties, so
	// prior.BBEOfOrder may be too low with many ties.
	Below Counts

	// Losses holds means of the sigmoid loss ℓ(t) = 1/(1+e^t), where t is a score minus the threshold; they are
	// meaningful for logits.
	Losses Losses
}

// Losses holds means over examples of the losses of predicting positive, ℓ(t), or negative, ℓ(−t).
type Losses struct {
	Positive            float64 // of labeled positives as positive
	PositiveAsNegative  float64 // of labeled positives as negative
	UnlabeledAsNegative float64 // of the population (see ScoreConfig.SingleDataset) as negative
}

// ScorePU measures scores on held-out PU data; labeled is the mask of labeled positives. An example is predicted
// positive if its score is above threshold: 0 for logits, 0.5 for probabilities. Both kinds of examples must occur. A
// given prior must leave some unlabeled negatives.
func ScorePU(scores []float64, labeled []bool, threshold float64, config ScoreConfig) (PU, error) {
	predicted, err := above(scores, len(labeled), threshold)
	if err != nil {
		return PU{}, err
	}
	if !(config.Prior >= 0 && config.Prior < 1) {
		return PU{}, fmt.Errorf("evaluate: class prior %g; it must be above 0 and below 1, or 0 where it is not known", config.Prior)
	}
	c, err := Count(predicted, labeled)
	if err != nil {
		return PU{}, err
	}
	s := PU{
		Recall:         c.Recall(),
		Prior:          config.Prior,
		Labeled:        c.TruePositive + c.FalseNegative,
		Unlabeled:      c.FalsePositive + c.TrueNegative,
		Constant:       rows.Constant(scores),
		UnlabeledPrior: config.Prior,
	}
	if s.Labeled == 0 || s.Unlabeled == 0 {
		return PU{}, fmt.Errorf("evaluate: %d labeled positives and %d unlabeled examples; at least one of each must be held out",
			s.Labeled, s.Unlabeled)
	}
	s.Predicted = share(c.FalsePositive, s.Unlabeled)
	s.Losses = lossesOf(scores, labeled, threshold, config.SingleDataset)
	if config.SingleDataset {
		s.Predicted = c.Predicted()
		if s.Prior > 0 {
			// π·n of the n examples are positive. The labeled ones are not among the unlabeled.
			positives := s.Prior*float64(c.N()) - float64(s.Labeled)
			if s.UnlabeledPrior = positives / float64(s.Unlabeled); s.UnlabeledPrior < 0 {
				return PU{}, fmt.Errorf("evaluate: %d of %d examples are labeled positives, more than the class prior %g allows; "+
					"is it the prior of all examples, and are the data single-dataset?", s.Labeled, c.N(), s.Prior)
			}
		}
	}
	s.Below = below(scores, labeled)
	s.ProxyAUC = s.Below.auc(s.Unlabeled)
	return s, nil
}

// lossesOf returns the mean losses of scores.
func lossesOf(scores []float64, labeled []bool, threshold float64, singleDataset bool) (l Losses) {
	var labels, population float64
	for i, s := range scores {
		asPositive := 0.5
		if s != threshold { // both may be infinite
			asPositive = 1 / (1 + math.Exp(s-threshold))
		}
		if labeled[i] {
			labels++
			l.Positive += asPositive
			l.PositiveAsNegative += 1 - asPositive
		}
		if !labeled[i] || singleDataset {
			population++
			l.UnlabeledAsNegative += 1 - asPositive
		}
	}
	l.Positive, l.PositiveAsNegative, l.UnlabeledAsNegative = l.Positive/labels, l.PositiveAsNegative/labels, l.UnlabeledAsNegative/population
	return l
}

// Risk returns the non-negative risk of the sigmoid loss; lower is better, NaN if the prior is unknown:
//
//	π·E_P[ℓ(t)] + max(0, E_U[ℓ(−t)] − π·E_P[ℓ(−t)])
//
// Unlike 1 − [PU.ProxyAccuracy], it depends on the margin of the scores and so on their scale.
//
// Source: R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, "Positive-Unlabeled Learning with Non-Negative Risk Estimator"
// (2017), Equation (6).
func (s PU) Risk() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return s.Prior*s.Losses.Positive + max(0, s.Losses.UnlabeledAsNegative-s.Prior*s.Losses.PositiveAsNegative)
}

// ProxyAccuracy returns an unbiased estimate of the accuracy from PU data; NaN if the prior is unknown:
//
//	2π·recall + (1 − predicted) − π
//
// Its expectation is the true accuracy: the predicted negatives are a share π(1−recall) + (1−π)·specificity of the
// population. Noise can push it below 0 or above 1. The source omits −π, which does not change the order. In the
// single-dataset setting the population is labeled and unlabeled examples together. The published code counts the
// labeled ones differently there, so its numbers are not this accuracy plus π.
//
// Source: W. Wang, D.-D. Wu, M. Li, J. Zhang, G. Niu and M. Sugiyama, "Accessible, Realistic, and Fair Evaluation of
// Positive-Unlabeled Learning Algorithms" (2025), arXiv 2509.24228.
func (s PU) ProxyAccuracy() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return 2*s.Prior*s.Recall + (1 - s.Predicted) - s.Prior
}

// AUC returns [PU.ProxyAUC] corrected for the positives among the unlabeled, an estimate of the true AUC; NaN if the
// prior is unknown. The share π_u of the unlabeled is positive, and a labeled positive ranks above half of that share,
// so that
//
//	ProxyAUC = π_u/2 + (1−π_u)·AUC
//
// Noise can push it above 1.
//
// Source: S. Jain, M. White and P. Radivojac, "Recovering True Classifier Performance in Positive-Unlabeled Learning"
// (2017), arXiv 1702.00518.
func (s PU) AUC() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return (s.ProxyAUC - s.UnlabeledPrior/2) / (1 - s.UnlabeledPrior)
}

// LeeLiu returns recall² divided by the share predicted positive, an estimate of precision·recall/π. It ranks
// classifiers without π; it is 1 for "always positive" and 1/π at best. It is NaN if no example of the population is
// predicted positive, even if a case-control labeled positive is; [ByLeeLiu] is 0 there.
//
// Source: W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression" (2003).
func (s PU) LeeLiu() float64 {
	if s.Predicted == 0 {
		return math.NaN()
	}
	return s.Recall * s.Recall / s.Predicted
}

// Degeneracy returns the kind of degeneracy: all scores are equal, or else all predictions are equal.
func (s PU) Degeneracy() Degeneracy {
	switch {
	case s.Constant:
		return ConstantScore
	case s.Recall == 1 && s.Predicted == 1:
		return AllPositive
	case s.Recall == 0 && s.Predicted == 0:
		return AllNegative
	}
	return NotDegenerate
}

// Degenerate reports whether the classifier is degenerate in any way.
func (s PU) Degenerate() bool { return s.Degeneracy() != NotDegenerate }

// String returns all measures, the note that they use no negatives, and the degeneracy of a degenerate classifier.
func (s PU) String() string {
	leeLiu := "undefined"
	if l := s.LeeLiu(); !math.IsNaN(l) {
		leeLiu = fmt.Sprintf("%.3f", l)
	}
	text := fmt.Sprintf("without negatives (%d labeled, %d unlabeled): ", s.Labeled, s.Unlabeled)
	if s.Prior > 0 {
		text += fmt.Sprintf("proxy accuracy %s, AUC %s, ", percent(s.ProxyAccuracy()), percent(s.AUC()))
	}
	return text + fmt.Sprintf("proxy AUC %s, Lee–Liu %s, recall %s, predicted positive %s", percent(s.ProxyAUC), leeLiu,
		percent(s.Recall), percent(s.Predicted)) + s.Degeneracy().remark()
}
