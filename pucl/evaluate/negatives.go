package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/pucl/rows"
)

// NegativesConfig sets how negatives are drawn and corrected. The zero value draws batches of 256 at τ = 0.5 and
// applies no correction.
type NegativesConfig struct {
	Tau       float64 // temperature; 0 means 0.5
	TauPlus   float64 // τ⁺ of the correction, from 0 to below 1
	Positives int     // M, number of the anchor's other views in the correction; 0 means all
	Batch     int     // b, batch size, with the anchor; 0 means 256, at most all examples
	Anchors   int     // number of anchors, spread evenly over all examples; 0 means 256
	Draws     int     // batches for each anchor; 0 means 32
	Seed      uint64
}

// Negatives holds the errors of an anchor that treats all other examples of a batch as negatives. The target is the
// mean of exp s over examples of other classes. The plain estimate is the mean over all other examples, as in the
// self-supervised loss. The corrected estimate is that of debiased contrastive learning, from the anchor's other views:
//
//	g = max{ (mean over all − τ⁺ · mean over M own views) / (1−τ⁺), e^(−1/τ) }.
//
// The target is computed over all given examples of other classes. Bias and deviation are relative to it.
type Negatives struct {
	False     float64        // share of the drawn negatives in the anchor's class
	Clipped   float64        // share of the corrected estimates at the floor e^(−1/τ)
	Plain     EstimatorError // the mean over all negatives
	Corrected EstimatorError // g
}

// EstimatorError is the error of an estimate of a positive number over draws of batches, relative to that number,
// averaged over anchors.
type EstimatorError struct {
	Bias      float64 // mean of the estimate minus the true value
	Deviation float64 // standard deviation over draws
}

// MeasureNegatives measures embeddings of examples with known true classes. The argument views holds two or more views,
// each [n, d] row by row, of any scale. A batch is drawn as in training: the anchor in the first view, and b−1 other
// examples in all views.
//
// It is an error if views differ in shape or are not finite, if only one class occurs, or if the configuration does not
// fit.
//
// Source: C.-Y. Chuang et al., "Debiased Contrastive Learning" (2020), equations (6) and (7).
func MeasureNegatives(views []*mat.Dense, classes []int, config NegativesConfig) (Negatives, error) {
	c := config
	c.Tau, c.Batch, c.Anchors, c.Draws = cmp.Or(c.Tau, 0.5), cmp.Or(c.Batch, 256), cmp.Or(c.Anchors, 256), cmp.Or(c.Draws, 32)
	unit, err := c.check(views, classes)
	if err != nil {
		return Negatives{}, err
	}
	n := len(classes)
	c.Batch, c.Anchors, c.Positives = min(c.Batch, n), min(c.Anchors, n), cmp.Or(c.Positives, len(views)-1)
	rng := rand.New(rand.NewPCG(c.Seed, 0x6e6567))
	var all Negatives
	for a := range c.Anchors {
		one := c.measure(unit, classes, a*n/c.Anchors, rng)
		all.False += one.False / float64(c.Anchors)
		all.Clipped += one.Clipped / float64(c.Anchors)
		all.Plain.add(one.Plain, c.Anchors)
		all.Corrected.add(one.Corrected, c.Anchors)
	}
	return all, nil
}

func (e *EstimatorError) add(one EstimatorError, of int) {
	e.Bias += one.Bias / float64(of)
	e.Deviation += one.Deviation / float64(of)
}

// check returns the views with rows of length one, or an error about the views or the configuration.
func (c NegativesConfig) check(views []*mat.Dense, classes []int) (unit []*mat.Dense, err error) {
	switch {
	case len(views) < 2:
		return nil, fmt.Errorf("evaluate: %d views of the examples; an anchor needs another view that stands for its class: give two or more", len(views))
	case !(c.Tau >= 1./300) || math.IsInf(c.Tau, 1): // bounds squares of sums of e^(1/τ)
		return nil, fmt.Errorf("evaluate: temperature τ = %g; it divides the similarities and must be 1/300 or more", c.Tau)
	case !(c.TauPlus >= 0 && c.TauPlus < 1):
		return nil, fmt.Errorf("evaluate: τ⁺ = %g; it is the chance to meet the anchor's own class and must lie from 0 to below 1", c.TauPlus)
	case c.Positives < 0 || c.Positives > len(views)-1:
		return nil, fmt.Errorf("evaluate: M = %d positives; of %d views %d stand for the class of an anchor (0 takes all there are)",
			c.Positives, len(views), len(views)-1)
	case c.Batch < 2 || c.Anchors < 1 || c.Draws < 2:
		return nil, fmt.Errorf("evaluate: batches of %d, %d anchors, %d draws; a batch needs 2 examples or more, and a deviation 2 draws or more "+
			"(0 means the default of each)", c.Batch, c.Anchors, c.Draws)
	}
	for i, view := range views {
		if view == nil {
			return nil, fmt.Errorf("evaluate: view %d is nil; give embeddings of the same examples as the others", i)
		}
		n, d := view.Dims()
		first, of := views[0].Dims()
		if n != first || d != of || n != len(classes) {
			return nil, fmt.Errorf("evaluate: view %d is of %d×%d, view 0 of %d×%d, and there are %d classes; give a row of each view and a class for "+
				"every example", i, n, d, first, of, len(classes))
		}
		u, err := unitRows(view)
		if err != nil {
			return nil, fmt.Errorf("evaluate: view %d: %w", i, err)
		}
		unit = append(unit, u)
	}
	for _, class := range classes {
		if class != classes[0] {
			return unit, nil
		}
	}
	return nil, errors.New("evaluate: all examples are of one class, so that no negative is a true one; give examples of two classes or more")
}

// measure measures one anchor.
func (c NegativesConfig) measure(unit []*mat.Dense, classes []int, anchor int, rng *rand.Rand) (out Negatives) {
	n, m := len(classes), float64(len(unit))
	own := unit[0].RowView(anchor)
	each := make([]float64, n) // mean over views of exp s
	column := mat.NewVecDense(n, nil)
	positive := 0.0
	for v, view := range unit {
		column.MulVec(view, own)
		for j, cosine := range column.RawVector().Data {
			each[j] += math.Exp(cosine/c.Tau) / m
		}
		if v >= 1 && v <= c.Positives {
			positive += math.Exp(column.AtVec(anchor)/c.Tau) / float64(c.Positives)
		}
	}
	truth, others := 0.0, 0.0
	for j, class := range classes {
		if class != classes[anchor] {
			truth, others = truth+each[j], others+1
		}
	}
	truth /= others

	floor := math.Exp(-1 / c.Tau)
	plain, corrected := make([]float64, c.Draws), make([]float64, c.Draws)
	rest := rows.All(n)
	rest[anchor], rest[n-1] = rest[n-1], rest[anchor]
	for draw := range c.Draws {
		for i := range c.Batch - 1 { // partial Fisher–Yates shuffle
			j := i + rng.IntN(n-1-i)
			rest[i], rest[j] = rest[j], rest[i]
			plain[draw] += each[rest[i]] / float64(c.Batch-1)
			if classes[rest[i]] == classes[anchor] {
				out.False += 1 / float64((c.Batch-1)*c.Draws)
			}
		}
		g := (plain[draw] - c.TauPlus*positive) / (1 - c.TauPlus)
		if g <= floor {
			out.Clipped += 1 / float64(c.Draws)
		}
		corrected[draw] = max(g, floor)
	}
	out.Plain, out.Corrected = estimated(plain, truth), estimated(corrected, truth)
	return out
}

// estimated returns the bias and deviation of estimates relative to truth.
func estimated(estimates []float64, truth float64) EstimatorError {
	return EstimatorError{Bias: floats.Sum(estimates)/float64(len(estimates))/truth - 1, Deviation: stat.PopStdDev(estimates, nil) / truth}
}

// String returns all measures in percent.
func (n Negatives) String() string {
	return fmt.Sprintf("%s of the negatives are false; estimates of the mean over true ones: plain %s, corrected %s with %s on the floor",
		percent(n.False), n.Plain, n.Corrected, percent(n.Clipped))
}

// String returns bias and deviation in percent.
func (e EstimatorError) String() string {
	return fmt.Sprintf("%+.1f%% ± %.1f%%", 100*e.Bias, 100*e.Deviation)
}
