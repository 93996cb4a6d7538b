package viz_test

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/viz"
)

// Two clouds, the best boundary between them, hatched on its positive side, and a classifier that takes unlabeled points for negative.
func ExampleBoundaries() {
	rng := rand.New(rand.NewPCG(9, 9))
	p, err := viz.Boundaries(viz.BoundariesConfig{
		ScatterConfig: viz.ScatterConfig{
			Figure:      viz.Figure{Title: "Unlabeled is not negative", XLabel: "x", YLabel: "y"},
			EqualAspect: true,
		},
		Shade:   func(x, y float64) bool { return x+math.Sin(y) > 0.8 },
		Margins: true,
	},
		[]viz.Group{
			cloud(rng, viz.LabeledPositive, 20, 2, 1), cloud(rng, viz.UnlabeledPositive, 150, 2, 1), cloud(rng, viz.Negative, 150, -1, 0),
		},
		viz.Boundary{Name: "CE, all true labels", WeightX: 2, WeightY: 0.6, Bias: -1.3},
		viz.Boundary{Name: "CE, unlabeled = negative", WeightX: 0.6, WeightY: 0.5, Bias: -2.6},
		viz.Boundary{Name: "far away", WeightX: 1, Bias: 30})
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/boundaries.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}

// Accuracy over the share of labeled points, with intervals.
func ExampleCurve_AddInterval() {
	curve := func(name string, at func(x float64) float64) viz.Curve {
		k := viz.Curve{Name: name}
		for _, x := range []float64{0.002, 0.01, 0.05, 0.1, 0.5} {
			half := 1 / math.Sqrt(x) / 2
			k.AddInterval(x, at(x), at(x)-half, at(x)+half)
		}
		return k
	}
	p, err := viz.LearningCurves(viz.CurvesConfig{
		Figure: viz.Figure{Title: "More labels help", XLabel: "γ", YLabel: "accuracy (%)"}, LogX: true,
	}, curve("PUCL", func(x float64) float64 { return 95 + math.Log10(x) }), curve("nnPU", func(x float64) float64 { return 96 + 8*math.Log10(x) }))
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/bands.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}

// Many curves, few places: whiskers, one curve beside another.
func ExampleCurvesConfig_whiskers() {
	var curves []viz.Curve
	for i, name := range []string{"PUCL", "SCL-PU", "ssCL", "nnPU"} {
		k := viz.Curve{Name: name, Within: [2]float64{0, 100}}
		for j, rate := range []float64{0, 0.2, 0.4} {
			at, half := 91-float64(i)/2-float64(j), 1+float64((i+j)%3)
			k.AddInterval(rate, at, at-half, at+half)
		}
		curves = append(curves, k)
	}
	p, err := viz.LearningCurves(viz.CurvesConfig{
		Figure: viz.Figure{Title: "Nothing is decided", XLabel: "share of false positives", YLabel: "accuracy (%)"}, Whiskers: true,
	}, curves...)
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/whiskers.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
