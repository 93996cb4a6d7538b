package baseline

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Method is a published method of learning from positive and unlabeled data: one of the types of this package.
type Method interface {
	// String names the method with all its parameters, including defaults.
	String() string

	check() error
	version() int
	plan() plan
}

// Check returns an error that names the field and the remedy if a parameter of the method is out of range.
func Check(m Method) error { return m.check() }

// Version counts the changes of the method after which the same seed gives other numbers.
func Version(m Method) int { return m.version() }

// plan describes a method for training.
type plan struct {
	loss     func(b batch) *Node          // a scalar
	mix      *mixing                      // nil for no mixing
	again    bool                         // compute the rows in a second view as well, by the teacher if there is one
	schedule func(done float64) []float32 // values of a step, done being the share of the run before it; nil for none
	draws    int                          // number of uniform random numbers for every row
	aside    aside                        // reserved examples; the zero value reserves none
	teacher  float64                      // momentum of a moving average of the network; 0 for none

	// other, if not nil, makes batch.other. choose, if not nil, selects the partners of rows by batch.other, instead of
	// at random.
	other  func(s *sight) *Node
	choose func(b batch) *Node

	extra func(s *sight) []*Node // makes batch.extra; nil for none

	// memory stores values for every example. between, if not nil, updates them after a step if that is due. reading is
	// the network output that between reads besides logits.
	memory  bool
	between func(r *run, done int) error
	reading *reading
}

// flag returns 1 for true, as a value of a schedule.
func flag(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// checkPrior returns an error unless the class prior is valid.
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

// orDefault returns the value of a field: 0 means the default, and a negative number 0.
func orDefault(field, value float64) float64 { return max(cmp.Or(field, value), 0) }
