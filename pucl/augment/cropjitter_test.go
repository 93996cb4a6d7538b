package augment

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
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
	exec := MustNewExec(enginetest.Open(t).Backend, CropJitter{}.Apply)
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

// The same seed must give the same views on every platform, for ever.
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
	_, err := (CropJitter{MinArea: 1, MaxArea: 1, MaxRatio: 1, Brightness: 1, Contrast: -1, Probability: 1}).Check(gray)
	expect.That(t, err == nil, "the ends of the ranges: %v", err)
	expect.Must((CropJitter{}).Check(gray))(t)
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
