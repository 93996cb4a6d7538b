package encoder

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
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
// layouts of PyTorch: for [ResNet] and [ViT] these are torchvision's, so that a model of torchvision loads them.
// Convolution kernels become [out, in, height, width] and dense weights [out, in]. Running averages of batch
// normalization are included; the count of batches (num_batches_tracked) is not, and PyTorch does not require it. It
// returns an error if path has no variable, or one without a value or with numbers that are not floating-point.
func StateDict(store *model.Store, path string) (map[string]safetensors.Tensor, error) {
	dict := map[string]safetensors.Tensor{}
	names := torchNames(store, path)
	if len(names) == 0 {
		return nil, fmt.Errorf("encoder: there are no variables under %s; run or load the encoder first", path)
	}
	for variable, name := range names {
		value, err := store.GetVariable(variable).Value()
		if err == nil {
			dict[name], err = toTorch(variable, value)
		}
		if err != nil {
			return nil, fmt.Errorf("encoder: variable %s: %w", variable, err)
		}
	}
	return dict, nil
}

// LoadStateDict sets the variables of e under path in store to the values of dict, with the names and layouts of
// [StateDict]; dict may be the Tensors of a safetensors file of torchvision's weights. It must hold exactly the
// variables of e, for images height × width × channels, with their shapes. Otherwise the error lists the missing,
// surplus and misshapen ones, and store is unchanged. Numbers may be of any floating-point type; the variables become
// float32, or keep their type. An entry that is not finite in that type and a negative running variance are errors that
// name the tensor and the index: the embeddings would be NaN.
//
// The prefixes module. and _orig_mod., which PyTorch's DataParallel and compile add to all names, are ignored. Tensors
// whose names begin with one of leaveOut are ignored, "fc." for the last layer of a ResNet without classes. PyTorch's
// counts of batches (num_batches_tracked) are always ignored, since no code uses them.
func LoadStateDict(backend compute.Backend, store *model.Store, path string, e Encoder, height, width, channels int,
	dict map[string]safetensors.Tensor, leaveOut ...string) error {
	if height < 1 || width < 1 || channels < 1 {
		return fmt.Errorf("encoder: images of %d×%d×%d; all three must be positive", height, width, channels)
	}
	what := fmt.Sprintf("%v for images %d×%d×%d", e, height, width, channels)
	return LoadWeights(backend, store, path, what, func(scope *model.Scope, g *Graph) {
		e.Embed(scope, Parameter(g, "images", shapes.Make(dtypes.Float32, 1, height, width, channels)), false)
	}, dict, leaveOut...)
}

// LoadWeights is [LoadStateDict] for networks with other inputs than images, such as [BERT]: build makes the variables
// under the given scope, with its own inputs, and what names the network in errors.
func LoadWeights(backend compute.Backend, store *model.Store, path, what string, build func(scope *model.Scope, g *Graph),
	dict map[string]safetensors.Tensor, leaveOut ...string) error {
	plan := model.NewStore() // declares the variables, without values
	err := declare(backend, plan, path, build)
	if err != nil {
		return fmt.Errorf("encoder: %s", strings.TrimPrefix(err.Error(), "encoder: "))
	}
	names := torchNames(plan, path)
	dict = unwrapped(dict, slices.Collect(maps.Values(names)))
	left := maps.Clone(dict)
	maps.DeleteFunc(left, func(name string, _ safetensors.Tensor) bool {
		return strings.HasSuffix(name, "num_batches_tracked") ||
			slices.ContainsFunc(leaveOut, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	wrong := map[string][]string{}
	values := map[string]*tensors.Tensor{}
	for _, variable := range slices.Sorted(maps.Keys(names)) { // so that of several errors always the same is reported
		name := names[variable]
		shape := plan.GetVariable(variable).Shape()
		if there := store.GetVariable(variable); there != nil {
			if !slices.Equal(there.Shape().Dimensions, shape.Dimensions) {
				return fmt.Errorf("encoder: variable %s has the shape %v in the store, and %v in this encoder; "+
					"was the store made for another one?", variable, there.Shape().Dimensions, shape.Dimensions)
			}
			shape = there.Shape()
		}
		delete(left, name)
		want, _ := layout(variable, shape.Dimensions)
		if t, ok := dict[name]; !ok {
			wrong["missing"] = append(wrong["missing"], name)
		} else if !slices.Equal(t.Shape, want) {
			wrong["of another shape"] = append(wrong["of another shape"], fmt.Sprintf("%s %v instead of %v", name, t.Shape, want))
		} else if values[variable], err = fromTorch(variable, shape, t); err != nil {
			return fmt.Errorf("encoder: tensor %s: %w", name, err)
		}
	}
	wrong["surplus"] = slices.Collect(maps.Keys(left))
	var found []string
	for _, what := range []string{"missing", "surplus", "of another shape"} {
		if names := slices.Sorted(slices.Values(wrong[what])); len(names) > 0 {
			found = append(found, fmt.Sprintf("\n  %s (%d): %s", what, len(names), strings.Join(names, ", ")))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("encoder: these weights are not those of %s; take the encoder they were made for, rename "+
			"the tensors%s, or leave some out:%s", what, prefixOf(wrong["missing"], left), strings.Join(found, ""))
	}
	for variable, value := range values {
		v := store.GetVariable(variable)
		if v != nil {
			err = v.SetValue(value)
		} else if v, err = store.CreateVariable(variable, value); err == nil {
			v.SetTrainable(plan.GetVariable(variable).Trainable)
		}
		if err != nil {
			return fmt.Errorf("encoder: %w", err)
		}
	}
	return nil
}

// unwrapped returns dict without the prefixes that PyTorch's model wrappers add to all names. A prefix that begins one
// of the wanted names stays.
func unwrapped(dict map[string]safetensors.Tensor, wanted []string) map[string]safetensors.Tensor {
	for _, prefix := range []string{"module.", "_orig_mod.", "module."} { // a wrapper may hold another one
		bare := map[string]safetensors.Tensor{}
		for name, t := range dict {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				bare[rest] = t
			}
		}
		begins := func(name string) bool { return strings.HasPrefix(name, prefix) }
		if len(bare) == len(dict) && !slices.ContainsFunc(wanted, begins) {
			dict = bare
		}
	}
	return dict
}

// prefixOf returns a remedy if all missing names exist with one prefix, such as "backbone.", and "" otherwise.
func prefixOf(missing []string, there map[string]safetensors.Tensor) string {
	if len(missing) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		prefix, ok := strings.CutSuffix(name, "."+missing[0])
		lacks := func(name string) bool { _, ok := there[prefix+"."+name]; return !ok }
		if ok && !slices.ContainsFunc(missing, lacks) {
			return fmt.Sprintf(" (their names begin with %q: take it off)", prefix+".")
		}
	}
	return ""
}

// declare builds a graph, which creates its variables in store under path, and discards it. It draws no weights.
func declare(backend compute.Backend, store *model.Store, path string, build func(scope *model.Scope, g *Graph)) error {
	g := NewGraph(backend, "declare")
	defer g.Finalize()
	store.RootScope().SetParam(undrawn, true)
	return exceptions.TryCatch[error](func() { build(store.Scope(path), g) })
}

// torchLeaves maps names of a layer's variables to PyTorch's, if they differ.
var torchLeaves = map[string]string{"kernel": "weight", "weights": "weight", "rows": "weight", "scale": "weight", "shift": "bias",
	"mean": "running_mean", "variance": "running_var"}

// torchNames maps the paths of the variables under path in store to PyTorch's names.
func torchNames(store *model.Store, path string) map[string]string {
	names := map[string]string{}
	scope := "/" + strings.Trim(path, "/")
	for v := range store.Scope(scope).IterVariables() {
		below := strings.TrimPrefix(strings.TrimPrefix(v.Path(), scope), "/")
		parts := strings.Split(below, "/")
		leaf := len(parts) - 1
		parts[leaf] = cmp.Or(torchLeaves[parts[leaf]], parts[leaf])
		// A normalization that shares its scope with weights keeps its own name.
		if layer, _, ok := strings.Cut(v.Path(), "/norm/"); ok && leaf > 0 && parts[leaf-1] == "norm" &&
			store.GetVariable(layer+"/kernel") == nil && store.GetVariable(layer+"/weights") == nil {
			parts = slices.Delete(parts, leaf-1, leaf)
		}
		// PyTorch's attention stores the dense layer of Q, K and V as two of its own parameters.
		names[v.Path()] = strings.ReplaceAll(strings.Join(parts, "."), ".in_proj.", ".in_proj_")
	}
	return names
}

// layout returns PyTorch's shape of a variable, and the sides [a, b, c] for [turned]: kernels [height, width, in, out]
// become [out, in, height, width] and weights [in, out] become [out, in]; other variables keep their shape.
func layout(variable string, shape []int) (torch []int, sides [3]int) {
	switch {
	case strings.HasSuffix(variable, "/kernel") && len(shape) == 4:
		height, width, in, out := shape[0], shape[1], shape[2], shape[3]
		return []int{out, in, height, width}, [3]int{height * width, in, out}
	case strings.HasSuffix(variable, "/weights") && len(shape) == 2:
		return []int{shape[1], shape[0]}, [3]int{shape[0], 1, shape[1]}
	}
	return slices.Clone(shape), [3]int{1, 1, 1}
}

// turned returns the bytes of an array of the given sides [a, b, c], in row-major order, transposed to [c, b, a].
func turned(data []byte, sides [3]int) []byte {
	size := len(data) / max(1, sides[0]*sides[1]*sides[2]) // of an entry
	out := make([]byte, 0, len(data))
	for c := range sides[2] {
		for b := range sides[1] {
			for a := range sides[0] {
				at := ((a*sides[1]+b)*sides[2] + c) * size
				out = append(out, data[at:at+size]...)
			}
		}
	}
	return out
}

// floatTypes maps gomlx's floating-point types to the names of the format.
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

// toTorch returns the value of a variable in PyTorch's layout. Its bytes already have the byte order of the format:
// gomlx's engines run on little-endian machines.
func toTorch(variable string, value *tensors.Tensor) (t safetensors.Tensor, err error) {
	if t.DType, err = floatType(value.DType()); err != nil {
		return t, err
	}
	torch, sides := layout(variable, value.Shape().Dimensions)
	t.Shape = torch
	err = value.ConstBytes(func(data []byte) { t.Data = turned(data, sides) })
	return t, err
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// fromTorch returns the value of a variable of the given shape from PyTorch's tensor t.
func fromTorch(variable string, shape shapes.Shape, t safetensors.Tensor) (*tensors.Tensor, error) {
	numbers, err := t.Float64s()
	if err != nil {
		return nil, err
	}
	format, err := floatType(shape.DType)
	if err != nil {
		return nil, err
	}
	variance := strings.HasSuffix(variable, "/variance")
	index, given, err := t.Find(func(v float64) bool { return !isFinite(v) || variance && v < 0 })
	if err != nil {
		return nil, err
	}
	const mend = "download the file again, or export the weights of a training that did not diverge"
	if index != nil {
		return nil, fmt.Errorf("the entry at %v is %g; weights must be finite and variances not negative: %s",
			index, given, mend)
	}
	if t, err = safetensors.New(format, t.Shape, numbers); err != nil {
		return nil, err
	}
	if err := t.CheckFinite(); err != nil {
		return nil, fmt.Errorf("%w as %s: scale the weights, or %s", err, shape.DType, mend)
	}
	_, sides := layout(variable, shape.Dimensions)
	slices.Reverse(sides[:])
	value := tensors.FromShape(shape)
	err = value.MutableBytes(func(data []byte) { copy(data, turned(t.Data, sides)) })
	return value, err
}
