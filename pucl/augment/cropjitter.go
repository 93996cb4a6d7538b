package augment

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// CropJitter crops gray images and changes their brightness and contrast, in one step that is faster than [Crop] and
// [Jitter]. The zero value is the paper's for Fashion-MNIST: torchvision's RandomResizedCrop with its defaults, and
// ColorJitter(0.4, 0.4, …) with probability 0.8. Saturation and hue, which the paper's transform also changes, do not
// affect a gray image.
//
// Area is uniform and the logarithm of the ratio is uniform, drawn again up to ten times until the crop fits into the
// image, as in torchvision; after that the whole image is kept. Positions are real numbers, where torchvision's are
// whole pixels. Resizing is bilinear without antialias, so pixels beside the crop count at its edges. Brightness always
// changes before contrast, where torchvision draws a random order.
//
// Six numbers describe a view: top, left, height and width of its crop as shares of the image, its brightness factor
// and its contrast factor.
type CropJitter struct {
	MinArea, MaxArea float64 // share of the image's area that a crop keeps; 0 means 0.08 and 1
	MaxRatio         float64 // width : height of a crop lies between 1/MaxRatio and MaxRatio; 0 means 4/3
	Brightness       float64 // brightness is multiplied by 1 ± this; 0 means 0.4, negative means off
	Contrast         float64 // contrast is multiplied by 1 ± this; 0 means 0.4, negative means off
	Probability      float64 // of jittering a view at all; 0 means 0.8
}

// withDefaults fills in the zero fields, and turns "off" into 0.
func (c CropJitter) withDefaults() CropJitter {
	return CropJitter{
		MinArea: cmp.Or(c.MinArea, 0.08), MaxArea: cmp.Or(c.MaxArea, 1), MaxRatio: cmp.Or(c.MaxRatio, 4.0/3),
		Brightness: max(cmp.Or(c.Brightness, 0.4), 0), Contrast: max(cmp.Or(c.Contrast, 0.4), 0),
		Probability: cmp.Or(c.Probability, 0.8),
	}
}

func (c CropJitter) check(in Shape) (Shape, error) {
	d := c.withDefaults()
	return in, cmp.Or( // NaN fails every comparison, so each condition tests the valid case and negates it
		fault.If(in.Channels == 3, "the images have 3 channels, and CropJitter makes views of gray images only; "+
			"for images in color take the recipe augment.CIFAR(0), augment.STL or augment.ImageNet"),
		fault.If(in.Channels != 1, "the images have %d channels, and CropJitter makes views of gray images only; take a recipe of "+
			"steps for any number of channels, such as Crop, Flip and Func", in.Channels),
		fault.If(!(d.MaxRatio >= 1) || math.IsInf(d.MaxRatio, 1),
			"MaxRatio is %g; it is the larger of width:height and height:width, so a number of at least 1", d.MaxRatio),
		fault.If(!(d.Brightness <= 1) || !(d.Contrast <= 1),
			"brightness ±%g, contrast ±%g; a factor 1 ± x must not turn negative, so x is at most 1", d.Brightness, d.Contrast),
		errors.Join(checkAreas(d.MinArea, d.MaxArea), checkProbability(d.Probability)),
	)
}

func (CropJitter) numbers() int { return 6 }

func (c CropJitter) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	d := c.withDefaults()
	height, width := 1.0, 1.0
	for range 10 {
		area, logRatio := uniform(rng, d.MinArea, d.MaxArea), uniform(rng, -1, 1)*math.Log(d.MaxRatio)
		h, w := math.Sqrt(area*math.Exp(-logRatio)), math.Sqrt(area*math.Exp(logRatio))
		if h <= 1 && w <= 1 {
			height, width = h, w
			break
		}
	}
	top, left := uniform(rng, 0, 1-height), uniform(rng, 0, 1-width)
	jitter := rng.Float64() < d.Probability
	brightness, contrast := uniform(rng, 1-d.Brightness, 1+d.Brightness), uniform(rng, 1-d.Contrast, 1+d.Contrast)
	if !jitter {
		brightness, contrast = 1, 1
	}
	for i, x := range []float64{top, left, height, width, brightness, contrast} {
		numbers[i] = float32(x)
	}
}

// Values stay in [0, 1].
func (CropJitter) apply(images, numbers *Node) *Node {
	images.AssertDims(-1, -1, -1, 1)
	height, width := images.Shape().Dim(1), images.Shape().Dim(2)
	x := alongBoth(images, shareWeights(number(numbers, 0), number(numbers, 2), height),
		shareWeights(number(numbers, 1), number(numbers, 3), width))
	x = ClipScalar(Mul(x, column(numbers, 4)), 0, 1)
	mean := ReduceAndKeep(x, ReduceMean, 1, 2, 3)
	return ClipScalar(Add(mean, Mul(Sub(x, mean), column(numbers, 5))), 0, 1)
}

// shareWeights returns the weights [n, size, size] of size input pixels in each of size output pixels, for crops that
// start at start and extend over extent, both [n, 1] and shares of the axis. Positions beyond the outermost pixel
// centers use the outermost pixel.
func shareWeights(start, extent *Node, size int) *Node {
	g, n := start.Graph(), start.Shape().Dim(0)
	pixel := iota3(g, size, 2)                                                       // [1, 1, size]
	center := MulScalar(AddScalar(Squeeze(pixel, 0), 0.5), 1/float64(size))          // of output pixels, as shares of the crop
	at := AddScalar(MulScalar(Add(start, Mul(extent, center)), float64(size)), -0.5) // [n, size], in input pixels
	at = ClipScalar(at, 0, float64(size-1))
	return linear(Abs(difference(pixel, ExpandAxes(at, -1), n, size, size)))
}

// String implements [Step].
func (c CropJitter) String() string {
	d := c.withDefaults()
	return fmt.Sprintf("crops of %g–%g of the area, ratio up to %.3g, brightness ±%g, contrast ±%g, jitter probability %g",
		d.MinArea, d.MaxArea, d.MaxRatio, d.Brightness, d.Contrast, d.Probability)
}
