package cluster_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
)

// Labeled points at 0 and 1, unlabeled ones at 1, 10 and 11. Wherever the negative center starts, it ends at 10.5.
func ExamplePUPL() {
	x := mat.NewDense(5, 1, []float64{0, 1, 1, 10, 11})
	labeled := []bool{true, true, false, false, false}
	c, err := cluster.PUPL(x, labeled, cluster.Config{Restarts: 5, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Positive, c.NegativeCenter)
	// Output: [true true true false false] [10.5]
}

// Labeled points at 0 and 1, unlabeled ones at 2, 4, 5 and 9, the first negative center at 9: the centers move from 0.5 and 9
// to 1.75 and 7, where 2 and 4 are positive.
func ExampleFrom() {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 4, 5, 9})
	labeled := []bool{true, true, false, false, false, false}
	c, err := cluster.From(x, labeled, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.PositiveCenter, c.NegativeCenter, c.Positive, c.Potential)
	// Output: [1.75] [7] [true true true true false false] 16.75
}
