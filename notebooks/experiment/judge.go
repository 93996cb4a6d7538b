package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Judgement is the test performance of one classifier of a run, at the point that a rule chose.
type Judgement struct {
	Head string // as in Point
	Rule Rule   // how the point was chosen
	Step int    // steps done at that point

	Accuracy, BalancedAccuracy, AUC float64 // between 0 and 1; NaN if undefined
	Degenerate                      bool    // it predicts one class for all examples
}

// Rule selects the point at which a run is evaluated.
type Rule string

// The rules. Only Oracle uses negative examples.
const (
	Last Rule = "last" // the end of the run
	// ProxyAccuracy is evaluate.PU.ProxyAccuracy of held-out PU examples, which requires the class prior.
	ProxyAccuracy Rule = "proxy accuracy"
	// PURisk is the lowest evaluate.PU.Risk of held-out PU examples, which requires the class prior.
	PURisk    Rule = "PU risk"
	ProxyAUC  Rule = "proxy AUC" // evaluate.PU.ProxyAUC of held-out PU examples
	LeeLiu    Rule = "Lee–Liu"   // evaluate.PU.LeeLiu of held-out PU examples
	Agreement Rule = "agreement" // [ViewsAgree], which requires no labels
	// RiskOwnPrior is PURisk with the smallest positive prior that prior.BBEOfOrder estimates at any point of the head.
	RiskOwnPrior Rule = "PU risk, π estimated"
	// Oracle is the accuracy on the test examples themselves, as in most published numbers.
	Oracle Rule = "oracle"
)

// ViewsAgree names the value of a point that measures the agreement of predictions on held-out examples and their
// views: evaluate.Kappa.
const ViewsAgree = "κ of views"

// Rules lists all rules.
func Rules() []Rule {
	return []Rule{Last, ProxyAccuracy, PURisk, RiskOwnPrior, ProxyAUC, LeeLiu, Agreement, Oracle}
}

// ToldPrior reports whether the rule uses the class prior given to a run.
func (r Rule) ToldPrior() bool { return r == ProxyAccuracy || r == PURisk }

// proxies lists the criterion that each rule maximizes.
var proxies = map[Rule]evaluate.Proxy{
	ProxyAccuracy: evaluate.ByProxyAccuracy,
	PURisk:        evaluate.ByRisk,
	RiskOwnPrior:  evaluate.ByRisk, // of points changed by withOwnPrior
	ProxyAUC:      evaluate.ByProxyAUC,
	LeeLiu:        evaluate.ByLeeLiu,
}

// tested reports whether the point was measured on test examples.
func (p Point) tested() bool { return p.Test != nil || p.Many != nil }

// accuracy returns the accuracy on the test examples of the point.
func (p Point) accuracy() float64 {
	if p.Many != nil {
		return p.Many.Accuracy
	}
	return p.Test.Accuracy()
}

// Accuracy returns the accuracy on test examples, of two or more classes; false if it was not measured.
func (p Point) Accuracy() (accuracy float64, ok bool) {
	if !p.tested() {
		return 0, false
	}
	return p.accuracy(), true
}

// value returns the criterion that a rule maximizes (ties choose the earliest point); false if it was not measured or
// is undefined.
func (p Point) value(rule Rule) (value float64, ok bool) {
	switch proxy := proxies[rule]; {
	case rule == Last:
		return float64(p.Step), true
	case rule == Oracle:
		return p.accuracy(), true
	case rule == Agreement:
		value, ok = p.Values[ViewsAgree]
		return value, ok && !math.IsNaN(value)
	case proxy == nil || p.PU == nil:
		return 0, false
	default:
		value = proxy(*p.PU)
		return value, !math.IsNaN(value)
	}
}

// heads returns the classifier heads, including those that could not be fitted, in the order of their first points.
func heads(points []Point) (names []string) {
	for _, p := range points {
		if (p.tested() || p.Failure != "") && !slices.Contains(names, p.Head) {
			names = append(names, p.Head)
		}
	}
	return names
}

// choose returns the index of the point of a head that a rule chooses. It returns false if the rule lacks its criterion
// at a point where the head was fitted, or if it chooses a point where the head failed. Only [Last] can do the latter.
func choose(points []Point, head string, rule Rule) (chosen int, ok bool) {
	chosen, highest := -1, math.Inf(-1)
	if rule == RiskOwnPrior {
		points = withOwnPrior(points, head)
	}
	for i, p := range points {
		if p.Head != head || !p.tested() && (p.Failure == "" || rule != Last) {
			continue
		}
		value, known := p.value(rule)
		if !known {
			return -1, false
		}
		if chosen < 0 || value > highest {
			chosen, highest = i, value
		}
	}
	return chosen, chosen >= 0 && points[chosen].Failure == ""
}

// Chosen returns, by the indices of points, the rules that choose a point for its head.
func Chosen(points []Point) map[int][]Rule {
	chosen := map[int][]Rule{}
	for _, head := range heads(points) {
		for _, rule := range Rules() {
			if i, ok := choose(points, head, rule); ok {
				chosen[i] = append(chosen[i], rule)
			}
		}
	}
	return chosen
}

// judge returns the performance of a head at the point that a rule chooses; false if there is none, see choose.
func judge(points []Point, head string, rule Rule) (j Judgement, ok bool) {
	i, ok := choose(points, head, rule)
	if !ok {
		return Judgement{}, false
	}
	chosen := points[i]
	if s := chosen.Many; s != nil {
		return Judgement{
			Head: head, Rule: rule, Step: chosen.Step, Accuracy: s.Accuracy, BalancedAccuracy: s.Balanced, AUC: math.NaN(), Degenerate: s.Degenerate(),
		}, true
	}
	return Judgement{
		Head: head, Rule: rule, Step: chosen.Step, Accuracy: chosen.Test.Accuracy(), BalancedAccuracy: chosen.Test.Balanced(),
		AUC: chosen.Test.AUC, Degenerate: chosen.Test.Degenerate(),
	}, true
}

// headless reports whether judge returns nothing because the head could not be fitted, not because the rule lacks its
// criterion. For Last it checks the last point, for other rules all points.
func headless(points []Point, head string, rule Rule) bool {
	failed, had := false, false
	for _, p := range points {
		failed = failed || p.Head == head && p.Failure != ""
		had = had || p.Head == head && p.tested()
	}
	return failed && (rule == Last || !had)
}

// Judgements evaluates the points: every head with every applicable rule.
func Judgements(points []Point) (all []Judgement) {
	for _, head := range heads(points) {
		for _, rule := range Rules() {
			if j, ok := judge(points, head, rule); ok {
				all = append(all, j)
			}
		}
	}
	return all
}

// check returns an error if the outcome cannot enter a table. If no head could be fitted at any point, the error is a
// [Failure].
func (o *Outcome) check() error {
	if o == nil || len(o.Points) == 0 {
		return fmt.Errorf("it left no measurement")
	}
	if !slices.ContainsFunc(o.Points, func(p Point) bool { return p.Failure == "" }) {
		return &Failure{fmt.Errorf("after %d steps the head %q: %s", o.Points[0].Step, o.Points[0].Head, o.Points[0].Failure)}
	}
	for _, p := range o.Points {
		if p.Answers != nil {
			if err := p.fitAnswers(); err != nil {
				return err
			}
		}
		switch {
		case p.Failure != "":
		case !p.tested() && len(p.Values) == 0:
			return fmt.Errorf("after %d steps the head %q was measured on no test example, and there is no value: set Test, Many or Values", p.Step, p.Head)
		case p.Test != nil && p.Many != nil:
			return fmt.Errorf("after %d steps the head %q was measured as one of two classes and as one of many: set Test or Many", p.Step, p.Head)
		case p.Test != nil && p.Test.N() == 0, p.Many != nil && p.Many.N == 0:
			return fmt.Errorf("after %d steps the head %q was measured on 0 test examples; there must be at least 1", p.Step, p.Head)
		}
	}
	return nil
}
