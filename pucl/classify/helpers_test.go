package classify

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
)

// imageBytes is the size of the images of these tests, 12×12 and gray.
const imageBytes = traintest.ImageBytes

type (
	cliff     = traintest.Cliff
	witness   = traintest.Witness[train.Progress]
	observers = traintest.Observers[train.Progress]
)

var stripe, stripesOf, near = traintest.Stripe, traintest.NewStripes, vectortest.Near

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
	p.once.Do(func() { p.model, p.err = train.Pretrain(context.Background(), eng, stripesOf(16, 4), config) })
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

// moved returns which variables of a model differ from those of another.
func moved(t *testing.T, a, b *train.Model) []string {
	t.Helper()
	return traintest.Moved(t, a.Store(), b.Store())
}
