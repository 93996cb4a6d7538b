package viz_test

import (
	"log"

	"github.com/puclab/puclab/viz"
)

// Accuracies of a probe on true labels and of two ways without them, five seeds each, and what a paper has.
func ExampleGroupedBars() {
	p, err := viz.GroupedBars(viz.Figure{Title: "Encoders of three losses on FMNIST-I"}, []string{"true labels", "nnPU", "PUPL"},
		viz.BarGroup{Name: "PUCL", Bars: []viz.MeasuredBar{{Value: 93.4, HalfWidth: 0.2}, {Value: 91.7, HalfWidth: 0.3}, {Value: 44.7, HalfWidth: 1.6, Published: 91.8}}},
		viz.BarGroup{Name: "SCL-PU", Bars: []viz.MeasuredBar{{Value: 93, HalfWidth: 0.4}, {Value: 87.9, HalfWidth: 0.6}, {Value: 55.8, HalfWidth: 6.8}}},
		viz.BarGroup{Name: "ssCL", Bars: []viz.MeasuredBar{{Value: 91.8, HalfWidth: 0.3}, {Missing: true}, {Value: 47.7, HalfWidth: 9.3, Published: 91.4}}})
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/grouped_bars.png", 0, 3.4*viz.Inch); err != nil {
		log.Fatal(err)
	}
}
