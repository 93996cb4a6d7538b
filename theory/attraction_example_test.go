package theory_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory"
)

// Classes at +1 and −1, τ = 1, one labeled and two unlabeled examples, π = ½. Own views always agree, so that ssCL and PUCL
// attract by 1. An unlabeled anchor of SCL-PU meets its own view and two rows of the other unlabeled example, which agree
// with it or not: (1 + 2·0)/3; a labeled one is a third of the anchors: (1 + 2·⅓)/3 = 5/9.
func ExampleMeanAttraction() {
	world := theory.Population{Positive: theory.Uniform([]float64{1}), Negative: theory.Uniform([]float64{-1})}
	design := theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.5}
	for _, g := range []theory.Grouping{{}, {Labeled: true}, {Labeled: true, Unlabeled: true}} {
		attraction, err := theory.MeanAttraction(world, design, 1, g)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%+v %.4f\n", g, attraction)
	}
	// Output:
	// {Labeled:false Unlabeled:false} 1.0000
	// {Labeled:true Unlabeled:false} 1.0000
	// {Labeled:true Unlabeled:true} 0.5556
}

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
