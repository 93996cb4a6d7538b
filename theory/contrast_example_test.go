package theory_test

import (
	"fmt"
	"log"
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Two views that are the same one of two values. A perfect critic still takes a negative that equals the positive, half of
// all, for as good: the loss is ½ log 2, and log 2 − ½ log 2 stays below the information, log 2.
func ExampleCriticLoss() {
	views := theory.Joint{{0.5, 0}, {0, 0.5}}
	loss, err := theory.CriticLoss(views, views.LogRatio(), 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("information %.4f\n", views.MutualInformation())
	fmt.Printf("bound       %.4f\n", math.Ln2-loss)
	// Output:
	// information 0.6931
	// bound       0.3466
}

// How many of three coins show heads.
func ExampleExpectCounts() {
	heads, err := theory.ExpectCounts([]float64{0.5, 0.5}, 3, func(counts []int) float64 { return float64(counts[0]) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(heads)
	// Output:
	// 1.5
}

// What a positive at +1 meets: its own class at +1 and −1, negatives at +1. With e^(1/τ) = 2 the means of e^s are rational.
func ExampleAnchors() {
	world := theory.Population{
		Positive: theory.Uniform([]float64{1}, []float64{-1}),
		Negative: theory.Uniform([]float64{1}),
	}
	anchors, err := theory.Anchors(world, 0.5, 1/math.Ln2)
	if err != nil {
		log.Fatal(err)
	}
	a := anchors[0]
	fmt.Printf("own %.3f, other %.3f, all %.3f\n", theory.MeanExp(a.Own), theory.MeanExp(a.Other), theory.MeanExp(a.All()))
	// Output:
	// own 1.250, other 2.000, all 1.625
}

// Two examples, each its own view, at right angles: every row meets itself once, at s = 1, and the other example twice.
func ExampleAnchorLosses() {
	eng, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	batch := [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}
	losses, err := theory.AnchorLosses(eng, pucl.SSCL(), [][][]float64{batch}, make([]bool, 2), nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f = log(1 + 2/e)\n", losses[0][0])
	// Output:
	// 0.5514 = log(1 + 2/e)
}
