package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
)

// Normalize is torchvision's transform of that name: (x − mean)/std for every channel. It is not random, so images pass
// through it in evaluation too; [Recipe.Split] returns it.
type Normalize struct {
	Mean, Std []float64 // one number for each channel, or a single one for all
}

func (s Normalize) check(in Shape) (Shape, error) {
	count := func(name string, values []float64) error {
		return fault.If(len(values) != 1 && len(values) != in.Channels,
			"%s holds %d numbers; it needs %d, one for each channel, or 1 for all", name, len(values), in.Channels)
	}
	return in, cmp.Or(count("Mean", s.Mean), count("Std", s.Std),
		fault.If(slices.ContainsFunc(s.Std, func(std float64) bool { return !(std > 0) }), "Std is %v; every entry must be positive, since it divides", s.Std))
}

func (Normalize) numbers() int { return 0 }

// draw implements [Step]; there is nothing to draw.
func (Normalize) draw(*rand.Rand, Shape, []float32) {}

func (s Normalize) apply(images, _ *Node) *Node {
	wide := func(values []float64) *Node {
		return Reshape(ConstAsDType(images.Graph(), dtypes.Float32, values), 1, 1, 1, len(values))
	}
	return Div(Sub(images, wide(s.Mean)), wide(s.Std))
}

// String implements [Step].
func (s Normalize) String() string { return fmt.Sprintf("(pixels − %g)/%g", s.Mean, s.Std) }
