package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// Flip is torchvision's RandomHorizontalFlip: left and right change places with some probability. One number describes a
// view: whether it is flipped, 1 or 0.
type Flip struct {
	Probability float64 // 0 means 0.5; for never, leave the step out
}

// Check implements [Step].
func (f Flip) Check(in Shape) (Shape, error) { return in, checkProbability(f.Probability) }

// Numbers implements [Step].
func (Flip) Numbers() int { return 1 }

// Draw implements [Step].
func (f Flip) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(f.Probability, 0.5))
}

// Apply implements [Step].
func (Flip) Apply(images, numbers *Node) *Node {
	return ifHappened(numbers, Reverse(images, 2), images)
}

// String implements [Step].
func (f Flip) String() string {
	return fmt.Sprintf("horizontal flip with probability %g", cmp.Or(f.Probability, 0.5))
}
