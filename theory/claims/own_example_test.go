package claims_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// A claim of one's own: that a batch whose rows all show one point has the loss log(2b−1), which a collapsed encoder is known by.
func ExampleNew() {
	collapsed := claims.New(claims.Claim{
		ID:          "collapse",
		Statement:   "ssCL of a batch of two examples that show one point is log 3.",
		Assumptions: []string{"two views an example"},
	}, func(eng *engine.Engine) (claims.Finding, error) {
		point := theory.Uniform([]float64{1, 0})
		world, design := theory.Population{Positive: point, Negative: point}, theory.Design{Unlabeled: 2, Prior: 0.5}
		r, err := theory.Exact(eng, pucl.SSCL(), world, design, 0.5)
		f := claims.Finding{Verdict: claims.Holds, Number: r.Loss.Mean, Sentence: fmt.Sprintf("The loss is %.4f.", r.Loss.Mean.Value)}
		if r.Loss.Mean.String() != "1.09861" {
			f.Verdict = claims.Fails
		}
		return f, err
	})

	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	checked, err := collapsed.Check(eng)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(checked)
	// Output:
	// collapse: holds. The loss is 1.0986.
}
