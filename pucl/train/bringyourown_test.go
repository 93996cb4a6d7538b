package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"gonum.org/v1/gonum/mat"
)

// ownEncoder returns a small encoder of gomlx's layers, dropout included.
func ownEncoder(name string) encoder.Func {
	return encoder.Func{Name: name, Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = layers.Convolution(scope.In("first"), x).Channels(4).KernelSize(3).Strides(2).Done()
		x = layers.DropoutStatic(scope, encoder.ReLU(x), 0.1)
		return layers.Dense(scope.In("last"), Reshape(x, x.Shape().Dim(0), -1), true, 6)
	}}
}

// darker returns a user-defined augmentation.
func darker(name string) augment.Func {
	return augment.Func{Name: name, Uniforms: 1, Graph: func(images, u *Node) *Node {
		return Mul(images, AddScalar(MulScalar(Reshape(u, -1, 1, 1, 1), 0.5), 0.5))
	}}
}

// A user-defined encoder and augmentation train like the built-in ones. A run is identified by its seed and their names
// and resumes exactly. Its model loads from a file if the caller passes an encoder of the right name.
func TestBringYourOwn(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	batches := stripesOf(8, 2)
	config := quick(6)
	config.Encoder = ownEncoder("mine")
	config.Recipe = augment.Recipe{augment.Crop{}, darker("darker")}
	m, config := resumed(t, 3, config, on(eng, batches))
	expect.Contains(t, m.Record.Settings, `own encoder "mine"`, "darker")
	for _, other := range []func(*Config){
		func(c *Config) { c.Encoder = ownEncoder("other") },
		func(c *Config) { c.Recipe = augment.Recipe{augment.Crop{}, darker("other")} },
	} {
		c := config
		other(&c)
		refusal.Check(t, refusal.Err(Pretrain(ctx, eng, batches, c)),
			"the checkpoint of another run, and is left … name another folder in Checkpoint, ask")
	}
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

// dotted is a user-defined encoder type with a field, made of gomlx's layers; a wrong one returns feature maps.
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

// Encoder types behave as functions do: the seed determines the weights, fields are compared, and a wrong shape is an
// error.
func TestBringYourOwnType(t *testing.T) {
	eng, ctx := enginetest.Open(t), context.Background()
	run := func(seed uint64) *Model {
		config := quick(1)
		config.Encoder, config.Seed = dotted{Dim: 3}, seed
		return expect.Must(Pretrain(ctx, eng, stripesOf(4, 1), config))(t)
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
	refusal.Check(t, expect.Err(Pretrain(ctx, eng, stripesOf(4, 1), config)),
		"the encoder train.dotted made (Float32)[8, 5, 5, 3] of 8 examples … it must return one row for each example, [8")
}

// An invalid user-defined encoder must cause a one-sentence error in training.
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
		refusal.Check(t, refusal.Err(Pretrain(context.Background(), eng, stripesOf(8, 2), config)), says)
	}
	for says, graph := range map[string]func(images, uniforms *Node) *Node{
		"no error": func(*Node, *Node) *Node { panic("no error") },
		"it makes (Float32)[16, 12, 1] of images (Float32)[16, 12, 12, 1]; views must have the images' shape": func(x, _ *Node) *Node { return ReduceSum(x, 1) },
		"it returns nil": func(*Node, *Node) *Node { return nil },
	} {
		config := quick(2)
		config.Recipe = augment.Recipe{augment.Func{Name: "wrong", Graph: graph}}
		_, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
		names(t, "augmentation", err, "augment: wrong, at bringyourown_test.go:", says)
	}
	for _, o := range []pucl.Objective{{Name: "mine"}, {Whole: func(v pucl.Views, _ float64) *Node { return ReduceAllMean(v.Z) }}, {Direct: pucl.OwnViews}} {
		config := quick(2)
		config.Objective = o // must not be replaced by the default
		_, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
		names(t, "no terms", err, "lacks a term; it needs both Attract and Repel")
	}
	config := quick(2)
	config.Objective = pucl.SSCL()
	config.Objective.Attract = func(*pucl.Block) *Node { panic("no error") }
	_, err := Pretrain(context.Background(), eng, stripesOf(8, 2), config)
	names(t, "term", err, `Attract of objective "ssCL", at bringyourown_test.go:`, "no error")
}

// csvOfTwoKinds returns a CSV file of n examples, alternately ill and well. Eight features each separate the classes
// slightly: normal with means 0.8 and −0.8. Eight more features are confounders: they encode, more strongly, in which
// of two hospitals the example was taken, which is independent of the class.
func csvOfTwoKinds(rng *rand.Rand, n int) string {
	var b strings.Builder
	for j := range 8 {
		fmt.Fprintf(&b, "signal%d,nuisance%d,", j, j)
	}
	b.WriteString("diagnosis\n")
	for i := range n {
		class, hospital := 1-2*float64(i%2), 1-2*float64(rng.IntN(2))
		for range 8 {
			fmt.Fprintf(&b, "%.4f,%.4f,", 0.8*class+rng.NormFloat64(), 10+1.2*hospital+rng.NormFloat64())
		}
		b.WriteString([]string{"ill", "well"}[i%2] + "\n")
	}
	return b.String()
}

func readTable(t *testing.T, text string) *tabular.Table {
	t.Helper()
	return expect.Must(tabular.ReadCSV(strings.NewReader(text), tabular.CSV{Label: "diagnosis"}))(t)
}

// scale holds the parameters that scale new rows as the table.
type scale struct{ Mean, Deviation []float64 }

// twoKinds returns standardized training data from such a file, and batches of it.
func twoKinds(t *testing.T, n, labeled int, seed uint64, cfg datasets.BatchConfig) (table *tabular.Table, split *datasets.Split,
	batches *tabular.Batches, scale scale) {
	t.Helper()
	table = readTable(t, csvOfTwoKinds(rand.New(rand.NewPCG(8, seed)), n))
	scale.Mean, scale.Deviation = table.Standardize()
	split = expect.Must(datasets.NewSplit(table.Labels, table.Classes, datasets.SplitConfig{
		Positive: []int{0}, Labeled: labeled, Setting: datasets.SingleDataset, Seed: seed,
	}))(t)
	batches = expect.Must(tabular.NewBatches(table, split, nil, cfg))(t)
	return table, split, batches, scale
}

// quickFeatures returns the configuration of a very short run.
func quickFeatures(steps int) Config {
	return Config{Steps: steps, Encoder: encoder.MLP{Hidden: []int{}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5}
}

// counted returns batches with the given numbers of values, valid or not.
type counted struct{ features, numbers, labels int }

func (c counted) Features() int { return c.features }

func (c counted) Batch(int) ([]float32, []bool) {
	return make([]float32, c.numbers), make([]bool, c.labels)
}

func TestPretrainFeaturesRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	for _, tt := range []struct {
		name    string
		batches FeatureBatches
		bend    func(*Config)
		want    string
	}{
		{"views of images", counted{2, 8, 2}, func(c *Config) { c.Recipe = grayViews(0.5) },
			"a Recipe makes views of images … leave it nil"},
		{"temperature", counted{2, 8, 2}, func(c *Config) { c.Tau = math.NaN() },
			"temperature τ = NaN … it divides the similarities"},
		{"no features", counted{0, 0, 2}, func(*Config) {}, "0 features … there must be at least one"},
		{"one view", counted{2, 4, 2}, func(*Config) {}, "2 labels and 4 numbers … two views of rows of 2 need 4 numbers for each"},
		{"one example", counted{2, 4, 1}, func(*Config) {}, "batch 0 is one of 1 … at least 2"},
		{"labels of monitored rows", counted{2, 8, 2}, func(c *Config) {
			c.Monitor = Monitor{Every: 1, Features: mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8}),
				Labeled: make([]bool, 3)}
		}, "4 rows of 2 features and 3 labels to monitor … at least 2 rows of 2 features, and a label for each"},
		{"an encoder of images", counted{2, 8, 2}, func(c *Config) { c.Encoder = tiny },
			"a SmallCNN reads images [n, height, width … use an MLP"},
	} {
		config := quickFeatures(2)
		tt.bend(&config)
		t.Run(tt.name, func(t *testing.T) {
			refusal.Check(t, refusal.Err(PretrainFeatures(context.Background(), eng, tt.batches, config)), tt.want)
		})
	}
	// The default encoder is the zero value of MLP.
	m, err := PretrainFeatures(context.Background(), eng, counted{2, 8, 2}, Config{Steps: 1})
	expect.That(t, err == nil && strings.Contains(m.Record.Settings, encoder.MLP{}.String()), "%v, %v", m, err)
}

func TestEmbedFeaturesRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	_, _, batches, _ := twoKinds(t, 60, 10, 1, datasets.BatchConfig{Size: 8})
	m := expect.Must(PretrainFeatures(context.Background(), eng, batches, quickFeatures(1)))(t)
	row := func(last float64) *mat.Dense {
		x := mat.NewDense(2, 16, nil)
		x.Set(1, 15, last)
		return x
	}
	expect.NoError(t, expect.Err(m.EmbedFeatures(eng, row(1))))
	images := expect.Must(Pretrain(context.Background(), eng, stripesOf(8, 2), quick(1)))(t)
	for want, try := range map[string]func() error{
		"this model embeds rows of 16 features … use EmbedFeatures":                                    func() error { _, err := m.Embed(eng, make([]uint8, 16)); return err },
		"this model embeds images of 12×12×1 bytes … use Embed":                                        func() error { _, err := images.EmbedFeatures(eng, row(1)); return err },
		"no rows given to embed … give at least one":                                                   func() error { _, err := m.EmbedFeatures(eng, &mat.Dense{}); return err },
		"rows of 15 features given, but this model … give the columns of its training, in their order": func() error { _, err := m.EmbedFeatures(eng, mat.NewDense(2, 15, nil)); return err },
		"feature 15 of row 1 is NaN … it must be a finite number in the range":                         func() error { _, err := m.EmbedFeatures(eng, row(math.NaN())); return err },
		"feature 15 of row 1 is 1e+39 … it must be a finite number in the range":                       func() error { _, err := m.EmbedFeatures(eng, row(1e39)); return err },
	} {
		refusal.Check(t, try(), want)
	}
}
