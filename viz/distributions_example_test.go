package viz_test

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/viz"
)

// Similarities of a labeled positive to three kinds of images.
func ExampleDistributions() {
	rng := rand.New(rand.NewPCG(7, 7))
	draw := func(name string, n int, middle, spread float64) viz.Sample {
		s := viz.Sample{Name: name}
		for range n {
			s.Values = append(s.Values, math.Tanh(middle+spread*rng.NormFloat64()))
		}
		return s
	}
	p, err := viz.Distributions(viz.DistributionsConfig{Figure: viz.Figure{Title: "To a labeled positive", XLabel: "cosine"}},
		draw(viz.LabeledPositive, 300, 1.6, 0.4), draw(viz.UnlabeledPositive, 900, 1, 0.5), draw(viz.Negative, 2000, -0.3, 0.4))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/distributions.png", 0, 3.2*viz.Inch); err != nil {
		log.Fatal(err)
	}
}
