package claims_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Positives at +1, negatives at −1: the class is all there is to know, log 2. The printed bound lies above it, the corrected
// one log(1 + e⁻²) below.
func ExampleLPosInformation() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	b, err := claims.LPosInformation(world, 0.5, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("information %.4f, printed %.4f, corrected %.4f\n", b.Information, b.Printed, b.Corrected)
	// Output:
	// information 0.6931, printed 1.6648, corrected 0.5662
}

// With five examples the bound is above the information that it should bound.
func ExampleInfoNCEBatch() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []int{2, 5} {
		information, bound, err := claims.InfoNCEBatch(eng, b, 0.05)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("b = %d: information %.4f, bound %.4f\n", b, information, bound)
	}
	// Output:
	// b = 2: information 0.6931, bound 0.5493
	// b = 5: information 0.6931, bound 0.6952
}

// One draw of the own class in the estimate leaves a difference, however many draws of all data there are.
func ExampleDCLOnePositiveGap() {
	for _, tau := range []float64{0.5, 1, 2} {
		gap, err := claims.DCLOnePositiveGap(claims.LPosCounterexample(), 0.5, tau, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("τ = %g: %.4f\n", tau, gap)
	}
	// Output:
	// τ = 0.5: 0.1709
	// τ = 1: 0.0670
	// τ = 2: 0.0303
}

// The six placements with the blue triangle at (0, 1), the other object of a shape being an object's view. All log partitions
// are log(2 + e⁻²); neighbors have s = 0, objects on opposite corners s = −2.
func ExampleHypercubeReadings() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	readings, err := claims.HypercubeReadings(eng, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range readings {
		if r.Views != claims.ShapeAsView || r.ZeroOne || r.Inner {
			continue
		}
		for i, p := range claims.Placements()[:6] {
			fmt.Printf("%v: ssCL %.3f, PUCL %.3f\n", p, r.SSCL[i], r.PUCL[i])
		}
	}
	// Output:
	// [0 1 2 3]: ssCL 0.759, PUCL 1.759
	// [0 1 3 2]: ssCL 0.759, PUCL 0.759
	// [0 2 1 3]: ssCL 2.759, PUCL 1.759
	// [0 2 3 1]: ssCL 2.759, PUCL 1.759
	// [0 3 1 2]: ssCL 0.759, PUCL 0.759
	// [0 3 2 1]: ssCL 0.759, PUCL 1.759
}
