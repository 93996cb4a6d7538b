package claims

import (
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// RiskWorld is a classifier on a population, with finitely many logits in each class, and the size of the data sets
// drawn from it.
type RiskWorld struct {
	Positive, Negative []LogitAtom     // the probabilities of each class add up to 1
	Labeled, Unlabeled int             // n_P and n_U, at least 1 each and at most 6 together
	Loss               risk.MarginLoss // the loss of the true risk; nil means [risk.SigmoidLoss]
}

// LogitAtom is a possible logit of a class, with its probability.
type LogitAtom struct{ Logit, P float64 }

// RiskErrors holds the errors of an estimate of the risk over all data sets that can be drawn.
type RiskErrors struct {
	Prior    float64
	Risk     float64 // the true risk, π E[ℓ(t)|y=1] + (1−π) E[ℓ(−t)|y=0]
	Mean     float64 // expectation of the estimate
	Variance float64
	Largest  float64 // largest |estimate − risk| over all data sets with positive probability
	Formula  float64 // π² Var(ℓ(t) − ℓ(−t) | y=1)/n_P + Var(ℓ(−t))/n_U, the variance of uPU
	Total    float64 // sum of the data sets' probabilities
}

// Measure enumerates all data sets of w's size. The estimate receives the logits and the labels, and each class prior,
// as uPU requires. The risks are those of package pucl, run on the engine in float64.
func (w RiskWorld) Measure(eng *engine.Engine, estimate func(prior float64) risk.Risk, priors ...float64) (out []RiskErrors,
	err error) {
	defer must.Catch(&err)
	if eng == nil || eng.Backend == nil {
		return nil, errors.New("claims: no engine; open one with engine.Open")
	}
	nP, nU := w.Labeled, w.Unlabeled
	must.Do(w.validate(priors))
	if w.Loss == nil {
		w.Loss = risk.SigmoidLoss
	}
	exec := must.Get(NewExec(eng.Backend, func(logits, labels *Node) []*Node {
		return lists.Map(priors, func(prior float64) *Node { return estimate(prior)(logits, labels) })
	}))
	defer exec.Finalize()
	losses := measureLosses(eng, w)
	out = lists.Map(priors, func(prior float64) RiskErrors { return trueErrors(losses, prior, nP, nU) })
	squares := make([]float64, len(priors))
	labels := lists.Make(nP+nU, func(i int) bool { return i < nP })
	w.eachDataSet(func(logits []float64, probability func(prior float64) float64) {
		values, err := exec.Call(logits, labels)
		must.Wrap(engine.RootCause(err), "claims: estimating the risk")
		for i, prior := range priors {
			p, value := probability(prior), tensors.ToScalar[float64](values[i])
			e := value - out[i].Risk
			out[i].Total += p
			out[i].Mean += p * value
			squares[i] += p * e * e
			if p > 0 {
				out[i].Largest = max(out[i].Largest, math.Abs(e))
			}
		}
	})
	for i := range out {
		bias := out[i].Mean - out[i].Risk
		out[i].Variance = squares[i] - bias*bias
	}
	return out, nil
}

// validate returns an error for inputs that cannot be enumerated.
func (w RiskWorld) validate(priors []float64) error {
	if w.Labeled < 1 || w.Unlabeled < 1 || w.Labeled+w.Unlabeled > 6 ||
		len(w.Positive) == 0 || len(w.Negative) == 0 || len(priors) == 0 {
		return fmt.Errorf("claims: %d labeled and %d unlabeled examples, %d positive and %d negative logits, %d priors; "+
			"there must be at least one of each, and at most 6 examples", w.Labeled, w.Unlabeled, len(w.Positive),
			len(w.Negative), len(priors))
	}
	for _, prior := range priors {
		if !(prior >= 0 && prior <= 1) {
			return fmt.Errorf("claims: class prior π = %g is not between 0 and 1", prior)
		}
	}
	for _, atoms := range [][]LogitAtom{w.Positive, w.Negative} {
		total := 0.0
		for _, a := range atoms {
			if math.IsNaN(a.Logit) || math.IsInf(a.Logit, 0) || !(a.P >= 0) {
				return fmt.Errorf("claims: logit %g with probability %g; a logit must be a finite number, a probability "+
					"must not be negative", a.Logit, a.P)
			}
			total += a.P
		}
		if !(math.Abs(total-1) <= 1e-9) {
			return fmt.Errorf("claims: the probabilities add up to %g in one of the classes; they must add up to 1", total)
		}
	}
	return nil
}

// eachDataSet visits the logits of every data set, the labeled ones first. Its probability depends on the prior.
func (w RiskWorld) eachDataSet(visit func(logits []float64, probability func(prior float64) float64)) {
	nP, nU := w.Labeled, w.Unlabeled
	logits := make([]float64, nP+nU)
	var draw func(i, positives int, p float64)
	draw = func(i, positives int, p float64) {
		if i == nP+nU {
			visit(logits, func(prior float64) float64 {
				return p * math.Pow(prior, float64(positives)) * math.Pow(1-prior, float64(nU-positives))
			})
			return
		}
		for _, a := range w.Positive {
			logits[i] = a.Logit
			draw(i+1, positives+oneIf(i >= nP), p*a.P)
		}
		if i < nP {
			return
		}
		for _, a := range w.Negative {
			logits[i] = a.Logit
			draw(i+1, positives, p*a.P)
		}
	}
	draw(0, 0, 1)
}

// atomLoss is the loss of an atom with a positive and with a negative label, with its class and its probability.
type atomLoss struct {
	positive                  bool
	p, asPositive, asNegative float64
}

// measureLosses computes the losses of the atoms of both classes from the supervised risk of single examples.
func measureLosses(eng *engine.Engine, w RiskWorld) []atomLoss {
	exec := must.Get(NewExec(eng.Backend, func(logits, labels *Node) *Node { return risk.PN(w.Loss)(logits, labels) }))
	defer exec.Finalize()
	loss := func(logit float64, label bool) float64 {
		return tensors.ToScalar[float64](must.Get(exec.Call1([]float64{logit}, []bool{label})))
	}
	class := func(atoms []LogitAtom, positive bool) []atomLoss {
		return lists.Map(atoms, func(a LogitAtom) atomLoss {
			return atomLoss{positive, a.P, loss(a.Logit, true), loss(a.Logit, false)}
		})
	}
	return append(class(w.Positive, true), class(w.Negative, false)...)
}

// trueErrors returns the fields that need no data sets: the true risk and the formula.
func trueErrors(losses []atomLoss, prior float64, nP, nU int) RiskErrors {
	r := RiskErrors{Prior: prior}
	var difference, differenceSquared, unlabeled, unlabeledSquared float64
	for _, a := range losses {
		p, right := (1-prior)*a.p, a.asNegative
		if a.positive {
			p, right = prior*a.p, a.asPositive
			d := a.asPositive - a.asNegative
			difference += a.p * d
			differenceSquared += a.p * d * d
		}
		r.Risk += p * right
		unlabeled += p * a.asNegative
		unlabeledSquared += p * a.asNegative * a.asNegative
	}
	r.Formula = prior*prior*(differenceSquared-difference*difference)/float64(nP) +
		(unlabeledSquared-unlabeled*unlabeled)/float64(nU)
	return r
}
