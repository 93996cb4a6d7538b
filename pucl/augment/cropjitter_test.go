package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

// reference crops, resizes and jitters one image in plain loops, pixel by pixel.
func reference(image [][]float64, numbers []float32) [][]float64 {
	h, w := len(image), len(image[0])
	at := func(start, extent float32, i, size int) (lo int, weight float64) {
		p := (float64(start)+float64(extent)*(float64(i)+0.5)/float64(size))*float64(size) - 0.5
		p = min(max(p, 0), float64(size-1))
		lo = int(math.Floor(p))
		return lo, p - float64(lo)
	}
	clip := func(x float64) float64 { return min(max(x, 0), 1) }
	out := make([][]float64, h)
	mean := 0.0
	for i := range out {
		out[i] = make([]float64, w)
		y, wy := at(numbers[0], numbers[2], i, h)
		for j := range out[i] {
			x, wx := at(numbers[1], numbers[3], j, w)
			pixel := func(y, x int) float64 { return image[min(y, h-1)][min(x, w-1)] }
			value := (1-wy)*((1-wx)*pixel(y, x)+wx*pixel(y, x+1)) + wy*((1-wx)*pixel(y+1, x)+wx*pixel(y+1, x+1))
			out[i][j] = clip(value * float64(numbers[4]))
			mean += out[i][j] / float64(h*w)
		}
	}
	for i := range out {
		for j := range out[i] {
			out[i][j] = clip(mean + (out[i][j]-mean)*float64(numbers[5]))
		}
	}
	return out
}

// cropJitters draws the numbers of n views by c.
func cropJitters(t *testing.T, c CropJitter, rng *rand.Rand, n int) []float32 {
	t.Helper()
	return expect.Must(Recipe{c}.Draw(rng, Shape{6, 5, 1}, n))(t)
}

func TestApplyAgainstLoops(t *testing.T) {
	const h, w = 6, 5
	rng := rand.New(rand.NewPCG(1, 1))
	numbers := cropJitters(t, CropJitter{}, rng, 6)
	copy(numbers, []float32{0, 0, 1, 1, 1, 1})                  // nothing changes
	copy(numbers[6:], []float32{0.5, 0.25, 0.5, 0.5, 1.4, 0.6}) // a crop in the corner, bright and flat
	copy(numbers[12:], []float32{0, 0, 0.2, 0.2, 0.6, 1.4})     // a crop of about one pixel
	var images [][][]float64
	var flat []float32
	for range 6 {
		image := make([][]float64, h)
		for i := range image {
			for range w {
				value := float32(rng.Float64())
				image[i] = append(image[i], float64(value))
				flat = append(flat, value)
			}
		}
		images = append(images, image)
	}
	exec := MustNewExec(enginetest.Open(t).Backend, CropJitter{}.apply)
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(flat, 6, h, w, 1), tensors.FromFlatDataAndDimensions(numbers, 6, 6))
	expect.NoError(t, err)
	got := out[0].Value().([][][][]float32)
	for n, image := range images {
		want := reference(image, numbers[n*6:(n+1)*6])
		for i := range want {
			for j := range want[i] {
				expect.Require(t, math.Abs(float64(got[n][i][j][0])-want[i][j]) <= 1e-5,
					"view %d, pixel (%d, %d) = %g, want %g", n, i, j, got[n][i][j][0], want[i][j])
				expect.Require(t, n != 0 || math.Abs(want[i][j]-image[i][j]) <= 1e-12,
					"the view that changes nothing changes something")
			}
		}
	}
}

// A crop that never fits falls back to the whole image, as in torchvision.
func TestDrawFallsBackToTheWholeImage(t *testing.T) {
	numbers := cropJitters(t, CropJitter{MinArea: 1, MaxArea: 1, Probability: 1e-12}, rand.New(rand.NewPCG(1, 1)), 3)
	want := []float32{0, 0, 1, 1, 1, 1}
	expect.That(t, slices.Equal(numbers[:6], want), "numbers %v, want %v", numbers[:6], want)
}

// The same seed must give the same views on every platform and in every version.
func TestDrawGolden(t *testing.T) {
	got := cropJitters(t, CropJitter{}, rand.New(rand.NewPCG(1, 2)), 1)
	want := []float32{0.077595, 0.073581, 0.847418, 0.828799, 0.910693, 1.255420}
	for i := range want {
		expect.Require(t, math.Abs(float64(got[i]-want[i])) <= 1e-5, "numbers %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	nan, gray := math.NaN(), Shape{6, 5, 1}
	for _, tt := range []struct {
		c    CropJitter
		want string
	}{
		{CropJitter{MinArea: 0.6, MaxArea: 0.5}, "area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"}, {CropJitter{MinArea: -0.1}, "area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"}, {CropJitter{MaxArea: 1.1},
			"area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"},
		{CropJitter{MinArea: nan}, "area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"}, {CropJitter{MaxArea: nan},
			"area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"},
		{CropJitter{MaxRatio: 0.5}, "MaxRatio is 0.5 … it is the larger of width:height"}, {CropJitter{MaxRatio: nan}, "MaxRatio is NaN … it is the larger of width:height"}, {CropJitter{MaxRatio: math.Inf(1)},
			"MaxRatio is +Inf … it is the larger of width:height"},
		{CropJitter{Contrast: 2}, "brightness ±0.4, contrast ±2 … factor"}, {CropJitter{Brightness: nan}, "brightness ±NaN, contrast ±0.4 … factor"}, {CropJitter{Contrast: nan},
			"brightness ±0.4, contrast ±NaN … factor"},
		{CropJitter{Probability: 1.5}, "probability 1.5) on images of 6×5×1 … give a share such as 0.5"}, {CropJitter{Probability: -0.5}, "probability -0.5) on images of 6×5×1 … give a share such as 0.5"}, {CropJitter{Probability: nan},
			"probability NaN) on images of 6×5×1 … give a share such as 0.5"},
	} {
		refusal.Check(t, refusal.Err(Recipe{tt.c}.Check(gray)), tt.want)
	}
	_, err := (CropJitter{MinArea: 1, MaxArea: 1, MaxRatio: 1, Brightness: 1, Contrast: -1, Probability: 1}).check(gray)
	expect.That(t, err == nil, "the ends of the ranges: %v", err)
	expect.Must((CropJitter{}).check(gray))(t)
}

func TestBytes(t *testing.T) {
	eng := enginetest.Open(t)
	pixels := []uint8{0, 255, 100, 7, 9, 200, 33, 44}
	r, in := Recipe{CropJitter{}}, Shape{2, 2, 1}
	same := []float32{0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}
	if views, _, err := r.Bytes(eng, pixels, in, same); err != nil || !slices.Equal(views, pixels) {
		t.Errorf("views that change nothing gave %v, %v", views, err)
	}
	for want, call := range map[string]struct {
		pixels  []uint8
		numbers []float32
	}{
		"12 numbers make 2 views, one for each image, but 7 bytes are not 2 images of 2×2×1, which take 8": {pixels[1:], same},
		"11 numbers are no multiple of 6": {pixels, same[1:]},
		"0 numbers make no view":          {pixels, nil},
	} {
		if _, _, err := r.Bytes(eng, call.pixels, in, call.numbers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

// draws returns the numbers of n views, one slice for each of the step's numbers.
func draws(t *testing.T, step Step, in Shape, n int) [][]float64 {
	t.Helper()
	r := Recipe{step}
	flat := expect.Must(r.Draw(rand.New(rand.NewPCG(5, 6)), in, n))(t)
	k := step.numbers()
	columns := make([][]float64, k)
	for i, x := range flat {
		columns[i%k] = append(columns[i%k], float64(x))
	}
	return columns
}

// sameCounts tests by χ² whether two samples, as counts, can come from one distribution. Cells with few counts are
// merged with the next.
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

// Heights, widths and positions of crops are distributed as torchvision's RandomResizedCrop, including ten tries and
// fallback: 100,000 of its draws are frozen.
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

// The fallback is the largest central crop with an allowed ratio.
func TestCropFallsBack(t *testing.T) {
	for _, tt := range []struct {
		crop Crop
		in   Shape
		want []float64
	}{
		{Crop{MinArea: 1}, Shape{10, 40, 1}, []float64{0, 13, 10, 13}},                           // 40/13.3, off-center by (40−13)/2 = 13
		{Crop{MinArea: 1}, Shape{10, 20, 1}, []float64{0, 3, 10, 13}},                            // the same, with the ratio exactly 2
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
