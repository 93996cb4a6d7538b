package classify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/internal/traintest"
	"github.com/puclab/puclab/pucl/internal/vectortest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/pucl/train"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// imageBytes is the size of the images of these tests, 12×12 and gray.
const imageBytes = traintest.ImageBytes

type (
	cliff     = traintest.Cliff
	witness   = traintest.Witness[train.Progress]
	observers = traintest.Observers[train.Progress]
)

var stripe, stripesOf, near = traintest.Stripe, traintest.NewStripes, vectortest.Near

// patterns draws images of three classes cyclically: horizontal stripes, vertical ones, and both superposed.
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

// pu returns PU data of patterns: class 0 is positive, and every second image of it is labeled.
func pu(seed uint64, n int) (labeled, truth LabeledImages[bool]) {
	data := patterns(seed, n)
	labeled.Pixels, truth.Pixels = data.Pixels, data.Pixels
	for i, class := range data.Labels {
		labeled.Labels = append(labeled.Labels, class == 0 && i%2 == 0)
		truth.Labels = append(truth.Labels, class == 0)
	}
	return labeled, truth
}

// blobs draws n rows of each of three classes, around (4, 0), (−2, 4) and (−2, −4), with noise of the given standard
// deviation and a column that never changes.
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

// aModel returns a model briefly trained on stripes, by an encoder with batch normalization.
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

// moved returns the variables that differ between two models.
func moved(t *testing.T, a, b *train.Model) []string {
	t.Helper()
	return traintest.Moved(t, a.Store(), b.Store())
}

// softmaxLess returns softmax(logits) − onehot(class).
func softmaxLess(logits []float64, class int) []float64 {
	out := make([]float64, len(logits))
	for i, l := range logits {
		out[i] = math.Exp(l - floats.LogSumExp(logits))
	}
	out[class]--
	return out
}

// Loops compute one step of gradient descent on all images from the embeddings: the gradient with respect to the head
// in shifted and scaled coordinates, and its transformation back.
func TestFineTunedHeadAgainstLoops(t *testing.T) {
	eng, m := enginetest.Open(t), quickModel(t)
	data := patterns(4, 21)
	x := unitEmbedding(t, eng, m, data.Pixels)
	n, k := x.Dims()
	rng := rand.New(rand.NewPCG(5, 5))
	start := &probe.Probe{Weights: mat.NewDense(3, k, nil), Bias: []float64{0.3, -0.1, 0}}
	for i := range 3 {
		for j := range k {
			start.Weights.Set(i, j, rng.NormFloat64())
		}
	}
	const rate = 0.5
	config := FineTuneConfig{FreezeEncoder: true, Head: start, Epochs: 1, Schedule: optim.Constant{},
		Optimizer: optim.SGD{LearningRate: rate, Momentum: -1, WeightDecay: -1}}
	got := expect.Must(FineTune(context.Background(), eng, m, data, 3, config))(t)

	mean, total := make([]float64, k), 0.0
	for j := range k {
		for i := range n {
			mean[j] += x.At(i, j) / float64(n)
		}
		for i := range n {
			total += (x.At(i, j) - mean[j]) * (x.At(i, j) - mean[j]) / float64(n*k)
		}
	}
	scale, loss := math.Sqrt(total), 0.0
	weights, bias := mat.DenseCopyOf(start.Weights), make([]float64, 3)
	for class := range 3 {
		bias[class] = start.Bias[class] + floats.Dot(start.Weights.RawRowView(class), mean)
	}
	for i := range n {
		logits := make([]float64, 3)
		for class := range logits {
			logits[class] = start.Bias[class] + floats.Dot(start.Weights.RawRowView(class), x.RawRowView(i))
		}
		loss += (floats.LogSumExp(logits) - logits[data.Labels[i]]) / float64(n)
		for class, slope := range softmaxLess(logits, data.Labels[i]) {
			slope *= rate / float64(n)
			bias[class] -= slope
			for j := range k {
				weights.Set(class, j, weights.At(class, j)-slope*(x.At(i, j)-mean[j])/scale/scale)
			}
		}
	}
	near(t, "loss", got.Tuning.History.Losses[0], loss, 1e-5)
	for class := range 3 {
		for j := range k {
			near(t, fmt.Sprintf("weight %d, %d", class, j), got.Probe.Weights.At(class, j), weights.At(class, j), 1e-4)
		}
		near(t, fmt.Sprint("bias ", class), got.Probe.Bias[class], bias[class]-floats.Dot(weights.RawRowView(class), mean), 1e-4)
	}
}

// The gradient of the whole network, encoder and head, is compared with central differences in float64, with running
// and with batch statistics.
func TestFineTuningGradientAgainstDifferences(t *testing.T) {
	eng, m := enginetest.Open(t), aModel(t)
	noise := rand.New(rand.NewPCG(6, 6))
	classes, images := []int{0, 1, 2, 0, 1, 2}, make([]float64, 6*imageBytes)
	for i := range images {
		images[i] = noise.Float64()
	}
	for _, config := range []FineTuneConfig{{}, {BatchStatistics: true}} {
		tuning := finetuning{config: config, outputs: 3, model: m, mean: make([]float64, 8), std: make([]float64, 8)}
		rng := rand.New(rand.NewPCG(7, 7))
		tuning.start = &probe.Probe{Weights: mat.NewDense(3, 8, nil), Bias: []float64{0.1, 0, -0.2}}
		for j := range 8 {
			tuning.mean[j], tuning.std[j] = 0.1*rng.NormFloat64(), 0.4
			for class := range 3 {
				tuning.start.Weights.Set(class, j, rng.NormFloat64())
			}
		}
		store := model.NewStore()
		var names []string
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, images *Node) []*Node {
			logits := tuning.logits(scope, images, true)
			right := ReduceSum(Mul(LogSoftmax(logits, -1), OneHot(Const(images.Graph(), classes), 3, logits.DType())), -1)
			loss := Neg(ReduceAllMean(right))
			var wrt []*Node
			names = nil
			for v := range store.IterVariables() {
				if v.Trainable {
					wrt, names = append(wrt, v.NodeValue(images.Graph())), append(names, v.Path())
				}
			}
			return append([]*Node{loss}, Gradient(loss, wrt...)...)
		})
		defer exec.Finalize()
		call := func() []*tensors.Tensor {
			return expect.Must(exec.Call(tensors.FromFlatDataAndDimensions(images, 6, 12, 12, 1)))(t)
		}
		out := call()
		expect.Require(t, len(names) == 14 && slices.Contains(names, "/head/weights"), "trained are %v", names)
		const h = 1e-6
		for i, name := range names {
			gradient := tensors.MustCopyFlatData[float64](out[1+i])
			direction := make([]float64, len(gradient))
			for k := range direction {
				direction[k] = rng.NormFloat64()
			}
			v := store.GetVariable(name)
			at := tensors.MustCopyFlatData[float64](v.MustValue())
			lossAt := func(by float64) float64 {
				x := slices.Clone(at)
				floats.AddScaled(x, by, direction)
				expect.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(x, v.Shape().Dimensions...)))
				return tensors.ToScalar[float64](call()[0])
			}
			difference := (lossAt(h) - lossAt(-h)) / (2 * h)
			lossAt(0)
			want := floats.Dot(gradient, direction)
			expect.That(t, math.Abs(want-difference) <= 1e-6*max(1, math.Abs(want)) && floats.Norm(gradient, 2) != 0,
				"%s, batch statistics %t: gradient %g, difference %g", name, config.BatchStatistics, want, difference)
		}
	}
}
