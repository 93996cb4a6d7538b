package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// Solarize is torchvision's RandomSolarize: values from a threshold on are turned into 1 − value, with some probability. One
// number describes a view: whether it is solarized, 1 or 0.
type Solarize struct {
	Probability float64 // 0 means 0.2; for never, leave the step out
	Threshold   float64 // 0 means 0.5, which is between the bytes 127 and 128, PIL's default
}

// Check implements [Step].
func (s Solarize) Check(in Shape) (Shape, error) {
	if !(s.Threshold >= 0 && s.Threshold <= 1) {
		return Shape{}, fmt.Errorf("threshold %g is not between 0 and 1", s.Threshold)
	}
	return in, checkProbability(s.Probability)
}

// Numbers implements [Step].
func (Solarize) Numbers() int { return 1 }

// Draw implements [Step].
func (s Solarize) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(s.Probability, 0.2))
}

// Apply implements [Step].
func (s Solarize) Apply(images, numbers *Node) *Node {
	bright := GreaterOrEqual(images, Scalar(images.Graph(), dtypes.Float32, cmp.Or(s.Threshold, 0.5)))
	return ifHappened(numbers, Where(bright, OneMinus(images), images), images)
}

// String implements [Step].
func (s Solarize) String() string {
	return fmt.Sprintf("solarization from %g with probability %g", cmp.Or(s.Threshold, 0.5), cmp.Or(s.Probability, 0.2))
}
