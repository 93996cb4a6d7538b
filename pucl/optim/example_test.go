package optim_test

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/optim"
)

// Weights of norm 5 with a gradient of norm 10: LARS moves them by trust × norm = 0.1 × 5 = 0.5 along the gradient,
// independent of the gradient's norm.
func ExampleLARS() {
	eng, err := engine.Open()
	check(err)
	lars := optim.LARS{LearningRate: 1, Trust: 0.1, WeightDecay: -1, Momentum: -1}
	store := model.NewStore()
	step, err := model.NewExec(eng.Backend, store, func(scope *model.Scope, gradient *Node) *Node {
		w := scope.VariableWithValue("w", [][]float32{{3, 4}})
		loss := ReduceAllSum(Mul(w.NodeValue(gradient.Graph()), gradient))
		lars.UpdateGraph(scope, gradient.Graph(), loss)
		return w.NodeValue(gradient.Graph())
	})
	check(err)
	for _, gradient := range [][][]float32{{{0, 10}}, {{0, 20}}} {
		w, err := step.Call1(gradient)
		check(err)
		fmt.Printf("%.3f\n", w.Value())
	}
	// Output:
	// [[3.000 3.500]]
	// [[3.000 3.039]]
}

// Four steps of warm-up to 1.2, then half a cosine.
func ExampleCosine() {
	schedule := optim.Cosine{Warmup: 4}
	rates := make([]float64, 12)
	for step := range rates {
		rates[step] = schedule.Rate(1.2, step, len(rates))
	}
	fmt.Printf("%.2f\n", rates)
	fmt.Println(schedule)
	// Output:
	// [0.30 0.60 0.90 1.20 1.20 1.15 1.02 0.83 0.60 0.37 0.18 0.05]
	// warm-up of 4 steps from 0 of the peak, cosine to 0 after the last step
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
