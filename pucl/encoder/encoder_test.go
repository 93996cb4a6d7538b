package encoder

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"gonum.org/v1/gonum/floats"
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

// The network and its gradient with respect to the input, on features and on images of as many pixels, are compared
// with loops.
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
	hidden := make([]int, 1, 2) // with capacity for one more, which must stay unchanged
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

// layered is an encoder of gomlx's own layers.
var layered = Func{Name: "layered", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
	x = layers.Convolution(scope.In("first"), x).Channels(20).KernelSize(3).Done()
	x = layers.Convolution(scope.In("second"), ReLU(x)).Channels(20).KernelSize(3).Strides(2).Done()
	return layers.Dense(scope.In("last"), ReduceMean(x, 1, 2), true, 7)
}}

// embedOnce runs an encoder under the scope "mine" on two images of 9×8 with 2 channels, and returns its variables too.
func embedOnce(t *testing.T, e Encoder, seed uint64, training bool) (*tensors.Tensor, *model.Store, error) {
	t.Helper()
	store := model.NewStore()
	SetSeed(store, seed)
	exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) *Node {
		return e.Embed(scope.In("mine"), x, training)
	})
	defer exec.Finalize()
	x := make([]float32, 2*9*8*2)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	h, err := exec.Call1(tensors.FromFlatDataAndDimensions(x, 2, 9, 8, 2))
	return h, store, err
}

// Weights of gomlx's layers follow from the seed alone, have the variance of He's rule and differ between layers;
// biases start at 0.
func TestFuncStartsFromTheSeed(t *testing.T) {
	h, store := expect.Must2(embedOnce(t, layered, 3, true))(t)
	flat := func(name string) []float64 {
		v := store.GetVariable("/mine/" + name)
		expect.Require(t, v != nil, "there is no variable %s", name)
		return numbers(v.MustValue())
	}
	expect.Equal(t, h.Shape().Dimensions, []int{2, 7})
	again, _ := expect.Must2(embedOnce(t, layered, 3, true))(t)
	other, _ := expect.Must2(embedOnce(t, layered, 4, true))(t)
	expect.That(t, slices.Equal(numbers(h), numbers(again)) && !slices.Equal(numbers(h), numbers(other)), "the seed does not decide on the weights")
	for name, fanIn := range map[string]float64{"first/conv/weights": 18, "second/conv/weights": 180, "last/dense/weights": 20} {
		w := flat(name)
		// A mean of n squares of normal numbers has the relative deviation √(2/n).
		ratio := floats.Dot(w, w) / float64(len(w)) * fanIn / 2
		expect.Near(t, ratio, 1, 5*math.Sqrt(2/float64(len(w))), "%s: the variance, by that of He's rule", name)
	}
	first, second := flat("first/conv/weights"), flat("second/conv/weights")
	expect.That(t, math.Abs(first[0]/first[1]-second[0]/second[1]) >= 1e-5, "two layers start from the same numbers")
	expect.Equal(t, largest(append(flat("second/conv/biases"), flat("last/dense/biases")...)), 0, "largest bias at the start")
}

// gomlx's dropout works in training only, and its random numbers follow from the seed.
func TestFuncTrainsDropout(t *testing.T) {
	dropping := Func{Name: "dropping", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = Dense(scope, Reshape(x, x.Shape().Dim(0), -1), 40, false)
		return layers.DropoutStatic(scope, x, 0.5)
	}}
	zeros := func(seed uint64, training bool) (out []bool) {
		h, _ := expect.Must2(embedOnce(t, dropping, seed, training))(t)
		for _, x := range numbers(h) {
			out = append(out, x == 0)
		}
		return out
	}
	dropped := zeros(1, true)
	expect.That(t, slices.Contains(dropped, true) && slices.Contains(dropped, false), "dropped are %v", dropped)
	expect.Equal(t, zeros(1, true), dropped, "the same seed")
	expect.That(t, !slices.Equal(dropped, zeros(2, true)), "the seed does not decide on what is dropped")
	expect.That(t, !slices.Contains(zeros(1, false), true), "something is dropped in use")
}

func TestFuncRefuses(t *testing.T) {
	flat := func(x *Node) *Node { return Reshape(x, x.Shape().Dim(0), -1) }
	check := func(f Func, says string) {
		t.Helper()
		_, _, err := embedOnce(t, f, 1, true)
		refusal.Check(t, fault.Root(err), says)
	}
	check(Func{Graph: layered.Graph}, "a Func lacks its Name or its Graph … give both: the name tells saved models apart")
	check(Func{Name: "nothing"}, "a Func lacks its Name or its Graph … the field Graph")
	for says, graph := range map[string]func(scope *model.Scope, x *Node) *Node{
		"returned nil … it must return embeddings [n, k]": func(*model.Scope, *Node) *Node { return nil },
		"made (Float32)[2, 9, 8, 3] of 2 examples (Float32)[2, 9, 8, 2]; … it must return one row for each example, [2, k]: for feature maps": func(
			scope *model.Scope, x *Node) *Node {
			return Convolution(scope, x, 3, 3, 1)
		},
		"made (Float32)[1, 3] of 2 examples … it must return one row for each example, [2": func(scope *model.Scope, x *Node) *Node {
			return ReduceAndKeep(Dense(scope, flat(x), 3, true), ReduceMean, 0)
		},
		"numbers of type Int32 … embeddings must be floating-point numbers": func(scope *model.Scope, x *Node) *Node {
			return ConvertDType(Dense(scope, flat(x), 3, true), dtypes.Int32)
		},
		"has no trained variable in its scope /mine … make some with the scope that the function": func(_ *model.Scope, x *Node) *Node {
			return flat(x)
		},
		"uses the variable /elsewhere/weights outside of its scope /mine … make variables with the scope that the function": func(
			scope *model.Scope, x *Node) *Node {
			return Dense(scope.Store().Scope("/elsewhere"), Dense(scope, flat(x), 3, true), 3, false)
		},
		"uses the variable /mine2/weights outside of its scope /mine … make variables with the scope that the function": func(
			scope *model.Scope, x *Node) *Node {
			return Dense(scope.Store().Scope("/mine2"), Dense(scope, flat(x), 3, true), 3, false)
		},
		"the weight /mine/weights has the shape [144 3] and is asked for with [3 2]; … give each layer a scope of its own": func(
			scope *model.Scope, x *Node) *Node {
			return Dense(scope, Dense(scope, flat(x), 3, false), 2, false)
		},
		"a dense layer takes rows [n, k], not (Float32)[2, 9, 8, 2]; … of images or feature maps": func(scope *model.Scope, x *Node) *Node {
			return Dense(scope, x, 3, true)
		},
		"with a kernel of [3 2] … gomlx's gradient is wrong for even sizes, use": func(scope *model.Scope, x *Node) *Node {
			return flat(layers.Convolution(scope, x).Channels(2).KernelSizePerAxis(3, 2).Done())
		},
		"kernel size 4 is even … use an odd one": func(scope *model.Scope, x *Node) *Node {
			return flat(Convolution(scope, x, 2, 4, 1))
		},
	} {
		check(Func{Name: "own", Graph: func(scope *model.Scope, x *Node, _ bool) *Node { return graph(scope, x) }}, says)
	}
	// An even kernel that is no weight, such as an average over pairs of pixels, has no gradient that could be wrong.
	blurred := Func{Name: "blurred", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = Convolve(x, MulScalar(Ones(x.Graph(), float32s(2, 2, 2, 1)), 0.125)).Done()
		return Dense(scope, flat(x), 3, true)
	}}
	expect.Must2(embedOnce(t, blurred, 1, true))(t)
}

func TestFuncIsKnownByItsName(t *testing.T) {
	expect.Equal(t, string(expect.Must(json.Marshal(layered))(t)), `{"Name":"layered"}`)
	expect.Equal(t, layered.String(), `own encoder "layered"`)
}
