package theory_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Two labeled examples and an unlabeled one, views being independent draws: PUCL's gradient varies less than ssCL's, and in no
// direction more.
func ExampleMeter_GradientCovariance() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}, []float64{0, 1}),
		Negative: theory.Uniform([]float64{-1, 0}),
	}
	meters, err := theory.NewMeters(eng, 1, pucl.SSCL(), pucl.PUCL())
	if err != nil {
		log.Fatal(err)
	}
	var covariances [2]*mat.SymDense
	for i, m := range meters {
		defer m.Close()
		if covariances[i], err = m.GradientCovariance(world, theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.25}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("traces %.4f and %.4f\n", mat.Trace(covariances[0]), mat.Trace(covariances[1]))
	n := covariances[0].SymmetricDim()
	gap := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			gap.SetSym(i, k, covariances[0].At(i, k)-covariances[1].At(i, k))
		}
	}
	fmt.Println("positive semi-definite:", theory.LeastEigenvalue(gap) > -1e-12)
	// Output:
	// traces 0.1229 and 0.0489
	// positive semi-definite: true
}
