package viz

import (
	"math"
	"slices"
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

// The best corner is below and to the left of all readings, and its name is drawn there.
func TestGoodCorner(t *testing.T) {
	p := expect.Must(AlignmentUniformity(Figure{},
		Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3}},
		Path{"one", []float64{7}, []float64{0.5}, []float64{-1}}))(t)
	expect.That(t, p.X.Min < 0.2 && p.Y.Min < -3, "the data begin at %g, %g", p.X.Min, p.Y.Min)
	paper := drawnAt(t, p, 400, 300)
	paper.holds(t, "better", "PUCL, 20 steps", "one, 7 steps", "first reading", "last reading")
	at := paper.words()["better"]
	expect.That(t, at.Min.X <= 200 && at.Min.Y <= 150, "the corner is named at %v", at)
}

func TestPathsTable(t *testing.T) {
	table := expect.Must(PathsTable("Ends", Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3.25}},
		Path{"one", []float64{7}, []float64{0.5}, []float64{-1}}))(t)
	text := expect.Must(table.Text())(t)
	expect.That(t, len(table.Rows) == 3 && strings.Contains(text, "0.200") && strings.Contains(text, "−3.250") &&
		!strings.Contains(text, "−2"), "%v\n%s", table.Rows, text)
}

// TestEllipsesOfAGaussian: each corner is one, or two, standard deviations from the mean (Mahalanobis distance).
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
			"the range has an end at %g, want %g", tt[0], tt[1]) // no polygon corner lies exactly at the end
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

// A Gaussian has the style of the group of its name; another Gaussian has a style that no group has, and boundaries
// have yet another.
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
	expect.That(t, low >= 0 && high <= 300, "lines reach from %g to %g on a page of 300 points", low, high)
}

func TestUnitCircleErrors(t *testing.T) {
	one := Group{Name: "one", X: []float64{1, 0}, Y: []float64{0, 1}}
	draw := func(cfg UnitCircleConfig, groups []Group) error { return second(UnitCircle(cfg, groups...)) }
	refuses(t, []wrong{
		{"no groups", draw(UnitCircleConfig{}, nil), ErrNoData, ""},
		{"no points", draw(UnitCircleConfig{}, []Group{{Name: "empty"}}), ErrNoData, ""},
		{"mismatched", draw(UnitCircleConfig{}, []Group{{X: []float64{1}}}), ErrLength, ""},
		{"NaN", draw(UnitCircleConfig{}, []Group{{X: []float64{1}, Y: []float64{math.NaN()}}}), ErrNotFinite, ""},
		{"origin", draw(UnitCircleConfig{}, []Group{one, {X: []float64{0}, Y: []float64{0}}}), ErrRange, ""},
		{"link to nowhere", draw(UnitCircleConfig{Links: []Links{{Pairs: [][2]int{{0, 2}}}}}, []Group{one}),
			ErrRange, ""},
		{"link from nowhere", draw(UnitCircleConfig{Links: []Links{{Pairs: [][2]int{{-1, 0}}}}}, []Group{one}),
			ErrRange, ""},
		{"link to itself", draw(UnitCircleConfig{Links: []Links{{Pairs: [][2]int{{1, 1}}}}}, []Group{one}),
			ErrRange, ""},
		{"arrow from nowhere", draw(UnitCircleConfig{Arrows: []Arrows{{From: []int{2}, DX: []float64{1},
			DY: []float64{1}}}}, []Group{one}),
			ErrRange, ""},
		{"arrows too few", draw(UnitCircleConfig{Arrows: []Arrows{{From: []int{0, 1}, DX: []float64{1},
			DY: []float64{1}}}}, []Group{one}),
			ErrLength, ""},
		{"arrows half", draw(UnitCircleConfig{Arrows: []Arrows{{From: []int{0}, DX: []float64{1}}}}, []Group{one}),
			ErrLength, ""},
		{"negative scale", draw(UnitCircleConfig{ArrowScale: -1}, []Group{one}), ErrRange, ""},
		{"infinite arrow", draw(UnitCircleConfig{Arrows: []Arrows{{From: []int{0}, DX: []float64{1},
			DY: []float64{math.Inf(1)}}}}, []Group{one}),
			ErrNotFinite, ""},
	})
	expect.Must(UnitCircle(UnitCircleConfig{}, Group{Name: "empty"}, one))(t)
}

// Points are drawn at their directions, and points of one direction are stacked outward, across groups too.
func TestOnCircle(t *testing.T) {
	at, err := onCircle([]Group{{X: []float64{3, 0, -1}, Y: []float64{4, 2, 0}}, {X: []float64{6, 0.3}, Y: []float64{8, 0.4}}})
	expect.NoError(t, err)
	want := [][2]float64{{0.6, 0.8}, {0, 1}, {-1, 0}, {1.14 * 0.6, 1.14 * 0.8}, {1.28 * 0.6, 1.28 * 0.8}}
	for i, w := range want {
		expect.That(t, math.Hypot(at[i].X-w[0], at[i].Y-w[1]) <= 1e-12, "point %d lies at %v, want %v", i, at[i], w)
	}
}

// The longest arrow is 0.6 radii long unless the scale is given, and an arrow of length 0 is not drawn.
func TestArrowScale(t *testing.T) {
	arrows := []Arrows{{Name: "a", From: []int{0}, DX: []float64{3}, DY: []float64{4}}, {Name: "b", From: []int{0}, DX: []float64{0}, DY: []float64{0}}}
	for _, tt := range []struct {
		cfg  UnitCircleConfig
		want float64
	}{
		{UnitCircleConfig{Arrows: arrows}, 0.12},
		{UnitCircleConfig{Arrows: arrows, ArrowScale: 2}, 2},
		{UnitCircleConfig{Arrows: arrows[1:]}, 1},
	} {
		lines := expect.Must(tt.cfg.lines(plotter.XYs{{X: 1, Y: 0}}))(t)
		for k, l := range lines {
			want := plotter.XY{X: 1 + tt.want*tt.cfg.Arrows[k].DX[0], Y: tt.want * tt.cfg.Arrows[k].DY[0]}
			if got := l.to[0]; !(math.Hypot(got.X-want.X, got.Y-want.Y) <= 1e-12) {
				t.Errorf("the arrow %q ends at %v, want %v", l.name, got, want)
			}
		}
	}
	heads := func(a Arrows) int {
		p := expect.Must(UnitCircle(UnitCircleConfig{Arrows: []Arrows{a}}, Group{Name: Positive, X: []float64{1}, Y: []float64{0}}))(t)
		svg := expect.Must(drawnSVG(p, 400, 300))(t)
		return strings.Count(string(svg), "fill:#0072B2") // Blue, the first free color: the head in the legend and one an arrow
	}
	expect.Equal(t, heads(arrows[0]), 2, "arrow heads with the legend's")
	expect.Equal(t, heads(arrows[1]), 1, "arrow heads with the legend's, for an arrow of no length")
}

// The lines of Attractions are the links of UnitCircle by that name, with its errors.
func TestAttractions(t *testing.T) {
	group := Group{Name: Positive, X: []float64{1, 0}, Y: []float64{0, 1}}
	p := expect.Must(Attractions("two", [][2]int{{0, 1}}, group))(t)
	svg := expect.Must(encodeSVG(p, 400, 400, "", ""))(t)
	expect.Contains(t, string(svg), ">two</text>", ">attraction</text>", ">positive</text>")
	refuses(t,
		[]wrong{{"a point that is not there", second(Attractions("three", [][2]int{{0, 2}}, group)), ErrRange, ""}})
}

func TestPlanar(t *testing.T) {
	g := expect.Must(Planar("g", [][]float64{{1, 2}, {3, 4}}))(t)
	expect.That(t, g.Name == "g" && slices.Equal(g.X, []float64{1, 3}) && slices.Equal(g.Y, []float64{2, 4}), "%+v", g)
	vectors := [][]float64{{1, 2}, {3, -4}}
	a := expect.Must(ArrowsAt("a", 5, -0.5, vectors))(t)
	expect.That(t, a.Name == "a" && slices.Equal(a.From, []int{5, 6}) && slices.Equal(a.DX, []float64{-0.5, -1.5}) &&
		slices.Equal(a.DY, []float64{-1, 2}), "%+v", a)
	expect.That(t, vectors[0][0] == 1, "ArrowsAt changed the vectors that it was given")
	line := [][]float64{{1, 2}, {1}}
	refuses(t, []wrong{{"a group on a line", second(Planar("line", line)), ErrLength, "line"},
		{"arrows on a line", second(ArrowsAt("line", 0, 1, line)), ErrLength, "line"}})
}
