package encoder

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl/engine/enginetest"
	"github.com/puclab/puclab/pucl/safetensors"
)

// One kernel and one dense layer by hand: the number at [out, in, row, column] of PyTorch's kernel is at
// [row, column, in, out] here.
func TestLayouts(t *testing.T) {
	eng := enginetest.Open(t)
	store := model.NewStore()
	e := SmallCNN{Width: 1, Dim: 2}
	shapes, _ := shapesOf(t, e, 9, 8, 3)
	if err := LoadStateDict(eng.Backend, store, "e", e, 9, 8, 3, formulaDict(t, shapes)); err != nil {
		t.Fatal(err)
	}
	dict, err := StateDict(store, "e")
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]func(store map[string][]float64, i, j, k, l int) float64{
		"conv2.weight": func(s map[string][]float64, o, i, r, c int) float64 { return s["/e/conv2/kernel"][((r*3+c)*1+i)*2+o] },
		"dense.weight": func(s map[string][]float64, o, i, _, _ int) float64 { return s["/e/dense/weights"][i*2+o] },
	} {
		ours := map[string][]float64{}
		for v := range store.IterVariables() {
			for _, x := range tensors.MustCopyFlatData[float32](v.MustValue()) {
				ours[v.Path()] = append(ours[v.Path()], float64(x))
			}
		}
		values, err := dict[name].Float64s()
		if err != nil {
			t.Fatal(err)
		}
		shape := append(slices.Clone(dict[name].Shape), 1, 1)
		n := 0
		for o := range shape[0] {
			for i := range shape[1] {
				for r := range shape[2] {
					for c := range shape[3] {
						if want := at(ours, o, i, r, c); values[n] != want {
							t.Fatalf("%s [%d %d %d %d] is %g, want %g", name, o, i, r, c, values[n], want)
						}
						n++
					}
				}
			}
		}
	}
	if dict["conv1.norm.running_mean"].Shape == nil || dict["conv1.weight"].Shape == nil {
		t.Errorf("names are %v", slices.Sorted(maps.Keys(dict)))
	}
}

// Wrong weights are refused whole: the error lists the names, and nothing has changed.
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

	// PyTorch's counts are passed over, and so is what is to be left out.
	store := model.NewStore()
	more := with(func(d tensorMap) {
		d["bn_fc1.num_batches_tracked"], d["fc.weight"], d["fc.bias"] = scalar, scalar, scalar
	})
	if err := load(store, more, "fc."); err != nil {
		t.Fatal(err)
	}
	for path, trainable := range map[string]bool{
		"/lenet/conv1/kernel": true, "/lenet/bn_fc1/norm/mean": false, "/lenet/bn_fc1/norm/scale": true,
	} {
		if v := store.GetVariable(path); v == nil || v.Trainable != trainable {
			t.Errorf("%s is %v, trainable should be %v", path, v, trainable)
		}
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
		"nothing": {nil, "not those of LeNet … take the encoder they were made for … missing (12)"},
	} {
		kernel := store.GetVariable("/lenet/conv1/kernel")
		before := tensors.MustCopyFlatData[float32](kernel.MustValue())
		fresh := model.NewStore()
		for _, s := range []*model.Store{store, fresh} {
			t.Run(name, func(t *testing.T) { refusal.Check(t, load(s, tt.dict), tt.want) })
		}
		if fresh.NumVariables() != 0 {
			t.Errorf("%s: the store has %d variables after the error", name, fresh.NumVariables())
		}
		if after := tensors.MustCopyFlatData[float32](kernel.MustValue()); !slices.Equal(before, after) {
			t.Errorf("%s: values changed in spite of the error", name)
		}
	}
	err := LoadStateDict(eng.Backend, store, "/lenet", LeNet{Dim: 4}, 28, 28, 1, good)
	refusal.Check(t, err, "variable /lenet/bn_fc1/norm/mean has the shape [3] in the store, and [4] in this encoder; … was the store made for another one")
	err = LoadStateDict(eng.Backend, store, "/lenet", e, 20, 28, 1, good)
	refusal.Check(t, err, "at least 28×28, not 20×28 … give larger ones, or take another encoder")
	err = LoadStateDict(eng.Backend, store, "/lenet", e, 28, 28, 0, good)
	refusal.Check(t, err, "images of 28×28×0 … positive")
	refusal.Check(t, refusal.Err(StateDict(store, "/other")), "no variables under /other; … run or load the encoder first")
}

// Short numbers widen to float32, and a store in float64 keeps its type.
func TestLoadConvertsNumbers(t *testing.T) {
	eng := enginetest.Open(t)
	e := LeNet{Dim: 3}
	shapes, _ := shapesOf(t, e, 28, 28, 1)
	for _, dtype := range []safetensors.DType{safetensors.F16, safetensors.BF16, safetensors.F64} {
		dict := map[string]safetensors.Tensor{}
		for name, shape := range shapes {
			size := 1
			for _, n := range shape {
				size *= n
			}
			values := make([]float64, size)
			for i := range values {
				values[i] = float64(i%255-127) / 64 // exact in all types
			}
			x, err := safetensors.New(dtype, shape, values)
			if err != nil {
				t.Fatal(err)
			}
			dict[name] = x
		}
		store, double := model.NewStore(), model.NewStore()
		double.Scope("/e/fc1").VariableWithValue("bias", []float64{9, 9, 9})
		for _, s := range []*model.Store{store, double} {
			if err := LoadStateDict(eng.Backend, s, "/e", e, 28, 28, 1, dict); err != nil {
				t.Fatal(err)
			}
		}
		want := []float64{-127. / 64, -126. / 64, -125. / 64}
		narrow := []float32{-127. / 64, -126. / 64, -125. / 64}
		if got := store.GetVariable("/e/fc1/bias").MustValue().Value(); !reflect.DeepEqual(got, narrow) {
			t.Errorf("%s became %T %v, want float32 %v", dtype, got, got, narrow)
		}
		if got := double.GetVariable("/e/fc1/bias").MustValue().Value(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %T %v, want float64 %v", dtype, got, got, want)
		}
	}
}
