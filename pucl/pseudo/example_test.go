package pseudo_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/pucl/pseudo"
)

// bothSides draws positives around −10 and 10 and negatives around 0: 40 labeled rows, then 60 positive and 140
// negative ones.
func bothSides() (x *mat.Dense, labeled []bool) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, labeled = mat.NewDense(240, 1, nil), make([]bool, 240)
	for i := range labeled {
		labeled[i] = i < 40
		if i < 100 {
			x.Set(i, 0, float64(20*(i%2)-10))
		}
		x.Set(i, 0, x.At(i, 0)+rng.NormFloat64())
	}
	return x, labeled
}

// Positives lie around −10 and 10 and negatives around 0, so that the classes are not two clusters. Of 200 unlabeled
// rows 60 are positive.
func ExampleLabel() {
	x, labeled := bothSides()
	l, err := pseudo.Label(x, labeled, pseudo.Config{Seed: 1})
	check(err)
	right := 0
	for i, positive := range l.Positive[40:] {
		if positive == (i < 60) {
			right++
		}
	}
	fmt.Printf("prior %.2f, %d of 200 right\n", l.Prior, right)

	c, err := cluster.PUPL(x, labeled, cluster.Config{Restarts: 5, Seed: 1})
	check(err)
	share, err := l.Disagreement(c.Positive, labeled)
	fmt.Println("two clusters are the classes:", share <= pseudo.MaxDisagreement, err)
	// Output:
	// prior 0.30, 200 of 200 right
	// two clusters are the classes: false <nil>
}

// Without landmark features no linear classifier separates positives around −10 and 10 from negatives around 0, and the
// risk shows it.
func ExampleChoose() {
	x, labeled := bothSides()
	c, err := pseudo.Choose(x, labeled, pseudo.Config{Landmarks: -1, Seed: 1}, pseudo.Config{Seed: 1})
	check(err)
	fmt.Printf("candidate %d, risks %.2f, prior %.2f\n", c.Best, c.Risks, c.Labels.Prior)
	// Output:
	// candidate 1, risks [0.70 0.00], prior 0.30
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
