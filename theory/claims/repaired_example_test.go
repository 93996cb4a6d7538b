package claims_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Classes at ±1, as many labeled as unlabeled examples: the bias of SCL-PU's loss in large batches, and what is missing of it at b.
func ExampleTheorem1Limit() {
	limit, rate, err := claims.Theorem1Limit(claims.TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %+.4f/b\n", limit, rate)
	// Output:
	// 2.0559 -3.7348/b
}

// The points tell the classes, so the information is log 2: the bound of L_Pos gets there as the temperature falls.
func ExampleLPosBound() {
	for _, tau := range []float64{1, 0.5, 0.1} {
		bound, err := claims.LPosBound(claims.TwoPoints(), 0.5, tau, func(share float64) float64 { return (1 - share) / share })
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.6f ", bound)
	}
	fmt.Println()
	// Output:
	// 0.566219 0.674997 0.693147
}

// A claim that is proved here shows its proof line by line.
func ExampleClaim_proof() {
	fmt.Println(claims.Theorem2Inequality().Proof[3])
	// Output:
	// Together E[L_ssCL | S] = L_PUCL.
}
