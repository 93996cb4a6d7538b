package encoder_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
)

// gates is an encoder of one's own: it scales every feature, then two layers follow, each of which can be recomputed.
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
	if err != nil {
		panic(err)
	}
	store := model.NewStore()
	exec := model.MustNewExec(eng.Backend, store, func(scope *model.Scope, x *Node) *Node {
		return gates{}.Embed(scope, x, true)
	})
	defer exec.Finalize()
	g, err := exec.Compile(shapes.Make(dtypes.BFloat16, 8, 3))
	if err != nil {
		panic(err)
	}
	fmt.Println("gate:", store.RootScope().GetVariable("gate").Shape())
	fmt.Println("embeddings:", g.LastNode().Shape())
	// Output:
	// gate: (Float32)[1, 3]
	// embeddings: (BFloat16)[8, 4]
}
