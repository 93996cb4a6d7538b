package evaluate

import (
	"fmt"
	"math"
)

// ScoreConfig says what is known of held-out PU data. The zero value knows no class prior and takes the unlabeled examples for
// a sample of all data.
type ScoreConfig struct {
	// Prior is the class prior π, above 0 and below 1: in the case-control settings the share of positives among the
	// unlabeled examples, in the single-dataset setting that among all examples, labeled and not. 0 means unknown, which
	// leaves the measures that need it undefined.
	Prior float64

	// SingleDataset says that the labeled positives were taken out of the one sample that there is, so that the labeled and
	// the unlabeled examples together are a sample of all data. Otherwise, case-control, the unlabeled ones alone are.
	SingleDataset bool
}

// PU measures how good scores look to somebody who knows labeled positives but not one negative: held-out examples, none of which
// was trained on. Under the assumption that labeled positives are positives drawn at random, its measures estimate or
// order what the true classes would tell.
type PU struct {
	Recall    float64 // share of the labeled positives predicted positive: an estimate of the true recall
	Predicted float64 // share of the population predicted positive; see ScoreConfig.SingleDataset for what the population is
	ProxyAUC  float64 // [AUC] of labeled positives against unlabeled examples, as if these were negatives
	Prior     float64 // π as in ScoreConfig, 0 where unknown
	Labeled   int     // labeled positives held out
	Unlabeled int     // unlabeled examples held out
	Constant  bool    // every score is the same, but for rounding

	// UnlabeledPrior is the share of positives among the unlabeled, 0 where π is not known. It is π itself in the case-control
	// settings and below it in the single-dataset setting.
	UnlabeledPrior float64

	// Below tells of every labeled positive how many unlabeled examples have a lower score, one of the same score counting half, in
	// ascending order: what a measure wants to know which looks at the order of scores alone. How many have the same score is not kept, so
	// that with many ties prior.BBEOfOrder may be too low.
	Below Counts

	// Losses are means of the sigmoid loss ℓ(t) = 1/(1+e^t), t being a score less the threshold; they mean something for logits.
	Losses Losses
}

// Losses are means over examples of the losses of calling them positive, ℓ(t), or negative, ℓ(−t).
type Losses struct {
	Positive            float64 // of calling labeled positives positive
	PositiveAsNegative  float64 // of calling labeled positives negative
	UnlabeledAsNegative float64 // of calling the population's examples negative, see ScoreConfig.SingleDataset
}

// ScorePU measures scores on held-out PU data, labeled marking the labeled positives; an example is predicted positive where
// its score is above threshold: 0 for logits, 0.5 for probabilities. Both kinds must occur, and a prior that is given must
// leave some unlabeled negatives.
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
		Constant:       constant(scores),
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
			// Of the n examples π·n are positive, and the labeled ones among them are gone from the unlabeled.
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
		if s != threshold { // which may both be infinite
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

// Risk returns the non-negative risk of the sigmoid loss, lower being better, NaN where the prior is not known:
//
//	π·E_P[ℓ(t)] + max(0, E_U[ℓ(−t)] − π·E_P[ℓ(−t)])
//
// It differs from 1 − [PU.ProxyAccuracy] by looking at how sure the scores are, and so depends on their scale.
//
// Source: R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, "Positive-Unlabeled Learning with Non-Negative Risk Estimator"
// (2017), Equation (6).
func (s PU) Risk() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return s.Prior*s.Losses.Positive + max(0, s.Losses.UnlabeledAsNegative-s.Prior*s.Losses.PositiveAsNegative)
}

// ProxyAccuracy returns the accuracy as far as PU data show it, NaN where the prior is not known:
//
//	2π·recall + (1 − predicted) − π
//
// Its expectation is the true accuracy: the unlabeled examples predicted negative are π(1−recall) + (1−π)·specificity of
// all. Noise can carry it below 0 or above 1. The source leaves out −π, which changes no order. In the single-dataset
// setting the population is labeled and unlabeled examples together; the code published with the source counts the labeled
// ones otherwise there, so that its numbers are not this accuracy plus π.
//
// Source: W. Wang, D.-D. Wu, M. Li, J. Zhang, G. Niu and M. Sugiyama, "Accessible, Realistic, and Fair Evaluation of
// Positive-Unlabeled Learning Algorithms" (2025), arXiv 2509.24228.
func (s PU) ProxyAccuracy() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return 2*s.Prior*s.Recall + (1 - s.Predicted) - s.Prior
}

// AUC returns [PU.ProxyAUC] corrected for the positives among the unlabeled, an estimate of the true AUC; NaN where the prior is
// not known. A positive beats a share π_u of the unlabeled, the positives, half the time, so that
//
//	ProxyAUC = π_u/2 + (1−π_u)·AUC
//
// Noise can carry it above 1.
//
// Source: S. Jain, M. White and P. Radivojac, "Recovering True Classifier Performance in Positive-Unlabeled Learning"
// (2017), arXiv 1702.00518.
func (s PU) AUC() float64 {
	if s.Prior == 0 {
		return math.NaN()
	}
	return (s.ProxyAUC - s.UnlabeledPrior/2) / (1 - s.UnlabeledPrior)
}

// LeeLiu returns recall² divided by the share predicted positive, an estimate of precision·recall/π: it orders classifiers
// without knowing π, is 1 for "always positive", and 1/π at best. NaN where nothing of the population is predicted positive:
// a labeled positive that lies beside the population, as in case-control, does not help it. [ByLeeLiu] is 0 there.
//
// Source: W. S. Lee and B. Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression" (2003).
func (s PU) LeeLiu() float64 {
	if s.Predicted == 0 {
		return math.NaN()
	}
	return s.Recall * s.Recall / s.Predicted
}

// Degeneracy returns how the classifier is degenerate: all its scores are the same, or at least all its predictions.
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

// String gives all measures, says that they know no negatives, and says so where the classifier is degenerate.
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
