package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/enginetest"
)

func TestDrawShots(t *testing.T) {
	labels := []int{0, 1, 2, 0, 1, 2, 0, 1, 0, 0}
	seen := map[int]bool{}
	for seed := range uint64(60) {
		rows, err := DrawShots(labels, 3, 2, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		var classes []int
		for _, row := range rows {
			classes = append(classes, labels[row])
			seen[row] = true
		}
		if !slices.Equal(classes, []int{0, 0, 1, 1, 2, 2}) {
			t.Fatalf("rows %v are of the classes %v", rows, classes)
		}
		slices.Sort(rows)
		if len(slices.Compact(rows)) != 6 {
			t.Fatalf("a row was drawn twice: %v", rows)
		}
	}
	if len(seen) != len(labels) {
		t.Errorf("60 draws came upon %d of %d rows", len(seen), len(labels))
	}
}

func TestFewShot(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(9, 9))
	x, labels := blobs(rng, 60, 2.5)
	test, truth := blobs(rng, 100, 2.5)
	quick := ProbeConfig{Epochs: 40}
	few, err := FitFewShot(eng, x, labels, test, truth, 3, FewShotConfig{PerClass: 2, Draws: 3, Seed: 4, Probe: quick})
	if err != nil {
		t.Fatal(err)
	}
	many, err := FitFewShot(eng, x, labels, test, truth, 3, FewShotConfig{PerClass: 40, Draws: 1, Seed: 4, Probe: quick})
	if err != nil {
		t.Fatal(err)
	}
	if many.Accuracy.Mean < 0.8 || many.Accuracy.Mean < few.Accuracy.Mean+0.02 || few.Accuracy.Mean < 0.5 {
		t.Errorf("few %v, many %v", few, many)
	}
	mean := (few.Draws[0].Accuracy + few.Draws[1].Accuracy + few.Draws[2].Accuracy) / 3
	near(t, "mean accuracy", few.Accuracy.Mean, mean, 1e-12)
	if few.Draws[0].Accuracy == few.Draws[1].Accuracy && few.Draws[1].Accuracy == few.Draws[2].Accuracy {
		t.Errorf("three draws of two rows a class all gave %v", few.Draws[0])
	}
	if text := few.String(); !strings.HasPrefix(text, "linear probe, 2 labels a class: accuracy ") || !strings.Contains(text, "(95% interval, 3 draws)") {
		t.Error(text)
	}
	again, err := FitFewShot(eng, x, labels, test, truth, 3, FewShotConfig{PerClass: 2, Draws: 1, Seed: 5, Probe: quick})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%+v", again.Draws[0]) != fmt.Sprintf("%+v", few.Draws[1]) {
		t.Errorf("seed 5 alone gave %+v, as the second draw %+v", again.Draws[0], few.Draws[1])
	}
}

// Fine-tuning with next to no steps keeps the probe it starts at, good or degenerate.
func TestFewShotStartsWhereItIsTold(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(9, 1))
	x, labels := blobs(rng, 20, 1)
	good, err := FitClassProbe(eng, x, labels, 3, ProbeConfig{Epochs: 200})
	if err != nil {
		t.Fatal(err)
	}
	still := FewShotConfig{PerClass: 3, Draws: 1, Start: good, Probe: ProbeConfig{Epochs: 1, LearningRate: 1e-12}}
	kept, err := FitFewShot(eng, x, labels, x, labels, 3, still)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Accuracy.Mean < 0.95 || !strings.Contains(kept.String(), "(one draw, no interval)") {
		t.Error(kept)
	}
	still.Start = &ClassProbe{Weights: mat.NewDense(3, 3, nil), Bias: []float64{0, 50, 0}}
	one, err := FitFewShot(eng, x, labels, x, labels, 3, still)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "accuracy of one class of three", one.Accuracy.Mean, 1.0/3, 1e-12)
	if !strings.Contains(one.String(), "degenerate in 1 of 1 draws") {
		t.Error(one)
	}
}

func TestFewShotRefuses(t *testing.T) {
	eng := enginetest.Open(t)
	x, labels := blobs(rand.New(rand.NewPCG(1, 2)), 4, 1)
	fit := func(labels []int, c FewShotConfig) error {
		_, err := FitFewShot(eng, x, labels, x, labels, 3, c)
		return err
	}
	_, none := DrawShots(nil, 2, 0, rand.New(rand.NewPCG(1, 2)))
	for says, err := range map[string]error{
		"class 0 has 4 rows, too few to draw 10": fit(labels, FewShotConfig{}),
		"-1 draws":                               fit(labels, FewShotConfig{Draws: -1}),
		"12 rows and 3 labels":                   fit(labels[:3], FewShotConfig{PerClass: 1}),
		"start at has 2 classes, the data 3":     fit(labels, FewShotConfig{PerClass: 1, Start: &ClassProbe{Weights: mat.NewDense(2, 3, nil), Bias: make([]float64, 2)}}),
		"row 0 has class 5":                      fit(append([]int{5}, labels[1:]...), FewShotConfig{PerClass: 1}),
		"1 row or more":                          none,
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
	}
}
