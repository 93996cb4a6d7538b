package claims_test

import (
	"fmt"
	"strings"

	"github.com/puclab/puclab/theory/claims"
)

// What the slides state, and which claims check it.
func ExampleStatements() {
	for _, s := range claims.Statements() {
		if s.Document == claims.SlidesDocument && len(s.Claims) > 0 {
			fmt.Printf("%s: %s (%s)\n", s.Place, s.Says, strings.Join(s.Claims, ", "))
		}
	}
	// Output:
	// idea: p⁺ = (p − τ⁻p⁻)/τ⁺ (lpos-identity, lpos-recovers)
	// N-pair: the classical loss ignores the bias of false negatives (sampling-bias)
	// L_Neg: the loss of Chuang et al. that corrects false negatives (dcl-decomposition, dcl-limit, dcl-limit-repaired)
	// DebiasedPos: L̃_Pos, which corrects the positives, is the loss with draws of p⁺ (lpos-identity)
	// lemma: as N grows, the N-pair loss tends to L̃_Pos (lpos-limit, lpos-limit-repaired)
	// theorem: L_Pos maximizes a lower bound of mutual information (lpos-mi, lpos-mi-repaired)
	// artificial experiment: whether L_Pos recovers the original distribution (lpos-recovers)
}
