package augment

import (
	"cmp"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// Func is a user-defined augmentation: one function from images and random numbers to views.
type Func struct {
	Name     string // names the augmentation in messages and records; changing the function should change it
	Uniforms int    // number of random numbers, uniform in [0, 1), for each view

	// Graph maps images, Float32 [n, height, width, channels], to views of the same shape. uniforms is [n, Uniforms],
	// or nil if Uniforms is 0.
	Graph func(images, uniforms *Node) *Node
}

func (f Func) check(in Shape) (Shape, error) {
	return in, cmp.Or(
		fault.If(f.Graph == nil, "an augmentation of one's own needs its function, the field Graph"),
		fault.If(f.Uniforms < 0, "%d random numbers; 0 is the least", f.Uniforms),
	)
}

func (f Func) numbers() int { return f.Uniforms }

func (f Func) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	for i := range numbers {
		numbers[i] = rng.Float32()
	}
}

// A panic of Graph names its line.
func (f Func) apply(images, numbers *Node) *Node {
	defer fault.Annotate(f.Graph, "augment: %s", f)
	views := f.Graph(images, numbers)
	fault.PanicIf(views == nil, "it returns nil; it must return views")
	fault.PanicIf(!slices.Equal(views.Shape().Dimensions, images.Shape().Dimensions),
		"it makes %s of images %s; views must have the images' shape", views.Shape(), images.Shape())
	return views
}

// String implements [Step].
func (f Func) String() string { return cmp.Or(f.Name, "an augmentation without a name") }
