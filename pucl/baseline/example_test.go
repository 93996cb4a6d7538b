package baseline_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// Numbers around 3 are positive and numbers around −3 are not. 20 positives are labeled, and half of 200 more are
// positive.
func ExampleTrain() {
	rng := rand.New(rand.NewPCG(1, 2))
	x, labeled := mat.NewDense(220, 1, nil), make([]bool, 220)
	for i := range 220 {
		labeled[i] = i < 20
		center := 3.0
		if i >= 120 {
			center = -3
		}
		x.Set(i, 0, center+rng.NormFloat64())
	}
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := baseline.Train(context.Background(), eng, baseline.Data{Examples: baseline.Rows{X: x}, Labeled: labeled}, baseline.Config{
		Method: baseline.NNPU{Prior: 0.5}, Encoder: encoder.MLP{Hidden: []int{}, Dim: 4}, Seed: 1,
		Settings: train.Settings{Steps: 60, LearningRate: 0.05},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	logits, err := result.Network.Score(eng, baseline.Rows{X: mat.NewDense(2, 1, []float64{3, -3})})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("3 is positive:", logits[0] > 0)
	fmt.Println("−3 is positive:", logits[1] > 0)
	// Output:
	// 3 is positive: true
	// −3 is positive: false
}
