package viz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestAlignmentUniformityErrors(t *testing.T) {
	ok := []float64{1, 2}
	for _, tt := range []struct {
		name string
		path []Path
		want error
		mend string // a part of the sentence
	}{
		{"no path", nil, ErrNoData, "pass at least one path"},
		{"no reading", []Path{{Name: "a"}}, ErrNoData, "monitored"},
		{"one step", []Path{{"a", ok[:1], ok, ok}}, ErrLength, "1 steps and 2 readings"},
		{"one uniformity", []Path{{"a", ok, ok, ok[:1]}}, ErrLength, `the path "a"`},
		{"NaN", []Path{{"a", ok, ok, []float64{0, math.NaN()}}}, ErrNotFinite, "entry 1 is NaN"},
		{"no step", []Path{{"a", []float64{0, math.Inf(1)}, ok, ok}}, ErrNotFinite, "the steps of"},
		{"backwards", []Path{{"a", []float64{2, 1}, ok, ok}}, ErrOrder, "from step 2 to 1"},
	} {
		refuses(t, []wrong{
			{tt.name, second(AlignmentUniformity(Figure{}, tt.path...)), tt.want, tt.mend},
			{tt.name + ", table", second(PathsTable("", tt.path...)), tt.want, tt.mend},
		})
	}
}

// The good corner is below and to the left of all readings, and its name is drawn there.
func TestGoodCorner(t *testing.T) {
	p := expect.Must(AlignmentUniformity(Figure{},
		Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3}},
		Path{"one", []float64{7}, []float64{0.5}, []float64{-1}}))(t)
	expect.That(t, !(p.X.Min >= 0.2) && !(p.Y.Min >= -3), "the data begin at %g, %g", p.X.Min, p.Y.Min)
	paper := drawnAt(t, p, 400, 300)
	paper.holds(t, "better", "PUCL, 20 steps", "one, 7 steps", "first reading", "last reading")
	at := paper.words()["better"]
	expect.That(t, !(at.Min.X > 200) && !(at.Min.Y > 150), "the corner is named at %v", at)
}

func TestPathsTable(t *testing.T) {
	table := expect.Must(PathsTable("Ends", Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3.25}},
		Path{"one", []float64{7}, []float64{0.5}, []float64{-1}}))(t)
	text := expect.Must(table.Text())(t)
	expect.That(t, len(table.Rows) == 3 && strings.Contains(text, "0.200") && strings.Contains(text, "−3.250") &&
		!strings.Contains(text, "−2"), "%v\n%s", table.Rows, text)
}

// TestEllipsesOfAGaussian checks by the definition: every corner is one, or two, standard deviations from the mean in the
// distance that the inverse covariance measures, and the ellipses reach as far as the standard deviations say.
func TestEllipsesOfAGaussian(t *testing.T) {
	g := Gaussian{"g", [2]float64{3, -2}, [2][2]float64{{2, 0.7}, {0.7, 0.5}}}
	e := expect.Must(newEllipses(g, StyleFor("g")[0]))(t)
	s := g.Covariance
	det := s[0][0]*s[1][1] - s[0][1]*s[0][1]
	for k, line := range e.lines {
		for _, q := range line {
			x, y := q.X-3, q.Y+2
			far := math.Sqrt((s[1][1]*x*x - 2*s[0][1]*x*y + s[0][0]*y*y) / det)
			expect.Require(t, math.Abs(far-float64(k+1)) < 1e-12, "a corner of ellipse %d lies %g away", k, far)
		}
	}
	xmin, xmax, ymin, ymax := e.DataRange()
	for _, tt := range [][2]float64{{xmin, 3 - 2*math.Sqrt2}, {xmax, 3 + 2*math.Sqrt2}, {ymin, -2 - math.Sqrt2}, {ymax, -2 + math.Sqrt2}} {
		expect.That(t, math.Abs(tt[0]-tt[1]) < 1e-3,
			"the range has an end at %g, want %g", tt[0], tt[1]) // the corners miss the very ends
	}
	flat := expect.Must(newEllipses(Gaussian{Covariance: [2][2]float64{{}, {0, 4}}}, Style{Color: Black}))(t)
	if _, _, ymin, ymax := flat.DataRange(); math.Abs(ymin+4) > 1e-12 || math.Abs(ymax-4) > 1e-12 {
		t.Errorf("a line of standard deviation 2 reaches from %g to %g", ymin, ymax)
	}
}

func TestGaussianErrors(t *testing.T) {
	points := Group{Name: "a", X: []float64{0}, Y: []float64{0}}
	draw := func(covariance [2][2]float64) error {
		return second(Scatter(ScatterConfig{Gaussians: []Gaussian{{Name: "a", Covariance: covariance}}}, points))
	}
	refuses(t, []wrong{
		{"NaN", draw([2][2]float64{{math.NaN(), 0}, {0, 1}}), ErrNotFinite, `the Gaussian "a"`},
		{"not symmetric", draw([2][2]float64{{1, 0.5}, {0, 1}}), ErrRange, "0.5 and 0 differ"},
		{"a variance below 0", draw([2][2]float64{{1, 0}, {0, -1}}), ErrRange, "variances are 0 or more"},
		{"a correlation above 1", draw([2][2]float64{{1, 2}, {2, 1}}), ErrRange, "at most their geometric mean"},
		{"a covariance without a variance", draw([2][2]float64{{0, 2}, {2, 1}}),
			ErrRange, "at most their geometric mean"},
	})
}

// A Gaussian has the look of the group of its name, another one a look that no group has, and boundaries have yet another.
func TestLookOfAGaussian(t *testing.T) {
	groups := []Group{{Name: "a", X: []float64{0}, Y: []float64{0}}, {Name: Negative, X: []float64{1}, Y: []float64{1}}}
	config := BoundariesConfig{Shade: func(x, y float64) bool { return x > 0.5 }, ShadeName: "right", Margins: true}
	unit := [2][2]float64{{1, 0}, {0, 1}}
	config.Gaussians = []Gaussian{{Name: "a", Covariance: unit}, {Name: "b", Covariance: unit}}
	styles := StyleFor("a", Negative)
	over := expect.Must(config.ellipses(groups, styles))(t)
	expect.That(t, over[0].style.Color == styles[0].Color && over[1].style.Color != styles[0].Color &&
		over[1].style.Color != styles[1].Color,
		"the groups have %v, the Gaussians %v and %v", styles, over[0].style, over[1].style)
	p := expect.Must(Boundaries(config, groups, Boundary{Name: "line", WeightX: 1}))(t)
	paper := drawnAt(t, p, 500, 300)
	paper.holds(t, "a, 1 and 2 σ", "b, 1 and 2 σ", "line", "its logits −1 and 1", "right")
	var strokes plotter.XYs
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.Stroke); ok && s.Path[0].Type == vg.MoveComp {
			strokes = append(strokes, plotter.XY{X: float64(s.Path[0].Pos.X), Y: float64(s.Path[0].Pos.Y)})
		}
	}
	_, _, low, high := plotter.XYRange(strokes)
	expect.That(t, !(low < 0) && !(high > 300), "lines reach from %g to %g on a page of 300 points", low, high)
}
