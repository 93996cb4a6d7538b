package augment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// Config describes the distribution of the views. The zero value is the paper's for Fashion-MNIST: torchvision's
// RandomResizedCrop with its defaults, and ColorJitter(0.4, 0.4, …) with probability 0.8. Saturation and hue, which the
// paper's transform also changes, do nothing to a gray image.
type Config struct {
	MinArea, MaxArea float64 // share of the image's area that a crop keeps; 0 means 0.08 and 1
	MaxRatio         float64 // width : height of a crop lies between 1/MaxRatio and MaxRatio; 0 means 4/3
	Brightness       float64 // brightness is multiplied by 1 ± this; 0 means 0.4, negative means off
	Contrast         float64 // contrast is multiplied by 1 ± this; 0 means 0.4, negative means off
	Probability      float64 // of jittering a view at all; 0 means 0.8
}

// Numbers is how many numbers describe one view: top, left, height and width of its crop as shares of the image, its
// brightness factor and its contrast factor.
const Numbers = 6

// withDefaults fills in the zero fields.
func (c Config) withDefaults() Config {
	set := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&c.MinArea, 0.08)
	set(&c.MaxArea, 1)
	set(&c.MaxRatio, 4.0/3)
	set(&c.Brightness, 0.4)
	set(&c.Contrast, 0.4)
	set(&c.Probability, 0.8)
	return c
}

// Recipe returns c as a recipe of one step, which draws the same numbers and makes the same views as [Config.Draw] and
// [Apply]; a [Recipe] can hold what c cannot.
func (c Config) Recipe() Recipe { return Recipe{configStep{c}} }

// configStep is a [Config] as a [Step].
type configStep struct{ Config }

// Check implements [Step].
func (s configStep) Check(in Shape) (Shape, error) {
	switch in.Channels {
	case 1:
		return in, s.Config.Check()
	case 3:
		return Shape{}, errors.New("the images have 3 channels, and Config makes views of gray ones only; for images in colour set " +
			"PretrainConfig.Recipe = augment.CIFAR(0), or take augment.STL or augment.ImageNet")
	}
	return Shape{}, fmt.Errorf("the images have %d channels, and Config makes views of gray ones only; for these set "+
		"PretrainConfig.Recipe to steps that take any number of channels, such as Crop, Flip and Func", in.Channels)
}

// Numbers implements [Step].
func (configStep) Numbers() int { return Numbers }

// Draw implements [Step].
func (s configStep) Draw(rng *rand.Rand, _ Shape, numbers []float32) {
	copy(numbers, s.Config.Draw(rng, 1))
}

// Apply implements [Step].
func (configStep) Apply(images, numbers *Node) *Node { return Apply(images, numbers) }

// String says what the views are, defaults included.
func (c Config) String() string {
	c = c.withDefaults()
	return fmt.Sprintf("crops of %g–%g of the area, ratio up to %.3g, brightness ±%g, contrast ±%g, jitter probability %g",
		c.MinArea, c.MaxArea, c.MaxRatio, max(c.Brightness, 0), max(c.Contrast, 0), c.Probability)
}

// Check tells what is wrong with c, if anything.
func (c Config) Check() error {
	d := c.withDefaults()
	switch { // NaN fails every comparison, so each case asks for what is right and turns it around
	case !(0 <= d.MinArea && d.MinArea <= d.MaxArea && d.MaxArea <= 1):
		return fmt.Errorf("augment: crops keep between %g and %g of the area; the shares must be positive, in order and at most 1",
			d.MinArea, d.MaxArea)
	case !(d.MaxRatio >= 1) || math.IsInf(d.MaxRatio, 1):
		return fmt.Errorf("augment: MaxRatio is %g; it is the larger of width:height and height:width, so a number of at least 1",
			d.MaxRatio)
	case !(d.Brightness <= 1) || !(d.Contrast <= 1):
		return fmt.Errorf("augment: brightness ±%g, contrast ±%g; a factor 1 ± x must not turn negative, so x is at most 1",
			d.Brightness, d.Contrast)
	case !(0 <= d.Probability && d.Probability <= 1):
		return fmt.Errorf("augment: probability %g is not between 0 and 1", d.Probability)
	}
	return nil
}

// Draw draws the numbers of n views, n×[Numbers] in row-major order, for [Apply].
//
// Area is uniform and the logarithm of the ratio is uniform, drawn again up to ten times until the crop fits into the image,
// as in torchvision; after that the whole image is kept. Positions are real numbers where torchvision's are whole pixels.
func (c Config) Draw(rng *rand.Rand, n int) []float32 {
	c = c.withDefaults()
	numbers := make([]float32, 0, n*Numbers)
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	factor := func(spread float64) float64 { return between(1-max(spread, 0), 1+max(spread, 0)) }
	for range n {
		height, width := 1.0, 1.0
		for range 10 {
			area, logRatio := between(c.MinArea, c.MaxArea), between(-1, 1)*math.Log(c.MaxRatio)
			h, w := math.Sqrt(area*math.Exp(-logRatio)), math.Sqrt(area*math.Exp(logRatio))
			if h <= 1 && w <= 1 {
				height, width = h, w
				break
			}
		}
		top, left := between(0, 1-height), between(0, 1-width)
		jitter := rng.Float64() < c.Probability
		brightness, contrast := factor(c.Brightness), factor(c.Contrast)
		if !jitter {
			brightness, contrast = 1, 1
		}
		for _, x := range []float64{top, left, height, width, brightness, contrast} {
			numbers = append(numbers, float32(x))
		}
	}
	return numbers
}

// Apply turns gray images, shape [n, height, width, 1] with values in [0, 1], into views of the same shape: crop, resize back by
// bilinear interpolation (no antialiasing), brightness, contrast. Numbers has shape [n, Numbers]. Values stay in [0, 1].
//
// torchvision changes brightness and contrast in random order; here brightness always comes first.
func Apply(images, numbers *Node) *Node {
	n := images.Shape().Dim(0)
	images.AssertDims(n, -1, -1, 1)
	numbers.AssertDims(n, Numbers)
	height, width := images.Shape().Dim(1), images.Shape().Dim(2)
	number := func(i int) *Node { return Slice(numbers, AxisRange(), AxisRange(i, i+1)) } // [n, 1]

	// Bilinear interpolation is separable: one matrix of hat weights for the rows of each image, one for its columns.
	x := Squeeze(images, -1)
	rows := resample(number(0), number(2), height)
	columns := resample(number(1), number(3), width)
	x = EinsumAxes(rows, x, [][2]int{{2, 1}}, [][2]int{{0, 0}})    // [n, out row, column]
	x = EinsumAxes(x, columns, [][2]int{{2, 2}}, [][2]int{{0, 0}}) // [n, out row, out column]

	perImage := func(i int) *Node { return ExpandAxes(number(i), -1) } // [n, 1, 1]
	x = ClipScalar(Mul(x, perImage(4)), 0, 1)
	mean := ReduceAndKeep(x, ReduceMean, 1, 2)
	x = ClipScalar(Add(mean, Mul(Sub(x, mean), perImage(5))), 0, 1)
	return ExpandAxes(x, -1)
}

// resample returns the weights [n, size, size] with which each of size output pixels takes from the size input pixels, for
// crops that start at start and extend over extent, both [n, 1] and shares of the axis. Positions beyond the outermost
// pixel centres take the outermost pixel.
func resample(start, extent *Node, size int) *Node {
	g, n := start.Graph(), start.Shape().Dim(0)
	pixel := Iota(g, shapes.Make(dtypes.Float32, 1, size), 1)
	centre := MulScalar(AddScalar(pixel, 0.5), 1/float64(size)) // of output pixels, as shares of the crop
	at := AddScalar(MulScalar(Add(start, Mul(extent, centre)), float64(size)), -0.5)
	at = ClipScalar(at, 0, float64(size-1)) // [n, size], in input pixels
	distance := Abs(Sub(BroadcastToDims(ExpandAxes(at, -1), n, size, size), ExpandAxes(pixel, 0)))
	return MaxScalar(OneMinus(distance), 0)
}
