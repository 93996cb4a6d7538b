package viz_test

import (
	"log"

	"github.com/puclab/puclab/viz"
)

// Sixty images, of which eighteen are positive and six labeled: as two samples, the unlabeled one being all images, and
// as one, of which the labeled images are a part.
func ExampleStackedBars() {
	p, err := viz.StackedBars(viz.Figure{Title: "Sixty images in two settings", XLabel: "images"},
		[]string{viz.LabeledPositive, viz.UnlabeledPositive, "unlabeled negative"},
		viz.StackedBar{Name: "case-control", Parts: []float64{6, 18, 42}},
		viz.StackedBar{Name: "single-dataset", Parts: []float64{6, 12, 42}})
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/stacked_bars.png", 0, 2.2*viz.Inch); err != nil {
		log.Fatal(err)
	}
}
