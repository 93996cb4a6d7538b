package train

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/internal/container"
	"github.com/puclab/puclab/pucl/safetensors"
)

// variable is the entry of a variable in the head of a file; another section holds the values. The head lists variables
// in the order of their creation. Trainable is stored because the optimizer would update a running average loaded as
// trainable.
type variable struct {
	Path      string
	Trainable bool
}

// numberTypes maps the types in files to the types of variables.
var numberTypes = map[safetensors.DType]dtypes.DType{
	safetensors.F64: dtypes.Float64, safetensors.F32: dtypes.Float32, safetensors.F16: dtypes.Float16, safetensors.BF16: dtypes.BFloat16,
	safetensors.I64: dtypes.Int64, safetensors.I32: dtypes.Int32, safetensors.I16: dtypes.Int16, safetensors.I8: dtypes.Int8,
	safetensors.U64: dtypes.Uint64, safetensors.U32: dtypes.Uint32, safetensors.U16: dtypes.Uint16, safetensors.U8: dtypes.Uint8,
	safetensors.Bool: dtypes.Bool,
}

// encodeVariables returns all variables of store, and their values in the safetensors format. The values are the bytes
// in memory, which are little-endian on every machine that the engines run on.
func encodeVariables(store *model.Store) (list []variable, values container.Parts, err error) {
	file := safetensors.File{Tensors: map[string]safetensors.Tensor{}}
	for v := range store.IterVariables() {
		list = append(list, variable{v.Path(), v.Trainable})
		if file.Tensors[v.Path()], err = encodeTensor(v); err != nil {
			return nil, nil, fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	values, err = file.Parts()
	return list, values, err
}

func encodeTensor(v *model.Variable) (safetensors.Tensor, error) {
	out := safetensors.Tensor{Shape: v.Shape().Dimensions}
	for name, dtype := range numberTypes {
		if dtype == v.DType() {
			out.DType = name
		}
	}
	if out.DType == "" {
		return out, fmt.Errorf("files hold no numbers of type %s; keep them as another type", v.DType())
	}
	value, err := v.Value()
	if err == nil {
		err = value.ConstBytes(func(data []byte) { out.Data = bytes.Clone(data) })
	}
	return out, err
}

// checkFinite returns an error that names the first variable of a network that is not finite, running averages
// included.
func checkFinite(store *model.Store) error {
	for v := range store.IterVariables() {
		t, err := encodeTensor(v)
		if err == nil {
			err = t.CheckFinite()
		}
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return nil
}

// decodeVariables creates in store the variables listed by encodeVariables with their values; existing variables take
// the values. A variable in store that the file lacks is an error. An error leaves the store unchanged.
func decodeVariables(store *model.Store, list []variable, data []byte) error {
	file, err := safetensors.Decode(data)
	if err != nil {
		return err
	}
	values := make([]*tensors.Tensor, len(list))
	for i, v := range list {
		t, ok := file.Tensors[v.Path]
		if !ok || !strings.HasPrefix(v.Path, "/") {
			return fmt.Errorf("variable %s has no value, two places or no path", v.Path)
		}
		delete(file.Tensors, v.Path)
		if values[i], err = decodeTensor(t); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path, err)
		}
		if there := store.GetVariable(v.Path); there != nil && !there.Shape().Equal(values[i].Shape()) {
			return fmt.Errorf("variable %s: its shape is %s in the file and %s in the network", v.Path, values[i].Shape(), there.Shape())
		}
	}
	if len(file.Tensors) > 0 {
		return fmt.Errorf("values of %q, which are no variables", slices.Sorted(maps.Keys(file.Tensors)))
	}
	for v := range store.IterVariables() {
		if !slices.ContainsFunc(list, func(kept variable) bool { return kept.Path == v.Path() }) {
			return fmt.Errorf("variable %s of the network is not in the file", v.Path())
		}
	}
	for i, v := range list {
		if err := setVariable(store, v, values[i]); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path, err)
		}
	}
	return nil
}

func decodeTensor(t safetensors.Tensor) (*tensors.Tensor, error) {
	notBool := func(b byte) bool { return b > 1 }
	switch {
	case slices.Contains(t.Shape, 0):
		return nil, fmt.Errorf("its shape is %v, which holds nothing", t.Shape)
	case t.DType == safetensors.Bool && slices.ContainsFunc(t.Data, notBool):
		return nil, errors.New("it holds what is neither true nor false")
	}
	value := tensors.FromShape(shapes.Make(numberTypes[t.DType], t.Shape...))
	return value, value.MutableBytes(func(to []byte) { copy(to, t.Data) })
}

// setVariable creates a variable in store, or sets the value of an existing one.
func setVariable(store *model.Store, is variable, value *tensors.Tensor) error {
	v := store.GetVariable(is.Path)
	if v == nil {
		var err error
		if v, err = store.CreateVariable(is.Path, value); err != nil {
			return err
		}
	} else if err := v.SetValue(value); err != nil {
		return err
	}
	v.SetTrainable(is.Trainable)
	return nil
}
