package train

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
)

// A run that is stopped and resumed ends in the very same numbers as one that is not.
func TestResumeIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	batches := stripes{8, 2}
	whole := expect.Must(Pretrain(context.Background(), eng, batches, quick(8)))(t)
	config := quick(8)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	var ctx context.Context
	ctx, config.Observer = stopAfter(3)
	if _, err := Pretrain(ctx, eng, batches, config); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 8") {
		t.Fatalf("a stopped run returned %v", err)
	}
	config.Observer = nil
	resumed := expect.Must(Pretrain(context.Background(), eng, batches, config))(t)
	sameRun(t, "resumed", resumed, whole)
	// A finished run is not trained again, and another configuration is refused.
	config.Observer = OnStep(func(Progress) { t.Error("a finished run was trained on") })
	expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, batches, config)))
	config.Seed++
	names(t, "another seed", expect.Err(Pretrain(context.Background(), eng, batches, config)), "another run")
	// Nor is that of a loss that was changed under its old name.
	config.Seed--
	config.Objective = pucl.Objective{Name: pucl.PUCL().Name, Attract: pucl.Scale(0.5, pucl.PUCL().Attract), Repel: pucl.LogPartition}
	names(t, "another loss", expect.Err(Pretrain(context.Background(), eng, batches, config)), "another run")
}

func TestResumeOnFeaturesIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25})
	whole := expect.Must(PretrainFeatures(context.Background(), eng, batches, quickFeatures(8)))(t)
	config := quickFeatures(8)
	config.Checkpoint = t.TempDir()
	var ctx context.Context
	ctx, config.Observer = stopAfter(3)
	_, err := PretrainFeatures(ctx, eng, batches, config)
	expect.Require(t, errors.Is(err, context.Canceled), "a stopped run returned %v", err)
	config.Observer = nil
	resumed := expect.Must(PretrainFeatures(context.Background(), eng, batches, config))(t)
	sameRun(t, "resumed", resumed, whole)
	_, _, other, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1})
	names(t, "other batches", expect.Err(PretrainFeatures(context.Background(), eng, other, config)), "another run")
}

func TestRecipeAndOptimizerResumeExactly(t *testing.T) {
	eng := enginetest.Open(t)
	whole := expect.Must(Pretrain(context.Background(), eng, colors{}, inColor(5)))(t)
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
	resumed := expect.Must(Pretrain(context.Background(), eng, colors{}, config))(t)
	sameRun(t, "resumed", resumed, whole)

	// The network comes back from a file by itself, and embeds as before.
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, whole.Save(path))
	loaded := expect.Must(LoadModel(path, nil))(t)
	pixels, _, _ := colors{}.Batch(9)
	a := expect.Must(whole.Embed(eng, pixels))(t)
	b := expect.Must(loaded.Embed(eng, pixels))(t)
	expect.That(t, slices.Equal(a.H.RawMatrix().Data, b.H.RawMatrix().Data), "a loaded ResNet embeds differently")

	// Its weights start another run. A step of no length leaves them as they are.
	weights := expect.Must(whole.Weights())(t)
	again := inColor(1)
	again.Weights, again.LearningRate, again.Optimizer = weights, 1e-30, optim.SGD{}
	second := expect.Must(Pretrain(context.Background(), eng, colors{}, again))(t)
	kept := expect.Must(second.Weights())(t)
	const kernel = "conv1.weight"
	want := expect.Must(weights[kernel].Float64s())(t)
	got, err := kept[kernel].Float64s()
	expect.That(t, err == nil && len(got) != 0 && slices.Equal(got, want), "%s was not taken over (%v)", kernel, err)
	again.Encoder = encoder.ResNet{Depth: 10, CIFAR: true, Width: 6}
	names(t, "weights of another size", expect.Err(Pretrain(context.Background(), eng, colors{}, again)), kernel)
}
