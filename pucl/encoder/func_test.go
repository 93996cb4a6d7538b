package encoder

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
)

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

// Weights of gomlx's layers follow from the seed alone, are spread as He's rule has it, differ from layer to layer, and
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
	// An even kernel that is no weight, such as an average over pairs of pixels, has no gradient to be wrong.
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
