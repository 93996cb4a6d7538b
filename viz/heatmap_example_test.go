package viz_test

import (
	"log"
	"math"

	"github.com/puclab/puclab/viz"
)

// The cosines of points on the circle: six labeled and six unlabeled positives near each other, twelve negatives across.
func ExampleHeatmap() {
	angles := []float64{0, 8, -9, 14, 3, -4, 20, -16, 6, 31, -12, 2, 150, 171, 185, 160, 204, 178, 190, 165, 181, 197, 174, 158}
	cosines := make([][]float64, len(angles))
	for i, a := range angles {
		for _, b := range angles {
			cosines[i] = append(cosines[i], math.Cos((a-b)*math.Pi/180))
		}
	}
	p, err := viz.Heatmap(viz.HeatmapConfig{
		Figure: viz.Figure{Title: "Who is like whom in a batch"}, Unit: "cosine",
		Groups: []viz.Span{{Name: "labeled", Rows: 6}, {Name: "hidden", Rows: 6}, {Name: "negative", Rows: 12}},
	}, cosines)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/heatmap.png", 5*viz.Inch, 3.9*viz.Inch); err != nil {
		log.Fatal(err)
	}
}
