package augment

import (
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
)

// Solarise is torchvision's RandomSolarize: values from a threshold on are turned into 1 − value, with some probability. One
// number describes a view: whether it is solarised, 1 or 0.
type Solarise struct {
	Probability float64 // 0 means 0.2; for never, leave the step out
	Threshold   float64 // 0 means 0.5, which is between the bytes 127 and 128, PIL's default
}

// Check implements [Step].
func (s Solarise) Check(in Shape) (Shape, error) {
	if !(s.Threshold >= 0 && s.Threshold <= 1) {
		return Shape{}, fmt.Errorf("threshold %g is not between 0 and 1", s.Threshold)
	}
	return in, checkProbability(s.Probability)
}

// Numbers implements [Step].
func (Solarise) Numbers() int { return 1 }

// Draw implements [Step].
func (s Solarise) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, orDefault(s.Probability, 0.2))
}

// Apply implements [Step].
func (s Solarise) Apply(images, numbers *Node) *Node {
	g := images.Graph()
	bright := GreaterOrEqual(images, Scalar(g, dtypes.Float32, orDefault(s.Threshold, 0.5)))
	solarised := Where(bright, OneMinus(images), images)
	return where(GreaterThan(column(numbers, 0), ScalarZero(g, dtypes.Float32)), solarised, images)
}

// String implements [Step].
func (s Solarise) String() string {
	return fmt.Sprintf("solarisation from %g with probability %g", orDefault(s.Threshold, 0.5), orDefault(s.Probability, 0.2))
}
