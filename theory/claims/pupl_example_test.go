package claims_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Labeled points at −3 and 3 have their mean at 0, so one of the groups {−3} and {3, 4} stays without a center near it: the
// cost is 3² + 1, the best one ½.
func ExampleSeedingTrap_Outcome() {
	outcome, err := claims.LabelsApart(3).Outcome()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("after seeding  ", outcome.Seeded.Free.RatString())
	fmt.Println("after all rounds", outcome.Settled.Free.RatString())
	fmt.Println("best           ", outcome.Optimal.RatString())
	fmt.Println("ratio          ", outcome.Ratio())
	// Output:
	// after seeding   10
	// after all rounds 10
	// best            1/2
	// ratio           20
}

// Of the points 0, 0 and 3 one is labeled: it costs 9, 9 or 18, and the best center 6.
func ExampleMeasureCentroid() {
	cost, err := claims.MeasureCentroid(theory.RationalLine(0, 0, 3), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cost.Subsets.RatString(), cost.Best.RatString())
	// Output:
	// 12 6
}

// One label and two unlabeled points at a right angle: the pseudo code takes both for negative, Algorithm 1(B) never does.
func ExampleVariantAgreement() {
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1})
	probability, leaves, err := claims.VariantAgreement(x, []bool{true, false, false})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(probability, leaves)
	// Output:
	// 0 false
}

// γ = ½ and π = 0.9: fewer labels than Lemma 1 asks for, but the mean of uPU over all data sets is the risk.
func ExampleRiskWorld_Measure() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	world := claims.LemmaOneWorld(1, 2)
	measured, err := world.Measure(eng, func(prior float64) risk.Risk { return risk.UPU(prior, risk.SigmoidLoss) }, 0.9)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("risk %.4f, mean of the estimate %.4f, standard deviation %.4f\n",
		measured[0].Risk, measured[0].Mean, math.Sqrt(measured[0].Variance))
	// Output:
	// risk 0.2875, mean of the estimate 0.2875, standard deviation 0.5175
}
