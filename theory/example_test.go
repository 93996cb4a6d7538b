package theory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Two opposite points, two unlabeled examples, τ = 1, no augmentation. Half of the batches hold one class only: then
// all similarities are 1 and the loss is log 3. In the other half an anchor has one row at its own point and two at the
// opposite one: log(1 + 2e⁻²). This is also the ideal loss, since both other rows are true negatives.
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

// The same population with eight examples, of which four are labeled: too many batches to enumerate, so they are
// sampled.
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
	// In this population an anchor and the rows that PUCL attracts it to always have one class, so every similarity is
	// 1.
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

// A custom loss in five lines: labeled anchors are attracted half to their own view, as by ssCL, and half to all
// labeled rows, as by PUCL. Its values lie between those of the two. The search covers only a grid, which is quick.
func ExampleExamine() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	mine := pucl.Objective{
		Name:    "half way",
		Attract: pucl.ByLabel(pucl.Mix(0.5, pucl.OwnViews, pucl.LabeledMean), pucl.OwnViews),
		Repel:   pucl.LogPartition,
	}
	page, err := theory.Examine(eng, mine, theory.ExamineConfig{Search: &theory.Search{Atoms: 1, Random: -1, Climbs: -1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(page)
	// Output:
	// half way at τ = 0.5; positive 1/2 at (1, 0), 1/2 at (0, 1); negative 1 at (-1, 0); m = 2, u = 2, π = 0.5, ρ = 0
	//
	//                                   half way     ssCL     PUCL
	// mean loss                           1.7414   1.7414   1.7414
	// bias of the loss                    1.1494   1.1494   1.1494
	// bias of its attraction               -0.25    -0.25    -0.25
	// bias of its log partition           0.8994   0.8994   0.8994
	// variance of the loss               0.22043  0.28293   0.1996
	// bias of the gradient, its length   0.53569  0.53569  0.53569
	// variance of the gradient, in all   0.26786  0.39286   0.2262
	// worst bias of the loss found         1.525    1.525    1.525
	//
	// The loss of half way is 1.1494 off here, and its attraction is -0.25 off.
	// Over batches it varies less than ssCL, more than PUCL.
	// Its mean gradient is as far off as ssCL's and PUCL's.
	// Its gradient varies less than ssCL's, more than PUCL's.
	// Of 57 cases tried the worst is off by 1.525; a plain one near it: positive 1 at (1, 0); negative 1 at (-1, 0); m = 2, u = 2, π = 0.75, ρ = 0: 1.52496.
}

// Bias of a custom term and its worst case. This term attracts an anchor to all other rows of the batch, at τ = 1. In a
// batch of two examples, two of its three other rows belong to the other example, which has the other class in half of
// the batches. With the classes on opposite points the similarity is then −1 instead of 1: the bias is −⅔·½·2 = −⅔.
func ExampleSearch() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	mine := pucl.Objective{
		Name:    "all rows",
		Attract: func(b *pucl.Block) *graph.Node { return pucl.MeanSimilarity(b, b.Others) },
		Repel:   pucl.LogPartition,
	}
	meter, err := theory.NewMeter(eng, mine, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer meter.Close()

	search := theory.Search{Designs: theory.Design{Unlabeled: 2}.Vary(nil, nil, []float64{0.25, 0.5})}
	plan, err := search.Plan()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cases:", plan)
	found, err := search.Run(context.Background(), theory.AttractionBias(meter, nil))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Question + ": " + found.Answer)
	fmt.Println(found.Simple)
	// Output:
	// cases: 142 on the grid, 300 at random, 200 climbing, up to 53 simplifying
	// bias of the attraction of all rows, τ = 1: biased
	// positive 1 at (1, 0); negative 1 at (-1, 0); m = 0, u = 2, π = 0.5, ρ = 0: 0.666667
}

// A custom quantity without an engine: the largest mean distance between two classes of two equally likely points of a
// square. E[cos] between the classes is at least −½. It is attained by the two halves of the square: of the four pairs
// of points two are opposite and two at a right angle.
func ExampleQuestion() {
	apart := theory.Question{
		Name: "mean angle between the classes",
		Ask: func(p theory.Population, d theory.Design) (theory.Number, error) {
			_, _, between, err := p.Proximity(1)
			if len(p.Positive) < 2 || len(p.Negative) < 2 {
				between = 1 // not needed
			}
			return theory.Exactly(-between), err
		},
	}
	search := theory.Search{Parts: 2, Designs: []theory.Design{{Unlabeled: 2, Prior: 0.5}}, Random: -1, Climbs: -1}
	found, err := search.Run(context.Background(), apart)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Worst)
	// Output:
	// positive 1/2 at (1, 0), 1/2 at (0, 1); negative 1/2 at (-1, 0), 1/2 at (0, -1); m = 0, u = 2, π = 0.5, ρ = 0: 0.5
}

// Labeled 0; unlabeled 1 and 3, drawn with weights 1 and 9. Started at 1, the point 3 has squared distance 4; started
// at 3, the point 1 has 1: (1·4 + 9·1)/10. The best split is {0, 1} and {3}, with ½.
func ExampleEnumerateRationalSeeding() {
	s, err := theory.EnumerateRationalSeeding(theory.RationalLine(0), theory.RationalLine(1, 3))
	if err != nil {
		log.Fatal(err)
	}
	for _, start := range s.Starts {
		fmt.Printf("from row %d with probability %s: potential %s\n",
			start.Seed, start.Probability.RatString(), start.Rounds[0].Free.RatString())
	}
	seeded, _ := s.Expected()
	fmt.Println("expected", seeded.Free.RatString(), "best", s.Optimal.RatString())
	// Output:
	// from row 0 with probability 1/10: potential 4
	// from row 1 with probability 9/10: potential 1
	// expected 13/10 best 1/2
}

// The points 0, 0 and 3 have mean 1 and squared distances 1, 1 and 4 from it.
func ExampleRationalPoints_Spread() {
	fmt.Println(theory.RationalLine(0, 0, 3).Spread().RatString())
	// Output:
	// 6
}
