package theory

import (
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/theory/internal/must"
)

// Question is the quantity that a [Search] maximizes: a number for each population and design. The functions below
// return the usual ones; any function of your own makes another.
type Question struct {
	Name string // name of the quantity, for the result: "bias of the loss of PUCL, τ = 0.5"
	Yes  string // the answer if a case exceeds the search's tolerance, for example "biased"; "" means "found"
	No   string // the answer if none does; "" means "not found"

	// Ask measures one case. It must neither change nor keep the population. A search compares the lower ends of the
	// intervals, to exclude chance; for an exact number that is the number itself.
	Ask func(Population, Design) (Number, error)

	// Again measures a case anew with random draws that Ask has not used; nil if Ask is deterministic. The largest of
	// many uncertain numbers is usually too large, so a search measures its last case again.
	Again func(Population, Design) (Number, error)
}

// answer measures one case, as [Question.Ask] does.
type answer = func(Population, Design) (Number, error)

// LossBias returns the question for |Result.Bias|, the absolute difference between the mean loss of m's objective and
// the ideal loss (3) with N = 2b − 2.
//
// The number is measured by [Meter.Exact] if draws is nil, and else by [Meter.MonteCarlo] with *draws, for batches too
// large to enumerate.
func LossBias(m *Meter, draws *Draws) Question {
	return biasQuestion("bias of the loss of "+m.title(), draws, m.asker(draws, func(r Result) Number { return r.Bias.Abs() }))
}

// AttractionBias returns the question for the absolute difference between the mean attraction of m's objective and the
// ideal one, E[s_ij] of two draws from the class of the anchor. draws works as in [LossBias].
func AttractionBias(m *Meter, draws *Draws) Question {
	ask := m.asker(draws, func(r Result) Number { return r.AttractionBias().Abs() })
	return biasQuestion("bias of the attraction of "+m.title(), draws, ask)
}

// GradientBias returns the question for the Euclidean length of the gradient bias of m's objective with respect to the
// points of the atoms. This bias is the gradient of the mean loss, [Meter.Gradient], minus the gradient of the ideal
// loss, [IdealGradient]. A longer point has a smaller gradient.
func GradientBias(m *Meter) Question {
	return biasQuestion("gradient bias of "+m.title(), nil, m.askGradientBias)
}

// ExtraVariance returns the question for the difference of the variances of two losses: Var(m) − Var(than), above 0 if
// m varies more. draws works as in [LossBias]; the two are measured on different draws.
func ExtraVariance(m, than *Meter, draws *Draws) Question {
	variance := func(r Result) Number { return r.Loss.Variance }
	ask, askThan := m.asker(draws, variance), than.asker(draws, variance)
	return extraQuestion("variance of the loss of ", m, than, draws,
		func(repeat uint64) answer { return ask(2 * repeat) }, func(repeat uint64) answer { return askThan(2*repeat + 1) })
}

// ExtraGradientBias returns the question for the gradient bias of m's objective, as in [GradientBias], minus the
// gradient bias of than's: above 0 if m has the larger bias.
func ExtraGradientBias(m, than *Meter) Question {
	return extraQuestion("gradient bias of ", m, than, nil, m.askGradientBias, than.askGradientBias)
}

// question returns the question with Ask = ask(0) and, if draws is not nil, Again = ask(1).
func question(name, yes, no string, draws *Draws, ask func(repeat uint64) answer) Question {
	q := Question{Name: name, Yes: yes, No: no, Ask: ask(0)}
	if draws != nil {
		q.Again = ask(1)
	}
	return q
}

// biasQuestion returns a question for a bias.
func biasQuestion(name string, draws *Draws, ask func(repeat uint64) answer) Question {
	return question(name, "biased", "unbiased on everything tried", draws, ask)
}

// extraQuestion returns the question for a number of m minus the same number of than.
func extraQuestion(what string, m, than *Meter, draws *Draws, ask, askThan func(repeat uint64) answer) Question {
	name := what + m.title() + " above that of " + than.title()
	return question(name, "larger", "never larger", draws, func(repeat uint64) answer {
		return func(p Population, d Design) (extra Number, err error) {
			defer must.Catch(&err)
			return must.Get(ask(repeat)(p, d)).Minus(must.Get(askThan(repeat)(p, d))), nil
		}
	})
}

// errNoMeter is the error of a question that was made without a meter.
var errNoMeter = errors.New("theory: a question without a meter; make one with NewMeter")

// asker returns a function that measures a number of the result of Exact, or of MonteCarlo if draws is not nil; another
// repeat uses other draws.
func (m *Meter) asker(draws *Draws, number func(Result) Number) func(repeat uint64) answer {
	return func(repeat uint64) answer {
		return func(p Population, d Design) (Number, error) {
			if m == nil {
				return Number{}, errNoMeter
			}
			if draws == nil {
				r, err := m.Exact(p, d)
				return number(r), err
			}
			c := *draws
			c.Seed += repeat
			r, err := m.MonteCarlo(p, d, c)
			return number(r), err
		}
	}
}

func (m *Meter) askGradientBias(uint64) answer {
	return func(p Population, d Design) (Number, error) {
		if m == nil {
			return Number{}, errNoMeter
		}
		bias, err := m.GradientBias(p, d)
		return Exactly(bias), err
	}
}

// title names the objective and the temperature.
func (m *Meter) title() string {
	if m == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s, τ = %g", m.objective.Name, m.tau)
}

// Abs returns the absolute value. Its interval starts at 0 if the interval of n contains 0, and is NaN if that of n is.
func (n Number) Abs() Number {
	switch {
	case n.Low > 0:
		return n
	case n.High < 0:
		return Number{-n.Value, -n.High, -n.Low}
	}
	low, high := 0.0, max(-n.Low, n.High)
	if math.IsNaN(high) {
		low = high
	}
	return Number{max(n.Value, -n.Value), low, high}
}
