package papers

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"

	"github.com/puclab/puclab/datasets/gaussian"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// DrawPlane draws the points of one run of [Gaussians] over the ellipses of the two classes, with the decision
// boundaries of its classifiers. The region where Bayes' rule predicts positive is hatched. It returns an error if the
// run is not done.
func DrawPlane(cells *experiment.Cells, setting string, seed uint64, heads ...string) (*plot.Plot, error) {
	at := slices.IndexFunc(cells.Standings, func(s experiment.Standing) bool {
		return s.Run.Setting == setting && s.Run.Method == linearMethod && s.Run.Seed == seed && s.State == experiment.Done
	})
	if at < 0 {
		return nil, fmt.Errorf("papers: seed %d of %q is not done; `go run ./notebooks grid -size laptop %s` does it", seed, setting, inThePlane)
	}
	run := cells.Standings[at]
	c := run.Run.Config.(Plane)
	x, labeled, positive, _, _, err := c.Draw(seed)
	if err != nil {
		return nil, err
	}
	groups := []viz.Group{{Name: viz.LabeledPositive}, {Name: viz.UnlabeledPositive}, {Name: viz.Negative}}
	for i := range labeled {
		g := &groups[2]
		if labeled[i] {
			g = &groups[0]
		} else if positive[i] {
			g = &groups[1]
		}
		g.X, g.Y = append(g.X, x.At(i, 0)), append(g.Y, x.At(i, 1))
	}
	var lines []viz.Boundary
	for _, head := range heads {
		i := slices.IndexFunc(run.Result.Points, func(p experiment.Point) bool { return p.Head == head && p.Test != nil })
		if i < 0 {
			return nil, fmt.Errorf("papers: there is no classifier %q in the plane", head)
		}
		v := run.Result.Points[i].Values
		lines = append(lines, viz.Boundary{Name: head, WeightX: v["weight x"], WeightY: v["weight y"], Bias: v["bias"]})
	}
	return viz.Boundaries(viz.BoundariesConfig{
		ScatterConfig: viz.ScatterConfig{
			Figure: viz.Figure{Title: setting, XLabel: "x", YLabel: "y"}, MaxPerGroup: 300, Seed: seed, EqualAspect: true,
			Gaussians: []viz.Gaussian{ellipse(viz.Positive, c.Mixture.Positive), ellipse(viz.Negative, c.Mixture.Negative)},
		},
		Shade: func(x, y float64) bool {
			posterior, err := c.Mixture.Posterior(x, y, c.Prior)
			return err == nil && posterior > 0.5 // no error: the points of the figure are finite
		},
	}, groups, lines...)
}

// ellipse returns the drawn distribution of a class.
func ellipse(name string, n gaussian.Normal) viz.Gaussian {
	return viz.Gaussian{Name: name, Mean: n.Mean, Covariance: n.Covariance}
}

// CurvesOver returns a curve for each row: its accuracy in percent with the 95% interval over seeds, at each x in the
// setting setting(x). Cells of fewer than two done runs, which have no interval, are omitted.
func CurvesOver(cells *experiment.Cells, rows []Row, rule experiment.Rule, x []float64, setting func(x float64) string) []viz.Curve {
	var curves []viz.Curve
	for _, row := range rows {
		curve := viz.Curve{Name: row.Head}
		if curve.Name == "" {
			curve.Name = row.Method
		}
		for _, x := range x {
			addAccuracy(&curve, cells, x, row.in(setting(x)), rule)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// curveOf returns the accuracy (%) at the end of a run over x, with the 95% interval over seeds. Points with fewer than
// two seeds are omitted.
func curveOf(cells *experiment.Cells, name string, x []float64, of func(x float64) experiment.Series) viz.Curve {
	curve := viz.Curve{Name: name}
	for _, x := range x {
		addAccuracy(&curve, cells, x, of(x), experiment.Last)
	}
	return curve
}

// percent is the range of an accuracy.
var percent = [2]float64{0, 100}

// addAccuracy adds the accuracy of a series, in percent, at x to a curve, unless it has no interval.
func addAccuracy(curve *viz.Curve, cells *experiment.Cells, x float64, s experiment.Series, rule experiment.Rule) {
	curve.Within = percent
	addSummary(curve, x, cells.At(s.Setting, s.Method, s.Head, rule).Accuracy, 100)
}

// addSummary adds a mean times a factor at x to a curve, with its interval, unless it has none.
func addSummary(curve *viz.Curve, x float64, s evaluate.Summary, times float64) {
	if s.Seeds > 1 {
		low, high := s.Interval()
		curve.AddInterval(x, times*s.Mean, times*low, times*high)
	}
}
