package classify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/probe"
)

// softmaxLess returns softmax(logits) − onehot(class).
func softmaxLess(logits []float64, class int) []float64 {
	out := make([]float64, len(logits))
	for i, l := range logits {
		out[i] = math.Exp(l - floats.LogSumExp(logits))
	}
	out[class]--
	return out
}

// One step of gradient descent on all images is worked out here by loops, from the embeddings: the gradient with respect to
// the head in shifted and scaled coordinates, and the way back from these.
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
