package pucl_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
)

// A probe for three classes looks at one number each; the truth is classes 0, 1 and 1.
func ExampleClassProbe() {
	probe := &pucl.ClassProbe{
		Weights: mat.NewDense(3, 2, []float64{
			1, 0,
			0, 1,
			-1, -1,
		}),
		Bias: []float64{0, 0, 0.5},
	}
	x := mat.NewDense(3, 2, []float64{
		2, 1, // logits 2, 1, −2.5
		0, 3, // logits 0, 3, −2.5
		-1, 0, // logits −1, 0, 1.5
	})
	predicted, err := probe.Predict(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	score, err := probe.Score(x, []int{0, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(predicted)
	fmt.Println(score)
	// Output:
	// [0 1 2]
	// accuracy 66.7% of 3, balanced 75.0% over the 2 of 3 classes that occur
}
