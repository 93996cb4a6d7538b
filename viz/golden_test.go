package viz_test

import (
	"os"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/puclab/puclab/internal/expect"
)

// near is how far a pixel may lie from the golden one, as a share of the distance from black to white. Another
// processor rounds edges otherwise, which may change a shade by one step of shrinkColors; a light grid line that is
// gone makes a distance of 0.1.
const near = 0.08

// TestGolden draws the figures of the examples and compares them with testdata/*_golden.png. Regenerate those with
// go test ./viz -run Golden -regen, and look at them.
func TestGolden(t *testing.T) {
	expect.Slow(t)
	for _, g := range []struct {
		draw func()
		file string
	}{
		{ExampleLearningCurves, "learning_curves.png"},
		{ExampleCurve_AddInterval, "bands.png"},
		{ExampleCurvesConfig_whiskers, "whiskers.png"},
		{ExampleBoundaries, "boundaries.png"},
		{ExampleTrainingCurves, "training_curves.png"},
		{ExampleScatter, "scatter.png"},
		{ExamplePanels, "panels.png"},
		{ExampleTable_Figure, "table.png"},
		{ExampleDistributions, "distributions.png"},
		{ExampleGroupedBars, "grouped_bars.png"},
		{ExampleHeatmap, "heatmap.png"},
		{ExampleAlignmentUniformity, "plane.png"},
		{ExampleGaussian, "gaussians.png"},
		{ExampleConfusion, "confusion.png"},
		{ExampleReliability, "reliability.png"},
		{ExampleEmbeddings, "embeddings.png"},
		{ExampleImageGrid, "image_grid.png"},
		{ExampleBars, "bars.png"},
		{ExampleClusters, "clusters.png"},
		{ExampleImageTable_Figure, "image_table.png"},
		{ExampleSquareGrid, "squares.png"},
		{ExampleStackedBars, "stacked_bars.png"},
		{ExampleUnitCircle, "unit_circle.png"},
	} {
		t.Run(g.file, func(t *testing.T) {
			t.Parallel()
			cmpimg.CheckPlotApprox(g.draw, t, near, g.file)
			if t.Failed() || *cmpimg.GenerateTestData {
				return // a wrong figure stays for a look at it
			}
			expect.NoError(t, os.Remove("testdata/"+g.file))
		})
	}
}
