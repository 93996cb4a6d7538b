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

// The same seed must give the same views on every platform and in every version.
func TestRecipeDrawGolden(t *testing.T) {
	got := expect.Must(ImageNet(224).Draw(rand.New(rand.NewPCG(1, 105)), Shape{160, 213, 3}, 2))(t)
	want := []float32{ // crop, flip, jitter and its order, gray, σ, solarized
		51, 16, 75, 97, 0, 0.660870, 1.187597, 1.031788, 0.063180, 1, 0, 3, 2, 1, 1.744297, 1,
		61, 1, 96, 91, 1, 1, 1, 1, 0, 3, 1, 2, 0, 0, 0, 0,
	}
	expect.Require(t, len(got) == len(want), "%d numbers, want %d", len(got), len(want))
	for i := range want {
		expect.Require(t, math.Abs(float64(got[i]-want[i])) <= 1e-5, "numbers %v, want %v", got, want)
	}
}

// A recipe of one step draws the same numbers and makes the same views as the step, view by view.
func TestRecipeOfOneStep(t *testing.T) {
	c, in := CropJitter{MinArea: 0.3, Contrast: 0.2}, Shape{6, 5, 1}
	r := Recipe{c}
	got, err := r.Draw(rand.New(rand.NewPCG(8, 9)), in, 7)
	want, rng := make([]float32, 7*6), rand.New(rand.NewPCG(8, 9))
	for i := range 7 {
		c.draw(rng, in, want[6*i:6*i+6])
	}
	expect.Require(t, err == nil && slices.Equal(got, want), "numbers %v (%v), want %v", got, err, want)
	pixels := make([]float32, 7*30)
	for i := range pixels {
		pixels[i] = float32(i%11) / 10
	}
	images, numbers := tensors.FromFlatDataAndDimensions(pixels, 7, 6, 5, 1), tensors.FromFlatDataAndDimensions(got, 7, 6)
	out := expect.Must(MustNewExec(enginetest.Open(t).Backend, func(images, numbers *Node) (*Node, *Node) {
		return r.Apply(images, numbers), c.apply(images, numbers)
	}).Call(images, numbers))(t)
	expect.Equal(t, tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1]))
	expect.That(t, r.String() == c.String(), "%q, want %q", r, c)
}

// A view whose numbers change nothing equals the image bit for bit: no step adds rounding.
func TestViewsThatChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	pixels := make([]float32, 2*14*14*3)
	for i := range pixels {
		pixels[i] = float32(rng.IntN(256)) / 255
	}
	nothing := []float32{0, 0, 14, 14, 0, 0, 1, 1, 1, 0, 3, 1, 0, 2, 0}
	both := append(slices.Clone(nothing), nothing...)
	r, rest := CIFAR(0).Split()
	expect.Require(t, len(rest) == 1 && r.Numbers() == len(nothing), "the recipe splits into %v and %v", r, rest)
	out := expect.Must(CallOnce(enginetest.Open(t).Backend, r.Apply,
		tensors.FromFlatDataAndDimensions(pixels, 2, 14, 14, 3),
		tensors.FromFlatDataAndDimensions(both, 2, len(nothing))))(t)
	expect.Equal(t, tensors.MustCopyFlatData[float32](out), pixels)
}

// Each view of a batch depends on its own numbers and its own image alone.
func TestViewsAreIndependent(t *testing.T) {
	in := Shape{14, 15, 3}
	r := ImageNet(13)
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 6
	numbers := expect.Must(r.Draw(rng, in, n))(t)
	size, k := 14*15*3, r.Numbers()
	pixels := make([]float32, n*size)
	for i := range pixels {
		pixels[i] = rng.Float32()
	}
	exec := MustNewExec(enginetest.Open(t).Backend, r.Apply)
	call := func() []float32 {
		out, err := exec.Call(tensors.FromFlatDataAndDimensions(pixels, n, 14, 15, 3), tensors.FromFlatDataAndDimensions(numbers, n, k))
		expect.NoError(t, err)
		return tensors.MustCopyFlatData[float32](out[0])
	}
	before := call()
	// The first image and its numbers move to the last place, and the others become blank and keep their numbers.
	last := (n - 1) * size
	copy(pixels[last:], pixels[:size])
	copy(numbers[(n-1)*k:], numbers[:k])
	clear(pixels[:last])
	after := call()
	out := len(before) / n
	for j, want := range before[:out] {
		if got := after[(n-1)*out+j]; !(math.Abs(float64(got-want)) <= 1e-6) {
			t.Fatalf("value %d: %g in the first place, %g in the last", j, want, got)
		}
	}
	expect.That(t, !slices.Equal(before[:out], before[out:2*out]) && !slices.Equal(before[:out], after[:out]),
		"views that should differ are the same")
}

func TestRecipeErrors(t *testing.T) {
	color := Shape{20, 20, 3}
	for _, tt := range []struct {
		r    Recipe
		in   Shape
		want string
	}{
		{Recipe{nil}, color, "step 1 of the recipe is nil … leave it out"},
		{Recipe{Flip{}, Crop{MinArea: 0.5, MaxArea: 0.4}}, color,
			"step 2 (crop of 0.5–0.4 of the area, ratio … the shares must be positive, in order"},
		{Recipe{Crop{MinRatio: 2}}, color, "ratio between 2 and 1.3333333333333333 … both must be positive and in order"},
		{Recipe{Crop{Height: -1}}, color, "-1×20 … both sides must be at least 1, or 0 for those"},
		{Recipe{Flip{Probability: 1.5}}, color, "probability 1.5) on images of 20×20×3 … give a share such as 0.5"},
		{Recipe{Grayscale{Probability: -0.1}}, color, "probability -0.1) on images of 20×20×3 … give a share such as 0.5"},
		{Recipe{Grayscale{}}, Shape{20, 20, 4}, "step 1 (grayscale with probability 0.2) … 3 channels"},
		{Recipe{Jitter{}}, Shape{20, 20, 2}, "step 1 (brightness ±0.4, contrast ±0.4 … 3 channels"},
		{Recipe{Jitter{Hue: 0.6}}, color, "hue ±0.6 with probability 0.8) on images … half a turn, 0.5, is the most"},
		{Recipe{Jitter{Saturation: math.NaN()}}, color,
			"saturation ±NaN, hue ±0.1 with probability … each is at most 1, so that no factor is negative"},
		{Recipe{Blur{Kernel: 4}}, color, "a kernel of 4 pixels has no middle … its size must be odd and positive"},
		{Recipe{Crop{Height: 6, Width: 20}, Blur{}}, color, "on images of 6×20×3: a kernel of 13 pixels … 11 is the most here"},
		{Recipe{Blur{MinSigma: 3}}, color, "σ lies between 3 and 2 … both must be positive and in order"},
		{Recipe{Solarize{Threshold: 2}}, color, "threshold 2 is not between 0 and 1 … give a share of the brightest, such as 0.5"},
		{Recipe{Normalize{Mean: []float64{0, 0}, Std: []float64{1}}}, color,
			"Mean holds 2 numbers … it needs 3, one for each channel, or 1 for all"},
		{Recipe{Normalize{Mean: []float64{0}, Std: []float64{0}}}, color, "step 1 ((pixels − [0])/[0]) on images … positive"},
		{Recipe{Func{Name: "mine"}}, color, "step 1 (mine) … an augmentation of one's own needs its function, the field Graph"},
		{Recipe{Func{Uniforms: -1, Graph: func(x, _ *Node) *Node { return x }}}, color, "-1 random numbers … 0 is the least"},
		{Recipe{CropJitter{}}, color, "gray images only … for images in color take the recipe"},
		{Recipe{CropJitter{}}, color, "the images have 3 channels, and CropJitter … augment.CIFAR(0)"},
		{Recipe{CropJitter{}}, Shape{20, 20, 2},
			"CropJitter makes views of gray images only … take a recipe of steps for any number"},
		{Recipe{CropJitter{MinArea: 2}}, Shape{20, 20, 1},
			"area, ratio up to 1.33, brightness ±0.4 … the shares must be positive, in order"},
		{FMNIST(), Shape{0, 28, 1}, "0×28×1 … height, width and channels must be at least 1"},
	} {
		refusal.Check(t, refusal.Err(tt.r.Check(tt.in)), tt.want)
		expect.Error(t, expect.Err(tt.r.Draw(rand.New(rand.NewPCG(1, 1)), tt.in, 1)))
	}
	for _, tt := range []struct {
		r       Recipe
		in, out Shape
	}{
		{FMNIST(), Shape{28, 28, 1}, Shape{28, 28, 1}}, {CIFAR(32), Shape{32, 32, 3}, Shape{32, 32, 3}},
		{STL(), Shape{96, 96, 3}, Shape{96, 96, 3}}, {ImageNet(224), Shape{160, 213, 3}, Shape{224, 224, 3}},
		{nil, Shape{1, 2, 5}, Shape{1, 2, 5}},
	} {
		if out, err := tt.r.Check(tt.in); err != nil || out != tt.out {
			t.Errorf("%v on %s gives %s, %v; want %s", tt.r, tt.in, out, err, tt.out)
		}
	}
}

// An omitted side is the images' own, and the name contains that.
func TestCropNames(t *testing.T) {
	for want, c := range map[string]Crop{
		"to the images' size,":                 {},
		"to 7×8,":                              {Height: 7, Width: 8},
		"to height 7 and the images' width,":   {Height: 7},
		"to the images' height and width 8, b": {Width: 8},
	} {
		expect.Contains(t, c.String(), want)
	}
}

// Wrong shapes cause errors of the graph.
func TestApplyErrors(t *testing.T) {
	eng := enginetest.Open(t)
	if _, err := CallOnce(eng.Backend, FMNIST().Apply, tensors.FromFlatDataAndDimensions(make([]float64, 4), 1, 2, 2, 1),
		tensors.FromFlatDataAndDimensions(make([]float32, 12), 1, 12)); err == nil || !strings.Contains(err.Error(), "convert them to Float32") {
		t.Errorf("images of float64: %v", err)
	}
	if _, err := CallOnce(eng.Backend, FMNIST().Apply, tensors.FromFlatDataAndDimensions(make([]float32, 4), 1, 2, 2, 1),
		tensors.FromFlatDataAndDimensions(make([]float32, 11), 1, 11)); err == nil {
		t.Error("11 numbers for 12 gave no error")
	}
}
