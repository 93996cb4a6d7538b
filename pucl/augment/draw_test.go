package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// draws returns the numbers of n views, one slice for each of the step's numbers.
func draws(t *testing.T, step Step, in Shape, n int) [][]float64 {
	t.Helper()
	r := Recipe{step}
	flat := expect.Must(r.Draw(rand.New(rand.NewPCG(5, 6)), in, n))(t)
	k := step.Numbers()
	columns := make([][]float64, k)
	for i, x := range flat {
		columns[i%k] = append(columns[i%k], float64(x))
	}
	return columns
}

// sameCounts tells by a χ² test whether two samples, as counts, can come from one distribution. Cells with few counts are
// joined with the next.
func sameCounts(t *testing.T, what string, a, b []float64) {
	t.Helper()
	sum := func(x []float64) (s float64) {
		for _, v := range x {
			s += v
		}
		return s
	}
	na, nb := sum(a), sum(b)
	chi2, cells, ca, cb := 0.0, 0, 0.0, 0.0
	for i := range a {
		ca, cb = ca+a[i], cb+b[i]
		if ca+cb < 50 && i < len(a)-1 {
			continue
		}
		if ca+cb > 0 {
			d := math.Sqrt(nb/na)*ca - math.Sqrt(na/nb)*cb
			chi2 += d * d / (ca + cb)
			cells++
		}
		ca, cb = 0, 0
	}
	// χ² has mean and half variance cells − 1; five deviations, and 10 for its skewness, are far beyond chance.
	df := float64(cells - 1)
	expect.That(t, cells >= 2 && chi2 <= df+5*math.Sqrt(2*df)+10, "%s: χ² = %.1f for %d cells", what, chi2, cells)
}

// Heights, widths and places of crops are spread as those of torchvision's RandomResizedCrop, ten tries and fallback
// included: 100,000 of its draws are frozen.
func TestCropsAreSpreadAsTorchvisions(t *testing.T) {
	const n = 100_000
	f := load(t)
	expect.Require(t, len(f.Draws) == 3, "%d frozen distributions, want 3", len(f.Draws))
	for _, want := range f.Draws {
		crop := Crop{MinArea: want.Scale[0], MaxArea: want.Scale[1], MinRatio: want.Ratio[0], MaxRatio: want.Ratio[1]}
		in := Shape{want.Height, want.Width, 3}
		got := draws(t, crop, in, n)
		heights, widths, middle := make([]float64, want.Height+1), make([]float64, want.Width+1), 0.0
		for i := range n {
			top, left, height, width := got[0][i], got[1][i], got[2][i], got[3][i]
			if top < 0 || left < 0 || height < 1 || width < 1 || int(top+height) > want.Height || int(left+width) > want.Width {
				t.Fatalf("images of %s: the crop %g, %g, %g, %g leaves the image", in, top, left, height, width)
			}
			heights[int(height)]++
			widths[int(width)]++
			if int(top) == (want.Height-int(height))/2 && int(left) == (want.Width-int(width))/2 {
				middle++
			}
		}
		sameCounts(t, "heights of crops of "+in.String(), heights, want.Heights)
		sameCounts(t, "widths of crops of "+in.String(), widths, want.Widths)
		sameCounts(t, "places of crops of "+in.String(), []float64{middle, n - middle}, []float64{want.Middle, n - want.Middle})
	}
}

// The fallback is the largest crop in the middle whose ratio is allowed.
func TestCropFallsBack(t *testing.T) {
	for _, tt := range []struct {
		crop Crop
		in   Shape
		want []float64
	}{
		{Crop{MinArea: 1}, Shape{10, 40, 1}, []float64{0, 13, 10, 13}},                           // 40/13.3, off-center by (40−13)/2 = 13
		{Crop{MinArea: 1}, Shape{10, 20, 1}, []float64{0, 3, 10, 13}},                            // likewise, where the ratio is just 2
		{Crop{MinArea: 1}, Shape{40, 9, 1}, []float64{14, 0, 12, 9}},                             // 9/12
		{Crop{MinArea: 1, MinRatio: 3, MaxRatio: 4}, Shape{8, 20, 1}, []float64{0, 0, 7, 20}},    // 20/3 = 6.7
		{Crop{MinArea: 1, MinRatio: .999, MaxRatio: 1}, Shape{50, 1, 1}, []float64{24, 0, 1, 1}}, // never narrower than a pixel
	} {
		got := draws(t, tt.crop, tt.in, 50)
		for i, want := range tt.want {
			expect.That(t, !slices.ContainsFunc(got[i], func(x float64) bool { return x != want }),
				"%s of %s: number %d is %v, want %g", tt.crop, tt.in, i, got[i][:3], want)
		}
	}
}

// Strengths that are off change nothing, in any draw.
func TestJitterOff(t *testing.T) {
	got := draws(t, Jitter{Brightness: -1, Contrast: -1, Saturation: -1, Hue: -1}, Shape{4, 4, 3}, 100)
	for k, want := range []float64{1, 1, 1, 0} {
		expect.That(t, slices.Min(got[k]) == want && slices.Max(got[k]) == want, "number %d: %v, want %g", k, got[k], want)
	}
	numbers := cropJitters(t, CropJitter{Contrast: -1}, rand.New(rand.NewPCG(4, 4)), 100)
	for i := range 100 {
		expect.Require(t, numbers[i*6+5] == 1, "view %d has the contrast %g", i, numbers[i*6+5])
	}
}

func TestProbabilities(t *testing.T) {
	const n = 20_000
	in := Shape{16, 16, 3}
	for _, tt := range []struct {
		step Step
		p    float64
	}{
		{Flip{}, 0.5}, {Flip{Probability: 0.9}, 0.9}, {Grayscale{}, 0.2}, {Grayscale{Probability: 1}, 1}, {Solarize{}, 0.2},
		{Solarize{Probability: 0.7}, 0.7},
	} {
		count := 0
		for _, x := range draws(t, tt.step, in, n)[0] {
			if x == 1 {
				count++
			} else if x != 0 {
				t.Fatalf("%s drew %g", tt.step, x)
			}
		}
		shareOf(t, tt.step.String(), count, n, tt.p)
	}
	for _, tt := range []struct {
		blur         Blur
		lo, hi, rate float64
	}{{Blur{}, 0.1, 2, 0.5}, {Blur{MinSigma: 1, MaxSigma: 3, Probability: 1}, 1, 3, 1}} {
		sigmas := slices.DeleteFunc(draws(t, tt.blur, in, n)[0], func(x float64) bool { return x == 0 })
		shareOf(t, tt.blur.String(), len(sigmas), n, tt.rate)
		for i, sigma := range sigmas {
			sigmas[i] = (sigma - tt.lo) / (tt.hi - tt.lo)
		}
		uniformly(t, tt.blur.String(), sigmas)
	}
}
