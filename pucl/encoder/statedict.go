package encoder

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/puclab/puclab/pucl/safetensors"
)

// StateDict returns the values of the variables under path in store, "/encoder" for example, by the names and in the
// layouts of PyTorch: for [ResNet] and [ViT] these are torchvision's, so that a model of torchvision loads them. Convolution
// kernels become [out, in, height, width] and dense weights [out, in]; running averages of batch normalization are among
// them, the count of batches (num_batches_tracked) is not, and PyTorch does without. It fails where there is no variable
// under path, or one without a value or with numbers that are not floating-point.
func StateDict(store *model.Store, path string) (map[string]safetensors.Tensor, error) {
	dict := map[string]safetensors.Tensor{}
	names := torchNames(store, path)
	if len(names) == 0 {
		return nil, fmt.Errorf("encoder: there are no variables under %s; run or load the encoder first", path)
	}
	for variable, name := range names {
		value, err := store.GetVariable(variable).Value()
		if err != nil {
			return nil, fmt.Errorf("encoder: %w", err)
		}
		raw, err := read(value)
		if err != nil {
			return nil, fmt.Errorf("encoder: variable %s: %w", variable, err)
		}
		numbers, err := raw.Float64s()
		if err != nil {
			return nil, fmt.Errorf("encoder: variable %s: %w", variable, err)
		}
		dims, numbers := transpose(raw.Shape, numbers, toTorch(variable, len(raw.Shape)))
		if dict[name], err = safetensors.New(raw.DType, dims, numbers); err != nil {
			return nil, fmt.Errorf("encoder: variable %s: %w", variable, err)
		}
	}
	return dict, nil
}

// LoadStateDict gives the variables of e under path in store the values of dict, whose names and layouts are those of
// [StateDict]; dict may be the Tensors of a safetensors file of torchvision's weights. Every variable of e, for images
// height × width × channels, must be there with its shape, and nothing else, or the error lists what is missing, surplus and of
// another shape, and store is left as it was. Numbers may be of any floating-point type; the variables become float32, or stay
// of the type they have.
//
// Tensors whose names begin with one of leaveOut are not looked at, "fc." for the last layer of a ResNet without classes.
// PyTorch's counts of batches (num_batches_tracked) are never looked at, since nothing reads them.
func LoadStateDict(backend compute.Backend, store *model.Store, path string, e Encoder, height, width, channels int,
	dict map[string]safetensors.Tensor, leaveOut ...string) error {
	plan := model.NewStore() // says which variables e has; they get no values there
	if err := declare(backend, plan, path, e, height, width, channels); err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	left := map[string]bool{}
	for name := range dict {
		skip := strings.HasSuffix(name, "num_batches_tracked")
		for _, prefix := range leaveOut {
			skip = skip || strings.HasPrefix(name, prefix)
		}
		if !skip {
			left[name] = true
		}
	}
	var missing, shaped []string
	values := map[string]*tensors.Tensor{}
	for variable, name := range torchNames(plan, path) {
		shape := plan.GetVariable(variable).Shape()
		if there := store.GetVariable(variable); there != nil {
			if !slices.Equal(there.Shape().Dimensions, shape.Dimensions) {
				return fmt.Errorf("encoder: variable %s has the shape %v in the store, and %v in this encoder; "+
					"was the store made for another one?", variable, there.Shape().Dimensions, shape.Dimensions)
			}
			shape = there.Shape()
		}
		t, ok := dict[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		delete(left, name)
		order := toTorch(variable, shape.Rank())
		if want := permuted(shape.Dimensions, order); !slices.Equal(t.Shape, want) {
			shaped = append(shaped, fmt.Sprintf("%s %v instead of %v", name, t.Shape, want))
			continue
		}
		numbers, err := t.Float64s()
		if err != nil {
			return fmt.Errorf("encoder: tensor %s: %w", name, err)
		}
		dims, numbers := transpose(t.Shape, numbers, inverse(order))
		if values[variable], err = write(shape.DType, dims, numbers); err != nil {
			return fmt.Errorf("encoder: tensor %s: %w", name, err)
		}
	}
	var wrong []error
	for _, list := range []struct {
		what  string
		names []string
	}{{"missing", missing}, {"surplus", slices.Collect(maps.Keys(left))}, {"of another shape", shaped}} {
		if len(list.names) > 0 {
			sort.Strings(list.names)
			wrong = append(wrong, fmt.Errorf("%s (%d): %s", list.what, len(list.names), strings.Join(list.names, ", ")))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("encoder: these weights are not those of %v for images %d×%d×%d: %w",
			e, height, width, channels, errors.Join(wrong...))
	}
	for variable, value := range values {
		if v := store.GetVariable(variable); v != nil {
			if err := v.SetValue(value); err != nil {
				return fmt.Errorf("encoder: %w", err)
			}
			continue
		}
		v, err := store.CreateVariable(variable, value)
		if err != nil {
			return fmt.Errorf("encoder: %w", err)
		}
		v.SetTrainable(plan.GetVariable(variable).Trainable)
	}
	return nil
}

// declare builds the graph of e, which enters its variables in store, and throws it away.
func declare(backend compute.Backend, store *model.Store, path string, e Encoder, height, width, channels int) error {
	if height < 1 || width < 1 || channels < 1 {
		return fmt.Errorf("images of %d×%d×%d; all three must be positive", height, width, channels)
	}
	g := NewGraph(backend, "declare")
	defer g.Finalize()
	return exceptions.TryCatch[error](func() {
		images := Parameter(g, "images", shapes.Make(dtypes.Float32, 1, height, width, channels))
		e.Embed(store.Scope(path), images, false)
	})
}

// torchNames maps the paths of the variables under path in store to PyTorch's names.
func torchNames(store *model.Store, path string) map[string]string {
	names := map[string]string{}
	scope := "/" + strings.Trim(path, "/")
	for v := range store.Scope(scope).IterVariables() {
		below := strings.TrimPrefix(strings.TrimPrefix(v.Path(), scope), "/")
		parts := strings.Split(below, "/")
		leaf := len(parts) - 1
		switch parts[leaf] {
		case "kernel", "weights", "scale":
			parts[leaf] = "weight"
		case "shift":
			parts[leaf] = "bias"
		case "mean":
			parts[leaf] = "running_mean"
		case "variance":
			parts[leaf] = "running_var"
		}
		// A normalization that shares its scope with weights keeps a name of its own.
		if layer, _, ok := strings.Cut(v.Path(), "/norm/"); ok && leaf > 0 && parts[leaf-1] == "norm" &&
			store.GetVariable(layer+"/kernel") == nil && store.GetVariable(layer+"/weights") == nil {
			parts = slices.Delete(parts, leaf-1, leaf)
		}
		// PyTorch's attention keeps the dense layer of Q, K and V as two parameters of its own.
		names[v.Path()] = strings.ReplaceAll(strings.Join(parts, "."), ".in_proj.", ".in_proj_")
	}
	return names
}

// toTorch returns the order in which PyTorch has the axes of a variable; nil means that it is the same.
func toTorch(variable string, rank int) []int {
	switch {
	case strings.HasSuffix(variable, "/kernel") && rank == 4:
		return []int{3, 2, 0, 1}
	case strings.HasSuffix(variable, "/weights") && rank == 2:
		return []int{1, 0}
	}
	return nil
}

// permuted returns the sides of shape in the given order.
func permuted(shape, order []int) []int {
	if order == nil {
		return shape
	}
	out := make([]int, len(order))
	for i, axis := range order {
		out[i] = shape[axis]
	}
	return out
}

// inverse returns the order that undoes order.
func inverse(order []int) []int {
	if order == nil {
		return nil
	}
	out := make([]int, len(order))
	for i, axis := range order {
		out[axis] = i
	}
	return out
}

// transpose reorders the axes of a row-major tensor.
func transpose(shape []int, numbers []float64, order []int) ([]int, []float64) {
	if order == nil {
		return shape, numbers
	}
	strides := make([]int, len(shape))
	for axis, step := len(shape)-1, 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= shape[axis]
	}
	dims, steps := permuted(shape, order), permuted(strides, order)
	out := make([]float64, len(numbers))
	index, from := make([]int, len(dims)), 0
	for i := range out {
		out[i] = numbers[from]
		for axis := len(dims) - 1; axis >= 0; axis-- {
			index[axis]++
			from += steps[axis]
			if index[axis] < dims[axis] {
				break
			}
			from -= steps[axis] * dims[axis]
			index[axis] = 0
		}
	}
	return dims, out
}

// floatTypes are the format's names of gomlx's floating-point types.
var floatTypes = map[dtypes.DType]safetensors.DType{
	dtypes.Float64: safetensors.F64, dtypes.Float32: safetensors.F32, dtypes.Float16: safetensors.F16, dtypes.BFloat16: safetensors.BF16,
}

// floatType returns the format's name of one of gomlx's floating-point types.
func floatType(dtype dtypes.DType) (safetensors.DType, error) {
	if format, ok := floatTypes[dtype]; ok {
		return format, nil
	}
	return "", fmt.Errorf("%s is not a floating-point type", dtype)
}

// read copies a gomlx tensor. Its bytes are already as the format has them: gomlx's engines run on little-endian machines.
func read(value *tensors.Tensor) (t safetensors.Tensor, err error) {
	t.Shape = value.Shape().Dimensions
	if t.DType, err = floatType(value.DType()); err != nil {
		return t, err
	}
	err = value.ConstBytes(func(data []byte) { t.Data = slices.Clone(data) })
	return t, err
}

// write makes a gomlx tensor.
func write(dtype dtypes.DType, dims []int, numbers []float64) (*tensors.Tensor, error) {
	format, err := floatType(dtype)
	if err != nil {
		return nil, err
	}
	t, err := safetensors.New(format, dims, numbers)
	if err != nil {
		return nil, err
	}
	value := tensors.FromShape(shapes.Make(dtype, dims...))
	err = value.MutableBytes(func(data []byte) { copy(data, t.Data) })
	return value, err
}
