package viz_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// A sum and its parts.
func ExampleBars() {
	p, err := viz.Bars(viz.BarsConfig{Figure: viz.Figure{Title: "The bias of the loss, and what it is made of", XLabel: "nats"}},
		viz.Bar{Name: "attraction", Value: -0.33},
		viz.Bar{Name: "log partition", Value: 0.91},
		viz.Bar{Name: "loss", Value: 1.24, Strong: true},
	)
	save(p, err, "testdata/bars.png", 6.5*viz.Inch, 2*viz.Inch)
}

// Accuracies of a probe on true labels and of two methods without them, five seeds each, and published values.
func ExampleGroupedBars() {
	p, err := viz.GroupedBars(viz.Figure{Title: "Encoders of three losses on FMNIST-I"}, []string{"true labels", "nnPU", "PUPL"},
		viz.BarGroup{Name: "PUCL", Bars: []viz.MeasuredBar{{Value: 93.4, HalfWidth: 0.2}, {Value: 91.7, HalfWidth: 0.3}, {Value: 44.7, HalfWidth: 1.6, Published: 91.8}}},
		viz.BarGroup{Name: "SCL-PU", Bars: []viz.MeasuredBar{{Value: 93, HalfWidth: 0.4}, {Value: 87.9, HalfWidth: 0.6}, {Value: 55.8, HalfWidth: 6.8}}},
		viz.BarGroup{Name: "ssCL", Bars: []viz.MeasuredBar{{Value: 91.8, HalfWidth: 0.3}, {Missing: true}, {Value: 47.7, HalfWidth: 9.3, Published: 91.4}}})
	save(p, err, "testdata/grouped_bars.png", 0, 3.4*viz.Inch)
}

// Sixty images, of which eighteen are positive and six labeled: as two samples, the unlabeled one being all images, and
// as one, of which the labeled images are a part.
func ExampleStackedBars() {
	p, err := viz.StackedBars(viz.Figure{Title: "Sixty images in two settings", XLabel: "images"},
		[]string{viz.LabeledPositive, viz.UnlabeledPositive, "unlabeled negative"},
		viz.StackedBar{Name: "case-control", Parts: []float64{6, 18, 42}},
		viz.StackedBar{Name: "single-dataset", Parts: []float64{6, 12, 42}})
	save(p, err, "testdata/stacked_bars.png", 0, 2.2*viz.Inch)
}

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
	save(p, err, "testdata/distributions.png", 0, 3.2*viz.Inch)
}

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
	save(p, err, "testdata/heatmap.png", 5*viz.Inch, 3.9*viz.Inch)
}

// Two classifiers of one test set, with a separate row for the held-out labeled positives. The second one predicts
// negative for everything and is correct for two thirds of the examples.
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
		check(err)
		return figure
	}
	figures, err := viz.Column(0, draw("PUPL", []int{184, 16}, []int{1650, 150}, []int{230, 3770}),
		draw("Unlabeled taken for negative", []int{0, 200}, []int{0, 1800}, []int{0, 4000}))
	save(figures, err, "testdata/confusion.png", 0, 0)
}

// A calibrated classifier, and an overconfident one whose logits are twice as large.
func ExampleReliability() {
	rng := rand.New(rand.NewPCG(21, 22))
	const n = 1500
	curve := func(name string, sureness float64) viz.ReliabilityCurve {
		probabilities, truth := make([]float64, n), make([]bool, n)
		for i := range n {
			logit := 1.2 * rng.NormFloat64()
			truth[i] = rng.Float64() < 1/(1+math.Exp(-logit))
			probabilities[i] = 1 / (1 + math.Exp(-sureness*logit))
		}
		bins, err := evaluate.MeasureReliability(probabilities, truth, 10)
		check(err)
		k := viz.ReliabilityCurve{Name: fmt.Sprintf("%s, error %.3f", name, bins.CalibrationError()), Probabilities: probabilities}
		for _, b := range bins {
			low, high, err := evaluate.Wilson(b.Positive, int(math.Round(n*b.Share)), 0.95)
			check(err)
			k.Bins = append(k.Bins, viz.ReliabilityBin{Mean: b.Mean, Positive: b.Positive, Low: low, High: high})
		}
		return k
	}
	f, err := viz.Reliability(viz.Figure{Title: "Which probabilities can be believed"}, curve("calibrated", 1), curve("too sure", 2))
	save(f, err, "testdata/reliability.png", 0, 0)
}

// ramps returns n gray images, 8 pixels high and width pixels wide, that get brighter to the right or, turned, to the
// left.
func ramps(n, width int, turned bool) []uint8 {
	var pixels []uint8
	for range n * 8 {
		for x := range width {
			if turned {
				x = width - 1 - x
			}
			pixels = append(pixels, uint8(255*x/(width-1)))
		}
	}
	return pixels
}

// Two tasks that distinguish a ramp from its mirror image, one with square images and one with wide ones, and one
// without images.
func ExampleImageTable_Figure() {
	f, err := viz.ImageTable{
		Title: "Ramps",
		Left:  "positive",
		Right: "negative",
		Rows: []viz.ImageRow{
			{Name: "square", Height: 8, Width: 8, Channels: 1, Left: ramps(3, 8, false), Right: ramps(5, 8, true)},
			{Name: "wide", Height: 8, Width: 16, Channels: 1, Left: ramps(3, 16, false), Right: ramps(4, 16, true)},
			{Name: "a task with a name of two lines", Note: "not drawn yet"},
		},
	}.Figure()
	save(f, err, "testdata/image_table.png", 0, 0)
}
