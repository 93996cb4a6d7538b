package pu_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/pu"
)

// Three hundred rows, a third of them positive, half of these labeled. A new row near the positives is positive.
func Example() {
	rng := rand.New(rand.NewPCG(1, 1))
	x, labeled := mat.NewDense(300, 2, nil), make([]bool, 300)
	for i := range 300 {
		center := 0.0
		if i%3 == 0 {
			center = 4
		}
		x.SetRow(i, []float64{center + rng.NormFloat64(), rng.NormFloat64()})
		labeled[i] = i%6 == 0
	}
	data, err := pu.Features(x, labeled)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := pu.Fit(context.Background(), data, pu.Config{Method: pu.Logistic{}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, first := range []float64{4, 0} {
		p, err := model.PredictRow(map[string]any{"feature 1": first, "feature 2": 0.0})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(first, "is positive:", p > 0.5)
	}
	// Output:
	// 4 is positive: true
	// 0 is positive: false
}
