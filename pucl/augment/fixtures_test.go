package augment

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine"
)

// fixtures holds the output of testdata/make_fixtures.py.
type fixtures struct {
	Images map[string]struct {
		Shape  []int
		Values []float32
	}
	Crops []struct {
		fixture
		Height, Width      int
		Bicubic, Antialias bool
	}
	Jitters []fixture
	Blurs   []struct {
		fixture
		Kernel int
	}
	Simple  map[string][]float64
	Recipes []struct {
		fixture
		Recipe string
	}
	Draws []struct {
		Height, Width   int
		Scale, Ratio    []float64
		Heights, Widths []float64 // counts
		Middle          float64   // number of central crops
	}
}

// fixture is one view of one image.
type fixture struct {
	Image   string
	Every   int // interval of the values that are kept; 0 means all
	Numbers []float32
	Want    []float64
}

func load(t *testing.T) *fixtures {
	t.Helper()
	data := expect.Must(os.ReadFile("testdata/fixtures.json"))(t)
	f := new(fixtures)
	expect.NoError(t, json.Unmarshal(data, f))
	return f
}

// views runs a step once, on as many views as there are cases; all must be of one image.
func (f *fixtures) views(t *testing.T, step Step, cases []fixture) {
	t.Helper()
	image := f.Images[cases[0].Image]
	in := Shape{image.Shape[0], image.Shape[1], image.Shape[2]}
	r := Recipe{step}
	expect.Must(r.Check(in))(t)
	var pixels, numbers []float32
	for _, c := range cases {
		pixels = append(pixels, image.Values...)
		numbers = append(numbers, c.Numbers...)
	}
	n := len(cases)
	f.near(t, r, tensors.FromFlatDataAndDimensions(pixels, n, in.Height, in.Width, in.Channels),
		tensors.FromFlatDataAndDimensions(numbers, n, r.Numbers()), cases)
}

// near compares the views of r with the expected values of each case, to 1e-5.
func (f *fixtures) near(t *testing.T, r Recipe, images, numbers *tensors.Tensor, cases []fixture) {
	t.Helper()
	f.nearOn(t, enginetest.Open(t), r, images, numbers, cases)
}

func (f *fixtures) nearOn(t *testing.T, eng *engine.Engine, r Recipe, images, numbers *tensors.Tensor, cases []fixture) {
	t.Helper()
	out := expect.Must(graph.CallOnce(eng.Backend, r.Apply, images, numbers))(t)
	flat := tensors.MustCopyFlatData[float32](out)
	size := len(flat) / len(cases)
	for i, c := range cases {
		view, every := flat[i*size:(i+1)*size], max(c.Every, 1)
		expect.Require(t, len(c.Want) == (size+every-1)/every && len(c.Want) != 0,
			"%s on %s, numbers %v: %d values, want %d", r, c.Image, c.Numbers, size, len(c.Want))
		for k, want := range c.Want {
			if got := float64(view[k*every]); !(math.Abs(got-want) <= 1e-5) {
				t.Errorf("%s on %s, numbers %v: value %d is %.7g, want %.7g", r, c.Image, c.Numbers, k*every, got, want)
				break
			}
		}
	}
}

func TestCropAgainstTorchvision(t *testing.T) {
	f := load(t)
	groups := map[string][]fixture{}
	steps := map[string]Crop{}
	for _, c := range f.Crops {
		crop := Crop{Height: c.Height, Width: c.Width, Bicubic: c.Bicubic, Antialias: c.Antialias}
		name := fmt.Sprint(c.Image, crop)
		groups[name], steps[name] = append(groups[name], c.fixture), crop
	}
	expect.Require(t, len(groups) == 12, "%d kinds of crops, want 3 images × 4 methods", len(groups))
	for name, cases := range groups {
		t.Run(name, func(t *testing.T) { f.views(t, steps[name], cases) })
	}
}

func TestJitterAgainstTorchvision(t *testing.T) {
	f := load(t)
	groups := map[string][]fixture{}
	for _, c := range f.Jitters {
		groups[c.Image] = append(groups[c.Image], c)
	}
	expect.Require(t, len(groups["small"]) == 24 && len(groups["gray"]) == 24 && len(groups["palette"]) == 11,
		"the fixtures hold not all orders")
	for name, cases := range groups {
		t.Run(name, func(t *testing.T) { f.views(t, Jitter{}, cases) })
	}
}

func TestBlurAgainstTorchvision(t *testing.T) {
	f := load(t)
	for _, c := range f.Blurs {
		f.views(t, Blur{Kernel: c.Kernel}, []fixture{c.fixture})
	}
}

func TestSimpleStepsAgainstTorchvision(t *testing.T) {
	f := load(t)
	image := f.Images["color"]
	same := make([]float64, len(image.Values))
	for i, v := range image.Values {
		same[i] = float64(v)
	}
	steps := map[string]Step{
		"flip": Flip{}, "grayscale": Grayscale{}, "solarize": Solarize{}, "solarize from 0.3": Solarize{Threshold: 0.3},
	}
	for name, step := range steps {
		// The second view is the unchanged image.
		f.views(t, step, []fixture{
			{Image: "color", Numbers: []float32{1}, Want: f.Simple[name]}, {Image: "color", Numbers: []float32{0}, Want: same},
		})
	}
	normalize := Normalize{Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}}
	f.views(t, normalize, []fixture{{Image: "color", Numbers: []float32{0}, Want: f.Simple["normalize"]}})
}

// The paper's four recipes, whole, with given numbers.
func TestRecipesAgainstTorchvision(t *testing.T) {
	f := load(t)
	recipes := map[string]Recipe{"FMNIST": FMNIST(), "CIFAR": CIFAR(14), "STL": STL(), "ImageNet": ImageNet(20)}
	for _, c := range f.Recipes {
		r := recipes[c.Recipe]
		delete(recipes, c.Recipe)
		image := f.Images[c.Image]
		expect.Require(t, r.Numbers() == len(c.Numbers),
			"%s takes %d numbers, the fixture has %d", c.Recipe, r.Numbers(), len(c.Numbers))
		engines := []*engine.Engine{enginetest.Open(t)}
		if c.Recipe == "ImageNet" { // which has steps of all kinds: XLA compiles a recipe for seconds
			engines = enginetest.All(t)
		}
		for _, eng := range engines {
			f.nearOn(t, eng, r, tensors.FromFlatDataAndDimensions(image.Values, 1, image.Shape[0], image.Shape[1], image.Shape[2]),
				tensors.FromFlatDataAndDimensions(c.Numbers, 1, len(c.Numbers)), []fixture{c.fixture})
		}
	}
	expect.That(t, len(recipes) == 0, "no fixture for %v", recipes)
}
