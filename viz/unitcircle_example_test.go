package viz_test

import (
	"log"

	"github.com/puclab/puclab/viz"
)

// Two positives that attract each other, two negatives in one place, and where a step of gradient descent takes the positives.
func ExampleUnitCircle() {
	p, err := viz.UnitCircle(viz.UnitCircleConfig{
		Figure: viz.Figure{Title: "Two positives attract each other"},
		Links:  []viz.Links{{Name: "attraction", Pairs: [][2]int{{0, 1}}}},
		Arrows: []viz.Arrows{{Name: "descent", From: []int{0, 1}, DX: []float64{-1, 1}, DY: []float64{2, -1}}},
	},
		viz.Group{Name: viz.Positive, X: []float64{2, 1}, Y: []float64{1, 1}},
		viz.Group{Name: viz.Negative, X: []float64{-1, -2}, Y: []float64{0, 0}},
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/unit_circle.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
