package main

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl/pu"
)

// side is the height and width in pixels of a drawn picture.
const side = 32

// picture is a task of drawn color pictures. Paint returns the color at a point of a new picture of a kind. The kinds 0
// and 1 are positive, the kinds 2 and 3 negative, so that neither class is one cluster.
type picture struct {
	name  string
	paint func(rng *rand.Rand, kind int) func(x, y float64) color
}

// color is red, green and blue, from 0 to 1.
type color [3]float64

// pictures are the drawn tasks.
var pictures = []picture{{"drawn shapes", shapes}, {"drawn hues", hues}}

// drawnPrior is the share of positives among the unlabeled pictures and in the test set.
const drawnPrior = 0.4

// draw draws the pictures of a seed, in the case-control setting.
func (p picture) draw(a amounts, seed uint64) (*draw, error) {
	rng := rand.New(rand.NewPCG(seed, 0xc0102))
	some := func(labeled, others int) (*pu.Dataset, error) {
		var pixels []uint8
		marks, truth := make([]bool, labeled+others), make([]bool, labeled+others)
		for i := range marks {
			marks[i] = i < labeled
			truth[i] = i < labeled || i < labeled+int(drawnPrior*float64(others))
			kind := rng.IntN(2)
			if !truth[i] {
				kind += 2
			}
			pixels = p.render(pixels, rng, kind)
		}
		d, err := pu.Images(pixels, pu.Shape{Height: side, Width: side, Channels: 3}, marks)
		if err == nil {
			d.Truth, d.CaseControl = truth, true
		}
		return d, err
	}
	d, err := &draw{prior: drawnPrior}, error(nil)
	if d.data, err = some(a.labeled, a.unlabeled); err != nil {
		return nil, err
	}
	d.data.Truth = nil
	if d.held, err = some(a.heldLabeled, a.heldUnlabeled); err != nil {
		return nil, err
	}
	d.test, err = some(0, a.test)
	return d, err
}

// render appends the pixels of a picture, with noise of standard deviation 0.08.
func (p picture) render(pixels []uint8, rng *rand.Rand, kind int) []uint8 {
	at := p.paint(rng, kind)
	for y := range side {
		for x := range side {
			for _, value := range at(float64(x), float64(y)) {
				value += 0.08 * rng.NormFloat64()
				pixels = append(pixels, uint8(math.Round(255*min(max(value, 0), 1))))
			}
		}
	}
	return pixels
}

// gradient returns a color that changes in a random direction from one random color to another.
func gradient(rng *rand.Rand, first, second color) func(x, y float64) color {
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	return func(x, y float64) (out color) {
		t := 0.5 + (cos*(x-side/2)+sin*(y-side/2))/(math.Sqrt2*side)
		for k := range out {
			out[k] = first[k] + t*(second[k]-first[k])
		}
		return out
	}
}

// random returns a color whose parts lie between low and high.
func random(rng *rand.Rand, low, high float64) (c color) {
	for k := range c {
		c[k] = low + (high-low)*rng.Float64()
	}
	return c
}

// shapes are outlines in a random light color on a random dark one: rings and upright crosses against squares and
// diagonal crosses.
func shapes(rng *rand.Rand, kind int) func(x, y float64) color {
	ink, paper := random(rng, 0.4, 1), gradient(rng, random(rng, 0, 0.4), random(rng, 0, 0.4))
	centerX, centerY := 11+10*rng.Float64(), 11+10*rng.Float64()
	radius, width := 6+4*rng.Float64(), 1+rng.Float64()
	return func(x, y float64) color {
		dx, dy := math.Abs(x-centerX), math.Abs(y-centerY)
		off := math.Inf(1) // distance from the outline
		switch {
		case kind == 0:
			off = math.Abs(math.Hypot(dx, dy) - radius)
		case kind == 2:
			off = math.Abs(max(dx, dy) - radius)
		case max(dx, dy) > radius:
		case kind == 1:
			off = min(dx, dy)
		default:
			off = math.Abs(dx-dy) / math.Sqrt2
		}
		if off < width {
			return ink
		}
		return paper(x, y)
	}
}

// hues are gradients of brightness of one hue: around red and around green against around yellow and around blue. The
// hue deviates by 18 degrees, so that the classes overlap a little.
func hues(rng *rand.Rand, kind int) func(x, y float64) color {
	hue := [...]float64{0, 120, 60, 240}[kind] + 18*rng.NormFloat64()
	var pure color
	for k := range pure { // the usual conversion of a hue at full saturation
		distance := math.Abs(math.Remainder(hue-float64(120*k), 360)) / 60
		pure[k] = min(max(2-distance, 0), 1)
	}
	dark, light, gray := 0.3+0.3*rng.Float64(), 0.7+0.3*rng.Float64(), 0.3*rng.Float64()
	var first, second color
	for k := range pure {
		first[k], second[k] = dark*(gray+(1-gray)*pure[k]), light*(gray+(1-gray)*pure[k])
	}
	return gradient(rng, first, second)
}
