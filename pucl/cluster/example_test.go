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

// Rows around 0, 10 and 20 in three clusters, started at a row of each.
func ExampleKMeans() {
	x := cluster.Float32s{Data: []float32{-1, 1, 9, 10, 11, 20}, D: 1}
	start := mat.NewDense(3, 1, []float64{1, 9, 20})
	p, err := cluster.KMeans{K: 3, Centers: start}.Fit(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Labels, p.Counts, p.Converged)
	fmt.Printf("%.4f\n", p.Potential)
	// Output:
	// [0 0 1 1 1 2] [2 3 1] true
	// 4.0000
}
