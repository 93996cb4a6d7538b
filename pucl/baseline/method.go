package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Method is a published way of learning from positive and unlabeled data: one of the types of this package.
type Method interface {
	// String names the method with all its numbers, defaults included.
	String() string

	check() error
	version() int
	plan() plan
}

// Check returns an error that names the field and the remedy if a number of the method is out of its range.
func Check(m Method) error { return m.check() }

// Version counts the changes of the method after which the same seed gives other numbers.
func Version(m Method) int { return m.version() }

// plan is a method as training needs it.
type plan struct {
	loss     func(b batch) *Node          // a scalar
	mix      *mixing                      // nil where nothing is mixed
	again    bool                         // the rows are seen in a second view as well, by the teacher where there is one
	schedule func(done float64) []float32 // the numbers of a step, done being the share of the run before it; nil for none
	draws    int                          // how many uniform numbers there are for every row
	aside    aside                        // which examples are set aside; the zero value sets none
	teacher  float64                      // momentum of a moving average of the network; 0 for none

	// other, if not nil, makes batch.other, and choose, if not nil, says by it who is mixed with whom, instead of at random.
	other  func(s *sight) *Node
	choose func(b batch) *Node

	extra func(s *sight) []*Node // makes batch.extra; nil for none

	// memory says that something is kept of every example, between, if not nil, works it out anew after a step where that is due, and
	// reading is what it reads of the networks beside logits.
	memory  bool
	between func(r *run, done int) error
	reading *reading
}

// flag returns 1 for true, as a schedule has it.
func flag(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// checkPrior returns an error unless a method can use the class prior.
func checkPrior(method string, prior float64) error {
	if prior > 0 && prior < 1 {
		return nil
	}
	return fmt.Errorf("baseline: %s with class prior %g; it must lie above 0 and below 1: set Prior to the share of positives among "+
		"unlabeled examples, known or estimated, or use a method that needs none, such as VPU", method, prior)
}

// number is a field of a method with its default filled in.
type number struct {
	name        string
	value       float64
	least, most float64 // bounds, both included
	above       bool    // least is excluded
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
		return fmt.Errorf("baseline: %s with %s %g; it must be %s %g%s, or 0 for the default", method, n.name, n.value, from, n.least, to)
	}
	return nil
}

// checkAlpha returns an error unless Beta(α, α) is a distribution.
func checkAlpha(method string, alpha float64) error {
	return checkNumbers(method, number{name: "Alpha", value: alpha, most: math.MaxFloat64, above: true})
}

// orDefault returns what a field says: 0 means the default, and a negative number none at all.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }
