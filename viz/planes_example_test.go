package viz_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/reduce"
	"github.com/puclab/puclab/viz"
)

// Two clouds, the best boundary between them, hatched on its positive side, and a classifier that treats unlabeled
// points as negative.
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
	save(p, err, "testdata/boundaries.png", 0, 0)
}

// Accuracy over the fraction of labeled points, with intervals.
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
	save(p, err, "testdata/bands.png", 0, 0)
}

// Many curves with few X values: whiskers, one curve beside another.
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
	save(p, err, "testdata/whiskers.png", 0, 0)
}

// Positives and negatives that separate while an encoder trains. Each frame is rotated to minimize the motion.
func ExampleEmbeddings() {
	const frames, n, nPositive, nLabeled = 30, 900, 400, 60
	rng := rand.New(rand.NewPCG(31, 32))
	noise := make([]float64, 2*n)
	for i := range noise {
		noise[i] = rng.NormFloat64()
	}
	maps := make([]mat.Matrix, frames)
	for t := range maps {
		parted := 1 - math.Exp(-float64(t)/9)
		sin, cos := math.Sincos(float64(t)) // arbitrary axes of a PCA of each frame
		m := mat.NewDense(n, 2, nil)
		for i := range n {
			x, y := noise[2*i]*(1-0.6*parted), noise[2*i+1]*(1-0.4*parted)
			if i < nPositive {
				x += 1.5 * parted
			} else {
				x -= 1.2 * parted
			}
			m.SetRow(i, []float64{cos*x - sin*y, sin*x + cos*y})
		}
		maps[t] = m
	}
	aligned, err := reduce.AlignSequence(maps)
	check(err)
	var film []viz.EmbeddingFrame
	for t, m := range aligned {
		class := make([]int, n)
		for i := range n {
			if i >= nPositive {
				class[i] = 2
			} else if i >= nLabeled {
				class[i] = 1
			}
		}
		groups, err := viz.GroupBy(m, class, viz.LabeledPositive, viz.UnlabeledPositive, viz.Negative)
		check(err)
		film = append(film, viz.EmbeddingFrame{Step: 20 * t, Loss: 4.9 + 1.3*math.Exp(-float64(t)/6), Groups: groups})
	}
	a, err := viz.Embeddings(viz.EmbeddingsConfig{ScatterConfig: viz.ScatterConfig{
		Figure: viz.Figure{Title: "Positives part from negatives"}, EqualAspect: true}}, film...)
	save(a, err, "testdata/embeddings.png", 0, 0) // "….apng" moves
}

// Two classes drawn from normal distributions, of which the ellipses of one and of two standard deviations are shown.
func ExampleGaussian() {
	rng := rand.New(rand.NewPCG(11, 12))
	draw := func(g viz.Gaussian, n int) viz.Group {
		points := viz.Group{Name: g.Name}
		for range n {
			a, b := rng.NormFloat64(), rng.NormFloat64() // the covariance below is L·Lᵀ of L = (1, 0; 0.4, 0.6)
			points.X = append(points.X, g.Mean[0]+a)
			points.Y = append(points.Y, g.Mean[1]+0.4*a+0.6*b)
		}
		return points
	}
	covariance := [2][2]float64{{1, 0.4}, {0.4, 0.52}}
	positive := viz.Gaussian{Name: viz.Positive, Mean: [2]float64{2, 1.5}, Covariance: covariance}
	negative := viz.Gaussian{Name: viz.Negative, Mean: [2]float64{-1, 0}, Covariance: covariance}
	p, err := viz.Boundaries(viz.BoundariesConfig{
		ScatterConfig: viz.ScatterConfig{
			Figure:      viz.Figure{Title: "The best boundary of two Gaussians", XLabel: "x", YLabel: "y"},
			EqualAspect: true, Gaussians: []viz.Gaussian{positive, negative},
		},
		// Σ⁻¹(μ₊ − μ₋) is (8/3, 5/6), and equal priors put the boundary through the middle of the means.
		Shade:   func(x, y float64) bool { return 8./3*(x-0.5)+5./6*(y-0.75) > 0 },
		Margins: true, ShadeName: "Bayes' rule says positive",
	}, []viz.Group{draw(positive, 150), draw(negative, 150)},
		viz.Boundary{Name: "best boundary", WeightX: 8. / 3, WeightY: 5. / 6, Bias: -47. / 24})
	save(p, err, "testdata/gaussians.png", 0, 0)
}

// Three losses from one start: one trades alignment for uniformity, one keeps both, one collapses.
func ExampleAlignmentUniformity() {
	path := func(name string, alignment, uniformity, bow float64) viz.Path {
		k := viz.Path{Name: name}
		for step := 0.0; step <= 500; step += 50 {
			t := 1 - math.Exp(-step/150)
			k.Steps = append(k.Steps, step)
			k.Alignment = append(k.Alignment, 0.9+t*(alignment-0.9)+bow*t*(1-t))
			k.Uniformity = append(k.Uniformity, -1.2+t*(uniformity+1.2))
		}
		return k
	}
	p, err := viz.AlignmentUniformity(viz.Figure{Title: "What training trades"},
		path("ssCL", 0.42, -3.4, 0.3), path("PUCL", 0.2, -3.1, -0.2), path("SCL-PU", 0.12, -1.6, 0))
	save(p, err, "testdata/plane.png", 0, 0)
}

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
	save(p, err, "testdata/unit_circle.png", 0, 0)
}

// A run of 400 steps with a reading every 50.
func ExampleTrainingCurves() {
	rng := rand.New(rand.NewPCG(5, 6))
	run := viz.TrainingLog{Name: "PUCL", Chance: math.Log(511), FullRank: 128}
	for step := range 400 {
		t := float64(step)
		run.Losses = append(run.Losses, 4.95+1.28*math.Exp(-t/80)+0.1*rng.NormFloat64())
		run.Rates = append(run.Rates, 5e-4*(1+math.Cos(math.Pi*t/400))*min(1, (t+1)/20))
		run.GradientNorms = append(run.GradientNorms, 0.4+math.Exp(-t/60)+0.05*rng.Float64())
		run.ProjectionNorms = append(run.ProjectionNorms, 6+t/80+0.5*rng.Float64())
	}
	monitor := viz.Curve{Name: "proxy AUC"}
	for step := 50.0; step <= 400; step += 50 {
		run.ReadingSteps = append(run.ReadingSteps, step)
		run.Alignment = append(run.Alignment, 0.5+0.8*math.Exp(-step/100))
		run.Uniformity = append(run.Uniformity, -3.1+1.5*math.Exp(-step/120))
		run.Ranks = append(run.Ranks, 48-30*math.Exp(-step/150))
		monitor.X, monitor.Y = append(monitor.X, step), append(monitor.Y, 0.88-0.2*math.Exp(-step/90))
	}
	run.Neighbors = []viz.Curve{monitor}
	figure, err := viz.TrainingCurves(viz.TrainingConfig{Figure: viz.Figure{Title: "PUCL on FMNIST-I"}}, run)
	save(figure, err, "testdata/training_curves.png", 0, 0)
}
