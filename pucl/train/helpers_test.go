package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/rows"
	"gonum.org/v1/gonum/mat"
)

// stripes are the batches of these tests.
type stripes = traintest.Stripes

var stripe, stripesOf, near = traintest.Stripe, traintest.NewStripes, vectortest.Near

// stripedRows are stripes with pixels as features and different noise in two views.
type stripedRows struct{}

func (stripedRows) Features() int { return 144 }

func (stripedRows) Batch(step int) (views []float32, labeled []bool) {
	pixels, labeled, _ := stripesOf(16, 4).Batch(step)
	rng := rand.New(rand.NewPCG(7, uint64(step)))
	for range 2 {
		for _, p := range pixels {
			views = append(views, float32(p)/100+float32(rng.NormFloat64()))
		}
	}
	return views, labeled
}

// tiny is an encoder that trains in a moment on any engine.
var tiny = encoder.SmallCNN{Width: 2, Dim: 8, Mean: 0.286, Std: 0.353}

// quick returns the configuration of a very short run, compilation included.
func quick(steps int) Config {
	return Config{
		Steps: steps, Encoder: encoder.MLP{Hidden: []int{}, Dim: 8}, Projection: 4, LearningRate: 0.01, Seed: 5,
		Recipe: augment.Recipe{augment.Flip{Probability: 0.5}},
	}
}

// paper is quick with convolutions and the views of the paper.
func paper(steps int) Config {
	c := quick(steps)
	c.Encoder, c.Recipe = tiny, nil
	return c
}

// light is quick with convolutions and the optimizer's own learning rate.
func light(steps int) Config {
	c := quick(steps)
	c.Encoder, c.LearningRate = tiny, 0
	return c
}

// grayViews returns the recipe of a nil Recipe except for the minimum area that a crop keeps; 0 means the paper's.
func grayViews(minArea float64) augment.Recipe {
	return augment.Recipe{augment.CropJitter{MinArea: minArea}}
}

// trained trains on stripes: as images or, with an MLP encoder, as rows of features that differ slightly.
func trained(t *testing.T, eng *engine.Engine, c Config) *Model {
	t.Helper()
	var m *Model
	var err error
	if _, ok := c.Encoder.(encoder.MLP); ok {
		c.Recipe = nil
		m, err = PretrainFeatures(context.Background(), eng, stripedRows{}, c)
	} else {
		m, err = Pretrain(context.Background(), eng, stripesOf(16, 4), c)
	}
	expect.NoError(t, err)
	return m
}

// quickModel returns a model trained briefly on stripes; it is trained once.
var quickModel = func() func(t *testing.T) *Model {
	var once sync.Once
	var m *Model
	return func(t *testing.T) *Model {
		once.Do(func() {
			config := quick(4)
			config.Encoder = encoder.MLP{Hidden: []int{24}, Dim: 8}
			var err error
			m, err = Pretrain(context.Background(), enginetest.Open(t), stripesOf(16, 4), config)
			expect.That(t, err == nil, "%v", err)
		})
		expect.Require(t, m != nil, "there is no model")
		return m
	}
}()

// stopAfter returns a context that is done after the given number of steps of a run with the returned observer.
func stopAfter(steps int) (context.Context, Observer) {
	ctx, stop := context.WithCancel(context.Background())
	return ctx, OnStep(func(p Progress) {
		if p.Step == steps {
			stop()
		}
	})
}

type (
	witness   = traintest.Witness[Progress]
	observers = traintest.Observers[Progress]
)

// names fails the test unless err contains all words.
func names(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		expect.That(t, err != nil && strings.Contains(err.Error(), word), "%s: error %v, which lacks %q", what, err, word)
	}
}

// weightsOf copies all variables of a model, which must belong to its encoder and projector.
func weightsOf(t *testing.T, m *Model) map[string][]float32 {
	t.Helper()
	task := Task{Store: m.store, Networks: m.Networks()}
	for v := range m.store.IterVariables() {
		expect.That(t, task.isNetwork(v), "the model holds %s, which only training needs", v.Path())
	}
	return networkOf(t, task)
}

// networkOf copies all variables of a task's networks.
func networkOf(t *testing.T, task Task) map[string][]float32 {
	t.Helper()
	all := map[string][]float32{}
	for v := range task.Store.IterVariables() {
		if !task.isNetwork(v) {
			continue
		}
		value := expect.Must(v.Value())(t)
		value.MustConstFlatData(func(flat any) {
			switch flat := flat.(type) {
			case []float32:
				all[v.Path()] = slices.Clone(flat)
			case []int32: // as a count of updates
				for _, n := range flat {
					all[v.Path()] = append(all[v.Path()], float32(n))
				}
			default:
				t.Errorf("%s holds %T", v.Path(), flat)
			}
		})
	}
	return all
}

// moved returns the variables that differ between two models in any bit.
func moved(t *testing.T, a, b *Model) (paths []string) {
	t.Helper()
	old, now := weightsOf(t, a), weightsOf(t, b)
	expect.That(t, len(old) == len(now) && len(old) != 0, "%d variables, and now %d", len(old), len(now))
	for path := range old {
		if !slices.Equal(old[path], now[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// sameRun fails the test unless two models have the same losses and the same weights, bit for bit.
func sameRun(t *testing.T, what string, got, want *Model) {
	t.Helper()
	expect.That(t, slices.Equal(got.History.Losses, want.History.Losses),
		"%s: losses %v, want %v", what, got.History.Losses, want.History.Losses)
	paths := moved(t, want, got)
	expect.That(t, paths == nil, "%s: %v differ", what, paths)
}

// farthest returns the largest distance between a variable's values in two models, relative to the largest norm, and
// its path.
func farthest(t *testing.T, a, b *Model) (float64, string) {
	t.Helper()
	x, y := weightsOf(t, a), weightsOf(t, b)
	expect.Require(t, len(x) == len(y) && len(x) != 0, "%d and %d variables", len(x), len(y))
	worst, where := 0.0, ""
	for path := range x {
		expect.Require(t, len(x[path]) == len(y[path]), "%s has %d and %d values", path, len(x[path]), len(y[path]))
		size := 0.0
		for _, v := range x[path] {
			size = max(size, math.Abs(float64(v)))
		}
		for i, v := range x[path] {
			if d := math.Abs(float64(v)-float64(y[path][i])) / max(size, 1e-3); !(d <= worst) {
				worst, where = d, path
			}
		}
	}
	return worst, where
}

// unitEmbedding returns the embeddings of images, scaled to length 1.
func unitEmbedding(t *testing.T, eng *engine.Engine, m *Model, pixels []uint8) *mat.Dense {
	t.Helper()
	e := expect.Must(m.Embed(eng, pixels))(t)
	return rows.Unit(e.H)
}

// Helpers that these tests share with package train_test.
var (
	Quick         = quick
	Paper         = paper
	OwnEncoder    = ownEncoder
	TwoKinds      = twoKinds
	CSVOfTwoKinds = csvOfTwoKinds
	ReadTable     = readTable
)
