package augment

import (
	"cmp"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// Func is an augmentation of one's own: one function from images and random numbers to views.
type Func struct {
	Name     string // names the augmentation in messages and records; changing the function should change it
	Uniforms int    // how many numbers, uniform in [0, 1), each view gets

	// Graph turns images, Float32 [n, height, width, channels], into views of the same shape. Uniforms is
	// [n, Uniforms], or nil where that is 0.
	Graph func(images, uniforms *Node) *Node
}

// Check implements [Step].
func (f Func) Check(in Shape) (Shape, error) {
	return in, cmp.Or(
		fault.If(f.Graph == nil, "an augmentation of one's own needs its function, the field Graph"),
		fault.If(f.Uniforms < 0, "%d random numbers; 0 is the least", f.Uniforms),
	)
}

// Numbers implements [Step].
func (f Func) Numbers() int { return f.Uniforms }

// Draw implements [Step].
func (f Func) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	for i := range numbers {
		numbers[i] = rng.Float32()
	}
}

// Apply implements [Step].
func (f Func) Apply(images, numbers *Node) *Node {
	views := f.Graph(images, numbers)
	views.AssertDims(images.Shape().Dimensions...)
	return views
}

// String implements [Step].
func (f Func) String() string { return cmp.Or(f.Name, "an augmentation without a name") }
