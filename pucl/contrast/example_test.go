package contrast_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/train"
)

// sides returns n points, every second one on the right; labeled of these are labeled positives.
func sides(n, labeled int) learn.Data {
	rng := rand.New(rand.NewPCG(2, 2))
	data := learn.Data{X: mat.NewDense(n, 2, nil), Labeled: make([]bool, n)}
	for i := range n {
		data.X.SetRow(i, []float64{float64(1-2*(i%2)) + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i%2 == 0 && i < 2*labeled
	}
	return data
}

// Algorithm 1 returns its clusters and its encoder as well. Forty points lie on the right and forty on the left; eight
// of the right ones are labeled positives.
func ExampleAlgorithm1_Fit() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	method := contrast.Algorithm1{Pretraining: contrast.Pretraining{
		Config:     train.Config{Steps: 50, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4},
		Batch:      datasets.BatchConfig{Size: 16},
		Corruption: 0.3,
	}}
	fitted, err := method.Fit(context.Background(), eng, sides(80, 8), learn.Run{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := fitted.Trained().Scores(eng, learn.Data{X: mat.NewDense(2, 2, []float64{0.95, 0.05, -0.95, 0.05})})
	fmt.Println(len(fitted.Networks[0].History.Losses), "steps;", "right:", scores[0] > 0, "left:", scores[1] > 0, err)
	// Output: 50 steps; right: true left: false <nil>
}
