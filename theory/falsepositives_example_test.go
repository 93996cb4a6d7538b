package theory_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/theory"
)

// Positives lie mostly at the first of two places, negatives at both, and four in ten of what comes as a positive are negatives. N-pair
// scores show what is observed, L_Pos over pairs less of p⁺ than that, and L_Pos over all rows p⁺ itself.
func ExampleFalsePositives_Recovered() {
	w := theory.FalsePositives{Positive: []float64{0.9, 0.1}, Negative: []float64{0.5, 0.5}, Rate: 0.4}
	fmt.Printf("observed %.3f\n", w.Observed())
	for _, mass := range []theory.PositiveMass{theory.AsObserved, theory.Subtracted, theory.Mixed} {
		q, err := w.Recovered(mass, 1e6)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("recovered %.3f\n", q)
	}
	fmt.Printf("corrected afterwards %.3f\n", w.Without(w.Observed()))
	// Output:
	// observed [0.740 0.260]
	// recovered [0.740 0.260]
	// recovered [0.644 0.356]
	// recovered [0.900 0.100]
	// corrected afterwards [0.900 0.100]
}
