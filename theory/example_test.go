package theory_test

import (
	"fmt"
	"log"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Two opposite points, two unlabeled examples, τ = 1, no augmentation. Half of the batches hold one class only: then all
// similarities are 1 and the loss is log 3. In the other half an anchor meets itself once more and the opposite point twice:
// log(1 + 2e⁻²), which is also the ideal loss, since there both others are true negatives.
func Example() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}),
		Negative: theory.Uniform([]float64{-1, 0}),
	}
	design := theory.Design{Unlabeled: 2, Prior: 0.5, SameView: theory.IdenticalViews}
	r, err := theory.Exact(eng, pucl.SSCL(), world, design, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean loss  %.4f = (log 3 + log(1 + 2e⁻²))/2\n", r.Loss.Mean.Value)
	fmt.Printf("ideal loss %.4f = log(1 + 2e⁻²)\n", r.Ideal.Loss.Value)
	fmt.Printf("bias       %.4f\n", r.Bias.Value)
	fmt.Printf("batches    %d\n", r.Batches)
	// Output:
	// mean loss  0.6691 = (log 3 + log(1 + 2e⁻²))/2
	// ideal loss 0.2395 = log(1 + 2e⁻²)
	// bias       0.4295
	// batches    3
}

// The same population with eight examples, of which four are labeled: too many batches for a reader, so they are drawn.
func ExampleMeter_MonteCarlo() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	meter, err := theory.NewMeter(eng, pucl.PUCL(), 1)
	if err != nil {
		log.Fatal(err)
	}
	defer meter.Close()
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}),
		Negative: theory.Uniform([]float64{-1, 0}),
	}
	design := theory.Design{Labeled: 4, Unlabeled: 4, Prior: 0.5}
	sampled, err := meter.MonteCarlo(world, design, theory.Draws{Batches: 2000, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	exact, err := meter.Exact(world, design)
	if err != nil {
		log.Fatal(err)
	}
	// In this world an anchor and what PUCL attracts it to are always of one class, so every similarity is 1.
	fmt.Printf("attraction %.4f\n", sampled.Attraction.Mean.Value)
	fmt.Println("the interval holds the exact loss:", sampled.Loss.Mean.Contains(exact.Loss.Mean.Value))
	// Output:
	// attraction 1.0000
	// the interval holds the exact loss: true
}

// Negatives at a right angle, τ = 1: log(e + N) − 1.
func ExampleIdealLoss() {
	world := theory.Population{
		Positive: theory.Uniform([]float64{1, 0}),
		Negative: theory.Uniform([]float64{0, 1}),
	}
	ideal, err := theory.IdealLoss(world, 0.5, 4, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", ideal.Loss.Value)
	// Output:
	// 0.9048
}
