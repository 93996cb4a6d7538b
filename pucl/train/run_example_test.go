package train_test

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
	"github.com/puclab/puclab/pucl/train"
)

// One weight w, which starts at 0, learns to be 3: the loss is (w − 3)², and a step of gradient descent at the rate ¼ halves the
// distance.
func ExampleRun() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	store := model.NewStore()
	history, err := train.Run(context.Background(), eng, train.Task{
		Name: "learning a number", Store: store,
		Batch: func(step int) (train.Batch, error) {
			return train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue([]float32{3})}, Examples: 1}, nil
		},
		Outputs: func(scope *model.Scope, in []*Node) *Node {
			w := scope.In("network").VariableWithValue("w", float32(0)).NodeValue(in[0].Graph())
			return Reshape(w, 1, 1)
		},
		Loss: func(outputs *Node, in []*Node) *Node { return ReduceAllMean(Square(Sub(Squeeze(outputs, -1), in[0]))) },
	}, train.Settings{
		Steps: 3, Schedule: optim.Constant{}, Optimizer: optim.SGD{LearningRate: 0.25, Momentum: -1, WeightDecay: -1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := store.GetVariable("/network/w").MustValue()
	fmt.Println(history.Losses, w.Value())
	// Output: [9 2.25 0.5625] 2.625
}
