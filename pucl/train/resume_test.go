package train

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// A run that is stopped and resumed ends in the very same numbers as one that is not.
func TestResumeIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	batches := stripes{8, 2}
	whole, err := Pretrain(context.Background(), eng, batches, quick(8))
	if err != nil {
		t.Fatal(err)
	}
	config := quick(8)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	var ctx context.Context
	ctx, config.Observer = stopAfter(3)
	if _, err := Pretrain(ctx, eng, batches, config); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 8") {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := Pretrain(context.Background(), eng, batches, config)
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "resumed", resumed, whole)
	// A finished run is not trained again, and another configuration is refused.
	config.Observer = OnStep(func(Progress) { t.Error("a finished run was trained on") })
	if _, err := Pretrain(context.Background(), eng, batches, config); err != nil {
		t.Error(err)
	}
	config.Seed++
	_, err = Pretrain(context.Background(), eng, batches, config)
	names(t, "another seed", err, "another run")
	// Nor is that of a loss that was changed under its old name.
	config.Seed--
	config.Objective = pucl.Objective{Name: pucl.PUCL().Name, Attract: pucl.Scale(0.5, pucl.PUCL().Attract), Repel: pucl.LogPartition}
	_, err = Pretrain(context.Background(), eng, batches, config)
	names(t, "another loss", err, "another run")
}

func TestResumeOnFeaturesIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25})
	whole, err := PretrainFeatures(context.Background(), eng, batches, quickFeatures(8))
	if err != nil {
		t.Fatal(err)
	}
	config := quickFeatures(8)
	config.Checkpoint = t.TempDir()
	var ctx context.Context
	ctx, config.Observer = stopAfter(3)
	if _, err := PretrainFeatures(ctx, eng, batches, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := PretrainFeatures(context.Background(), eng, batches, config)
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "resumed", resumed, whole)
	_, _, other, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1})
	_, err = PretrainFeatures(context.Background(), eng, other, config)
	names(t, "other batches", err, "another run")
}

func TestRecipeAndOptimizerResumeExactly(t *testing.T) {
	eng := enginetest.Open(t)
	whole, err := Pretrain(context.Background(), eng, colors{}, inColor(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"LARS", "flip", "ResNet"} {
		if !strings.Contains(strings.ToLower(whole.Record.String()), strings.ToLower(word)) {
			t.Errorf("the record %q lacks %q", whole.Record.String(), word)
		}
	}
	config := inColor(5)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	var ctx context.Context
	ctx, config.Observer = stopAfter(2)
	if _, err := Pretrain(ctx, eng, colors{}, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed, err := Pretrain(context.Background(), eng, colors{}, config)
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "resumed", resumed, whole)

	// The network comes back from a file by itself, and embeds as before.
	path := filepath.Join(t.TempDir(), "model")
	if err := whole.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadModel(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	pixels, _, _ := colors{}.Batch(9)
	a, err := whole.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded.Embed(eng, pixels)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.H.RawMatrix().Data, b.H.RawMatrix().Data) {
		t.Error("a loaded ResNet embeds differently")
	}

	// Its weights start another run. A step of no length leaves them as they are.
	weights, err := whole.Weights()
	if err != nil {
		t.Fatal(err)
	}
	again := inColor(1)
	again.Weights, again.LearningRate, again.Optimizer = weights, 1e-30, optim.SGD{}
	second, err := Pretrain(context.Background(), eng, colors{}, again)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := second.Weights()
	if err != nil {
		t.Fatal(err)
	}
	const kernel = "conv1.weight"
	want, err := weights[kernel].Float64s()
	if err != nil {
		t.Fatal(err)
	}
	got, err := kept[kernel].Float64s()
	if err != nil || len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("%s was not taken over (%v)", kernel, err)
	}
	again.Encoder = encoder.ResNet{Depth: 10, CIFAR: true, Width: 6}
	_, err = Pretrain(context.Background(), eng, colors{}, again)
	names(t, "weights of another size", err, kernel)
}
