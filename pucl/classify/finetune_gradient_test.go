package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/probe"
)

// The gradient of the whole network, encoder and head, against central differences in float64, with running and with batch
// statistics.
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
