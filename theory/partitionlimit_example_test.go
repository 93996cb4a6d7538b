package theory_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory"
)

// Classes at +1 and −1, τ = 1, half of the batch positive: half of an anchor's rows are as near as can be, half as far, while
// the ideal loss's negatives are all far: log((e + e⁻¹)/2) + 1.
func ExampleLimitPartitionGap() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	gap, err := theory.LimitPartitionGap(world, 0.5, 0.5, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", gap)
	// Output:
	// 1.4338
}

// The same classes in a batch that is half labeled, π = ½: at 128 examples about 3.2/128 of the difference is missing.
func ExampleLimitPartitionRate() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	rate, err := theory.LimitPartitionRate(world, theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", rate)
	// Output:
	// -3.2348
}
