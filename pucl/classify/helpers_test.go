package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// imageBytes is the size of the images of these tests, 12×12 and gray.
const imageBytes = 12 * 12

// stripe draws an image of stripes with noise.
func stripe(rng *rand.Rand, horizontal bool) []uint8 {
	pixels := make([]uint8, imageBytes)
	phase := rng.IntN(4)
	for y := range 12 {
		for x := range 12 {
			at := x
			if horizontal {
				at = y
			}
			value := 40 + rng.IntN(30)
			if (at+phase)/2%2 == 0 {
				value += 150
			}
			pixels[y*12+x] = uint8(value)
		}
	}
	return pixels
}

// stripes are batches of two classes, horizontal and vertical stripes; the first images of each are labeled positives
// (horizontal).
type stripes struct{ size, labeled int }

func (s stripes) ImageShape() (height, width, channels int) { return 12, 12, 1 }

func (s stripes) String() string { return "stripes" }

func (s stripes) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	rng := rand.New(rand.NewPCG(3, uint64(step)))
	labeled = make([]bool, s.size)
	for i := range s.size {
		labeled[i] = i < s.labeled
		pixels = append(pixels, stripe(rng, labeled[i] || i%2 == 0)...)
	}
	return pixels, labeled, nil
}

// patterns draws images of three classes in turn: horizontal stripes, vertical ones, and both, one over the other.
func patterns(seed uint64, n int) LabeledImages[int] {
	rng := rand.New(rand.NewPCG(seed, 3))
	var data LabeledImages[int]
	for i := range n {
		data.Labels = append(data.Labels, i%3)
		one := stripe(rng, i%3 == 0)
		if i%3 == 2 {
			for k, value := range stripe(rng, true) {
				one[k] = one[k]/2 + value/2
			}
		}
		data.Pixels = append(data.Pixels, one...)
	}
	return data
}

// pu makes PU data of patterns: class 0 is positive, and every other one of it is labeled.
func pu(seed uint64, n int) (labeled, truth LabeledImages[bool]) {
	data := patterns(seed, n)
	labeled.Pixels, truth.Pixels = data.Pixels, data.Pixels
	for i, class := range data.Labels {
		labeled.Labels = append(labeled.Labels, class == 0 && i%2 == 0)
		truth.Labels = append(truth.Labels, class == 0)
	}
	return labeled, truth
}

// blobs draws n rows of each of three classes, around (4, 0), (−2, 4) and (−2, −4), with noise of the given standard deviation
// and a column that never changes.
func blobs(rng *rand.Rand, n int, noise float64) LabeledRows {
	centers := [][]float64{{4, 0}, {-2, 4}, {-2, -4}}
	x, classes := mat.NewDense(3*n, 3, nil), make([]int, 3*n)
	for i := range classes {
		c := i % 3
		classes[i] = c
		x.SetRow(i, []float64{100 + centers[c][0] + noise*rng.NormFloat64(), 0.1 * (centers[c][1] + noise*rng.NormFloat64()), 7})
	}
	return LabeledRows{x, classes}
}

// pretrained keeps a model for all tests.
type pretrained struct {
	once  sync.Once
	model *train.Model
	err   error
}

func (p *pretrained) get(t testing.TB, e encoder.Encoder) *train.Model {
	t.Helper()
	eng, config := enginetest.Open(t), train.Config{Steps: 12, Encoder: e, Projection: 4, LearningRate: 0.01, Seed: 5}
	p.once.Do(func() { p.model, p.err = train.Pretrain(context.Background(), eng, stripes{16, 4}, config) })
	expect.Require(t, p.err == nil, "%v", p.err)
	return p.model
}

var convolutional, perceptron pretrained

// aModel returns a model that knows a little of stripes, by an encoder with batch normalization.
func aModel(t *testing.T) *train.Model {
	return convolutional.get(t, encoder.SmallCNN{Width: 2, Dim: 8})
}

// quickModel returns a model whose network is compiled in a moment.
func quickModel(t testing.TB) *train.Model {
	return perceptron.get(t, encoder.MLP{Hidden: []int{24}, Dim: 8})
}

func unitEmbedding(t *testing.T, eng *engine.Engine, m *train.Model, pixels []uint8) *mat.Dense {
	t.Helper()
	return rows.Unit(expect.Must(m.Embed(eng, pixels))(t).H)
}

// weightsOf copies all variables of a model.
func weightsOf(t *testing.T, m *train.Model) map[string]any {
	t.Helper()
	all := map[string]any{}
	for v := range m.Store().IterVariables() {
		value := expect.Must(v.Value())(t)
		all[v.Path()] = value.Value()
	}
	return all
}

// moved returns which variables of a model differ from those of another.
func moved(t *testing.T, a, b *train.Model) (paths []string) {
	t.Helper()
	old, now := weightsOf(t, a), weightsOf(t, b)
	expect.That(t, len(old) != 0 && len(old) == len(now), "%d variables, and now %d", len(old), len(now))
	for path := range old {
		if !reflect.DeepEqual(old[path], now[path]) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// must returns a function that fails t on an error and otherwise returns the value.
func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		expect.NoError(t, err)
		return value
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	expect.That(t, math.Abs(got-want) <= tol*max(1, math.Abs(want)),
		"%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
}

// witness counts what an observer sees.
type witness struct {
	starts, steps, ends int
	last                train.Progress
	err                 error
}

func (w *witness) Start(train.Progress)            { w.starts++ }
func (w *witness) Step(train.Progress)             { w.steps++ }
func (w *witness) End(p train.Progress, err error) { w.ends++; w.last, w.err = p, err }
