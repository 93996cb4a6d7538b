package evaluate

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Choice is the rule that selects the epoch whose result represents a run. Results of different rules are not
// comparable.
type Choice int

const (
	// LastEpoch takes the result after the last epoch, without selection.
	LastEpoch Choice = iota
	// WithoutNegatives takes the epoch of the highest proxy on held-out positive and unlabeled data.
	WithoutNegatives
	// Oracle takes the epoch of the highest test result. It selects with the test classes, so its result is optimistic.
	// Published results that do not state their selection are often of this kind.
	Oracle
)

var choices = [...]string{LastEpoch: "last epoch", WithoutNegatives: "chosen without negatives", Oracle: "oracle"}

// String returns the name of the rule.
func (c Choice) String() string { return nameOf("Choice", int(c), choices[:]) }

// Epoch holds the measurements after one epoch of a run.
type Epoch struct {
	Epoch      int     // its number
	Proxy      float64 // held-out measure without negatives, as from [Proxy.Of]; higher is better
	Test       float64 // the result to report, such as an accuracy with the test classes
	Degenerate bool    // the classifier of this epoch is degenerate
}

// Selection is the result of one run by each rule.
type Selection struct {
	Last             Epoch
	WithoutNegatives Epoch
	Oracle           Epoch
}

// Select returns the epoch of a run by each rule; of equals the earliest. The epochs must be in order. It is an error
// if there are no epochs, or if a proxy or a test result is NaN.
//
// Source of WithoutNegatives: W. Wang et al., "Accessible, Realistic, and Fair Evaluation of Positive-Unlabeled
// Learning Algorithms" (2025), arXiv 2509.24228.
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

// By returns the epoch selected by the rule choice, and an error for an unknown rule.
func (s Selection) By(choice Choice) (Epoch, error) {
	all := s.all()
	if choice < 0 || int(choice) >= len(all) {
		return Epoch{}, fmt.Errorf("evaluate: there is no %s; use LastEpoch, WithoutNegatives or Oracle", choice)
	}
	return all[choice], nil
}

// all returns the epochs by Choice.
func (s Selection) all() []Epoch { return []Epoch{s.Last, s.WithoutNegatives, s.Oracle} }

// String returns the result and the epoch by each rule, in percent, and states degenerate classifiers.
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
