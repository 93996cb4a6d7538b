package augment

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/puclab/puclab/internal/fault"
)

// Jitter is torchvision's ColorJitter with a probability: brightness, contrast, saturation and hue change by random
// amounts, in random order. Brightness b maps a value x to bx; contrast c to cx + (1−c)·(mean gray of the image);
// saturation s to sx + (1−s)·(gray of the pixel); each is clipped to [0, 1]. Hue h rotates the color circle by the
// share h of a full turn. Saturation and hue do not affect gray images.
//
// Eight numbers describe a view: the factors of brightness, contrast and saturation, the rotation of the hue, and the
// places of the four in the order, 0 first. A view without jitter has the numbers 1, 1, 1, 0.
type Jitter struct {
	Brightness  float64 // factor 1 ± this; 0 means 0.4, negative means off
	Contrast    float64 // factor 1 ± this; 0 means 0.4, negative means off
	Saturation  float64 // factor 1 ± this; 0 means 0.4, negative means off
	Hue         float64 // rotation of ± this, at most 0.5; 0 means 0.1, negative means off
	Probability float64 // of jittering a view at all; 0 means 0.8
}

// withDefaults fills in the zero fields, and turns "off" into 0.
func (j Jitter) withDefaults() Jitter {
	strength := func(x, def float64) float64 { return max(cmp.Or(x, def), 0) }
	return Jitter{strength(j.Brightness, 0.4), strength(j.Contrast, 0.4), strength(j.Saturation, 0.4), strength(j.Hue, 0.1),
		cmp.Or(j.Probability, 0.8)}
}

func (j Jitter) check(in Shape) (Shape, error) {
	d := j.withDefaults()
	return in, cmp.Or(checkColor(in),
		fault.If(!(max(d.Brightness, d.Contrast, d.Saturation) <= 1), // NaN in one makes the maximum NaN
			"brightness ±%g, contrast ±%g, saturation ±%g; each is at most 1, so that no factor is negative",
			d.Brightness, d.Contrast, d.Saturation),
		fault.If(!(d.Hue <= 0.5), "hue ±%g; half a turn, 0.5, is the most", d.Hue),
		checkProbability(d.Probability))
}

func (Jitter) numbers() int { return 8 }

func (j Jitter) draw(rng *rand.Rand, _ Shape, numbers []float32) {
	d := j.withDefaults()
	jitter := rng.Float64() < d.Probability
	for i, strength := range []float64{d.Brightness, d.Contrast, d.Saturation} {
		numbers[i] = float32(uniform(rng, 1-strength, 1+strength))
	}
	numbers[3] = float32(uniform(rng, -d.Hue, d.Hue))
	if !jitter {
		copy(numbers, []float32{1, 1, 1, 0})
	}
	for i, place := range rng.Perm(4) {
		numbers[4+i] = float32(place)
	}
}

// The graph is the same for all views, but their orders differ. Brightness, contrast and saturation are one operation
// with different targets, so each of the four places is one such blend, with factor 1 if the place holds no blend. The
// hue is expensive, so it is rotated once, between the blends before it and those after it.
func (j Jitter) apply(images, numbers *Node) *Node {
	g := images.Graph()
	hue := j.withDefaults().Hue > 0 && images.Shape().Dim(-1) == 3
	at := func(i, place int) *Node { // 1 if change i has that place
		return ConvertDType(Equal(column(numbers, 4+i), Scalar(g, dtypes.Float32, place)), dtypes.Float32)
	}
	if !hue {
		for place := range 4 {
			images = blend(images, numbers, func(i int) *Node { return at(i, place) })
		}
		return images
	}
	hues := column(numbers, 7)
	before := func(place int) *Node {
		return ConvertDType(LessThan(Scalar(g, dtypes.Float32, place), hues), dtypes.Float32)
	}
	for place := range 3 {
		images = blend(images, numbers, func(i int) *Node { return Mul(at(i, place), before(place)) })
	}
	turn := column(numbers, 3)
	images = where(NotEqual(turn, ScalarZero(g, dtypes.Float32)), turnHue(images, turn), images)
	for place := 1; place < 4; place++ {
		images = blend(images, numbers, func(i int) *Node { return Mul(at(i, place), OneMinus(before(place))) })
	}
	return images
}

// blend applies one place of the order: f·images + (1−f)·target, clipped. active returns, as 1 or 0 in [n, 1, 1, 1],
// whether the place holds brightness (0), contrast (1) or saturation (2); if it holds none of them, f is 1.
func blend(images, numbers *Node, active func(i int) *Node) *Node {
	color := images.Shape().Dim(-1) == 3
	bright := gray(images)
	contrast := active(1)
	target := Mul(contrast, ReduceAndKeep(bright, ReduceMean, 1, 2, 3))
	off := Add(Mul(active(0), minusOne(numbers, 0)), Mul(contrast, minusOne(numbers, 1))) // f − 1
	if color {
		saturation := active(2)
		target = Add(target, Mul(saturation, bright))
		off = Add(off, Mul(saturation, minusOne(numbers, 2)))
	}
	return ClipScalar(Sub(Mul(AddScalar(off, 1), images), Mul(off, target)), 0, 1)
}

// minusOne returns numbers i minus 1, [n, 1, 1, 1].
func minusOne(numbers *Node, i int) *Node { return AddScalar(column(numbers, i), -1) }

// turnHue rotates the hue of RGB images by turn, [n, 1, 1, 1], as a share of the color circle. It keeps the largest
// channel v and the chroma c = largest − smallest. With the hue h in sixths of the circle, channel k is
//
//	v − c·clip(min(m, 4 − m), 0, 1),  m = (k + h) mod 6,  k = 5, 3, 1 for red, green and blue,
//
// which is the usual conversion from HSV to RGB in one line.
func turnHue(images, turn *Node) *Node {
	r, g, b := channel(images, 0), channel(images, 1), channel(images, 2)
	v := Max(r, Max(g, b))
	c := Sub(v, Min(r, Min(g, b)))
	divisor := Where(Equal(c, ZerosLike(c)), OnesLike(c), c) // a gray pixel has no hue, and c = 0 keeps it gray
	// The largest channel is found by ≥ and not by v = r: XLA may compute r twice, with another last bit, and then no
	// channel equals the largest. If two are nearly equal, both formulas give nearly the same h.
	h := Where(GreaterOrEqual(r, Max(g, b)), Div(Sub(g, b), divisor),
		Where(GreaterOrEqual(g, b), AddScalar(Div(Sub(b, r), divisor), 2), AddScalar(Div(Sub(r, g), divisor), 4)))
	h = Add(h, MulScalar(turn, 6))
	part := func(k float64) *Node {
		m := AddScalar(h, k)
		m = Sub(m, MulScalar(Floor(MulScalar(m, 1.0/6)), 6))
		return Sub(v, Mul(c, ClipScalar(Min(m, OneMinus(AddScalar(m, -3))), 0, 1)))
	}
	return Concatenate([]*Node{part(5), part(3), part(1)}, 3)
}

// String implements [Step].
func (j Jitter) String() string {
	d := j.withDefaults()
	return fmt.Sprintf("brightness ±%g, contrast ±%g, saturation ±%g, hue ±%g with probability %g",
		d.Brightness, d.Contrast, d.Saturation, d.Hue, d.Probability)
}
