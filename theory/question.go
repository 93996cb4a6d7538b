package theory

import (
	"errors"
	"fmt"
	"math"

	"github.com/puclab/puclab/theory/internal/must"
)

// Question is what a [Search] is after: a number that each population and design answers, wanted as large as it gets. The
// functions below make the usual ones; any function of your own makes another.
type Question struct {
	Name string // what is measured, for the result: "bias of the loss of PUCL, τ = 0.5"
	Yes  string // the answer where a case exceeds the search's tolerance, for example "biased"; "" means "found"
	No   string // the answer where none does; "" means "not found"

	// Ask measures one case. It must neither change nor keep the population. A search compares the lower ends of the
	// intervals, so that what may be chance does not count; for an exact number that is the number itself.
	Ask func(Population, Design) (Number, error)

	// Again measures a case anew, with random draws that Ask has not used; nil where Ask leaves nothing to chance. The
	// largest of many uncertain numbers is too large for the most part, so a search asks about its last case again.
	Again func(Population, Design) (Number, error)
}

// answer measures one case, as [Question.Ask] does.
type answer = func(Population, Design) (Number, error)

// LossBias asks how far the mean loss of m's objective lies from the ideal loss (3) with N = 2b − 2, in either direction:
// |Result.Bias|.
//
// It is measured by [Meter.Exact] where draws is nil, and by [Meter.MonteCarlo] with *draws else, for batches too large to
// be counted.
func LossBias(m *Meter, draws *Draws) Question {
	return biasQuestion("bias of the loss of "+m.title(), draws, m.asker(draws, func(r Result) Number { return r.Bias.Abs() }))
}

// AttractionBias asks how far the mean attraction of m's objective lies from that of the ideal loss, E[s_ij] of two draws
// from the class of the anchor, in either direction. The argument draws is that of [LossBias].
func AttractionBias(m *Meter, draws *Draws) Question {
	ask := m.asker(draws, func(r Result) Number { return r.AttractionBias().Abs() })
	return biasQuestion("bias of the attraction of "+m.title(), draws, ask)
}

// GradientBias asks for the Euclidean length of the gradient bias of m's objective with respect to the points of the atoms:
// the gradient of the mean loss, [Meter.Gradient], less that of the ideal loss, [IdealGradient]. A longer point has a
// smaller gradient.
func GradientBias(m *Meter) Question {
	return biasQuestion("gradient bias of "+m.title(), nil, m.askGradientBias)
}

// ExtraVariance asks by how much the variance of the loss of m's objective exceeds that of than's: Var(m) − Var(than),
// above 0 where m varies more. The argument draws is that of [LossBias]; the two are measured on different draws.
func ExtraVariance(m, than *Meter, draws *Draws) Question {
	variance := func(r Result) Number { return r.Loss.Variance }
	ask, askThan := m.asker(draws, variance), than.asker(draws, variance)
	return extraQuestion("variance of the loss of ", m, than, draws,
		func(repeat uint64) answer { return ask(2 * repeat) }, func(repeat uint64) answer { return askThan(2*repeat + 1) })
}

// ExtraGradientBias asks by how much the gradient bias of m's objective, the number of [GradientBias], exceeds that of
// than's: above 0 where m is the worse.
func ExtraGradientBias(m, than *Meter) Question {
	return extraQuestion("gradient bias of ", m, than, nil, m.askGradientBias, than.askGradientBias)
}

// question returns the question that ask(0) answers, and where there are draws ask(1) anew.
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

// extraQuestion returns the question by how much a number of m exceeds that of than.
func extraQuestion(what string, m, than *Meter, draws *Draws, ask, askThan func(repeat uint64) answer) Question {
	name := what + m.title() + " above that of " + than.title()
	return question(name, "larger", "never larger", draws, func(repeat uint64) answer {
		return func(p Population, d Design) (extra Number, err error) {
			defer must.Catch(&err)
			return must.Get(ask(repeat)(p, d)).Minus(must.Get(askThan(repeat)(p, d))), nil
		}
	})
}

// errNoMeter answers a question that was made without a meter.
var errNoMeter = errors.New("theory: a question without a meter; make one with NewMeter")

// asker returns what measures a number of the result of Exact, or of MonteCarlo where there are draws; another repeat makes
// other draws.
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

// Abs returns the absolute value; its interval starts at 0 where that of n holds 0, and is NaN where that of n is.
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
