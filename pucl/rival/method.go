package rival

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Method is a published way of learning from positive and unlabeled data: one of the types of this package.
type Method interface {
	// Check returns an error that says which field is wrong and how to mend it, or nil.
	Check() error
	// Version counts the changes of the method after which the same seed gives other numbers.
	Version() int
	// String names the method with all its numbers, defaults included.
	String() string

	plan() plan
}

// plan is a method as training needs it.
type plan struct {
	loss   func(b batch) *Node // a scalar
	mix    *mixing             // nil where nothing is mixed
	second bool                // there is a second network, whose logits are batch.other

	// teacher is the momentum of a moving average of the network, whose logits are batch.other then; 0 for none. Choose says
	// by these who is mixed with whom, instead of at random.
	teacher float64
	choose  func(b batch) *Node

	// remember, if not nil, says that batch.other holds the logits of the rows as the network had them after the last epoch, or
	// after the last step for which it is true, before and after being the shares of the run done by then.
	remember func(before, after float64) bool

	schedule func(done float64) []float32 // the numbers of a step, done being the share of the run before it; nil for none
	paced    *pacing                      // two students take the place of the network; nil for none

	// extra, if not nil, makes batch.extra of what the networks make of a batch.
	extra  func(s *sight) *Node
	again  bool // the rows are seen in a second view as well, by the teacher where there is one
	draws  int  // how many uniform numbers there are for every row
	memory bool // a number between 0 and 1 is remembered of every example, at first 0: see sight.memory

	// judges is the share of the examples of both kinds that are set aside: they teach nothing, and some of them in every batch
	// tell how good what the others teach is.
	judges float64

	// groups, if above 0, says into how many groups all examples are put by their projections after every epoch, from when the share
	// groupsFrom of the run is done: see sight.group.
	groups     int
	groupsFrom float64
}

// remembers reports whether something is kept of every example, so that a batch tells which examples it holds.
func (p plan) remembers() bool { return p.remember != nil || p.paced != nil || p.memory }

// checkPrior returns an error unless a method can use the class prior.
func checkPrior(method string, prior float64) error {
	if prior > 0 && prior < 1 {
		return nil
	}
	return fmt.Errorf("rival: %s with class prior %g; it must lie above 0 and below 1: set Prior to the share of positives among "+
		"unlabeled examples, known or estimated, or use a method that needs none, such as VPU", method, prior)
}

// number is a field of a method with its default filled in.
type number struct {
	name        string
	value       float64
	least, most float64 // value may be both
	above       bool    // but least
}

// checkNumbers returns an error if a number is out of its range.
func checkNumbers(method string, numbers ...number) error {
	for _, n := range numbers {
		if n.value >= n.least && n.value <= n.most && !(n.above && n.value == n.least) {
			continue
		}
		from := "at least"
		if n.above {
			from = "above"
		}
		to := ""
		if n.most < math.MaxFloat64 {
			to = fmt.Sprintf(" and at most %g", n.most)
		}
		return fmt.Errorf("rival: %s with %s %g; it must be %s %g%s, or 0 for the default", method, n.name, n.value, from, n.least, to)
	}
	return nil
}

// checkAlpha returns an error unless Beta(α, α) is a distribution.
func checkAlpha(method string, alpha float64) error {
	return checkNumbers(method, number{name: "Alpha", value: alpha, most: math.MaxFloat64, above: true})
}

// orDefault returns what a field says: 0 means the default, and a negative number none at all.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }
