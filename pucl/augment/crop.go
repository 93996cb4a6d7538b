package augment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/internal/fault"
)

// Crop is torchvision's RandomResizedCrop: a rectangle of random area and shape, in whole pixels, resized to a fixed
// size.
//
// Area is uniform and the logarithm of width : height is uniform, drawn again up to ten times until the crop fits into
// the image; after that it is the largest central crop with an allowed ratio. Resizing is bilinear or bicubic, and uses
// the crop alone: pixels outside it have no effect. Bicubic values outside [0, 1] are clipped, as bytes are.
//
// Four numbers describe a view: top, left, height and width of the crop in pixels.
type Crop struct {
	Height, Width      int     // of the views; 0 means the size of the images
	MinArea, MaxArea   float64 // share of the image's area that a crop keeps; 0 means 0.08 and 1
	MinRatio, MaxRatio float64 // width : height of a crop; 0 means 3/4 and 4/3
	Bicubic            bool    // cubic interpolation, not linear

	// Antialias widens the interpolation if the crop shrinks, so that every pixel counts. torchvision always does so
	// for PIL images, and by default for tensors.
	Antialias bool
}

// withDefaults fills in the zero fields for images of shape in.
func (c Crop) withDefaults(in Shape) Crop {
	c.Height, c.Width = cmp.Or(c.Height, in.Height), cmp.Or(c.Width, in.Width)
	c.MinArea, c.MaxArea = cmp.Or(c.MinArea, 0.08), cmp.Or(c.MaxArea, 1)
	c.MinRatio, c.MaxRatio = cmp.Or(c.MinRatio, 3.0/4), cmp.Or(c.MaxRatio, 4.0/3)
	return c
}

func (c Crop) check(in Shape) (Shape, error) {
	d := c.withDefaults(in)
	return Shape{d.Height, d.Width, in.Channels}, cmp.Or(
		fault.If(d.Height < 1 || d.Width < 1,
			"views of %d×%d; both sides must be at least 1, or 0 for those of the images", d.Height, d.Width),
		fault.If(!(0 < d.MinRatio && d.MinRatio <= d.MaxRatio && d.MaxRatio < math.Inf(1)),
			"crops have a ratio between %g and %g; both must be positive and in order", d.MinRatio, d.MaxRatio),
		checkAreas(d.MinArea, d.MaxArea),
	)
}

func (Crop) numbers() int { return 4 }

func (c Crop) draw(rng *rand.Rand, in Shape, numbers []float32) {
	top, left, height, width := c.rectangle(rng, in)
	for i, x := range []int{top, left, height, width} {
		numbers[i] = float32(x)
	}
}

// rectangle draws a crop.
func (c Crop) rectangle(rng *rand.Rand, in Shape) (top, left, height, width int) {
	c = c.withDefaults(in)
	for range 10 {
		area := uniform(rng, c.MinArea, c.MaxArea) * float64(in.Height*in.Width)
		ratio := math.Exp(uniform(rng, math.Log(c.MinRatio), math.Log(c.MaxRatio)))
		width = int(math.RoundToEven(math.Sqrt(area * ratio)))
		height = int(math.RoundToEven(math.Sqrt(area / ratio)))
		if 0 < width && width <= in.Width && 0 < height && height <= in.Height {
			return rng.IntN(in.Height - height + 1), rng.IntN(in.Width - width + 1), height, width
		}
	}
	height, width = in.Height, in.Width
	if ratio := float64(width) / float64(height); ratio < c.MinRatio {
		height = int(math.RoundToEven(float64(width) / c.MinRatio))
	} else if ratio > c.MaxRatio {
		width = int(math.RoundToEven(float64(height) * c.MaxRatio))
	}
	height, width = max(height, 1), max(width, 1)
	return (in.Height - height) / 2, (in.Width - width) / 2, height, width
}

func (c Crop) apply(images, numbers *Node) *Node {
	dims := images.Shape().Dimensions
	d := c.withDefaults(Shape{dims[1], dims[2], dims[3]})
	rows := c.weights(number(numbers, 0), number(numbers, 2), dims[1], d.Height)
	columns := c.weights(number(numbers, 1), number(numbers, 3), dims[2], d.Width)
	x := alongBoth(images, rows, columns)
	if c.Bicubic {
		x = ClipScalar(x, 0, 1)
	}
	return x
}

// String implements [Step].
func (c Crop) String() string {
	d := c.withDefaults(Shape{})
	size := "the images' size"
	switch {
	case c.Height != 0 && c.Width != 0:
		size = fmt.Sprintf("%d×%d", c.Height, c.Width)
	case c.Height != 0:
		size = fmt.Sprintf("height %d and the images' width", c.Height)
	case c.Width != 0:
		size = fmt.Sprintf("the images' height and width %d", c.Width)
	}
	method := "bilinear"
	if c.Bicubic {
		method = "bicubic"
	}
	if c.Antialias {
		method += " with antialias"
	}
	return fmt.Sprintf("crop of %g–%g of the area, ratio %.3g–%.3g, to %s, %s",
		d.MinArea, d.MaxArea, d.MinRatio, d.MaxRatio, size, method)
}
