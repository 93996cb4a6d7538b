package augment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/engine"
)

// Shape is the shape of one image.
type Shape struct{ Height, Width, Channels int }

// String returns the shape as "32×32×3".
func (s Shape) String() string { return fmt.Sprintf("%d×%d×%d", s.Height, s.Width, s.Channels) }

// Step is one augmentation. It describes each view by a few numbers, drawn on the host, and maps images to views inside
// the graph. Steps are small structs whose zero value works; [Func] makes a step of a user-defined function.
type Step interface {
	// check returns the shape of the views of images of shape in, or an error that gives the cause.
	check(in Shape) (out Shape, err error)

	// numbers returns the count of numbers that describe one view.
	numbers() int

	// draw fills numbers with the numbers of one view of an image of shape in.
	draw(rng *rand.Rand, in Shape, numbers []float32)

	// apply maps images, Float32 [n, height, width, channels], to views. numbers has the count of columns returned by
	// numbers(), and is nil for 0. Like all graph code it panics on a wrong shape.
	apply(images, numbers *Node) *Node

	// String names the step and its settings, defaults included.
	String() string
}

// Recipe is a chain of augmentations, applied in order. [FMNIST], [CIFAR], [STL] and [ImageNet] return the paper's. The
// empty recipe does not change images.
type Recipe []Step

// Check returns the shape of the views of images of shape in, or an error that names the failing step.
func (r Recipe) Check(in Shape) (Shape, error) {
	if in.Height < 1 || in.Width < 1 || in.Channels < 1 {
		return Shape{}, fmt.Errorf("augment: images of shape %s; height, width and channels must be at least 1", in)
	}
	for i, step := range r {
		if step == nil {
			return Shape{}, fmt.Errorf("augment: step %d of the recipe is nil; leave it out", i+1)
		}
		out, err := step.check(in)
		if err != nil {
			return Shape{}, fmt.Errorf("augment: step %d (%s) on images of %s: %w", i+1, step, in, err)
		}
		in = out
	}
	return in, nil
}

// Numbers returns the count of numbers that describe one view: the sum over all steps, and at least 1, so that a recipe
// without numbers still makes a tensor.
func (r Recipe) Numbers() int {
	n := 0
	for _, step := range r {
		n += step.numbers()
	}
	return max(n, 1)
}

// Draw draws the numbers of n views of images of shape in, n×[Recipe.Numbers] in row-major order, for [Recipe.Apply].
// It returns the errors of Check.
func (r Recipe) Draw(rng *rand.Rand, in Shape, n int) ([]float32, error) {
	shapes := make([]Shape, len(r)+1) // of the images at each step
	for i := range shapes {
		var err error
		if shapes[i], err = r[:i].Check(in); err != nil {
			return nil, err
		}
	}
	size := r.Numbers()
	numbers := make([]float32, n*size)
	for i := range n {
		view := numbers[i*size : (i+1)*size]
		for k, step := range r {
			step.draw(rng, shapes[k], view[:step.numbers()])
			view = view[step.numbers():]
		}
	}
	return numbers, nil
}

// Apply maps images, Float32 [n, height, width, channels] with values in [0, 1], to views. numbers is Float32 [n,
// Numbers()]. Like all graph code it panics on a wrong shape.
func (r Recipe) Apply(images, numbers *Node) *Node {
	images.AssertRank(4)
	fault.PanicIf(images.DType() != dtypes.Float32,
		"augment: images are %s; convert them to Float32 with values in [0, 1]", images.DType())
	numbers.AssertDims(images.Shape().Dim(0), r.Numbers())
	first := 0
	for _, step := range r {
		var own *Node
		if k := step.numbers(); k > 0 {
			own = Slice(numbers, AxisRange(), AxisRange(first, first+k))
			first += k
		}
		images = apply(step, images, own)
	}
	return images
}

// apply returns step.apply, and adds the step's name to its panics.
func apply(step Step, images, numbers *Node) *Node {
	defer fault.Annotate(nil, "augment: %s", step)
	return step.apply(images, numbers)
}

// Split divides the recipe into the random part and the [Normalize] steps at its end, which apply to every image, in
// evaluation too. An encoder that normalizes by itself needs only the first part.
func (r Recipe) Split() (views, normalize Recipe) {
	cut := len(r)
	for ; cut > 0; cut-- {
		if _, ok := r[cut-1].(Normalize); !ok {
			break
		}
	}
	return r[:cut:cut], r[cut:]
}

// String names all steps, in order.
func (r Recipe) String() string {
	if len(r) == 0 {
		return "images as they are"
	}
	names := make([]string, len(r))
	for i, step := range r {
		names[i] = step.String()
	}
	return strings.Join(names, "; ")
}

// number returns number i of all views, [n, 1].
func number(numbers *Node, i int) *Node { return Slice(numbers, AxisRange(), AxisRange(i, i+1)) }

// column returns number i of all views, reshaped to [n, 1, 1, 1] to broadcast with images.
func column(numbers *Node, i int) *Node { return Reshape(number(numbers, i), -1, 1, 1, 1) }

// where selects whole images by condition, Bool [n, 1, 1, 1].
func where(condition, yes, no *Node) *Node {
	return Where(BroadcastToDims(condition, yes.Shape().Dimensions...), yes, no)
}

// ifHappened selects the images yes if number 0 of the view is positive, else no.
func ifHappened(numbers, yes, no *Node) *Node {
	return where(GreaterThan(column(numbers, 0), ScalarZero(numbers.Graph(), dtypes.Float32)), yes, no)
}

// happens draws 1 with the given probability, otherwise 0.
func happens(rng *rand.Rand, probability float64) float32 {
	if rng.Float64() < probability {
		return 1
	}
	return 0
}

// uniform draws from [lo, hi).
func uniform(rng *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }

// checkAreas returns an error unless the smallest and the largest share of a crop's area are valid.
func checkAreas(least, most float64) error {
	return fault.If(!(0 < least && least <= most && most <= 1), // this form also rejects NaN
		"crops keep between %g and %g of the area; the shares must be positive, in order and at most 1", least, most)
}

// checkProbability returns an error unless p is a probability.
func checkProbability(p float64) error {
	return fault.If(!(p >= 0 && p <= 1), "probability %g is not between 0 and 1; give a share such as 0.5", p)
}

// checkColor returns an error unless the images are gray or RGB.
func checkColor(in Shape) error {
	return fault.If(in.Channels != 1 && in.Channels != 3,
		"the step needs 3 channels, red, green and blue, or a single gray one")
}

// Bytes returns views of images of shape in as bytes, one for each image: [Recipe.Apply] for visual inspection. numbers
// come from [Recipe.Draw] for as many views as there are images. [Normalize] steps at the end are skipped, since their
// output is no longer a picture. It also returns the shape of the views.
func (r Recipe) Bytes(eng *engine.Engine, pixels []uint8, in Shape, numbers []float32) ([]uint8, Shape, error) {
	out, err := r.Check(in)
	if err != nil {
		return nil, Shape{}, err
	}
	each, size := r.Numbers(), in.Height*in.Width*in.Channels
	n := len(numbers) / each
	err = cmp.Or(
		fault.If(n == 0, "augment: %d numbers make no view, which takes %d; Draw draws those of any number of views", len(numbers), each),
		fault.If(len(numbers)%each != 0,
			"augment: %d numbers are no multiple of %d, which describe one view; take what Draw gives for this recipe", len(numbers), each),
		fault.If(len(pixels) != n*size,
			"augment: %d numbers make %d views, one for each image, but %d bytes are not %d images of %s, which take %d",
			len(numbers), n, len(pixels), n, in, n*size),
	)
	if err != nil {
		return nil, Shape{}, err
	}
	random, _ := r.Split()
	result, err := CallOnce(eng.Backend, func(pixels, numbers *Node) *Node {
		return random.Apply(MulScalar(ConvertDType(pixels, dtypes.Float32), 1.0/255), numbers)
	}, tensors.FromFlatDataAndDimensions(pixels, n, in.Height, in.Width, in.Channels),
		tensors.FromFlatDataAndDimensions(numbers, n, each))
	if err != nil {
		return nil, Shape{}, fmt.Errorf("augment: %w", err)
	}
	var views []uint8
	err = tensors.ConstFlatData(result, func(flat []float32) {
		for _, value := range flat {
			views = append(views, uint8(math.Round(255*min(max(float64(value), 0), 1))))
		}
	})
	return views, out, err
}
