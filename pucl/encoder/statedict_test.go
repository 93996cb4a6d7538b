package encoder

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/safetensors"
)

// One kernel and one dense layer by hand: the number at [out, in, row, column] of PyTorch's kernel is at
// [row, column, in, out] here.
func TestLayouts(t *testing.T) {
	store, e := model.NewStore(), SmallCNN{Width: 1, Dim: 2}
	shapes, _ := shapesOf(t, e, 9, 8, 3)
	expect.NoError(t, LoadStateDict(enginetest.Open(t).Backend, store, "e", e, 9, 8, 3, formulaDict(t, shapes)))
	dict := expect.Must(StateDict(store, "e"))(t)
	for _, tt := range []struct {
		torch, ours string
		place       func(out, in, row, column int) int
	}{
		{"conv2.weight", "/e/conv2/kernel", func(o, i, r, c int) int { return ((r*3+c)*1+i)*2 + o }},
		{"dense.weight", "/e/dense/weights", func(o, i, _, _ int) int { return i*2 + o }},
	} {
		ours := numbers(store.GetVariable(tt.ours).MustValue())
		shape := append(slices.Clone(dict[tt.torch].Shape), 1, 1)
		for n, value := range expect.Must(dict[tt.torch].Float64s())(t) {
			c, rest := n%shape[3], n/shape[3]
			o, i, r := rest/shape[2]/shape[1], rest/shape[2]%shape[1], rest%shape[2]
			expect.Require(t, value == ours[tt.place(o, i, r, c)], "%s [%d %d %d %d] is %g", tt.torch, o, i, r, c, value)
		}
	}
	expect.That(t, dict["conv1.norm.running_mean"].Shape != nil && dict["conv1.weight"].Shape != nil,
		"names are %v", slices.Sorted(maps.Keys(dict)))
}

// Invalid weights are rejected as a whole: the error lists the names, and store is unchanged.
func TestLoadRefusals(t *testing.T) {
	eng := enginetest.Open(t)
	e := LeNet{Dim: 3}
	shapes, _ := shapesOf(t, e, 28, 28, 1)
	good := formulaDict(t, shapes)
	scalar := safetensors.Tensor{DType: safetensors.I64, Data: make([]byte, 8)}
	load := func(store *model.Store, dict map[string]safetensors.Tensor, leaveOut ...string) error {
		return LoadStateDict(eng.Backend, store, "/lenet", e, 28, 28, 1, dict, leaveOut...)
	}
	type tensorMap = map[string]safetensors.Tensor
	with := func(change func(tensorMap)) tensorMap {
		dict := maps.Clone(good)
		change(dict)
		return dict
	}
	changed := func(name string, at int, value float64) tensorMap {
		numbers := expect.Must(good[name].Float64s())(t)
		numbers[at] = value
		changed := expect.Must(safetensors.New(safetensors.F64, good[name].Shape, numbers))(t)
		return with(func(d tensorMap) { d[name] = changed })
	}

	// PyTorch's counts and the tensors of leaveOut are ignored.
	store := model.NewStore()
	more := with(func(d tensorMap) {
		d["bn_fc1.num_batches_tracked"], d["fc.weight"], d["fc.bias"] = scalar, scalar, scalar
	})
	expect.NoError(t, load(store, more, "fc."))
	prefixed := func(prefix string, dict tensorMap) tensorMap {
		out := tensorMap{}
		for name, tensor := range dict {
			out[prefix+name] = tensor
		}
		return out
	}
	for _, wrapper := range []string{"module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module."} {
		wrapped := model.NewStore()
		expect.NoError(t, load(wrapped, prefixed(wrapper, more), "fc."))
		value := func(s *model.Store) []float64 { return numbers(s.GetVariable("/lenet/conv1/kernel").MustValue()) }
		expect.Equal(t, value(wrapped), value(store), wrapper)
	}
	for path, trainable := range map[string]bool{
		"/lenet/conv1/kernel": true, "/lenet/bn_fc1/norm/mean": false, "/lenet/bn_fc1/norm/scale": true,
	} {
		v := store.GetVariable(path)
		expect.That(t, v != nil && v.Trainable == trainable, "%s is %v, trainable should be %v", path, v, trainable)
	}
	for name, tt := range map[string]struct {
		dict map[string]safetensors.Tensor
		want string
	}{
		"missing":  {with(func(d tensorMap) { delete(d, "fc1.bias"); delete(d, "conv2.bias") }), "not those of LeNet … rename the tensors, or leave some out … missing (2): conv2.bias, fc1.bias"},
		"surplus":  {more, "not those of LeNet … or leave some out … surplus (2): fc.bias, fc.weight"},
		"reshaped": {with(func(d tensorMap) { d["fc1.bias"] = scalar }), "not those of LeNet … take the encoder they were made for … of another shape (1): fc1.bias [] instead of [3]"},
		"both": {with(func(d tensorMap) { d["fc1.bia"] = d["fc1.bias"]; delete(d, "fc1.bias") }),
			"not those of LeNet … rename the tensors … missing (1): fc1.bias … surplus (1): fc1.bia"},
		"whole numbers": {with(func(d tensorMap) {
			d["fc1.bias"] = safetensors.Tensor{DType: safetensors.I32, Shape: []int{3}, Data: make([]byte, 12)}
		}), "fc1.bias … I32 … convert the tensor to one of them, or leave it out"},
		"another prefix": {prefixed("backbone.", good),
			"not those of LeNet … begin with \"backbone.\": take it off … missing (12) … surplus (12)"},
		"two wrappers": {prefixed("module.", prefixed("backbone.", good)),
			"begin with \"backbone.\": take it off … leave some out … missing (12)"},
		"NaN": {changed("fc1.weight", 31, math.NaN()),
			"tensor fc1.weight: the entry at [0 31] is NaN … must be finite … training that did not diverge"},
		"infinite": {changed("conv1.bias", 1, math.Inf(-1)),
			"tensor conv1.bias: the entry at [1] is -Inf … download the file again"},
		"beyond float32": {changed("fc1.bias", 2, 1e39),
			"tensor fc1.bias: the entry at [2] is +Inf … Float32 … scale the weights"},
		"negative variance": {changed("bn_fc1.running_var", 0, -1),
			"tensor bn_fc1.running_var: the entry at [0] is -1 … variances not negative"},
		"nothing": {nil, "not those of LeNet … take the encoder they were made for … missing (12)"},
	} {
		kernel := store.GetVariable("/lenet/conv1/kernel")
		before := numbers(kernel.MustValue())
		fresh := model.NewStore()
		for _, s := range []*model.Store{store, fresh} {
			t.Run(name, func(t *testing.T) { refusal.Check(t, load(s, tt.dict), tt.want) })
		}
		expect.Equal(t, fresh.NumVariables(), 0, "%s: variables after the error", name)
		expect.Equal(t, numbers(kernel.MustValue()), before, "%s: values after the error", name)
	}
	err := LoadStateDict(eng.Backend, store, "/lenet", LeNet{Dim: 4}, 28, 28, 1, good)
	refusal.Check(t, err, "variable /lenet/bn_fc1/norm/mean has the shape [3] in the store, and [4] in this encoder; … was the store made for another one")
	err = LoadStateDict(eng.Backend, store, "/lenet", e, 20, 28, 1, good)
	refusal.Check(t, err, "at least 28×28, not 20×28 … give larger ones, or take another encoder")
	refusal.Check(t, LoadStateDict(eng.Backend, store, "/lenet", e, 28, 28, 0, good), "images of 28×28×0 … positive")
	refusal.Check(t, refusal.Err(StateDict(store, "/other")), "no variables under /other; … run or load the encoder first")
}

// Narrow types widen to float32, and a store in float64 keeps its type.
func TestLoadConvertsNumbers(t *testing.T) {
	eng := enginetest.Open(t)
	e := LeNet{Dim: 3}
	shapes, _ := shapesOf(t, e, 28, 28, 1)
	for _, dtype := range []safetensors.DType{safetensors.F16, safetensors.BF16, safetensors.F64} {
		dict := map[string]safetensors.Tensor{}
		for name, shape := range shapes {
			values := make([]float64, sizeOf(shape))
			for i := range values {
				values[i] = float64(i%255-127) / 64 // exact in all types
				if strings.HasSuffix(name, "running_var") {
					values[i] = -values[i]
				}
			}
			dict[name] = expect.Must(safetensors.New(dtype, shape, values))(t)
		}
		store, double := model.NewStore(), model.NewStore()
		double.Scope("/e/fc1").VariableWithValue("bias", []float64{9, 9, 9})
		for _, s := range []*model.Store{store, double} {
			expect.NoError(t, LoadStateDict(eng.Backend, s, "/e", e, 28, 28, 1, dict))
		}
		value := func(s *model.Store) any { return s.GetVariable("/e/fc1/bias").MustValue().Value() }
		expect.Equal[any](t, value(store), []float32{-127. / 64, -126. / 64, -125. / 64}, "%s", dtype)
		expect.Equal[any](t, value(double), []float64{-127. / 64, -126. / 64, -125. / 64}, "%s", dtype)
	}
}
