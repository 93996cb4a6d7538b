package viz_test

import (
	"log"
	"math/rand/v2"

	"github.com/puclab/puclab/viz"
)

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
	if err != nil {
		log.Fatal(err)
	}
	if err := viz.Save(p, "testdata/gaussians.png", 0, 0); err != nil {
		log.Fatal(err)
	}
}
