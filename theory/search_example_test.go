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

// Is a term of one's own unbiased, and if not, where is it worst? This one attracts an anchor to all other rows of the batch,
// at τ = 1. Of its three other rows, in a batch of two examples, two belong to the other example, and that is of the other class
// in half of the batches. With the classes on opposite points the similarity is −1 there in place of 1: ⅔·½·2 = ⅔ too little.
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

// A question of one's own, without any engine: where do two classes lie farthest apart in the mean, among those of two equally
// likely points of a square? E[cos] between the classes is −½ at best: the two classes are then the two halves of the square,
// and of the four pairs of points two are opposite and two at a right angle.
func ExampleQuestion() {
	apart := theory.Question{
		Name: "mean angle between the classes",
		Ask: func(p theory.Population, d theory.Design) (theory.Number, error) {
			_, _, between, err := p.Proximity(1)
			if len(p.Positive) < 2 || len(p.Negative) < 2 {
				between = 1 // not asked for
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
