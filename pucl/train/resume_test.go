package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/safetensors"
)

// resumed trains a run as a whole, and again with a stop after the given number of steps, and fails the test unless
// both end bit-identically. It returns the first model, and the configuration of the second run with its checkpoint.
func resumed(t *testing.T, after int, c Config, run func(context.Context, Config) (*Model, error)) (*Model, Config) {
	t.Helper()
	whole := expect.Must(run(context.Background(), c))(t)
	c.Checkpoint = filepath.Join(t.TempDir(), "run")
	stopping := c
	var ctx context.Context
	ctx, stopping.Observer = stopAfter(after)
	var stopped *Stopped
	_, err := run(ctx, stopping)
	expect.Require(t, errors.As(err, &stopped) && errors.Is(err, context.Canceled) && stopped.Step == after,
		"a stopped run returned %v", err)
	sameRun(t, "resumed", expect.Must(run(context.Background(), c))(t), whole)
	sameLog(t, c.Checkpoint, &whole.History)
	return whole, c
}

// on returns a function that pretrains on batches.
func on(eng *engine.Engine, batches Batches) func(context.Context, Config) (*Model, error) {
	return func(ctx context.Context, c Config) (*Model, error) { return Pretrain(ctx, eng, batches, c) }
}

// A run that is stopped and resumed ends bit-identically to an uninterrupted one. A finished run is not trained again.
func TestResumeIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	batches := stripesOf(8, 2)
	_, config := resumed(t, 3, quick(8), on(eng, batches))
	config.Observer = OnStep(func(Progress) { t.Error("a finished run was trained on") })
	expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, batches, config)))
	// A resumed run has its classes and several views again.
	config = quick(3)
	config.Objective, config.Views, config.CheckpointEvery = pucl.TrueNegatives(0), 4, 2
	resumed(t, 2, config, on(eng, classed{stripes: stripesOf(8, 0)}))
}

func TestResumeOnFeaturesIsExact(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25})
	_, config := resumed(t, 3, quickFeatures(8), func(ctx context.Context, c Config) (*Model, error) {
		return PretrainFeatures(ctx, eng, batches, c)
	})
	_, _, other, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8, Share: 0.25, Seed: 1})
	names(t, "other batches", expect.Err(PretrainFeatures(context.Background(), eng, other, config)), "another run")
}

func TestRecipeAndOptimizerResumeExactly(t *testing.T) {
	eng := enginetest.Open(t)
	whole, _ := resumed(t, 2, inColor(5), on(eng, colors{}))
	for _, word := range []string{"LARS", "flip", "ResNet"} {
		expect.That(t, strings.Contains(strings.ToLower(whole.Record.String()), strings.ToLower(word)),
			"the record %q lacks %q", whole.Record.String(), word)
	}
	// The network loads from a file without a given encoder, and embeds as before.
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, whole.Save(path))
	loaded := expect.Must(LoadModel(path, nil))(t)
	pixels, _, _ := colors{}.Batch(9)
	a := expect.Must(whole.Embed(eng, pixels))(t)
	b := expect.Must(loaded.Embed(eng, pixels))(t)
	expect.That(t, slices.Equal(a.H.RawMatrix().Data, b.H.RawMatrix().Data), "a loaded ResNet embeds differently")

	// Its weights initialize another run. A step of length 0 does not change them.
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

func TestLoadingErrors(t *testing.T) {
	eng := enginetest.Open(t)
	m := expect.Must(Pretrain(context.Background(), eng, stripesOf(8, 2), light(1)))(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	expect.NoError(t, m.Save(path))
	refusal.Check(t, refusal.Err(LoadModel(path, &tiny2{})), "trained with the encoder encoder.SmallCNN … pass that one")
	wider := tiny
	wider.Dim++
	refusal.Check(t, refusal.Err(LoadModel(path, wider)), "trained with the encoder encoder.SmallCNN … pass that one")
	refusal.Check(t, refusal.Err(LoadModel(path, &wider)), "encoder.SmallCNN, not a pointer to one; … pass the encoder itself")
	_, err := LoadModel(path, tiny)
	expect.That(t, err == nil, "the encoder it was trained with is refused: %v", err)
	data := expect.Must(os.ReadFile(path))(t)
	expect.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o644))
	refusal.Check(t, refusal.Err(LoadModel(path, nil)), path+" is cut short … copy it again from where it was made")
	refusal.Check(t, refusal.Err(m.Embed(eng, make([]uint8, 100))),
		"100 bytes are no whole number of images … each takes 144 bytes")
	expect.NoError(t, os.WriteFile(path, []byte("scrap"), 0o644))
	refusal.Check(t, refusal.Err(LoadModel(path, nil)), "is no file of it at all … copy it again from where it was made, or train")
	if left, err := filepath.Glob(filepath.Join(dir, "*.part")); err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v %v", left, err)
	}
}

type tiny2 struct{ encoder.SmallCNN }

// A model file of the earlier program, without checksum, is an error that names the cause and the remedy.
func TestModelOfAnEarlierProgram(t *testing.T) {
	path := filepath.Join("testdata", "model-before.model")
	_, err := LoadModel(path, nil)
	names(t, "an earlier model", err, "train: "+path+" was written by an earlier version of this program", "; copy it again", "train the model again")
}

// grown is an encoder that makes more variables if *more is set, under the same name and fields.
type grown struct{ more *bool }

func (grown) String() string { return "grown" }

func (g grown) Embed(scope *model.Scope, images *Node, training bool) *Node {
	x := encoder.Dense(scope.In("first"), Reshape(images, images.Shape().Dim(0), -1), 4, true)
	if *g.more {
		x = encoder.Dense(scope.In("second"), x, 4, true)
	}
	return x
}

// A model whose encoder has changed must not get untrained variables.
func TestVariablesThatAModelLacks(t *testing.T) {
	eng := enginetest.Open(t)
	var more bool
	config := quick(1)
	config.Encoder = grown{&more}
	m, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
	expect.NoError(t, err)
	path := filepath.Join(t.TempDir(), "m")
	expect.NoError(t, m.Save(path))
	more = true
	m = expect.Must(LoadModel(path, grown{&more}))(t)
	for range 2 {
		_, err = m.Embed(eng, make([]uint8, 144))
		names(t, "another encoder", err, "train: the encoder grown has variables", `"/encoder/second/weights"`, "which this model lacks")
	}
	more = false
	expect.NoError(t, expect.Err(m.Embed(eng, make([]uint8, 144))))
}

// Export writes the weights of an encoder for other programs and for the start of another run.
func TestExport(t *testing.T) {
	m := expect.Must(Pretrain(context.Background(), enginetest.Open(t), stripesOf(8, 2), light(1)))(t)
	want := expect.Must(m.Weights())(t)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	expect.NoError(t, m.Export(path))
	file, err := safetensors.ReadFile(path)
	expect.That(t, err == nil && len(want) != 0 && reflect.DeepEqual(file.Tensors, want),
		"%d tensors, want %d: %v", len(file.Tensors), len(want), err)
	expect.That(t, file.Metadata["format"] == "pt" && file.Metadata["encoder"] == tiny.String() &&
		strings.Contains(file.Metadata["record"], "stripes"), "notes %q", file.Metadata)
	names(t, "no folder", m.Export(filepath.Join(path, "x")), "train: ", "not a directory")
}
