package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// gray returns the brightness of images [n, h, w, c] as [n, h, w, 1], with torchvision's weights (ITU-R 601) for RGB.
func gray(images *Node) *Node {
	if images.Shape().Dim(-1) == 1 {
		return images
	}
	r, g, b := channel(images, 0), channel(images, 1), channel(images, 2)
	return Add(Add(MulScalar(r, 0.2989), MulScalar(g, 0.587)), MulScalar(b, 0.114))
}

// channel returns channel i of images, [n, h, w, 1].
func channel(images *Node, i int) *Node {
	return Slice(images, AxisRange(), AxisRange(), AxisRange(), AxisRange(i, i+1))
}

// Grayscale is torchvision's RandomGrayscale: a view loses its colors, and keeps its three channels, with some
// probability. Gray images stay as they are. One number describes a view: whether it turns gray, 1 or 0.
type Grayscale struct {
	Probability float64 // 0 means 0.2; for never, leave the step out
}

// Check implements [Step].
func (s Grayscale) Check(in Shape) (Shape, error) {
	if err := checkColor(in); err != nil {
		return Shape{}, err
	}
	return in, checkProbability(s.Probability)
}

// Numbers implements [Step].
func (Grayscale) Numbers() int { return 1 }

// Draw implements [Step].
func (s Grayscale) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(s.Probability, 0.2))
}

// Apply implements [Step].
func (Grayscale) Apply(images, numbers *Node) *Node {
	grays := BroadcastToDims(gray(images), images.Shape().Dimensions...)
	return ifHappened(numbers, grays, images)
}

// String implements [Step].
func (s Grayscale) String() string {
	return fmt.Sprintf("grayscale with probability %g", cmp.Or(s.Probability, 0.2))
}
