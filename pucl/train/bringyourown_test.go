package train

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

// ownEncoder returns a small encoder of gomlx's layers, dropout included.
func ownEncoder(name string) encoder.Func {
	return encoder.Func{Name: name, Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = layers.Convolution(scope.In("first"), x).Channels(4).KernelSize(3).Strides(2).Done()
		x = layers.DropoutStatic(scope, encoder.ReLU(x), 0.1)
		return layers.Dense(scope.In("last"), Reshape(x, x.Shape().Dim(0), -1), true, 6)
	}}
}

// darker returns an augmentation of one's own.
func darker(name string) augment.Func {
	return augment.Func{Name: name, Uniforms: 1, Graph: func(images, u *Node) *Node {
		return Mul(images, AddScalar(MulScalar(Reshape(u, -1, 1, 1, 1), 0.5), 0.5))
	}}
}

// An encoder and an augmentation of one's own train like the others: a run is told by its seed and by their names, resumes
// where it stopped, and comes back from a file with the encoder that it is given, if the name is right.
func TestBringYourOwn(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	batches := stripes{8, 2}
	config := quick(6)
	config.Encoder = ownEncoder("mine")
	config.Recipe = augment.Recipe{augment.Crop{}, darker("darker")}
	whole := expect.Must(Pretrain(ctx, eng, batches, config))(t)
	for _, want := range []string{`own encoder "mine"`, "darker"} {
		expect.That(t, strings.Contains(whole.Record.Settings, want),
			"the record %q lacks %q", whole.Record.Settings, want)
	}

	stopped, stop := context.WithCancel(ctx)
	config.Checkpoint = filepath.Join(t.TempDir(), "run")
	config.Observer = OnStep(func(p Progress) {
		if p.Step == 3 {
			stop()
		}
	})
	_, err := Pretrain(stopped, eng, batches, config)
	expect.Require(t, err != nil, "a stopped run returned no error")
	config.Observer = nil
	for _, other := range []func(*Config){
		func(c *Config) { c.Encoder = ownEncoder("other") },
		func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{}, darker("other")} },
	} {
		c := config
		other(&c)
		refusal.Check(t, refusal.Err(Pretrain(ctx, eng, batches, c)),
			"the checkpoint of another run, and is left … name another folder in Checkpoint, ask")
	}
	m := expect.Must(Pretrain(ctx, eng, batches, config))(t)
	for i, loss := range whole.History.Losses {
		expect.That(t, m.History.Losses[i] == loss, "step %d: %v in one go, %v resumed", i, loss, m.History.Losses[i])
	}
	paths := moved(t, whole, m)
	expect.That(t, paths == nil, "%v differ after resuming", paths)

	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, m.Save(path))
	back := expect.Must(LoadModel(path, ownEncoder("mine")))(t)
	pixels, _, _ := batches.Batch(9)
	expect.That(t, mat.Equal(unitEmbedding(t, eng, back, pixels), unitEmbedding(t, eng, m, pixels)),
		"the model that was read embeds otherwise")
	_, other := LoadModel(path, ownEncoder("other"))
	_, none := LoadModel(path, nil)
	_, known := LoadModel(path, tiny)
	for says, err := range map[string]error{
		`encoder.Func {"Name":"mine"}, not {"Name":"other"} … pass that one`:        other,
		`encoder.Func {"Name":"mine"} … pass one, with the same fields, to load it`: none,
		"the encoder encoder.Func, not encoder.SmallCNN … pass that one":            known,
	} {
		refusal.Check(t, err, says)
	}
}

// dotted is an encoder of one's own with a field, made of gomlx's layers; a wrong one returns feature maps.
type dotted struct {
	Dim   int
	Wrong bool
}

func (d dotted) Embed(scope *model.Scope, x *Node, _ bool) *Node {
	x = layers.Convolution(scope, x).Channels(d.Dim).KernelSize(3).Strides(2).Done()
	if d.Wrong {
		return x
	}
	return ReduceMean(x, 1, 2)
}

// What holds for functions holds for types: the seed decides on the weights, fields are compared, and a wrong shape is told.
func TestBringYourOwnType(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	run := func(seed uint64) *Model {
		config := quick(1)
		config.Encoder, config.Seed = dotted{Dim: 3}, seed
		return expect.Must(Pretrain(ctx, eng, stripes{4, 1}, config))(t)
	}
	m := run(1)
	paths := moved(t, m, run(1))
	expect.That(t, paths == nil, "with the same seed %v differ", paths)
	if paths := moved(t, m, run(2)); len(paths) < 2 {
		t.Errorf("with another seed only %v differ", paths)
	}
	path := filepath.Join(t.TempDir(), "model")
	expect.NoError(t, m.Save(path))
	expect.NoError(t, expect.Err(LoadModel(path, dotted{Dim: 3})))
	refusal.Check(t, refusal.Err(LoadModel(path, dotted{Dim: 4})), `{"Dim":3,"Wrong":false} … pass that one`)
	config := quick(1)
	config.Encoder = dotted{Dim: 3, Wrong: true}
	_, err := Pretrain(ctx, eng, stripes{4, 1}, config)
	refusal.Check(t, err,
		"the encoder train.dotted made (Float32)[8, 5, 5, 3] of 8 examples … it must return one row for each example, [8")
}

// What is wrong with an encoder of one's own comes out of training as a sentence.
func TestBringYourOwnRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for says, graph := range map[string]func(*model.Scope, *Node, bool) *Node{
		`the encoder "wrong" made (Float32)[16, 12, 12 … it must return one row for each example, [16, k]`: func(scope *model.Scope, x *Node, _ bool) *Node {
			return encoder.Convolution(scope, x, 3, 3, 1)
		},
		`encoder: the encoder "wrong", at bringyourown_test.go … no error`:                  func(*model.Scope, *Node, bool) *Node { panic("no error") },
		`encoder: the encoder "wrong" … x's axis #0 of [9] = 9 given is out-of-range`:       func(_ *model.Scope, x *Node, _ bool) *Node { return ReduceSum(x, 9) },
		"has no trained variable in its scope … make some with the scope that the function": func(_ *model.Scope, x *Node, _ bool) *Node { return Reshape(x, x.Shape().Dim(0), -1) },
		`the encoder "wrong" convolves with a kernel … use odd ones`: func(scope *model.Scope, x *Node, _ bool) *Node {
			return ReduceMean(layers.Convolution(scope, x).Channels(2).KernelSize(2).Done(), 1, 2)
		},
	} {
		config := quick(2)
		config.Encoder = encoder.Func{Name: "wrong", Graph: graph}
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, stripes{8, 2}, config)), says)
	}
	for says, graph := range map[string]func(images, uniforms *Node) *Node{
		"no error": func(*Node, *Node) *Node { panic("no error") },
		"it makes (Float32)[16, 12, 1] of images (Float32)[16, 12, 12, 1]; views must have the images' shape": func(x, _ *Node) *Node { return ReduceSum(x, 1) },
		"it returns nil": func(*Node, *Node) *Node { return nil },
	} {
		config := quick(2)
		config.Recipe = augment.Recipe{augment.Func{Name: "wrong", Graph: graph}}
		_, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
		names(t, "augmentation", err, "augment: wrong, at bringyourown_test.go:", says)
	}
	for _, o := range []pucl.Objective{{Name: "mine"}, {Whole: func(v pucl.Views, _ float64) *Node { return ReduceAllMean(v.Z) }}, {Direct: pucl.OwnViews}} {
		config := quick(2)
		config.Objective = o // is not taken for the default
		_, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
		names(t, "no terms", err, "lacks a term; it needs both Attract and Repel")
	}
	config := quick(2)
	config.Objective = pucl.SSCL()
	config.Objective.Attract = func(*pucl.Block) *Node { panic("no error") }
	_, err := Pretrain(context.Background(), eng, stripes{8, 2}, config)
	names(t, "term", err, `Attract of objective "ssCL", at bringyourown_test.go:`, "no error")
}
