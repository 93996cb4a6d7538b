package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/rows"
)

// Reliability compares predicted probabilities with the share of positives, in bins of examples with similar
// probabilities, in ascending order. For calibrated probabilities Mean and Positive agree in every bin.
type Reliability []ReliabilityBin

// ReliabilityBin is a bin of a [Reliability].
type ReliabilityBin struct {
	Mean     float64 // mean probability of the population's examples in the bin
	Positive float64 // share of positives in the bin; without negatives the estimate may exceed 1
	Error    float64 // standard error of Positive; if none or all are positive, the effect of one example
	Share    float64 // of the population in the bin
}

// MeasureReliability compares probabilities with the true classes in the given number of bins of about equal size; 0
// means 10. Equal probabilities fall into one bin, so that there may be fewer bins. It is an error if there are no
// probabilities, or if one is not from 0 to 1.
func MeasureReliability(probabilities []float64, truth []bool, bins int) (Reliability, error) {
	if err := checkProbabilities(probabilities, len(truth)); err != nil {
		return nil, err
	}
	of, err := binned(probabilities, bins)
	if err != nil {
		return nil, err
	}
	var out Reliability
	for _, index := range of {
		b := newBin(probabilities, index, len(probabilities))
		for _, i := range index {
			if truth[i] {
				b.Positive++
			}
		}
		n := float64(len(index))
		b.Positive /= n
		if b.Positive > 0 && b.Positive < 1 {
			b.Error = math.Sqrt(b.Positive * (1 - b.Positive) / n)
		} else { // the effect of one example of the other class
			b.Error = 1 / n
		}
		out = append(out, b)
	}
	return out, nil
}

// MeasureReliabilityPU is [MeasureReliability] from held-out labeled positives and unlabeled examples. A bin with a
// share u of the population and a share a of the labeled positives has a share π·a/u of positives, by Bayes' rule. The
// class prior must be given; a relative error in it is the same in every bin. Package prior estimates it. For classes
// three standard deviations apart and 2,000 labeled positives, the bins then lie within 0.02 plus Error of the truth.
// The labeled positives must be a random sample of the positives.
//
// It is an error if a probability is not from 0 to 1, if the prior is not above 0 and below 1, or if there are no labeled positives or no
// unlabeled examples.
func MeasureReliabilityPU(probabilities []float64, labeled []bool, config ScoreConfig, bins int) (Reliability, error) {
	if err := checkProbabilities(probabilities, len(labeled)); err != nil {
		return nil, err
	}
	if !(config.Prior > 0 && config.Prior < 1) {
		return nil, fmt.Errorf("evaluate: class prior %g, from which follows how many are positive in a bin; give it, or an estimate of it, above 0 "+
			"and below 1", config.Prior)
	}
	if _, err := ScorePU(probabilities, labeled, 0.5, config); err != nil {
		return nil, err
	}
	positives, population := rows.Split(labeled)
	if config.SingleDataset {
		population = rows.All(len(labeled))
	}
	all := rows.Pick(probabilities, population)
	of, err := binned(all, bins)
	if err != nil {
		return nil, err
	}
	var out Reliability
	below := math.Inf(-1)
	for i, index := range of {
		b := newBin(all, index, len(all))
		top := all[index[len(index)-1]]
		if i == len(of)-1 {
			top = math.Inf(1)
		}
		inside := 0.0
		for _, j := range positives {
			if p := probabilities[j]; p > below && p <= top {
				inside++
			}
		}
		below = top
		a, n := inside/float64(len(positives)), float64(len(index))
		b.Positive = config.Prior * a / b.Share
		if inside > 0 {
			b.Error = b.Positive * math.Sqrt((1-a)/inside+(1-b.Share)/n)
		} else { // the effect of one labeled positive
			b.Error = config.Prior / float64(len(positives)) / b.Share
		}
		out = append(out, b)
	}
	return out, nil
}

// CalibrationError returns the expected calibration error: the mean of |Mean − Positive| over bins, weighted by Share.
// It is 0 for perfectly calibrated probabilities. Noise in small bins increases it.
func (r Reliability) CalibrationError() (sum float64) {
	for _, b := range r {
		sum += b.Share * math.Abs(b.Mean-b.Positive)
	}
	return sum
}

// binned returns the indices of the examples of each bin, in ascending order of their probabilities.
func binned(probabilities []float64, bins int) (of [][]int, err error) {
	if bins = cmp.Or(bins, 10); bins < 1 {
		return nil, fmt.Errorf("evaluate: %d bins; give 1 or more, or 0 for 10", bins)
	}
	order := rows.All(len(probabilities))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	first := 0
	bins = min(bins, len(order))
	for bin := 1; bin <= bins; bin++ {
		end := bin * len(order) / bins
		if end <= first {
			continue // a tie has put all of it into an earlier bin
		}
		for end < len(order) && probabilities[order[end]] == probabilities[order[end-1]] {
			end++
		}
		of = append(of, order[first:end])
		first = end
	}
	return of, nil
}

// newBin returns a bin with all fields except Positive and Error.
func newBin(probabilities []float64, index []int, population int) (b ReliabilityBin) {
	for _, i := range index {
		b.Mean += probabilities[i]
	}
	b.Mean /= float64(len(index))
	b.Share = float64(len(index)) / float64(population)
	return b
}

// checkProbabilities returns an error unless there are n probabilities, at least one.
func checkProbabilities(probabilities []float64, n int) error {
	for i, p := range probabilities {
		if math.IsNaN(p) {
			return fmt.Errorf("evaluate: the probability of example %d is NaN; leave such examples out, or train again: did training diverge?", i)
		}
		if p < 0 || p > 1 {
			return fmt.Errorf("evaluate: the probability of example %d is %g; give probabilities, 1/(1+e^−t) of a logit t", i, p)
		}
	}
	return checkScores(probabilities, n)
}
