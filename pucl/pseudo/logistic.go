package pseudo

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/puclab/puclab/pucl/internal/spans"
)

// classifier holds the weights of a linear classifier, and the bias last.
type classifier []float64

// logit returns the logit of a row; it is above 0 for predicted positives.
func (c classifier) logit(row []float64) float64 {
	return floats.Dot(c[:len(row)], row) + c[len(row)]
}

// penalty is the coefficient of ‖weights‖²/2 beside the mean cross-entropy. Among 10⁻⁴, 10⁻³, 10⁻² and 10⁻¹ it best
// ranked labeled above unlabeled rows, out of fold, on three embeddings of Fashion-MNIST; that test needs no negatives.
const penalty = 0.01

// fit returns the classifier of the rows of x at index that minimizes the penalized mean cross-entropy of labels, one
// per row of index. If balanced is true, true and false labels each have half the weight, so that the penalty does not
// depend on the number of labels. Both labels must occur.
//
// The penalty makes the minimum unique, and L-BFGS finds it.
func fit(x *mat.Dense, index []int, labels []bool, balanced bool) (classifier, error) {
	_, k := x.Dims()
	p := &logistic{x: x, index: index, labels: labels, gradient: make([]float64, k+1)}
	of := [2]float64{float64(len(labels)), float64(len(labels))} // rows with false and with true labels
	if balanced {
		positives := float64(count(labels))
		of = [2]float64{2 * (of[0] - positives), 2 * positives}
	}
	p.weight = [2]float64{1 / of[0], 1 / of[1]}
	problem := optimize.Problem{
		Func: func(c []float64) float64 { p.evaluate(c); return p.loss },
		Grad: func(gradient, c []float64) { p.evaluate(c); copy(gradient, p.gradient) },
	}
	result, err := optimize.Minimize(problem, make([]float64, k+1), &optimize.Settings{GradientThreshold: 1e-5}, &optimize.LBFGS{})
	if err != nil {
		return nil, fmt.Errorf("pseudo: a classifier of %d rows: %w", len(index), err)
	}
	return result.X, nil
}

// logistic is the problem that [fit] solves, with loss and gradient at the last classifier.
type logistic struct {
	x      *mat.Dense
	index  []int
	labels []bool
	weight [2]float64 // of a row with a false label and with a true one

	at       classifier
	loss     float64
	gradient []float64
}

// evaluate computes loss and gradient at c, once for consecutive calls with the same c.
func (p *logistic) evaluate(c classifier) {
	if slices.Equal(p.at, c) {
		return
	}
	p.at = append(p.at[:0], c...)
	k := len(c) - 1
	losses, gradients := make([]float64, spans.Count(len(p.index))), make([][]float64, spans.Count(len(p.index)))
	spans.Each(len(p.index), func(span, first, end int) {
		gradient := make([]float64, k+1)
		for i := first; i < end; i++ {
			row, sign, weight := p.x.RawRowView(p.index[i]), -1.0, p.weight[0]
			if p.labels[i] {
				sign, weight = 1, p.weight[1]
			}
			margin := sign * c.logit(row)
			miss := 1 / (1 + math.Exp(margin)) // the probability of the other label
			losses[span] += weight * (max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin))))
			floats.AddScaled(gradient[:k], -sign*weight*miss, row)
			gradient[k] -= sign * weight * miss
		}
		gradients[span] = gradient
	})
	w := c[:k]
	p.loss = floats.Sum(losses) + penalty/2*floats.Dot(w, w)
	floats.ScaleTo(p.gradient[:k], penalty, w)
	p.gradient[k] = 0
	for _, gradient := range gradients {
		floats.Add(p.gradient, gradient)
	}
}
