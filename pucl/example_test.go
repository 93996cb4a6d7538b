package pucl_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// Two examples at right angles, each shown twice and unchanged: every anchor sees its other view at similarity 1/τ = 2 and
// two others at 0, so the loss is log(e² + 2) − 2 = log(1 + 2e⁻²).
func ExampleSSCL() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	loss, err := pucl.SSCL().Value(eng, z, []bool{false, false}, 0.5)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 0.2395 <nil>
}

// The same batch with both examples unlabeled, which SCL-PU takes for one class: every anchor is attracted to all three
// others, a mean similarity of 2/3, so the loss is log(e² + 2) − 2/3.
func ExampleSCLPU() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	loss, err := pucl.SCLPU().Value(eng, z, []bool{false, false}, 0.5)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 1.5729 <nil>
}

// The same batch with both examples labeled: now PUCL, too, attracts every anchor to all three others.
func ExamplePUCL() {
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	for _, labeled := range [][]bool{{true, true}, {false, false}} {
		loss, err := pucl.PUCL().Value(eng, z, labeled, 0.5)
		fmt.Printf("%.4f %v\n", loss, err)
	}
	// Output:
	// 1.5729 <nil>
	// 0.2395 <nil>
}

// Labeled points at 0 and 1, unlabeled ones at 2, 4, 5 and 9, the first negative centre at 9: the centres move from 0.5 and 9
// to 1.75 and 7, where 2 and 4 are positive.
func ExamplePUPLFrom() {
	labeled := mat.NewDense(2, 1, []float64{0, 1})
	unlabeled := mat.NewDense(4, 1, []float64{2, 4, 5, 9})
	c, err := pucl.PUPLFrom(labeled, unlabeled, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Positive, c.Negative, c.Labels, c.Potential)
	// Output: [1.75] [7] [true true false false] 16.75
}

func ExamplePUPL() {
	labeled := mat.NewDense(2, 1, []float64{0, 1})
	unlabeled := mat.NewDense(3, 1, []float64{1, 10, 11})
	c, err := pucl.PUPL(labeled, unlabeled, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Labels)
	// Output: [true false false]
}

func ExampleEvaluate() {
	score, err := pucl.Evaluate([]bool{true, true, false, false}, []bool{true, false, false, false})
	fmt.Println(score, err)
	// Output: 75.0% of 4 (balanced 83.3%) <nil>
}

func ExampleChanceLevel() {
	fmt.Printf("%.3f nats\n", pucl.ChanceLevel(256, 2))
	// Output: 6.236 nats
}
