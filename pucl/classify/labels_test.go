package classify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// For images or rows with labels, a wrong number of labels is an error before any computation. The test compares the
// complete message: the given value, the expected value and the remedy. Package train tests its own.
func TestLabelsOfAnotherNumber(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	pixels, x := make([]uint8, 4*imageBytes), mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	three, classes := []bool{true, false, true}, []int{0, 1, 2}
	four, fourClasses := []bool{true, false, true, false}, []int{0, 1, 2, 0}
	good, bad := LabeledImages[bool]{pixels, four}, LabeledImages[bool]{pixels, three}
	goodClasses, badClasses := LabeledImages[int]{pixels, fourClasses}, LabeledImages[int]{pixels, classes}
	goodRows, badRows := LabeledRows{x, fourClasses}, LabeledRows{x, classes}
	c := &Tuned{Model: m, Probe: constant(1, 8)}
	one := FewShotConfig{PerClass: 1}
	second := func(_ any, err error) error { return err }
	heldOut := func(h HeldOut) error {
		return second(FineTunePU(ctx, eng, m, good, risk.CrossEntropy, FineTuneConfig{HeldOut: &h}))
	}
	const (
		labels     = "rows: 4 rows and 3 labels; … give one for each row, in the same order"
		truth      = "rows: 4 rows and 3 true classes; … give one for each row, in the same order"
		images     = "classify: 4 images of 12×12×1 (height×width×channels) and 3 labels; … give one for each image, in the same order"
		trueImages = "train: 4 images of 12×12×1 (height×width×channels) and 3 true classes; … give one for each image, in the same order"
	)
	of := func(sentence string, old, new string) string { return strings.Replace(sentence, old, new, 1) }
	ofTrain := of(images, "classify", "train")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"FitFewShot", second(FitFewShot(eng, badRows, goodRows, 3, one)), labels},
		{"FitFewShot, test", second(FitFewShot(eng, goodRows, badRows, 3, one)), truth},
		{"FineTune", second(FineTune(ctx, eng, m, badClasses, 3, FineTuneConfig{})), images},
		{"FineTunePU", second(FineTunePU(ctx, eng, m, bad, risk.CrossEntropy, FineTuneConfig{})), images},
		{"FineTuneFewShot", second(FineTuneFewShot(ctx, eng, m, badClasses, goodClasses, 3, one)), images},
		{"FineTuneFewShot, test", second(FineTuneFewShot(ctx, eng, m, goodClasses, badClasses, 3, one)),
			of(of(trueImages, "train", "classify"), "images", "test images")},
		{"HeldOut", heldOut(HeldOut{Images: bad}), of(images, "images", "images in HeldOut")},
		{"HeldOut, test", heldOut(HeldOut{Images: good, Test: bad}), of(of(trueImages, "train", "classify"), "images", "test images in HeldOut")},
		{"Tuned.Score", second(c.Score(eng, bad)), trueImages},
		{"Tuned.ScorePU", second(c.ScorePU(eng, bad, evaluate.ScoreConfig{})), ofTrain},
		{"Tuned.ScoreClasses", second(c.ScoreClasses(eng, badClasses)), trueImages},
	} {
		t.Run(tt.name, func(t *testing.T) { refusal.Whole(t, tt.err, tt.want) })
	}
}

// Missing data is an error too, and invalid classes of test examples are an error before training.
func TestNoRowsAndNoSuchClasses(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data := LabeledImages[int]{make([]uint8, 3*imageBytes), []int{0, 1, 2}}
	x, one := LabeledRows{mat.NewDense(3, 2, nil), data.Labels}, FewShotConfig{PerClass: 1}
	second := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(FitFewShot(eng, LabeledRows{}, x, 3, one)), "rows: no rows given; … embed at least one example"},
		{second(FitFewShot(nil, x, x, 3, one)), "engine: no engine given; … open one with engine.Open"},
		{second(m.Embed(nil, data.Pixels)), "engine: no engine given; … open one with engine.Open"},
		{second(FitFewShot(eng, x, LabeledRows{mat.NewDense(3, 5, nil), data.Labels}, 3, one)),
			"classify: rows of 2 entries to learn from, rows of 5 to test on; … embed both with the same model"},
		{second(FitFewShot(eng, x, LabeledRows{x.X, []int{0, 1, 3}}, 3, one)),
			"rows: test row 2 has class 3; … 3 classes are numbered from 0 to 2"},
		{second(FineTuneFewShot(ctx, eng, m, data, LabeledImages[int]{data.Pixels, []int{0, -1, 1}}, 3, one)),
			"rows: test image 1 has class -1; … 3 classes are numbered from 0 to 2"},
	} {
		refusal.Whole(t, tt.err, tt.want)
	}
}

// Fine-tuning by classes, by a PU risk and with few shots has the same losses and accuracies on XLA as on the pure-Go
// engine.
func TestFineTuningOnXLA(t *testing.T) {
	xla, pureGo := enginetest.XLA(t), enginetest.Open(t)
	model := t.TempDir() + "/model"
	expect.NoError(t, quickModel(t).Save(model))
	for name, tune := range map[string]func(*engine.Engine, *train.Model) (*Tuned, error){
		"classes": func(eng *engine.Engine, m *train.Model) (*Tuned, error) {
			return FineTune(context.Background(), eng, m, patterns(9, 12), 3, FineTuneConfig{Epochs: 3, BatchSize: 5, Seed: 4,
				Recipe: augment.Recipe{augment.Crop{}}, Optimizer: optim.SGD{LearningRate: 0.1}})
		},
		"PU risk, best epoch": func(eng *engine.Engine, m *train.Model) (*Tuned, error) {
			return tuneKept(context.Background(), eng, m, FineTuneConfig{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			on := func(eng *engine.Engine) *Tuned { // weights stay with the engine that used them first
				return expect.Must(tune(eng, expect.Must(train.LoadModel(model, nil))(t)))(t)
			}
			got, want := on(xla), on(pureGo)
			for i, loss := range want.Tuning.History.Losses {
				near(t, fmt.Sprintf("loss of step %d", i), got.Tuning.History.Losses[i], loss, 1e-3)
			}
		})
	}
	rng := rand.New(rand.NewPCG(9, 9))
	data, test := blobs(rng, 60, 2.5), blobs(rng, 100, 2.5)
	config := FewShotConfig{PerClass: 5, Draws: 2, Seed: 4, Probe: probe.Config{Epochs: 40}}
	got := expect.Must(FitFewShot(xla, data, test, 3, config))(t)
	want := expect.Must(FitFewShot(pureGo, data, test, 3, config))(t)
	near(t, "accuracy of few shots", got.Accuracy.Mean, want.Accuracy.Mean, 0.005) // two of 300 rows on the boundary, at most
}

func TestDrawShots(t *testing.T) {
	labels := []int{0, 1, 2, 0, 1, 2, 0, 1, 0, 0}
	seen := map[int]bool{}
	for seed := range uint64(60) {
		rows := expect.Must(DrawShots(labels, 3, 2, rand.New(rand.NewPCG(seed, 0))))(t)
		var classes []int
		for _, row := range rows {
			classes = append(classes, labels[row])
			seen[row] = true
		}
		expect.Require(t, slices.Equal(classes, []int{0, 0, 1, 1, 2, 2}), "rows %v are of the classes %v", rows, classes)
		slices.Sort(rows)
		expect.Require(t, len(slices.Compact(rows)) == 6, "a row was drawn twice: %v", rows)
	}
	expect.That(t, len(seen) == len(labels), "60 draws came upon %d of %d rows", len(seen), len(labels))
}

func TestFewShot(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(9, 9))
	data := blobs(rng, 60, 2.5)
	test := blobs(rng, 100, 2.5)
	fit := func(config FewShotConfig) *FewShot {
		t.Helper()
		config.Probe.Epochs = 40
		return expect.Must(FitFewShot(eng, data, test, 3, config))(t)
	}
	few := fit(FewShotConfig{PerClass: 2, Draws: 3, Seed: 4})
	many := fit(FewShotConfig{PerClass: 40, Draws: 1, Seed: 4})
	expect.That(t, many.Accuracy.Mean >= 0.8 && many.Accuracy.Mean >= few.Accuracy.Mean+0.02 &&
		few.Accuracy.Mean >= 0.5, "few %v, many %v", few, many)
	mean := (few.Draws[0].Accuracy + few.Draws[1].Accuracy + few.Draws[2].Accuracy) / 3
	near(t, "mean accuracy", few.Accuracy.Mean, mean, 1e-12)
	expect.That(t, few.Draws[0].Accuracy != few.Draws[1].Accuracy || few.Draws[1].Accuracy != few.Draws[2].Accuracy,
		"three draws of two rows a class all gave %v", few.Draws[0])
	if text := few.String(); !strings.HasPrefix(text, "linear probe, 2 labels a class: accuracy ") || !strings.Contains(text, "(95% interval, 3 draws)") {
		t.Error(text)
	}
	if again := fit(FewShotConfig{PerClass: 2, Draws: 1, Seed: 5}); !reflect.DeepEqual(again.Draws[0], few.Draws[1]) {
		t.Errorf("seed 5 alone gave %+v, as the second draw %+v", again.Draws[0], few.Draws[1])
	}
}

// A probe with nearly zero steps stays at its start, good or degenerate.
func TestFewShotStartsAtTheProbe(t *testing.T) {
	eng := enginetest.Open(t)
	data := blobs(rand.New(rand.NewPCG(9, 1)), 20, 1)
	good := expect.Must(probe.Fit(eng, data.X, data.Labels, 3, probe.Config{Epochs: 200}))(t)
	still := FewShotConfig{PerClass: 3, Draws: 1, Start: good, Probe: probe.Config{Epochs: 1, LearningRate: 1e-12}}
	kept := expect.Must(FitFewShot(eng, data, data, 3, still))(t)
	expect.That(t, kept.Accuracy.Mean >= 0.95 && strings.Contains(kept.String(), "(one draw, no interval)"), "%v", kept)
	still.Start = constant(3, 3, 0, 50, 0)
	one := expect.Must(FitFewShot(eng, data, data, 3, still))(t)
	near(t, "accuracy of one class of three", one.Accuracy.Mean, 1.0/3, 1e-12)
	expect.That(t, strings.Contains(one.String(), "degenerate in 1 of 1 draws"), "%v", one)
}

// 12 of 16 test rows are of the class that is always predicted: 3 of 4 are right, and 1 of 3 classes.
func TestFewShotOfUnequalClasses(t *testing.T) {
	data := blobs(rand.New(rand.NewPCG(9, 1)), 12, 1)
	var index []int
	for row, class := range data.Labels {
		if class == 1 || row < 6 {
			index = append(index, row)
		}
	}
	test := LabeledRows{expect.Must(rows.Take(data.X, index))(t), rows.Pick(data.Labels, index)}
	few := expect.Must(FitFewShot(enginetest.Open(t), data, test, 3, FewShotConfig{
		PerClass: 2, Draws: 2, Start: constant(3, 3, 0, 50, 0), Probe: probe.Config{Epochs: 1, LearningRate: 1e-12},
	}))(t)
	near(t, "accuracy", few.Accuracy.Mean, 0.75, 1e-12)
	near(t, "balanced accuracy", few.Balanced.Mean, 1.0/3, 1e-12)
}

func TestFewShotRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	data := blobs(rand.New(rand.NewPCG(1, 2)), 4, 1)
	fit := func(labels []int, c FewShotConfig) error {
		_, err := FitFewShot(eng, LabeledRows{data.X, labels}, LabeledRows{data.X, labels}, 3, c)
		return err
	}
	_, none := DrawShots(nil, 2, 0, rand.New(rand.NewPCG(1, 2)))
	for says, err := range map[string]error{
		"class 0 has 4 rows, too few to draw 10 of it … set PerClass lower, or add rows":            fit(data.Labels, FewShotConfig{}),
		"-1 draws … there must be 1 or more, or 0 for 5":                                            fit(data.Labels, FewShotConfig{Draws: -1}),
		"12 rows and 3 labels … give one for each row, in the same order":                           fit(data.Labels[:3], FewShotConfig{PerClass: 1}),
		"2 outputs for rows of 3 entries, but 3 … Classes and Binary turn 1 output into 2 and back": fit(data.Labels, FewShotConfig{PerClass: 1, Start: constant(2, 3)}),
		"row 0 has class 5 … 3 classes are numbered from 0 to 2":                                    fit(append([]int{5}, data.Labels[1:]...), FewShotConfig{PerClass: 1}),
		"0 rows of each of 2 classes … 1 row or more":                                               none,
	} {
		refusal.Check(t, err, says)
	}
}

// Every draw has its own checkpoint, by its seed, from which a later call resumes: here the second draw, which has
// ended.
func TestFineTuneFewShotResumes(t *testing.T) {
	eng, m, folder, seen := enginetest.Open(t), quickModel(t), t.TempDir(), &witness{}
	data, test := patterns(17, 45), patterns(18, 60)
	tune := func(seed uint64, draws int) *FewShot {
		t.Helper()
		config := FewShotConfig{PerClass: 2, Draws: draws, Seed: seed,
			FineTune: FineTuneConfig{Epochs: 4, LearningRate: 0.01, BatchSize: 3, Checkpoint: folder, Observer: seen}}
		return expect.Must(FineTuneFewShot(t.Context(), eng, m, data, test, 3, config))(t)
	}
	both := tune(3, 2)
	if again := tune(4, 1); !reflect.DeepEqual(again.Draws[0], both.Draws[1]) {
		t.Errorf("the second draw %v, gone on with %v", both.Draws[1], again.Draws[0])
	}
	if want := 2 * 4 * 6 / 3; seen.Steps != want {
		t.Errorf("%d steps, want %d: two draws of 4 epochs of 6 images, 3 a step", seen.Steps, want)
	}
	for _, name := range []string{"draw-3", "draw-4"} {
		entries, err := os.ReadDir(filepath.Join(folder, name))
		expect.That(t, err == nil && len(entries) != 0, "%s holds %d files, %v", name, len(entries), err)
	}
}

// Both ways of training on few labels use the same examples, and if they start at the same probe and hardly move, they
// score the same.
func TestFineTuneFewShot(t *testing.T) {
	eng, m, ctx := enginetest.Open(t), quickModel(t), context.Background()
	data, test := patterns(17, 45), patterns(18, 60)
	x := LabeledRows{unitEmbedding(t, eng, m, data.Pixels), data.Labels}
	xTest := LabeledRows{unitEmbedding(t, eng, m, test.Pixels), test.Labels}
	head := expect.Must(probe.Fit(eng, x.X, x.Labels, 3, probe.Config{Epochs: 5}))(t)
	config := FewShotConfig{PerClass: 2, Draws: 2, Start: head, Seed: 3, FineTune: still, Probe: probe.Config{Epochs: 1, LearningRate: 1e-12}}
	probes := expect.Must(FitFewShot(eng, x, xTest, 3, config))(t)
	networks := expect.Must(FineTuneFewShot(ctx, eng, m, data, test, 3, config))(t)
	near(t, "accuracy", networks.Accuracy.Mean, probes.Accuracy.Mean, 1e-12)
	text := networks.String()
	expect.That(t, strings.HasPrefix(text, "fine-tuning, 2 labels a class: accuracy "), "%v", text)

	index := expect.Must(DrawShots(data.Labels, 3, 2, rand.New(rand.NewPCG(4, 0x5407))))(t)
	shots := LabeledImages[int]{pixels.Pick(data.Pixels, index, imageBytes), rows.Pick(data.Labels, index)}
	few := FewShotConfig{PerClass: 2, Draws: 2, Seed: 3, FineTune: FineTuneConfig{Epochs: 20, LearningRate: 0.01, BatchSize: 4}}
	networks = expect.Must(FineTuneFewShot(ctx, eng, m, data, test, 3, few))(t)
	few.FineTune.Seed = 4
	tuned := expect.Must(FineTune(ctx, eng, m, shots, 3, few.FineTune))(t)
	s := expect.Must(tuned.ScoreClasses(eng, test))(t)
	expect.That(t, reflect.DeepEqual(s, networks.Draws[1]), "by hand %v, as the second draw %v", s, networks.Draws[1])
	few.FineTune, few.Start = still, constant(3, 8, 0, 50, 0)
	networks = expect.Must(FineTuneFewShot(ctx, eng, m, data, test, 3, few))(t)
	expect.That(t, strings.Contains(networks.String(), "degenerate in 2 of 2 draws"), "%v", networks)
}
