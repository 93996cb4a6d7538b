package encoder_test

import (
	"fmt"
	"maps"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// The weights of one network become another's: exported by PyTorch's names, and loaded again. With a file between them it is
// (&safetensors.File{Tensors: dict}).WriteFile and safetensors.ReadFile.
func ExampleLoadStateDict() {
	eng, err := engine.Open()
	if err != nil {
		panic(err)
	}
	network := encoder.LeNet{Dim: 2}
	image := make([]float32, 28*28)
	image[400] = 1
	embed := func(store *model.Store) []float32 {
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
			return network.Embed(scope.In("lenet"), inputs[0], false)
		})
		defer exec.Finalize()
		out, err := exec.Call1(tensors.FromFlatDataAndDimensions(image, 1, 28, 28, 1))
		if err != nil {
			panic(err)
		}
		return tensors.MustCopyFlatData[float32](out)
	}

	from, to := model.NewStore(), model.NewStore()
	a := embed(from)
	dict, err := encoder.StateDict(from, "lenet")
	if err != nil {
		panic(err)
	}
	if err := encoder.LoadStateDict(eng.Backend, to, "lenet", network, 28, 28, 1, dict); err != nil {
		panic(err)
	}
	fmt.Println(slices.Equal(a, embed(to)), a[0] != 0)

	delete(dict, "conv3.bias")
	fmt.Println(encoder.LoadStateDict(eng.Backend, to, "lenet", network, 28, 28, 1, dict))
	fmt.Println(slices.Sorted(maps.Keys(dict)))
	// Output:
	// true true
	// encoder: these weights are not those of LeNet, 2-d for images 28×28×1; take the encoder they were made for, rename the tensors, or leave some out:
	//   missing (1): conv3.bias
	// [bn_fc1.bias bn_fc1.running_mean bn_fc1.running_var bn_fc1.weight conv1.bias conv1.weight conv2.bias conv2.weight conv3.weight fc1.bias fc1.weight]
}
