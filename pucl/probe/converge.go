package probe

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/puclab/puclab/pucl/internal/spans"
)

// Constants of the stopping rule, see [Config]. The tests measure that the remaining gap is less than a thousandth of
// the objective.
const (
	tolerance     = 1e-4 // of the objective
	leastScale    = 1e-3 // nats; a smaller objective counts as this much
	leastL2       = 1e-5 // a smaller penalty counts as this much
	leastProgress = 1e-6 // of the objective, over patience iterations
	patience      = 50
	maxIterations = 10_000
)

// lossOf returns the loss of logits [n, outputs], concatenated, and stores its derivatives by the logits in slopes.
type lossOf func(slopes, logits []float64) (float64, error)

// objective is the loss over all rows plus the penalty, in float64. It caches value and gradient at the last
// parameters.
type objective struct {
	flat    []float32 // rows [n, k], standardized
	k       int
	outputs int
	l2      float64
	loss    lossOf

	logits, slopes []float64 // [n, outputs]
	at, gradient   []float64 // [outputs, k+1], the bias last
	value          float64
	failed         error
}

func newObjective(flat []float32, k, outputs int, l2 float64, loss lossOf) *objective {
	n := len(flat) / k
	return &objective{flat: flat, k: k, outputs: outputs, l2: l2, loss: loss,
		logits: make([]float64, n*outputs), slopes: make([]float64, n*outputs),
		gradient: make([]float64, outputs*(k+1))}
}

// rows calls work with the number and the entries, in float64, of every row, span by span.
func (o *objective) rows(work func(span, i int, row []float64)) {
	spans.Each(len(o.flat)/o.k, func(span, first, end int) {
		row := make([]float64, o.k)
		for i := first; i < end; i++ {
			for j, v := range o.flat[i*o.k : (i+1)*o.k] {
				row[j] = float64(v)
			}
			work(span, i, row)
		}
	})
}

// evaluate computes value and gradient at parameters p, once for consecutive calls with the same p.
func (o *objective) evaluate(p []float64) {
	if o.failed != nil || slices.Equal(o.at, p) {
		return
	}
	o.at = append(o.at[:0], p...)
	k, width := o.k, o.k+1
	o.rows(func(_, i int, row []float64) {
		for output := range o.outputs {
			w := p[output*width : (output+1)*width]
			o.logits[i*o.outputs+output] = floats.Dot(w[:k], row) + w[k]
		}
	})
	if o.value, o.failed = o.loss(o.slopes, o.logits); o.failed != nil {
		return
	}
	sums := make([][]float64, spans.Count(len(o.flat)/k))
	for span := range sums {
		sums[span] = make([]float64, len(p))
	}
	o.rows(func(span, i int, row []float64) {
		for output := range o.outputs {
			sum, slope := sums[span][output*width:(output+1)*width], o.slopes[i*o.outputs+output]
			floats.AddScaled(sum[:k], slope, row)
			sum[k] += slope
		}
	})
	clear(o.gradient)
	for _, sum := range sums {
		floats.Add(o.gradient, sum)
	}
	for output := range o.outputs {
		w := p[output*width : output*width+k]
		o.value += o.l2 / 2 * floats.Dot(w, w)
		floats.AddScaled(o.gradient[output*width:output*width+k], o.l2, w)
	}
	if size := floats.Norm(o.gradient, 2); math.IsNaN(o.value+size) || math.IsInf(o.value+size, 0) {
		o.failed = fmt.Errorf("the loss is %g and its gradient has the norm %g; "+
			"a risk without a lower bound needs a larger L2 than %g, or Epochs to end training earlier",
			o.value, size, o.l2)
	}
}

// stationary reports whether value and gradient satisfy the stopping rule.
func (o *objective) stationary(value float64, gradient []float64) bool {
	return floats.Dot(gradient, gradient) <= 2*max(o.l2, leastL2)*tolerance*max(math.Abs(value), leastScale)
}

// minimize returns the parameters at which L-BFGS stops, starting at p.
//
// A line search fails at a kink of the objective, such as the point where the non-negative risk starts to clip. L-BFGS
// is then restarted from there, along the gradient, until a restart makes no progress.
func (o *objective) minimize(p []float64) ([]float64, error) {
	problem := optimize.Problem{
		Func:   func(p []float64) float64 { o.evaluate(p); return o.value },
		Grad:   func(gradient, p []float64) { o.evaluate(p); copy(gradient, o.gradient) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, o.failed },
	}
	for left := maxIterations; left > 0; {
		o.evaluate(p)
		if o.failed != nil {
			return nil, o.failed
		}
		before := o.value
		settings := &optimize.Settings{MajorIterations: left, Converger: &stop{objective: o}}
		result, err := optimize.Minimize(problem, p, settings, &optimize.LBFGS{GradStopThreshold: math.NaN()})
		if o.failed != nil {
			return nil, o.failed
		}
		if result == nil {
			return nil, err
		}
		p, left = result.X, left-max(result.MajorIterations, 1)
		stuck := errors.Is(err, optimize.ErrLinesearcherFailure) || errors.Is(err, optimize.ErrNoProgress) ||
			errors.Is(err, optimize.ErrNonDescentDirection)
		switch {
		case err != nil && !stuck:
			return nil, err
		case result.Status == optimize.GradientThreshold || result.Status == optimize.FunctionConvergence,
			stuck && !progress(before, result.F):
			return p, nil
		}
	}
	o.evaluate(p)
	return nil, fmt.Errorf("after %d iterations the gradient still has the norm %g, at an objective of %g; "+
		"a larger L2 than %g makes the minimum easier to reach, and Epochs ends training earlier",
		maxIterations, floats.Norm(o.gradient, 2), o.value, o.l2)
}

// progress reports whether an objective has decreased noticeably.
func progress(before, after float64) bool {
	return before-after > leastProgress*max(math.Abs(after), leastScale)
}

// stop is the [optimize.Converger] of the stopping rule.
type stop struct {
	*objective
	best float64 // at the last progress
	idle int     // iterations since then
}

// Init resets the best value.
func (s *stop) Init(int) { s.best = math.Inf(1) }

// Converged applies the stopping rule to an iterate.
func (s *stop) Converged(at *optimize.Location) optimize.Status {
	switch s.idle++; {
	case s.stationary(at.F, at.Gradient):
		return optimize.GradientThreshold
	case progress(s.best, at.F):
		s.best, s.idle = at.F, 0
	case s.idle >= patience:
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}

// classLoss returns the mean cross-entropy, in nats, of logits for the given number of classes.
func classLoss(labels []int, classes int) lossOf {
	n := len(labels)
	return func(slopes, logits []float64) (float64, error) {
		losses := make([]float64, spans.Count(n))
		spans.Each(n, func(span, first, end int) {
			for i := first; i < end; i++ {
				row, slope := logits[i*classes:(i+1)*classes], slopes[i*classes:(i+1)*classes]
				most, total := floats.Max(row), 0.0
				for c, logit := range row {
					slope[c] = math.Exp(logit - most)
					total += slope[c]
				}
				losses[span] += math.Log(total) + most - row[labels[i]]
				floats.Scale(1/(total*float64(n)), slope)
				slope[labels[i]] -= 1 / float64(n)
			}
		})
		return floats.Sum(losses) / float64(n), nil
	}
}
