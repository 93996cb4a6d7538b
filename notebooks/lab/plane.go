package lab

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"github.com/puclab/puclab/viz"
)

// Plane draws points of the plane, the rows of x [n, 2], by label, at most 250 per label, with equal scales on both
// axes. It ends the cell if [viz.ByLabel] returns an error.
func Plane(title string, x *mat.Dense, labels []bool) *plot.Plot {
	return Must(viz.Scatter(viz.ScatterConfig{Figure: viz.Figure{Title: title, XLabel: "x", YLabel: "y"}, EqualAspect: true, MaxPerGroup: 250},
		Must(viz.ByLabel(x, labels))...))
}
