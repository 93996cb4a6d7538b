package encoder

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
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

// embedOnce runs an encoder under the scope "mine" on n images of 9×8 with 2 channels, and returns its variables too.
func embedOnce(t *testing.T, e Encoder, seed uint64, n int, training bool) (*tensors.Tensor, *model.Store, error) {
	t.Helper()
	store := model.NewStore()
	SetSeed(store, seed)
	exec := model.MustNewExec(enginetest.Open(t).Backend, store, func(scope *model.Scope, x *Node) *Node {
		return e.Embed(scope.In("mine"), x, training)
	})
	defer exec.Finalize()
	x := make([]float32, n*9*8*2)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	h, err := exec.Call1(tensors.FromFlatDataAndDimensions(x, n, 9, 8, 2))
	return h, store, err
}

// Weights of gomlx's layers follow from the seed alone, are spread as He's rule has it, differ from layer to layer, and
// biases start at 0.
func TestFuncStartsFromTheSeed(t *testing.T) {
	flat := func(store *model.Store, name string) []float32 {
		v := store.GetVariable("/mine/" + name)
		if v == nil {
			t.Fatalf("there is no variable %s", name)
		}
		return tensors.MustCopyFlatData[float32](v.MustValue())
	}
	h, store, err := embedOnce(t, layered, 3, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.Shape().Dimensions, []int{2, 7}) {
		t.Errorf("embeddings of shape %s", h.Shape())
	}
	again, _, err := embedOnce(t, layered, 3, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := embedOnce(t, layered, 4, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := tensors.MustCopyFlatData[float32](h), tensors.MustCopyFlatData[float32](again), tensors.MustCopyFlatData[float32](other)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the seed does not decide on the weights")
	}
	for name, fanIn := range map[string]float64{"first/conv/weights": 18, "second/conv/weights": 180, "last/dense/weights": 20} {
		square, w := 0.0, flat(store, name)
		for _, x := range w {
			square += float64(x*x) / float64(len(w))
		}
		// A mean of n squares of normal numbers has the relative deviation √(2/n).
		if ratio := square * fanIn / 2; !(math.Abs(ratio-1) <= 5*math.Sqrt(2/float64(len(w)))) {
			t.Errorf("%s has %g times the variance that He's rule gives", name, ratio)
		}
	}
	first, second := flat(store, "first/conv/weights"), flat(store, "second/conv/weights")
	if math.Abs(float64(first[0]/first[1]-second[0]/second[1])) < 1e-5 {
		t.Error("two layers start from the same numbers")
	}
	for _, x := range append(flat(store, "second/conv/biases"), flat(store, "last/dense/biases")...) {
		if x != 0 {
			t.Errorf("a bias starts at %g", x)
		}
	}
}

// gomlx's dropout works in training only, and its random numbers follow from the seed.
func TestFuncTrainsDropout(t *testing.T) {
	dropping := Func{Name: "dropping", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = Dense(scope, Reshape(x, x.Shape().Dim(0), -1), 40, false)
		return layers.DropoutStatic(scope, x, 0.5)
	}}
	zeros := func(seed uint64, training bool) (out []bool) {
		h, _, err := embedOnce(t, dropping, seed, 2, training)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range tensors.MustCopyFlatData[float32](h) {
			out = append(out, x == 0)
		}
		return out
	}
	dropped := zeros(1, true)
	if !slices.Contains(dropped, true) || !slices.Contains(dropped, false) {
		t.Errorf("dropped are %v", dropped)
	}
	if !slices.Equal(dropped, zeros(1, true)) || slices.Equal(dropped, zeros(2, true)) {
		t.Error("the seed does not decide on what is dropped")
	}
	if slices.Contains(zeros(1, false), true) {
		t.Error("something is dropped in use")
	}
}

func TestFuncRefuses(t *testing.T) {
	flat := func(x *Node) *Node { return Reshape(x, x.Shape().Dim(0), -1) }
	for says, f := range map[string]Func{
		"a Func lacks its Name or its Graph … give both: the name tells saved models apart": {Graph: layered.Graph},
		"a Func lacks its Name or its Graph … the field Graph":                              {Name: "nothing"},
		`the encoder "nil" returned nil … it must return embeddings [n, k]`:                 {Name: "nil", Graph: func(*model.Scope, *Node, bool) *Node { return nil }},
		`"maps" made (Float32)[2, 9, 8, 3] of 2 examples (Float32)[2, 9, 8, 2]; … it must return one row for each example, [2, k]: for feature maps`: {
			Name: "maps", Graph: func(scope *model.Scope, x *Node, _ bool) *Node { return Convolution(scope, x, 3, 3, 1) }},
		"made (Float32)[1, 3] of 2 examples … it must return one row for each example, [2": {Name: "mean", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return ReduceAndKeep(Dense(scope, flat(x), 3, true), ReduceMean, 0)
		}},
		"numbers of type Int32 … embeddings must be floating-point numbers": {Name: "whole", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return ConvertDType(Dense(scope, flat(x), 3, true), dtypes.Int32)
		}},
		"has no trained variable in its scope /mine … make some with the scope that the function": {Name: "fixed", Graph: func(_ *model.Scope, x *Node, _ bool) *Node { return flat(x) }},
		"uses the variable /elsewhere/weights outside of its scope /mine … make variables with the scope that the function": {Name: "stray", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return Dense(scope.Store().Scope("/elsewhere"), Dense(scope, flat(x), 3, true), 3, false)
		}},
		"uses the variable /mine2/weights outside of its scope /mine … make variables with the scope that the function": {Name: "neighbor", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return Dense(scope.Store().Scope("/mine2"), Dense(scope, flat(x), 3, true), 3, false)
		}},
		"the weight /mine/weights has the shape [144 3] and is asked for with [3 2]; … give each layer a scope of its own": {
			Name: "one scope", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
				return Dense(scope, Dense(scope, flat(x), 3, false), 2, false)
			}},
		"a dense layer takes rows [n, k], not (Float32)[2, 9, 8, 2]; … of images or feature maps": {
			Name: "for rows", Graph: func(scope *model.Scope, x *Node, _ bool) *Node { return Dense(scope, x, 3, true) }},
		"with a kernel of [3 2] … gomlx's gradient is wrong for even sizes, use": {Name: "even", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return flat(layers.Convolution(scope, x).Channels(2).KernelSizePerAxis(3, 2).Done())
		}},
		"kernel size 4 is even … use an odd one": {Name: "also even", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
			return flat(Convolution(scope, x, 2, 4, 1))
		}},
	} {
		_, _, err := embedOnce(t, f, 1, 2, true)
		refusal.Check(t, fault.Root(err), says)
	}
	// An even kernel that is no weight, such as an average over pairs of pixels, has no gradient to be wrong.
	blurred := Func{Name: "blurred", Graph: func(scope *model.Scope, x *Node, _ bool) *Node {
		x = Convolve(x, MulScalar(Ones(x.Graph(), shapes.Make(x.DType(), 2, 2, 2, 1)), 0.125)).Done()
		return Dense(scope, flat(x), 3, true)
	}}
	if _, _, err := embedOnce(t, blurred, 1, 2, true); err != nil {
		t.Error(err)
	}
}

func TestFuncIsKnownByItsName(t *testing.T) {
	data, err := json.Marshal(layered)
	if err != nil || string(data) != `{"Name":"layered"}` {
		t.Errorf("%s, %v", data, err)
	}
	if got := layered.String(); got != `own encoder "layered"` {
		t.Error(got)
	}
}
