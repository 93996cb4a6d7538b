package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draws returns the numbers of n views, one slice for each of the step's numbers.
func draws(t *testing.T, step Step, in Shape, n int) [][]float64 {
	t.Helper()
	r := Recipe{step}
	flat, err := r.Draw(rand.New(rand.NewPCG(5, 6)), in, n)
	if err != nil {
		t.Fatal(err)
	}
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
	if df := float64(cells - 1); cells < 2 || chi2 > df+5*math.Sqrt(2*df)+10 {
		t.Errorf("%s: χ² = %.1f for %d cells", what, chi2, cells)
	}
}

// Heights, widths and places of crops are spread as those of torchvision's RandomResizedCrop, ten tries and fallback
// included: 100,000 of its draws are frozen.
func TestCropsAreSpreadAsTorchvisions(t *testing.T) {
	const n = 100_000
	f := load(t)
	if len(f.Draws) != 3 {
		t.Fatalf("%d frozen distributions, want 3", len(f.Draws))
	}
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

// Positions are uniform over all that fit: a crop of half of each side, whose area is fixed.
func TestCropPlacesAreUniform(t *testing.T) {
	const n = 40_000
	got := draws(t, Crop{MinArea: 0.25, MaxArea: 0.25, MinRatio: 1, MaxRatio: 1}, Shape{16, 16, 1}, n)
	tops, lefts, fair := make([]float64, 9), make([]float64, 9), make([]float64, 9)
	for i := range n {
		if got[2][i] != 8 || got[3][i] != 8 {
			t.Fatalf("the crop has %g×%g pixels, want 8×8", got[2][i], got[3][i])
		}
		tops[int(got[0][i])]++
		lefts[int(got[1][i])]++
	}
	for i := range fair {
		fair[i] = 1e12 // so many that they have no deviation
	}
	sameCounts(t, "tops", tops, fair)
	sameCounts(t, "lefts", lefts, fair)
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
			if slices.ContainsFunc(got[i], func(x float64) bool { return x != want }) {
				t.Errorf("%s of %s: number %d is %v, want %g", tt.crop, tt.in, i, got[i][:3], want)
			}
		}
	}
}

// isUniform tells by mean, variance and bounds whether x can be uniform between lo and hi.
func isUniform(t *testing.T, what string, x []float64, lo, hi float64) {
	t.Helper()
	n, mean, variance := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		mean += (v - lo) / (hi - lo) / n
	}
	for _, v := range x {
		d := (v-lo)/(hi-lo) - 0.5
		variance += d * d / n
	}
	// A uniform variable on [0, 1] has variance 1/12, and its squared deviation has variance 1/180.
	if !(math.Abs(mean-0.5) <= 5/math.Sqrt(12*n)) || !(math.Abs(variance-1.0/12) <= 5/math.Sqrt(180*n)) || n < 1000 ||
		slices.Min(x) < lo-1e-6 || slices.Max(x) > hi+1e-6 {
		t.Errorf("%s: %g values of mean %g and variance %g on the unit scale, from %g to %g",
			what, n, mean, variance, slices.Min(x), slices.Max(x))
	}
}

// share tells whether count of n can come from probability p.
func share(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	if got := float64(count) / float64(n); !(math.Abs(got-p) <= 5*math.Sqrt(p*(1-p)/float64(n))) {
		t.Errorf("%s: share %g, want %g", what, got, p)
	}
}

func TestJitterIsSpread(t *testing.T) {
	const n = 48_000
	in := Shape{4, 4, 3}
	got := draws(t, Jitter{Brightness: 0.2, Contrast: 0.3, Saturation: 0.5, Hue: 0.25, Probability: 0.6}, in, n)
	jittered := make([][]float64, 4)
	orders := map[[4]float64]int{}
	for i := range n {
		orders[[4]float64{got[4][i], got[5][i], got[6][i], got[7][i]}]++
		if got[0][i] == 1 && got[1][i] == 1 && got[2][i] == 1 && got[3][i] == 0 {
			continue
		}
		for k := range jittered {
			jittered[k] = append(jittered[k], got[k][i])
		}
	}
	share(t, "jittered", len(jittered[0]), n, 0.6)
	isUniform(t, "brightness", jittered[0], 0.8, 1.2)
	isUniform(t, "contrast", jittered[1], 0.7, 1.3)
	isUniform(t, "saturation", jittered[2], 0.5, 1.5)
	isUniform(t, "hue", jittered[3], -0.25, 0.25)
	if len(orders) != 24 {
		t.Errorf("%d orders, want 24", len(orders))
	}
	for order, count := range orders {
		sorted := slices.Sorted(slices.Values(order[:]))
		if !slices.Equal(sorted, []float64{0, 1, 2, 3}) {
			t.Errorf("the order %v", order)
		}
		share(t, "order", count, n, 1.0/24)
	}
	for k, x := range draws(t, Jitter{Brightness: -1, Contrast: -1, Saturation: -1, Hue: -1}, in, 100)[:4] {
		if want := []float64{1, 1, 1, 0}[k]; slices.Min(x) != want || slices.Max(x) != want {
			t.Errorf("number %d with everything off is between %g and %g", k, slices.Min(x), slices.Max(x))
		}
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
		share(t, tt.step.String(), count, n, tt.p)
	}
	for _, tt := range []struct {
		blur         Blur
		lo, hi, rate float64
	}{{Blur{}, 0.1, 2, 0.5}, {Blur{MinSigma: 1, MaxSigma: 3, Probability: 1}, 1, 3, 1}} {
		sigmas := slices.DeleteFunc(draws(t, tt.blur, in, n)[0], func(x float64) bool { return x == 0 })
		share(t, tt.blur.String(), len(sigmas), n, tt.rate)
		isUniform(t, tt.blur.String(), sigmas, tt.lo, tt.hi)
	}
}
