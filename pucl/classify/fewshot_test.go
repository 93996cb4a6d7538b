package classify

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/pixels"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
)

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

// A probe with next to no steps stays what it starts at, good or degenerate.
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

// Of 16 test rows 12 are of the class that is always predicted: 3 of 4 are right, and 1 of 3 classes.
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

// Every draw has a checkpoint of its own, by its seed, from which a later call goes on: here the second draw, which has ended.
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

// Both ways of learning from few labels see the same examples, and where they start at the same probe and hardly move, they
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
