package encoder

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Pixels says how an encoder scales the pixels it is given, (x − mean)/std for every channel. The zero value leaves them as
// they are.
type Pixels struct {
	Mean, Std []float64 // one number for each channel, or a single one for all; nil means 0 and 1
}

// ImageNetPixels returns the mean and the standard deviation of ImageNet's red, green and blue, which torchvision's published
// weights were trained with.
func ImageNetPixels() Pixels {
	return Pixels{Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}}
}

// scale applies p to images [n, height, width, channels] and panics on anything that is not images.
func (p Pixels) scale(network string, images *Node) *Node {
	if images.Rank() != 4 {
		panic(fmt.Errorf("encoder: %s reads images [n, height, width, channels], not %s", network, images.Shape()))
	}
	channels := images.Shape().Dim(-1)
	wide := func(what string, values []float64) *Node {
		if len(values) != 1 && len(values) != channels {
			panic(fmt.Errorf("encoder: the pixels' %s of %s holds %d numbers; images of %s need %d, or 1 for all channels",
				what, network, len(values), images.Shape(), channels))
		}
		return ExpandLeftToRank(ConstAsDType(images.Graph(), images.DType(), values), 4)
	}
	if p.Mean != nil {
		images = Sub(images, wide("mean", p.Mean))
	}
	if p.Std != nil {
		for _, std := range p.Std {
			if !(std > 0) {
				panic(fmt.Errorf("encoder: the pixels' std of %s is %v; it divides, so it must be positive", network, p.Std))
			}
		}
		images = Div(images, wide("std", p.Std))
	}
	return images
}

// suffix describes the scaling, "" for none, with a blank in front otherwise.
func (p Pixels) suffix() string {
	if p.Mean == nil && p.Std == nil {
		return ""
	}
	return fmt.Sprintf(" (pixels − %v)/%v", p.Mean, p.Std)
}
