package claims_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory/claims"
)

func ExampleClaim_Check() {
	claim, err := claims.NoiseRate().Check(nil) // counting needs no engine
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claim.Source)
	fmt.Println(claim.Statement)
	fmt.Println(claim.Verdict)
	fmt.Println(claim.Corrected)
	// Output:
	// Contrastive Positive Unlabeled Learning, appendix A.3.2, equation (12)
	// With the unlabeled examples taken for negatives, labels are wrong at rates E(ξ_P) = π_P/(γ + π_P) and ξ_N = 0.
	// conditional
	// ξ_P = p(ỹ≠y | y=1) = π_P/(γ + π_P), ξ_N = 0, without the expectation
}
