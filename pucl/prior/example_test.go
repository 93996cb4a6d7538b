package prior_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/prior"
)

// Three tenths of the unlabeled rows are positive.
func Example() {
	random := rand.New(rand.NewPCG(1, 1))
	x, labeled := mat.NewDense(1000, 2, nil), make([]bool, 1000)
	for i := range labeled {
		labeled[i] = i < 200
		x.Set(i, 0, random.NormFloat64())
		x.Set(i, 1, random.NormFloat64())
		if i >= 200+240 {
			x.Set(i, 0, x.At(i, 0)+4)
		}
	}
	fit, err := prior.Trees{}.OfRows(x, labeled)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := prior.OutOfFold(labeled, prior.Folds{}, fit)
	if err != nil {
		fmt.Println(err)
		return
	}
	estimate, err := prior.BBE(scores, labeled, prior.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", estimate.Prior)
	fmt.Println(estimate.Low < 0.3 && 0.3 < estimate.High)
	// Output:
	// 0.3
	// true
}
