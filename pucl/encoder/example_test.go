package encoder_test

import (
	"fmt"
	"maps"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// The weights of one network are exported by PyTorch's names and loaded into another. With a file between them, use
// (&safetensors.File{Tensors: dict}).WriteFile and safetensors.ReadFile.
func ExampleLoadStateDict() {
	eng, err := engine.Open()
	check(err)
	network := encoder.LeNet{Dim: 2}
	image := make([]float32, 28*28)
	image[400] = 1
	embed := func(store *model.Store) []float32 {
		exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, inputs []*Node) *Node {
			return network.Embed(scope.In("lenet"), inputs[0], false)
		})
		defer exec.Finalize()
		out, err := exec.Call1(tensors.FromFlatDataAndDimensions(image, 1, 28, 28, 1))
		check(err)
		return tensors.MustCopyFlatData[float32](out)
	}

	from, to := model.NewStore(), model.NewStore()
	a := embed(from)
	dict, err := encoder.StateDict(from, "lenet")
	check(err)
	check(encoder.LoadStateDict(eng.Backend, to, "lenet", network, 28, 28, 1, dict))
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

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// gates is a user-defined encoder: it scales every feature, then two layers follow, each of which can be recomputed.
type gates struct{}

func (gates) Embed(scope *model.Scope, x *Node, training bool) *Node {
	gate := encoder.Weight(scope, "gate", x, initializer.One, 1, x.Shape().Dim(-1))
	x = Mul(x, gate)
	for i := range 2 {
		s := scope.In("%d", i)
		x = encoder.Block(x, func(x *Node) *Node {
			return encoder.ReLU(encoder.BatchNorm(s, encoder.Dense(s, x, 4, false), training))
		})
	}
	return x
}

// An encoder whose variables are made by Weight, Dense, Convolution and BatchNorm computes in the precision of its data
// and keeps its weights in float32.
func ExampleWeight() {
	eng, err := engine.Open()
	check(err)
	store := model.NewStore()
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, x *Node) *Node {
		return gates{}.Embed(scope, x, true)
	})
	defer exec.Finalize()
	g, err := exec.Compile(shapes.Make(dtypes.BFloat16, 8, 3))
	check(err)
	fmt.Println("gate:", store.RootScope().GetVariable("gate").Shape())
	fmt.Println("embeddings:", g.LastNode().Shape())
	// Output:
	// gate: (Float32)[1, 3]
	// embeddings: (BFloat16)[8, 4]
}
