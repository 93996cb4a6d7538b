package viz_test

import (
	"log"

	"github.com/puclab/puclab/viz"
)

// Two classifiers of one test set, where the labeled positives that were held out stand in a row of their own; the second one
// calls everything negative and is right for two thirds of the examples.
func ExampleConfusion() {
	draw := func(title string, labeled, hidden, negative []int) viz.Drawer {
		figure, err := viz.Confusion{
			Title: title, Columns: []string{viz.Positive, viz.Negative}, Rows: []viz.ConfusionRow{
				{Name: viz.LabeledPositive, Class: viz.Positive, Counts: labeled},
				{Name: viz.UnlabeledPositive, Class: viz.Positive, Counts: hidden},
				{Name: viz.Negative, Class: viz.Negative, Counts: negative},
				{Name: "new, not yet looked at", Counts: []int{labeled[0] / 2, labeled[1] * 3}},
			},
		}.Figure()
		if err != nil {
			log.Fatal(err)
		}
		return figure
	}
	figures, err := viz.Column(0, draw("PUPL", []int{184, 16}, []int{1650, 150}, []int{230, 3770}),
		draw("Unlabeled taken for negative", []int{0, 200}, []int{0, 1800}, []int{0, 4000}))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(figures, "testdata/confusion.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
