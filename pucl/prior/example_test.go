package prior_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/prior"
)

// Three tenths of the unlabeled rows are positive.
func Example() {
	random := rand.New(rand.NewPCG(1, 1))
	x, labeled := mat.NewDense(1000, 2, nil), make([]bool, 1000)
	for i := range labeled {
		labeled[i] = i < 200
		x.Set(i, 0, random.NormFloat64())
		x.Set(i, 1, random.NormFloat64())
		if i >= 200+240 {
			x.Set(i, 0, x.At(i, 0)+4)
		}
	}
	fit, err := prior.Trees{}.OfRows(x, labeled)
	check(err)
	scores, err := prior.OutOfFold(labeled, prior.Folds{}, fit)
	check(err)
	estimate, err := prior.BBE(scores, labeled, prior.Config{})
	check(err)
	fmt.Printf("%.1f\n", estimate.Prior)
	fmt.Println(estimate.Low < 0.3 && 0.3 < estimate.High)
	// Output:
	// 0.3
	// true
}

// A quarter of the held-out unlabeled examples is positive; the estimator does not use this. The second of three epochs
// separates the classes best. Each epoch bounds the class prior from above, and the smallest bound is the prior of the
// PU risk that selects the epoch.
func ExampleBBEOfOrder() {
	random := rand.New(rand.NewPCG(1, 1))
	var measured []evaluate.PU
	least := 1.0
	for _, apart := range []float64{1.5, 4, 2.5} {
		logits, labeled := make([]float64, 1200), make([]bool, 1200)
		for i := range logits {
			labeled[i], logits[i] = i < 200, random.NormFloat64()-apart/2
			if i < 200+250 {
				logits[i] += apart
			}
		}
		s, err := evaluate.ScorePU(logits, labeled, 0, evaluate.ScoreConfig{})
		check(err)
		estimate, err := prior.BBEOfOrder(s.Below, s.Unlabeled, prior.Config{Resamples: -1})
		check(err)
		measured, least = append(measured, s), min(least, estimate.Prior)
		fmt.Printf("prior at most %.2f\n", estimate.Prior)
	}
	var epochs []evaluate.Epoch
	for i, s := range measured {
		s.Prior = least
		epochs = append(epochs, evaluate.Epoch{Epoch: i + 1, Proxy: evaluate.ByRisk(s)})
	}
	chosen, err := evaluate.Select(epochs)
	fmt.Println("epoch", chosen.WithoutNegatives.Epoch, err)
	// Output:
	// prior at most 0.36
	// prior at most 0.26
	// prior at most 0.27
	// epoch 2 <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
