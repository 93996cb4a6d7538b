package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Judgement is what one classifier of a run, taken at the point that a rule chose, is worth on test examples.
type Judgement struct {
	Head string // as in Point
	Rule Rule   // how the point was chosen
	Step int    // steps done by then

	Accuracy, BalancedAccuracy, AUC float64 // shares between 0 and 1; NaN where not defined
	Degenerate                      bool    // it gives every example the same answer
}

// Rule is how the point of a run that counts is chosen.
type Rule string

// The rules. No rule but Oracle looks at a negative example.
const (
	Last          Rule = "last"                 // the end of the run
	ProxyAccuracy Rule = "proxy accuracy"       // evaluate.PU.ProxyAccuracy of held-out PU examples, which takes the class prior
	PURisk        Rule = "PU risk"              // the lowest evaluate.PU.Risk of held-out PU examples, which takes the class prior
	ProxyAUC      Rule = "proxy AUC"            // evaluate.PU.ProxyAUC of held-out PU examples
	LeeLiu        Rule = "Lee–Liu"              // evaluate.PU.LeeLiu of held-out PU examples
	Agreement     Rule = "agreement"            // [ViewsAgree], which takes no label
	RiskOwnPrior  Rule = "PU risk, π estimated" // PURisk with the least prior above 0 that prior.BBEOfOrder estimates by any point of the head
	Oracle        Rule = "oracle"               // accuracy on the test examples themselves, as published numbers mostly are
)

// ViewsAgree names the value of a point that tells how far held-out examples and views of them are predicted alike: evaluate.Kappa.
const ViewsAgree = "κ of views"

// Rules lists all rules.
func Rules() []Rule {
	return []Rule{Last, ProxyAccuracy, PURisk, RiskOwnPrior, ProxyAUC, LeeLiu, Agreement, Oracle}
}

// ToldPrior reports whether the rule takes the class prior that a run was told.
func (r Rule) ToldPrior() bool { return r == ProxyAccuracy || r == PURisk }

// proxies are what rules choose the highest of.
var proxies = map[Rule]evaluate.Proxy{
	ProxyAccuracy: evaluate.ByProxyAccuracy,
	PURisk:        evaluate.ByRisk,
	RiskOwnPrior:  evaluate.ByRisk, // of points that withOwnPrior has changed
	ProxyAUC:      evaluate.ByProxyAUC,
	LeeLiu:        evaluate.ByLeeLiu,
}

// tested reports whether the point was measured on test examples.
func (p Point) tested() bool { return p.Test != nil || p.Many != nil }

// accuracy returns the accuracy on the test examples, on which the point was measured.
func (p Point) accuracy() float64 {
	if p.Many != nil {
		return p.Many.Accuracy
	}
	return p.Test.Accuracy()
}

// Accuracy returns the accuracy on test examples, of two classes or of many; false where it was not measured.
func (p Point) Accuracy() (accuracy float64, ok bool) {
	if !p.tested() {
		return 0, false
	}
	return p.accuracy(), true
}

// value returns what a rule takes the highest of, of equals the earliest; false where that was not measured or not defined.
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

// heads returns the heads that are classifiers, or were to be, in the order of their first points.
func heads(points []Point) (names []string) {
	for _, p := range points {
		if (p.tested() || p.Failure != "") && !slices.Contains(names, p.Head) {
			names = append(names, p.Head)
		}
	}
	return names
}

// choose returns the index of the point of a head that a rule chooses; false where the rule cannot be followed at every point at which the
// head could be had, or where it chooses one at which it could not, as [Last] may: the others have nothing to choose there.
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

// judge returns what a head comes to at the point that a rule chooses; false where there is none, see choose.
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

// headless reports whether judge comes to nothing since the head could not be had, and not since the rule cannot be followed: at the last
// point, or for the other rules at any.
func headless(points []Point, head string, rule Rule) bool {
	failed, had := false, false
	for _, p := range points {
		failed = failed || p.Head == head && p.Failure != ""
		had = had || p.Head == head && p.tested()
	}
	return failed && (rule == Last || !had)
}

// Judgements returns what the points come to, head by head and for each of them by all rules that can be followed.
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

// check returns an error if the outcome cannot stand in a table. Where no head could be had at any point, it is a [Failure].
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
