package viz_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/cmpimg"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/viz"
)

// Two clusterings of the same points: one labeled positive point at the rim of its cluster, and k-means initialized
// from it. In the plane on the left, on a line on the right.
func ExampleClusters() {
	plane, err := viz.Clusters(viz.Figure{Title: "The plane"},
		[]viz.Center{{viz.Positive, []float64{0, 0}}, {viz.Negative, []float64{4, 1}}},
		viz.Dots{Name: viz.LabeledPositive, At: [][]float64{{0, 0}}, Center: 1},
		viz.Dots{Name: viz.Unlabeled, At: [][]float64{{1, 1}, {0, 2}, {4, 2}, {5, 0}, {5, 0}, {3, 1}}})
	check(err)
	crowd := [][]float64{{3}, {4}, {4}}
	for range 9 {
		crowd = append(crowd, []float64{1})
	}
	line, err := viz.Clusters(viz.Figure{Title: "A line", XLabel: "z"},
		[]viz.Center{{viz.Positive, []float64{0}}, {viz.Negative, []float64{3.7}}},
		viz.Dots{Name: viz.LabeledPositive, At: [][]float64{{0}, {0}}, Center: 1},
		viz.Dots{Name: viz.Unlabeled, At: crowd})
	check(err)
	row, err := viz.Panels(0, 0, plane, line)
	save(row, err, "testdata/clusters.png", 0, 0)
}

// svg draws a figure and returns it as the text of an SVG file with an element for each mark.
func svg(t *testing.T, f viz.Drawer) string {
	t.Helper()
	text := expect.Must(viz.DrawnSVG(f, 400, 250))(t)
	return string(text)
}

// The colors of the regions and spokes of the centers Positive and Negative, computed by hand: 0.13 and 0.6 of (0xC4,
// 0x87, 0x00) and (0x00, 0x72, 0xB2), the rest white.
const (
	positiveRegion, negativeRegion = "#F7EFDE", "#DEEDF5"
	positiveSpoke, negativeSpoke   = "#DCB766", "#66AAD1"
)

// TestClustersSpokes counts the spokes of each center: 1 is as near to 0 as to 2, and the tie goes to the first center.
func TestClustersSpokes(t *testing.T) {
	draw := func(hold int, first, second float64) *plot.Plot {
		p := expect.Must(viz.Clusters(viz.Figure{},
			[]viz.Center{{viz.Positive, []float64{first}}, {viz.Negative, []float64{second}}},
			viz.Dots{Name: viz.Unlabeled, At: [][]float64{{-1}, {1}, {3}, {4}, {5}}, Center: hold}))(t)
		return p
	}
	for _, tt := range []struct {
		name               string
		hold               int
		first, second      float64
		positive, negative int
	}{
		{"nearest", 0, 0, 2, 2, 3}, {"exchanged", 0, 2, 0, 4, 1}, {"held by the first", 1, 0, 2, 5, 0},
		{"held by the second", 2, 0, 2, 0, 5},
	} {
		text := svg(t, draw(tt.hold, tt.first, tt.second))
		expect.Equal(t, strings.Count(text, positiveSpoke), tt.positive, "%s: spokes to the positive center", tt.name)
		expect.Equal(t, strings.Count(text, negativeSpoke), tt.negative, "%s: spokes to the negative center", tt.name)
		expect.That(t, strings.Count(text, positiveRegion) == 1 && strings.Count(text, negativeRegion) == 1,
			"%s: not one region for each center", tt.name)
	}
}

// TestClustersCounts checks points that coincide: on a line up to five are stacked, and more are counted.
func TestClustersCounts(t *testing.T) {
	many := func(n int, at ...float64) [][]float64 {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = at
		}
		return rows
	}
	for _, tt := range []struct {
		name   string
		center []float64
		at     [][]float64
		spokes int
		text   string
	}{
		{"five on a line", []float64{0}, many(5, 2), 5, ""},
		{"six on a line", []float64{0}, many(6, 2), 1, "×6"},
		{"many on a line", []float64{0}, many(20000, 2), 1, "×20,000"},
		{"two in the plane", []float64{0, 0}, many(2, 1, 1), 1, "×2"},
	} {
		p, err := viz.Clusters(viz.Figure{}, []viz.Center{{viz.Positive, tt.center}}, viz.Dots{Name: viz.Unlabeled, At: tt.at})
		expect.NoError(t, err)
		text := svg(t, p)
		expect.Equal(t, strings.Count(text, positiveSpoke), tt.spokes, "%s: spokes", tt.name)
		if got := strings.Contains(text, "×"); got != (tt.text != "") || !strings.Contains(text, tt.text) {
			t.Errorf("%s: the figure should say %q", tt.name, tt.text)
		}
	}
}

func TestClustersErrors(t *testing.T) {
	one := []viz.Center{{viz.Positive, []float64{0, 0}}}
	dot := viz.Dots{Name: viz.Unlabeled, At: [][]float64{{1, 1}}}
	for _, tt := range []struct {
		name    string
		centers []viz.Center
		dots    viz.Dots
		want    error
	}{
		{"no center", nil, dot, viz.ErrNoData},
		{"no point", one, viz.Dots{}, viz.ErrNoData},
		{"space", []viz.Center{{viz.Positive, []float64{0, 0, 0}}}, dot, viz.ErrRange},
		{"a point on a line", one, viz.Dots{At: [][]float64{{1}}}, viz.ErrLength},
		{"a center on a line", append(one[:1:1], viz.Center{viz.Negative, []float64{1}}), dot, viz.ErrLength},
		{"NaN", one, viz.Dots{At: [][]float64{{1, math.NaN()}}}, viz.ErrNotFinite},
		{"infinite center", []viz.Center{{viz.Positive, []float64{0, math.Inf(1)}}}, dot, viz.ErrNotFinite},
		{"second of one center", one, viz.Dots{At: dot.At, Center: 2}, viz.ErrRange},
		{"center below none", one, viz.Dots{At: dot.At, Center: -1}, viz.ErrRange},
	} {
		expect.Is(t, expect.Err(viz.Clusters(viz.Figure{}, tt.centers, tt.dots)), tt.want, "%s", tt.name)
	}
}

// near is the tolerance of a pixel against the golden one, as a fraction of the distance from black to white. Other
// processors round edges differently, which may change a shade by one step of shrinkColors; a missing light grid line
// makes a distance of 0.1.
const near = 0.08

// TestGolden draws the figures of the examples and compares them with testdata/*_golden.png. Regenerate them with go
// test ./viz -run Golden -regen, and check them by eye.
func TestGolden(t *testing.T) {
	expect.Slow(t)
	for file, draw := range map[string]func(){
		"learning_curves.png": ExampleLearningCurves, "bands.png": ExampleCurve_AddInterval,
		"whiskers.png": ExampleCurvesConfig_whiskers, "boundaries.png": ExampleBoundaries,
		"training_curves.png": ExampleTrainingCurves, "scatter.png": ExampleScatter,
		"panels.png": ExamplePanels, "table.png": ExampleTable_Figure,
		"distributions.png": ExampleDistributions, "grouped_bars.png": ExampleGroupedBars,
		"heatmap.png": ExampleHeatmap, "plane.png": ExampleAlignmentUniformity,
		"gaussians.png": ExampleGaussian, "confusion.png": ExampleConfusion,
		"reliability.png": ExampleReliability, "embeddings.png": ExampleEmbeddings,
		"image_grid.png": ExampleImageGrid, "bars.png": ExampleBars, "clusters.png": ExampleClusters,
		"image_table.png": ExampleImageTable_Figure, "squares.png": ExampleSquareGrid,
		"stacked_bars.png": ExampleStackedBars, "unit_circle.png": ExampleUnitCircle,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			cmpimg.CheckPlotApprox(draw, t, near, file)
			if t.Failed() || *cmpimg.GenerateTestData {
				return // a wrong figure stays for inspection
			}
			expect.NoError(t, os.Remove("testdata/"+file))
		})
	}
}
