package main

import (
	"context"
	"io/fs"
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

func silent(string, ...any) {}

func TestProduct(t *testing.T) {
	relative, err := productError(enginetest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	// 512 products of float32, summed in float32 in any order, are off by at most 512·2⁻²⁴ of their absolute sum.
	if row := productRow(*relative); row.Result != Pass || !(*relative > 0) || *relative > 512*math.Exp2(-24) {
		t.Errorf("%+v", row)
	}
	for relative, want := range map[float64]string{1e-7: "PASS as float32", 3e-4: "PASS as TF32", 2e-3: "FAIL too far off", math.NaN(): "FAIL too far off"} {
		row := productRow(relative)
		if result, words, _ := strings.Cut(want, " "); string(row.Result) != result || !strings.Contains(row.Detail, words) {
			t.Errorf("%g: %s %q, want %s", relative, row.Result, row.Detail, want)
		}
	}
}

// The same step on the engine of this machine and on the pure-Go one.
func TestNumbersAgree(t *testing.T) {
	recipe, _ := augment.FMNIST().Split()
	c := numberCase{"tiny", "tiny", 4, 12, 1, encoder.SmallCNN{Width: 4, Dim: 8}, recipe}
	here, err := c.step(enginetest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMLX_BACKEND", "go")
	pure, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	there, err := c.step(pure)
	if err != nil {
		t.Fatal(err)
	}
	if row := compare("tiny", *here, *there, float32Apart); row.Result != Pass || len(here.Gradients) < 10 {
		t.Errorf("%d gradients, %+v", len(here.Gradients), row)
	}
}

func TestCompare(t *testing.T) {
	reference := oneStep{Loss: 2, Gradients: []float64{3, 4}} // of length 5
	allowed := apart{loss: 1e-3, gradients: 1e-2}
	for name, tt := range map[string]struct {
		here oneStep
		want Result
	}{
		"same":       {oneStep{2, []float64{3, 4}}, Pass},
		"near":       {oneStep{2.0019, []float64{3.049, 4}}, Pass},
		"loss":       {oneStep{2.0021, []float64{3, 4}}, Fail},
		"gradient":   {oneStep{2, []float64{3, 4.051}}, Fail},
		"loss NaN":   {oneStep{math.NaN(), []float64{3, 4}}, Fail},
		"NaN first":  {oneStep{2, []float64{math.NaN(), 4}}, Fail},
		"NaN last":   {oneStep{2, []float64{3, math.NaN()}}, Fail},
		"one fewer":  {oneStep{2, []float64{3}}, Fail},
		"none there": {oneStep{2, nil}, Fail},
	} {
		if row := compare("", tt.here, reference, allowed); row.Result != tt.want {
			t.Errorf("%s: %+v", name, row)
		}
	}
}

func TestTimeStep(t *testing.T) {
	c := stepCase{"tiny", "a tiny step", 4, 8, 1, train.Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}, Projection: 4}, false}
	steps := 0
	row, err := c.time(context.Background(), enginetest.Open(t), "float32", func(string, ...any) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	v := row.Values
	if row.Result != Pass || v["steps"] < stepsLeast || float64(steps) != v["steps"]+stepsBefore {
		t.Errorf("%d steps told, %+v", steps, row)
	}
	if !(v["fastest_step_ms"] <= v["step_ms"] && v["step_ms"] <= v["slowest_step_ms"]) || !(math.Abs(v["views_per_second"]*v["step_ms"]-8000) <= 1e-6*8000) {
		t.Errorf("8 views a step: %+v", v)
	}
	if row, err := c.time(context.Background(), enginetest.Open(t), "float8", silent); err == nil {
		t.Errorf("an unknown precision: %+v", row)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.time(ctx, enginetest.Open(t), "float32", silent); err == nil {
		t.Error("an interrupted timing gives no error")
	}
}

// sides returns images of which the positive ones, 3 in 10, are bright on the left and the others on the right.
func sides(n int, offset uint8) *datasets.Images {
	images := &datasets.Images{Height: 8, Width: 8, Channels: 1, Classes: append([]string(nil), fashionClasses...)}
	for i := range n {
		class := i % 10
		images.Labels = append(images.Labels, class)
		left := class == 1 || class == 4 || class == 7
		for p := range 64 {
			value := uint8(i*31+p*7)%60 + offset
			if (p%8 < 4) == left {
				value += 150
			}
			images.Pixels = append(images.Pixels, value)
		}
	}
	return images
}

var fashionClasses = []string{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}

// tinyTask returns a training run of a second on images of two kinds, in place of FMNIST-I.
func tinyTask() task {
	return task{bench: "FMNIST-I", network: "a tiny CNN", labeled: 0.1, batch: 32, steps: 60,
		images: func() (train, test *datasets.Images, err error) { return sides(400, 0), sides(200, 10), nil },
		config: train.Config{Encoder: encoder.SmallCNN{Width: 4, Dim: 16}, Projection: 8, Recipe: augment.Recipe{augment.CropJitter{MinArea: 0.9}}}}
}

func TestTraining(t *testing.T) {
	eng := enginetest.Open(t)
	row, err := tinyTask().train(context.Background(), eng, silent)
	if err != nil {
		t.Fatal(err)
	}
	if row.Result != Pass || row.Values["pupl_accuracy"] < 0.95 || row.Values["true_label_accuracy"] < 0.99 || row.Values["larger_class"] != 0.7 {
		t.Errorf("%+v", row)
	}
	if !(math.Abs(row.Values["chance_nats"]-math.Log(63)) <= 1e-12) { // 32 images, two views each, less the anchor
		t.Errorf("chance level %g", row.Values["chance_nats"])
	}

	// The same with test images whose classes say nothing.
	blind := tinyTask()
	blind.images = func() (train, test *datasets.Images, err error) {
		test = sides(200, 10)
		for i := range test.Labels {
			test.Labels[i] = i / 20
		}
		return sides(400, 0), test, nil
	}
	if row, err := blind.train(context.Background(), eng, silent); err != nil || row.Result != Fail {
		t.Errorf("classes that say nothing: %+v, %v", row, err)
	}

	missing := tinyTask()
	missing.images = func() (train, test *datasets.Images, err error) {
		return nil, nil, &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	}
	if row, err := missing.train(context.Background(), eng, silent); err != nil || row.Result != NotRun || !strings.Contains(row.Detail, "open x") {
		t.Errorf("no data: %+v, %v", row, err)
	}
}

func TestJudge(t *testing.T) {
	truth := make([]bool, 100)
	for i := range 30 {
		truth[i] = true
	}
	low := []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 5} // the last tenth: 4.5
	scores := func(right int) evaluate.Binary {                                  // of 100
		return evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalsePositive: 100 - right}}
	}
	right, wrong := scores(84), scores(83) // 0.7 + 3·√(0.7·0.3/100) = 0.8375
	for name, tt := range map[string]struct {
		chance       float64
		ours, theirs evaluate.Binary
		want         Result
	}{
		"all right": {4.51, right, right, Pass}, "loss at chance": {4.5, right, right, Fail},
		"pseudo-labels": {4.51, wrong, right, Fail}, "true labels": {4.51, right, wrong, Fail},
	} {
		var row Row
		found := &outcome{losses: low, chance: tt.chance, pupl: tt.ours, trueLabels: tt.theirs}
		if tinyTask().judge(&row, found, truth); row.Result != tt.want {
			t.Errorf("%s: %+v", name, row)
		}
	}
}

// The cases that a process looks up by name are there.
func TestPartsAreFound(t *testing.T) {
	what := func(c stepCase) (*string, error) { return &c.what, nil }
	for _, c := range stepCases() {
		if found, err := withCase(stepCases(), c.name, what); err != nil || *found != c.what {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := withCase(stepCases(), "nosuch", what); err == nil {
		t.Error("an unknown step is found")
	}
	if _, err := withCase(numberCases(), "nosuch", func(c numberCase) (*oneStep, error) { return c.step(nil) }); err == nil {
		t.Error("an unknown step is compared")
	}
	for _, onGPU := range []bool{false, true} {
		for _, task := range tasks(onGPU) {
			if _, err := datasets.FindBenchmark(task.bench); err != nil {
				t.Error(err)
			}
		}
	}
}
