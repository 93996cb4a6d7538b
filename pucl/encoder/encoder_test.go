package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

func TestBatchNormTrainsAndRemembers(t *testing.T) {
	store := model.NewStore()
	x := [][]float32{{1, 10}, {2, 10}, {3, 40}, {6, 20}}
	run := func(training bool, x [][]float32) *tensors.Tensor {
		exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) *Node {
			return BatchNorm(scope, x, training)
		})
		return expect.Must(exec.Call1(x))(t)
	}
	var want []float64 // means 3 and 20, variances 3.5 and 150, with n in the denominator
	for _, row := range x {
		want = append(want, (float64(row[0])-3)/math.Sqrt(3.5+1e-5), (float64(row[1])-20)/math.Sqrt(150+1e-5))
	}
	near(t, "in training", run(true, x), want, 1e-5)
	// A tenth of the way from 0 and 1 to the batch's mean and its variance with n−1 in the denominator.
	want = []float64{(1 - 0.3) / math.Sqrt(0.9+0.1*3.5*4/3+1e-5), (1 - 2) / math.Sqrt(0.9+0.1*150*4/3+1e-5)}
	near(t, "in use", run(false, [][]float32{{1, 1}}), want, 1e-5)
}

func TestWeightsDependOnSeedAndPathAlone(t *testing.T) {
	eng := enginetest.Open(t)
	draw := func(seed uint64, first, second string) []float32 {
		store := model.NewStore()
		SetSeed(store, seed)
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, x *Node) *Node {
			Dense(scope.In("%s", first), x, 2, false)
			return Dense(scope.In("%s", second), x, 2, false)
		})
		expect.Must(exec.Call1([][]float32{{1, 2, 3}}))(t)
		return tensors.MustCopyFlatData[float32](store.GetVariable("/a/weights").MustValue())
	}
	base := draw(1, "a", "b")
	expect.That(t, slices.Equal(draw(1, "b", "a"), base), "the order of building changes the weights")
	expect.That(t, !slices.Equal(draw(2, "a", "b"), base), "the seed does not change the weights")
}

// mlpByLoops computes an MLP in training on n rows, in float64: for each layer the weights [in][out] and then the batch
// normalization with γ = 1 and β = 0, and ReLU.
func mlpByLoops(rows []float64, n int, layers [][][]float64) []float64 {
	for _, weights := range layers {
		in, width := len(weights), len(weights[0])
		out := make([]float64, n*width)
		for i := range n {
			for k := range in {
				floats.AddScaled(out[i*width:(i+1)*width], rows[i*in+k], weights[k])
			}
		}
		gamma := make([]float64, width)
		floats.AddConst(1, gamma)
		rows, _, _ = normLoops(out, gamma, make([]float64, width))
		for i, v := range rows {
			rows[i] = max(0, v)
		}
	}
	return rows
}

// The network and its gradient with respect to the input, on features and on images of as many pixels, against loops.
func TestMLPAgainstLoops(t *testing.T) {
	const n, d = 4, 6
	flat := normals(rand.New(rand.NewPCG(6, 6)), n*d)
	for name, tt := range map[string]struct {
		mlp    MLP
		shape  []int
		layers int
	}{
		"features":  {MLP{Hidden: []int{5, 3}, Dim: 4}, []int{n, d}, 3},
		"images":    {MLP{Hidden: []int{5}, Dim: 2}, []int{n, 2, 1, 3}, 2},
		"one layer": {MLP{Hidden: []int{}, Dim: 3}, []int{n, d}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			store := model.NewStore()
			SetSeed(store, 4)
			v := make([]float64, n*tt.mlp.Dim) // weights of a scalar that depends on all outputs unevenly
			for i := range v {
				v[i] = math.Sin(float64(1 + i))
			}
			exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) (*Node, *Node) {
				h := tt.mlp.Embed(scope, x, true)
				return h, Gradient(ReduceAllSum(Mul(h, ConstTensor(h.Graph(), tensorOf(v, n, tt.mlp.Dim)))), x)[0]
			})
			h, gradient := expect.Must2(exec.Call2(tensorOf(flat, tt.shape...)))(t)
			var layers [][][]float64
			for i := range tt.layers {
				weights := store.GetVariable(fmt.Sprintf("/dense%d/weights", i+1))
				expect.Require(t, weights != nil, "there is no layer %d", i+1)
				layers = append(layers, weights.MustValue().Value().([][]float64))
			}
			near(t, "outputs", h, mlpByLoops(flat, n, layers), 1e-9)
			sum := func() float64 { return floats.Dot(mlpByLoops(flat, n, layers), v) }
			near(t, "gradient", gradient, slopes(flat, 1e-6, sum), 1e-5)
		})
	}
}

func TestMLPDefaultsAndRefusals(t *testing.T) {
	expect.Equal(t, MLP{}.String(), "MLP hidden [256 256], 128-d")
	hidden := make([]int, 1, 2) // with room for one more, which must stay as it is
	hidden[0] = 3
	run := func(e Encoder, input any) (*tensors.Tensor, error) {
		exec := model.MustNewExec(enginetest.Open(t).Backend, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
			return e.Embed(scope, x, false)
		})
		return exec.Call1(input)
	}
	x := [][]float32{{1, 2}, {3, 4}}
	expect.Equal(t, expect.Must(run(MLP{}, x))(t).Shape().Dim(1), 128)
	expect.Must(run(MLP{Hidden: hidden, Dim: 2}, x))(t)
	expect.Equal(t, hidden[:2], []int{3, 0}, "the caller's slice")
	refusal.Check(t, fault.Root(refusal.Err(run(MLP{Hidden: []int{4, 0}}, x))),
		"layer 2 of an MLP has size 0 … it must be at least 1")
	refusal.Check(t, fault.Root(refusal.Err(run(SmallCNN{}, x))), "a SmallCNN reads images [n, height, width … use an MLP")
}
