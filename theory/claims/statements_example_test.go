package claims_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// The statements of the slides, and the claims that check them.
func ExampleStatements() {
	for _, s := range claims.Statements() {
		if s.Document == claims.SlidesDocument && len(s.Claims) > 0 {
			fmt.Printf("%s: %s (%s)\n", s.Place, s.Says, strings.Join(s.Claims, ", "))
		}
	}
	// Output:
	// idea: p⁺ = (p − τ⁻p⁻)/τ⁺ (lpos-identity, lpos-recovers)
	// N-pair: the classical loss ignores the bias of false negatives (sampling-bias)
	// L_Neg: the loss of Chuang et al. that corrects false negatives (dcl-decomposition)
	// DebiasedPos: L̃_Pos, which corrects the positives, is the loss with draws of p⁺ (lpos-identity)
	// lemma: as N grows, the N-pair loss tends to L̃_Pos (lpos-limit, lpos-limit-repaired)
	// theorem: L_Pos maximizes a lower bound of mutual information (lpos-mi, lpos-mi-repaired)
	// artificial experiment: whether L_Pos recovers the original distribution (lpos-recovers)
}

// Positives are +1 or −1, each with probability ½, so that ζ₂ = Var(z·z') = 1. With one unlabeled example the gain in
// variance is 2m(m−1)/((2m−1)(m+1)²): it first grows with the labels, and then falls.
func ExampleTheorem2Gap() {
	pairs, _, err := claims.TwoSigns().PairVariance(1)
	if err != nil {
		log.Fatal(err)
	}
	for m := 1; m <= 5; m++ {
		d := theory.Design{Labeled: m, Unlabeled: 1, Prior: 0.5}
		fmt.Printf("m = %d: %.4f, printed %.4f\n", m, claims.Theorem2Gap(pairs, d), claims.Theorem2PrintedGap(pairs, d, m))
	}
	// Output:
	// m = 1: 0.0000, printed 0.0000
	// m = 2: 0.1481, printed 0.5000
	// m = 3: 0.1500, printed 0.6667
	// m = 4: 0.1371, printed 0.7500
	// m = 5: 0.1235, printed 0.8000
}
