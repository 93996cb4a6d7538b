package pucl_test

import (
	"fmt"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
)

// Two examples at right angles, each shown twice and unchanged: every anchor has similarity 1/τ = 2 to its other view
// and 0 to two others, so the loss is log(e² + 2) − 2 = log(1 + 2e⁻²).
func ExampleSSCL() {
	eng, err := engine.Open()
	check(err)
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	loss, err := pucl.SSCL().Value(eng, z, []bool{false, false}, 0.5)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 0.2395 <nil>
}

// The same batch with both examples unlabeled, which SCL-PU takes for one class: every anchor is attracted to all three
// others, a mean similarity of 2/3, so the loss is log(e² + 2) − 2/3.
func ExampleSCLPU() {
	eng, err := engine.Open()
	check(err)
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	loss, err := pucl.SCLPU().Value(eng, z, []bool{false, false}, 0.5)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 1.5729 <nil>
}

// The same batch with both examples labeled: now PUCL, too, attracts every anchor to all three others.
func ExamplePUCL() {
	eng, err := engine.Open()
	check(err)
	z := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	for _, labeled := range [][]bool{{true, true}, {false, false}} {
		loss, err := pucl.PUCL().Value(eng, z, labeled, 0.5)
		fmt.Printf("%.4f %v\n", loss, err)
	}
	// Output:
	// 1.5729 <nil>
	// 0.2395 <nil>
}

func ExampleChanceLevel() {
	fmt.Printf("%.3f nats\n", pucl.ChanceLevel(256, 2))
	// Output: 6.236 nats
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
