package reduce_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/reduce"
)

// All variance of points on the line y = 2x is along (1, 2)/√5.
func ExamplePCA() {
	data := mat.NewDense(3, 2, []float64{
		-1, -2,
		0, 0,
		1, 2,
	})
	projected, explained, err := reduce.PCA(data, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f %.3f %.3f, %.0f %% explained\n", projected.At(0, 0), projected.At(1, 0), projected.At(2, 0), 100*explained[0])
	// Output:
	// -2.236 0.000 2.236, 100 % explained
}

// Align removes a rotation by 90 degrees: the rows equal the target's rows.
func ExampleAlign() {
	target := mat.NewDense(2, 2, []float64{
		1, 0,
		0, 3,
	})
	x := mat.NewDense(2, 2, []float64{
		0, 1,
		-3, 0,
	})
	aligned, err := reduce.Align(x, target)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 2 {
		fmt.Printf("%.1f %.1f\n", math.Abs(aligned.At(i, 0)), math.Abs(aligned.At(i, 1)))
	}
	// Output:
	// 1.0 0.0
	// 0.0 3.0
}
