package pipeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/pipeline"
	"github.com/puclab/puclab/pucl/pseudo"
	"github.com/puclab/puclab/pucl/train"
)

// sides are batches of points to the right and to the left, of which some right ones are labeled positives. The second view of
// a point is the point with other noise.
type sides struct{}

func (sides) Features() int { return 2 }

func (sides) Batch(step int) (views []float32, labeled []bool) {
	rng := rand.New(rand.NewPCG(1, uint64(step)))
	noise := func() float32 { return float32(0.1 * rng.NormFloat64()) }
	for i := range 64 { // two views of 32 points
		views = append(views, float32(1-2*(i%2))+noise(), noise())
	}
	for i := range 32 {
		labeled = append(labeled, i%8 == 0)
	}
	return views, labeled
}

// Eight points, four on the right of which two are labeled positive, and four on the left: Algorithm 1 finds who belongs
// together. New points are told apart by the side on which they lie.
func Example() {
	data := pipeline.Features{
		Batches: sides{},
		X:       mat.NewDense(8, 2, []float64{1, 0, 1.1, 0.1, 0.9, -0.1, 1, 0.1, -1, 0, -1.1, 0.1, -0.9, -0.1, -1, 0.1}),
		Labeled: []bool{true, true, false, false, false, false, false, false},
	}
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := pipeline.Run(context.Background(), eng, data, pipeline.Config{
		Pretrain: train.Config{Steps: 50, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("pseudo-labels", result.Labels)
	p, err := result.Classifier.ProbabilitiesOfFeatures(eng, mat.NewDense(2, 2, []float64{0.95, 0.05, -0.95, 0.05}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("right:", p[0] > 0.5, "left:", p[1] > 0.5)
	// Output:
	// pseudo-labels [true true true true false false false false]
	// right: true left: false
}

// Forty points, twenty on the right of which eight are labeled positive. Two encoders each see half of the labels, and vote.
func ExampleCrossFit() {
	rng := rand.New(rand.NewPCG(2, 2))
	data := pipeline.Features{X: mat.NewDense(40, 2, nil), Labeled: make([]bool, 40)}
	for i := range 40 {
		data.X.SetRow(i, []float64{float64(1-2*(i/20)) + 0.1*rng.NormFloat64(), 0.1 * rng.NormFloat64()})
		data.Labeled[i] = i < 8
	}
	data.HideLabels = func(hidden []bool) (train.FeatureBatches, error) {
		return sides{}, nil // of a data set: datasets.NewSourceBatches(images, split.HideLabels(hidden), …)
	}
	eng, err := engine.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := pipeline.CrossFit(context.Background(), eng, data, pipeline.CrossFitConfig{
		Folds: 2, Pretrain: train.Config{Steps: 50, Encoder: encoder.MLP{Hidden: []int{16}, Dim: 8}, Projection: 4},
		Labels: pseudo.Config{Landmarks: -1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := result.Classifier.ScoresOfFeatures(eng, mat.NewDense(2, 2, []float64{0.8, 0.2, -1.2, 0}))
	fmt.Println(err, scores[0] > 0, scores[1] > 0)
	// Output: <nil> true false
}
