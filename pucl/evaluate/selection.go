package evaluate

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Choice is the rule by which one epoch's result stands for a run. Results of different rules must not be compared.
type Choice int

const (
	// LastEpoch takes the result after the last epoch: nothing is chosen.
	LastEpoch Choice = iota
	// WithoutNegatives takes the epoch of the highest proxy on held-out positive and unlabeled data, as somebody can who has
	// no negatives.
	WithoutNegatives
	// Oracle takes the epoch of the highest test result. It uses the test classes to choose and so promises more than new
	// data keep; results published without a word on the choice are often of this kind.
	Oracle
)

var choices = [...]string{LastEpoch: "last epoch", WithoutNegatives: "chosen without negatives", Oracle: "oracle"}

// String names the rule.
func (c Choice) String() string { return nameOf("Choice", int(c), choices[:]) }

// Epoch is what was measured after one epoch of a run.
type Epoch struct {
	Epoch      int     // its number
	Proxy      float64 // a measure that needs no negatives, higher being better, as [Proxy.Of] gives it; on held-out data
	Test       float64 // the result to report, such as an accuracy with the test classes
	Degenerate bool    // the classifier of this epoch is degenerate
}

// Selection is one run's result by each of the rules.
type Selection struct {
	Last             Epoch
	WithoutNegatives Epoch
	Oracle           Epoch
}

// Select returns one of a run's epochs, given in order, by each of the rules; of equals the earliest. It is an error if there
// are no epochs, or if a proxy or a test result is NaN.
//
// Source of the choice without negatives: W. Wang et al., "Accessible, Realistic, and Fair Evaluation of
// Positive-Unlabeled Learning Algorithms" (2025), arXiv 2509.24228.
func Select(epochs []Epoch) (Selection, error) {
	if len(epochs) == 0 {
		return Selection{}, errors.New("evaluate: no epochs to choose from; at least one is needed")
	}
	s := Selection{Last: epochs[len(epochs)-1], WithoutNegatives: epochs[0], Oracle: epochs[0]}
	for _, e := range epochs {
		if math.IsNaN(e.Test) {
			return Selection{}, fmt.Errorf("evaluate: the test result of epoch %d is not a number; leave such epochs out, or train again: did training diverge?", e.Epoch)
		}
		if math.IsNaN(e.Proxy) {
			return Selection{}, fmt.Errorf("evaluate: the proxy of epoch %d is not a number: proxy accuracy and PU risk need the class prior, "+
				"PU.LeeLiu a positive prediction; give the prior, or take ByLeeLiu, which is 0 where nothing is predicted positive", e.Epoch)
		}
		if e.Proxy > s.WithoutNegatives.Proxy {
			s.WithoutNegatives = e
		}
		if e.Test > s.Oracle.Test {
			s.Oracle = e
		}
	}
	return s, nil
}

// By returns the epoch that stands for the run by the rule choice, and an error for a rule that does not exist.
func (s Selection) By(choice Choice) (Epoch, error) {
	all := s.all()
	if choice < 0 || int(choice) >= len(all) {
		return Epoch{}, fmt.Errorf("evaluate: there is no %s; use LastEpoch, WithoutNegatives or Oracle", choice)
	}
	return all[choice], nil
}

// all returns the epochs by Choice.
func (s Selection) all() []Epoch { return []Epoch{s.Last, s.WithoutNegatives, s.Oracle} }

// String gives the result by each rule in percent, with the epoch, and says so where its classifier is degenerate.
func (s Selection) String() string {
	var parts []string
	for choice, e := range s.all() {
		degenerate := ""
		if e.Degenerate {
			degenerate = ", degenerate"
		}
		parts = append(parts, fmt.Sprintf("%s %s (epoch %d%s)", Choice(choice), percent(e.Test), e.Epoch, degenerate))
	}
	return strings.Join(parts, "; ")
}
