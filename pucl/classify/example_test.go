package classify_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/engine"
)

// Rows of two classes, around −1 and around 1 in their first entry: any two rows of each class suffice to classify six
// others.
func ExampleFitFewShot() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	data := classify.LabeledRows{
		X:      mat.NewDense(6, 2, []float64{-1.1, 0, -1, 0.1, -0.9, -0.1, 0.9, 0.1, 1, -0.1, 1.1, 0}),
		Labels: []int{0, 0, 0, 1, 1, 1},
	}
	test := classify.LabeledRows{
		X:      mat.NewDense(4, 2, []float64{-2, 0, -0.8, 0, 0.8, 0, 2, 0}),
		Labels: []int{0, 0, 1, 1},
	}
	few, err := classify.FitFewShot(eng, data, test, 2, classify.FewShotConfig{PerClass: 2, Draws: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(few.Accuracy.Mean, few.Accuracy.StdDev)
	// Output: 1 0
}
