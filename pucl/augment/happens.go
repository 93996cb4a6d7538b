package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
)

// Flip is torchvision's RandomHorizontalFlip: it exchanges left and right with a probability. One number describes a
// view: 1 if it is flipped, else 0.
type Flip struct {
	Probability float64 // 0 means 0.5; to never flip, omit the step
}

func (f Flip) check(in Shape) (Shape, error) { return in, checkProbability(f.Probability) }

func (Flip) numbers() int { return 1 }

func (f Flip) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(f.Probability, 0.5))
}

func (Flip) apply(images, numbers *Node) *Node {
	return ifHappened(numbers, Reverse(images, 2), images)
}

// String implements [Step].
func (f Flip) String() string {
	return fmt.Sprintf("horizontal flip with probability %g", cmp.Or(f.Probability, 0.5))
}

// gray returns the brightness of images [n, h, w, c] as [n, h, w, 1], with torchvision's weights (ITU-R 601) for RGB.
func gray(images *Node) *Node {
	if images.Shape().Dim(-1) == 1 {
		return images
	}
	r, g, b := channel(images, 0), channel(images, 1), channel(images, 2)
	return Add(Add(MulScalar(r, 0.2989), MulScalar(g, 0.587)), MulScalar(b, 0.114))
}

// channel returns channel i of images, [n, h, w, 1].
func channel(images *Node, i int) *Node { return SliceAxis(images, -1, AxisElem(i)) }

// Grayscale is torchvision's RandomGrayscale: with a probability a view loses its colors and keeps its three channels.
// Gray images are unchanged. One number describes a view: 1 if it becomes gray, else 0.
type Grayscale struct {
	Probability float64 // 0 means 0.2; for probability 0, omit the step
}

func (s Grayscale) check(in Shape) (Shape, error) {
	return in, cmp.Or(checkColor(in), checkProbability(s.Probability))
}

func (Grayscale) numbers() int { return 1 }

func (s Grayscale) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(s.Probability, 0.2))
}

func (Grayscale) apply(images, numbers *Node) *Node {
	grays := BroadcastToDims(gray(images), images.Shape().Dimensions...)
	return ifHappened(numbers, grays, images)
}

// String implements [Step].
func (s Grayscale) String() string {
	return fmt.Sprintf("grayscale with probability %g", cmp.Or(s.Probability, 0.2))
}

// Solarize is torchvision's RandomSolarize: with a probability it replaces values at or above a threshold by 1 − value.
// One number describes a view: 1 if it is solarized, else 0.
type Solarize struct {
	Probability float64 // 0 means 0.2; for probability 0, omit the step
	Threshold   float64 // 0 means 0.5, which is between the bytes 127 and 128, PIL's default
}

func (s Solarize) check(in Shape) (Shape, error) {
	return in, cmp.Or(fault.If(!(s.Threshold >= 0 && s.Threshold <= 1), "threshold %g is not between 0 and 1; give a share of the brightest, such as 0.5", s.Threshold),
		checkProbability(s.Probability))
}

func (Solarize) numbers() int { return 1 }

func (s Solarize) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	numbers[0] = happens(rng, cmp.Or(s.Probability, 0.2))
}

func (s Solarize) apply(images, numbers *Node) *Node {
	bright := GreaterOrEqual(images, Scalar(images.Graph(), dtypes.Float32, cmp.Or(s.Threshold, 0.5)))
	return ifHappened(numbers, Where(bright, OneMinus(images), images), images)
}

// String implements [Step].
func (s Solarize) String() string {
	return fmt.Sprintf("solarization from %g with probability %g", cmp.Or(s.Threshold, 0.5), cmp.Or(s.Probability, 0.2))
}
