package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/puclab/puclab/internal/expect"
)

// leastP is the p-value below which a test rejects that a sample comes from its distribution. Seeds are fixed, so a
// test that passes once always does; the bound is low since hundreds of samples are tested.
const leastP = 1e-5

// mostDeviations is the number of standard deviations that a normal variable exceeds with probability leastP.
var mostDeviations = math.Sqrt2 * math.Erfcinv(leastP)

// kolmogorov returns the p-value of the Kolmogorov–Smirnov test that x is uniform on [0, 1]: with D the largest
// distance of the empirical distribution from the diagonal, 2 Σ (−1)^(k−1) exp(−2k²λ²), λ = (√n + 0.12 + 0.11/√n)·D
// (Stephens, 1970).
func kolmogorov(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n, d := float64(len(x)), 0.0
	for i, v := range x {
		d = max(d, float64(i+1)/n-v, v-float64(i)/n)
	}
	lambda, p := (math.Sqrt(n)+0.12+0.11/math.Sqrt(n))*d, 0.0
	if lambda < 0.2 {
		return 1
	}
	for k := 1.0; k < 100; k++ {
		p += 2 * math.Pow(-1, k-1) * math.Exp(-2*k*k*lambda*lambda)
	}
	return p
}

// uniformly fails the test if x, of at least 1000 values, cannot be uniform on [0, 1].
func uniformly(t *testing.T, what string, x []float64) {
	t.Helper()
	p := kolmogorov(x)
	expect.That(t, p >= leastP && len(x) >= 1000, "%s: %d values, uniform with p = %.2g", what, len(x), p)
}

// independently fails the test if x and y, uniform each, cannot be independent: χ² of a table of 6×6 equal cells.
func independently(t *testing.T, what string, x, y []float64) {
	t.Helper()
	const side = 6
	counts := make([]float64, side*side)
	for i := range x {
		cell := func(v float64) int { return min(max(int(v*side), 0), side-1) }
		counts[cell(x[i])*side+cell(y[i])]++
	}
	want, chi2 := float64(len(x))/(side*side), 0.0
	for _, c := range counts {
		chi2 += (c - want) * (c - want) / want
	}
	p := (distuv.ChiSquared{K: side*side - 1}).Survival(chi2)
	expect.That(t, p >= leastP && want >= 10, "%s: %d pairs, independent with p = %.2g", what, len(x), p)
}

// shareOf fails the test if count of n cannot come from probability p.
func shareOf(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	expect.Near(t, float64(count)/float64(n), p, mostDeviations*math.Sqrt(p*(1-p)/float64(n)), "%s: share of %d", what, n)
}

// cropSpace defines the distribution of a crop's rectangle, by sums over a fine grid. The area, as a share, is uniform
// in [lo, hi], and the logarithm of width : height is uniform. Both are restricted to rectangles that fit into the
// image.
type cropSpace struct {
	height, width float64
	lo, hi        float64 // share of the area
	least, most   float64 // logarithm of the ratio
}

// ratios returns the range of logarithms of the ratio for which the area fits.
func (s cropSpace) ratios(area float64) (lo, hi float64) {
	pixels := math.Log(area * s.height * s.width)
	return max(s.least, pixels-2*math.Log(s.height)), min(s.most, 2*math.Log(s.width)-pixels)
}

const gridSize = 20_000

// areas returns the cumulated measure of the areas up to each point of the grid.
func (s cropSpace) areas() []float64 {
	cumulated := make([]float64, gridSize+1)
	for i := range gridSize {
		lo, hi := s.ratios(s.lo + (s.hi-s.lo)*(float64(i)+0.5)/gridSize)
		cumulated[i+1] = cumulated[i] + max(hi-lo, 0)
	}
	return cumulated
}

// fits returns the probability that one try fits.
func (s cropSpace) fits() float64 { return s.areas()[gridSize] / gridSize / (s.most - s.least) }

// uniforms maps area and ratio of a crop to two numbers that are uniform and independent if the crop has the
// distribution: the share of smaller areas, and among crops of this area the share of smaller ratios.
func (s cropSpace) uniforms(cumulated []float64, area, ratio float64) (u, v float64) {
	at := min(max((area-s.lo)/(s.hi-s.lo)*gridSize, 0), gridSize)
	i := min(int(at), gridSize-1)
	u = (cumulated[i] + (at-float64(i))*(cumulated[i+1]-cumulated[i])) / cumulated[gridSize]
	lo, hi := s.ratios(area)
	return u, min(max((math.Log(ratio)-lo)/(hi-lo), 0), 1)
}

// The rectangle of a crop, size and position, is compared with the definition of RandomResizedCrop. Images are so large
// that whole pixels do not affect the size; positions are tested in whole pixels.
func TestCropsAgainstTheDefinition(t *testing.T) {
	const n = 20_000
	for _, tt := range []struct {
		in   Shape
		crop Crop
	}{
		{Shape{6000, 6000, 3}, Crop{}},
		{Shape{9000, 4000, 3}, Crop{}},
		{Shape{5000, 7000, 1}, Crop{MinArea: 0.3, MaxArea: 0.6, MinRatio: 0.5, MaxRatio: 1.5}},
		{Shape{4000, 12000, 1}, Crop{MinArea: 0.4, MaxArea: 0.6}}, // mostly too tall, so that one in six fits within ten tries
	} {
		d := tt.crop.withDefaults(tt.in)
		space := cropSpace{float64(tt.in.Height), float64(tt.in.Width), d.MinArea, d.MaxArea, math.Log(d.MinRatio), math.Log(d.MaxRatio)}
		cumulated := space.areas()
		rng := rand.New(rand.NewPCG(7, 7))
		got := draws(t, tt.crop, tt.in, n)
		var sizes, ratios, tops, lefts []float64
		fallbacks := 0
		// The fallback is the largest central rectangle; another crop of the same size and position is too rare to
		// matter.
		allowed := func(from, ratio float64) float64 { return math.RoundToEven(from * ratio) }
		for i := range n {
			top, left, height, width := got[0][i], got[1][i], got[2][i], got[3][i]
			full := height == space.height && (width == space.width || width == allowed(space.height, d.MaxRatio)) ||
				width == space.width && height == allowed(space.width, 1/d.MinRatio)
			if full && top == math.Floor((space.height-height)/2) && left == math.Floor((space.width-width)/2) {
				fallbacks++
				continue
			}
			u, v := space.uniforms(cumulated, height*width/(space.height*space.width), width/height)
			sizes, ratios = append(sizes, u), append(ratios, v)
			// A whole number from 0 to m is uniform if it is evenly distributed over m + 1 cells.
			tops = append(tops, (top+rng.Float64())/(space.height-height+1))
			lefts = append(lefts, (left+rng.Float64())/(space.width-width+1))
		}
		name := fmt.Sprintf("%s of %s: ", tt.crop, tt.in)
		shareOf(t, name+"ten tries that do not fit", fallbacks, n, math.Pow(1-space.fits(), 10))
		all := map[string][]float64{"area": sizes, "ratio": ratios, "top": tops, "left": lefts}
		for what, x := range all {
			uniformly(t, name+what, x)
			for other, y := range all {
				if what < other {
					independently(t, name+what+" and "+other, x, y)
				}
			}
		}
	}
}

// The same for CropJitter, whose crops are shares of the image and lie between pixels.
func TestCropJitterAgainstTheDefinition(t *testing.T) {
	const n = 20_000
	c := CropJitter{MinArea: 0.2, MaxArea: 0.9, MaxRatio: 2, Brightness: 0.3, Contrast: 0.7, Probability: 0.6}
	numbers := cropJitters(t, c, rand.New(rand.NewPCG(3, 4)), n)
	space := cropSpace{1, 1, 0.2, 0.9, -math.Log(2), math.Log(2)}
	cumulated := space.areas()
	rng := rand.New(rand.NewPCG(8, 8))
	all := make(map[string][]float64)
	fallbacks, jittered := 0, 0
	for i := range n {
		v := numbers[i*6 : (i+1)*6]
		top, left, height, width := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		if height == 1 && width == 1 {
			fallbacks++
			continue
		}
		area, ratio := space.uniforms(cumulated, height*width, width/height)
		brightness, contrast := (float64(v[4])-0.7)/0.6, (float64(v[5])-0.3)/1.4
		happened := v[4] != 1 || v[5] != 1
		if happened {
			jittered++
		} else {
			brightness, contrast = rng.Float64(), rng.Float64()
		}
		for what, x := range map[string]float64{"area": area, "ratio": ratio, "top": top / (1 - height), "left": left / (1 - width),
			"brightness": brightness, "contrast": contrast, "jitter": coin(rng, happened, 0.6)} {
			all[what] = append(all[what], x)
		}
	}
	shareOf(t, "ten tries that do not fit", fallbacks, n, math.Pow(1-space.fits(), 10))
	for what, x := range all {
		uniformly(t, what, x)
		for other, y := range all {
			if what < other {
				independently(t, what+" and "+other, x, y)
			}
		}
	}
}

// coin maps an event of probability p to a number that is uniform if the event has that probability.
func coin(rng *rand.Rand, happened bool, p float64) float64 {
	if happened {
		return p * rng.Float64()
	}
	return p + (1-p)*rng.Float64()
}

// place maps an order of the numbers 0 to 3 to a number that is uniform if all 24 orders are equally likely.
func place(rng *rand.Rand, order []float32) float64 {
	rank := 0
	for i := range order {
		smaller := 0
		for _, later := range order[i+1:] {
			if later < order[i] {
				smaller++
			}
		}
		rank = rank*(len(order)-i) + smaller
	}
	return (float64(rank) + rng.Float64()) / 24
}

// uniformsOf maps the numbers of a view by a whole recipe to uniform ones, by the definition of each step. If a step
// did not happen, its strengths are hidden, and fresh random numbers replace them.
func uniformsOf(t *testing.T, rng *rand.Rand, r Recipe, in Shape, numbers []float32) map[string]float64 {
	u := make(map[string]float64)
	for _, step := range r {
		v := numbers[:step.numbers()]
		numbers = numbers[step.numbers():]
		switch s := step.(type) {
		case Crop:
			u["top"] = (float64(v[0]) + rng.Float64()) / float64(in.Height-int(v[2])+1)
			u["left"] = (float64(v[1]) + rng.Float64()) / float64(in.Width-int(v[3])+1)
			// These crops always fit, so that area and logarithm of the ratio are uniform without correction.
			lo, hi := math.Log(3.0/4), math.Log(4.0/3)
			u["area"] = min(max((float64(v[2]*v[3])/float64(in.Height*in.Width)-s.MinArea)/(s.MaxArea-s.MinArea), 0), 1)
			u["ratio"] = min(max((math.Log(float64(v[3]/v[2]))-lo)/(hi-lo), 0), 1)
		case Flip:
			u["flip"] = coin(rng, v[0] == 1, s.Probability)
		case Grayscale:
			u["gray"] = coin(rng, v[0] == 1, s.Probability)
		case Solarize:
			u["solarize"] = coin(rng, v[0] == 1, s.Probability)
		case Blur:
			u["blur"] = coin(rng, v[0] > 0, s.Probability)
			if u["σ"] = rng.Float64(); v[0] > 0 {
				u["σ"] = (float64(v[0]) - s.MinSigma) / (s.MaxSigma - s.MinSigma)
			}
		case Jitter:
			happened := v[0] != 1 || v[1] != 1 || v[2] != 1 || v[3] != 0
			u["jitter"] = coin(rng, happened, s.Probability)
			for i, name := range []string{"brightness", "contrast", "saturation", "hue"} {
				spread := []float64{s.Brightness, s.Contrast, s.Saturation, s.Hue}[i]
				middle := []float64{1, 1, 1, 0}[i]
				if u[name] = rng.Float64(); happened {
					u[name] = (float64(v[i]) - middle + spread) / (2 * spread)
				}
			}
			u["order"] = place(rng, v[4:])
		case Normalize:
		default:
			t.Fatalf("no definition of %s", step)
		}
	}
	return u
}

// Every number that a recipe draws has the distribution of its step in torchvision. All of them are independent of each
// other within a view, between views, between the two views of an image, and between training steps.
func TestRecipesAgainstTheDefinition(t *testing.T) {
	const n = 24_000
	in := Shape{3000, 3000, 3}
	for name, r := range map[string]Recipe{"CIFAR": CIFAR(32), "STL": STL(), "ImageNet": ImageNet(224), "another": {
		Solarize{Probability: 0.35}, Jitter{Brightness: 0.9, Contrast: 0.1, Saturation: 1, Hue: 0.5, Probability: 0.3},
		Grayscale{Probability: 0.6}, Blur{MinSigma: 0.5, MaxSigma: 4, Probability: 0.7}, Flip{Probability: 0.1}, Crop{},
	}} {
		for i, step := range r {
			if crop, ok := step.(Crop); ok {
				crop.MinArea, crop.MaxArea = 0.1, 0.7 // 0.7·4/3 < 1: all fit
				r[i] = crop
			}
		}
		rng := rand.New(rand.NewPCG(11, 12))
		views := make(map[string][]float64)
		add := func(seed, step uint64, n int) {
			numbers := expect.Must(r.Draw(rand.New(rand.NewPCG(seed, step)), in, n))(t)
			for k := range n {
				for what, u := range uniformsOf(t, rng, r, in, numbers[k*r.Numbers():(k+1)*r.Numbers()]) {
					views[what] = append(views[what], u)
				}
			}
		}
		add(5, 0, n)
		for what, x := range views {
			uniformly(t, name+": "+what, x)
			independently(t, name+": "+what+" of one view and the next", x[:n-1], x[1:])
			independently(t, name+": "+what+" of both views of an image", x[:n/2], x[n/2:])
			for other, y := range views {
				if what < other {
					independently(t, name+": "+what+" and "+other, x, y)
				}
				independently(t, name+": "+what+" of one view and "+other+" of the next", x[:n-1], y[1:])
			}
		}
		// The first view of every training step; the seeds are consecutive.
		clear(views)
		for step := range uint64(2000) {
			add(5, step, 1)
		}
		for what, x := range views {
			uniformly(t, name+": "+what+" of the first views of all steps", x)
			independently(t, name+": "+what+" of the first views of two steps", x[:len(x)-1], x[1:])
		}
	}
}
