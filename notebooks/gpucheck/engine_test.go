package main

import (
	"context"
	"io/fs"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/train"
)

func silent(string, ...any) {}

func TestProduct(t *testing.T) {
	row := expect.Must(product(context.Background(), enginetest.Open(t), silent))(t)
	// 512 products of float32, summed in float32 in any order, have an error of at most 512·2⁻²⁴ times their absolute
	// sum.
	relative := row.Values["relative_error"]
	expect.That(t, row.Result == Pass && relative > 0 && relative <= 512*math.Exp2(-24), "%+v", row)
	for relative, want := range map[float64]string{1e-7: "PASS as float32", 3e-4: "PASS as TF32", 2e-3: "FAIL too far off", math.NaN(): "FAIL too far off"} {
		row := productRow(relative)
		if result, words, _ := strings.Cut(want, " "); string(row.Result) != result || !strings.Contains(row.Detail, words) {
			t.Errorf("%g: %s %q, want %s", relative, row.Result, row.Detail, want)
		}
	}
}

// turning is an encoder whose outputs change sign when turned is set, like those of a faulty engine. It records the
// names of the engines for which it was built.
type turning struct {
	encoder.SmallCNN
	turned  bool
	engines []string
}

func (e *turning) Embed(scope *model.Scope, images *graph.Node, training bool) *graph.Node {
	e.engines = append(e.engines, images.Graph().Backend().Name())
	out := e.SmallCNN.Embed(scope, images, training)
	if e.turned {
		out = graph.Neg(out)
	}
	return out
}

// The same step on this machine's engine and on the pure-Go one; differing numbers of the latter are detected.
func TestNumbersAgree(t *testing.T) {
	recipe, _ := augment.FMNIST().Split()
	network := &turning{SmallCNN: encoder.SmallCNN{Width: 4, Dim: 8}}
	c := numberCase{"tiny", 4, 12, 1, network, recipe}
	eng := enginetest.Open(t)
	t.Setenv("GOMLX_BACKEND", "") // the comparison sets it, and the test resets it
	row := expect.Must(c.againstPureGo(context.Background(), eng, silent))(t)
	expect.That(t, row.Result == Pass && row.Values["gradient_norm"] > 0 && row.Values["loss_nats"] > 0, "%+v", row)
	if n := len(network.engines); network.engines[0] != eng.Backend.Name() || !strings.Contains(network.engines[n-1], "Go") {
		t.Errorf("compared %q", network.engines)
	}
	pure, err := engine.Open() // the engine in the environment after the comparison
	expect.Require(t, err == nil && pure.Kind == "go", "%v %v", pure, err)
	step, err := c.step(pure)
	expect.That(t, err == nil && len(step.gradients) >= 10, "%+v, %v", step, err)
	turn := func(now string, _ ...any) { network.turned = strings.Contains(now, "pure-Go") }
	if row, err := c.againstPureGo(context.Background(), pure, turn); err != nil || row.Result != Fail {
		t.Errorf("of a wrong engine: %+v, %v", row, err)
	}
}

func TestCompare(t *testing.T) {
	reference := oneStep{loss: 2, gradients: []float64{3, 4}} // of length 5
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
		row := compare(tt.here, reference, allowed)
		expect.That(t, row.Result == tt.want, "%s: %+v", name, row)
	}
}

func TestTimeStep(t *testing.T) {
	c := stepCase{"a tiny step", 4, 8, 1, train.Config{Encoder: encoder.SmallCNN{Width: 2, Dim: 4}, Projection: 4}, false}
	steps := 0
	row := expect.Must(c.time(context.Background(), enginetest.Open(t), func(string, ...any) { steps++ }))(t)
	v := row.Values
	expect.That(t, row.Result == Pass && v["steps"] >= stepsLeast && float64(steps) == v["steps"]+stepsBefore,
		"%d steps told, %+v", steps, row)
	expect.That(t, v["fastest_step_ms"] <= v["step_ms"] && v["step_ms"] <= v["slowest_step_ms"] &&
		math.Abs(v["views_per_second"]*v["step_ms"]-8000) <= 1e-6*8000, "8 views a step: %+v", v)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	expect.That(t, expect.Err(c.time(ctx, enginetest.Open(t), silent)) != nil, "an interrupted timing gives no error")
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
	expect.Slow(t)
	eng := enginetest.Open(t)
	row := expect.Must(tinyTask().train(context.Background(), eng, silent))(t)
	expect.That(t, row.Result == Pass && row.Values["pupl_accuracy"] >= 0.95 &&
		row.Values["true_label_accuracy"] >= 0.99 && row.Values["larger_class"] == 0.7, "%+v", row)
	expect.That(t, math.Abs(row.Values["chance_nats"]-math.Log(63)) <= 1e-12,
		"chance level %g", row.Values["chance_nats"]) // 32 images, two views each, minus the anchor

	// The same with test classes unrelated to the images.
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
		found := &outcome{losses: low, chance: tt.chance, pupl: tt.ours, trueLabels: tt.theirs}
		row := found.judge(truth)
		expect.That(t, row.Result == tt.want, "%s: %+v", name, row)
	}
}

// A process finds its trial by kind and name, so these are unique; the trials depend on the engine.
func TestTrials(t *testing.T) {
	for kind, want := range map[string]map[string]int{
		"go":       {kindNumbers: 1, kindStep: 4, kindTraining: 2},
		"xla-cpu":  {kindNumbers: 3, kindStep: 4, kindTraining: 2},
		"xla-cuda": {kindNumbers: 3, kindStep: 6, kindTraining: 2},
	} {
		seen, of := map[string]bool{}, map[string]int{}
		for _, one := range trials(kind, 7) {
			expect.That(t, !seen[one.kind+one.name] && one.do != nil,
				"%s: %s %q comes twice, or does nothing", kind, one.kind, one.name)
			seen[one.kind+one.name] = true
			of[one.kind]++
		}
		expect.That(t, maps.Equal(of, want), "%s: %v, want %v", kind, of, want)
	}
	for _, onGPU := range []bool{false, true} {
		for _, task := range tasks(onGPU) {
			expect.Must(datasets.FindBenchmark(task.bench))(t)
		}
	}
}
