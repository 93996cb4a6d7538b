package viz

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
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
		_, err := AlignmentUniformity(Figure{}, tt.path...)
		_, tableErr := PathsTable("", tt.path...)
		if !errors.Is(err, tt.want) || !errors.Is(tableErr, tt.want) || !strings.Contains(err.Error(), tt.mend) {
			t.Errorf("%s: %v and %v, want %v with %q", tt.name, err, tableErr, tt.want, tt.mend)
		}
	}
}

// The good corner is below and to the left of all readings, and its name is drawn there.
func TestGoodCorner(t *testing.T) {
	p, err := AlignmentUniformity(Figure{}, Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3}}, Path{"one", []float64{7}, []float64{0.5}, []float64{-1}})
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Min >= 0.2 || p.Y.Min >= -3 {
		t.Errorf("the data begin at %g, %g", p.X.Min, p.Y.Min)
	}
	paper := &sheetOfPaper{w: 400, h: 300}
	if err := drawOn(p, paper); err != nil {
		t.Fatal(err)
	}
	words := paper.words()
	at, ok := words["better"]
	if !ok || at.Min.X > 200 || at.Min.Y > 150 {
		t.Errorf("the corner is named at %v (%v)", at, ok)
	}
	for _, word := range []string{"PUCL, 20 steps", "one, 7 steps", "first reading", "last reading"} {
		if _, ok := words[word]; !ok {
			t.Errorf("the legend lacks %q in %v", word, words)
		}
	}
}

func TestPathsTable(t *testing.T) {
	table, err := PathsTable("Ends", Path{"PUCL", []float64{0, 10, 20}, []float64{1, 0.5, 0.2}, []float64{-1, -2, -3.25}}, Path{"one", []float64{7}, []float64{0.5}, []float64{-1}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := table.Text()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 3 || !strings.Contains(text, "0.200") || !strings.Contains(text, "−3.250") || strings.Contains(text, "0.500       −2") {
		t.Errorf("%v\n%s", table.Rows, text)
	}
}

// TestEllipsesOfAGaussian checks by the definition: every corner is one, or two, standard deviations from the mean in the distance that
// the inverse covariance measures, and the ellipses reach as far as the standard deviations say.
func TestEllipsesOfAGaussian(t *testing.T) {
	g := Gaussian{"g", [2]float64{3, -2}, [2][2]float64{{2, 0.7}, {0.7, 0.5}}}
	e, err := newEllipses(g, StyleFor("g")[0])
	if err != nil {
		t.Fatal(err)
	}
	s := g.Covariance
	det := s[0][0]*s[1][1] - s[0][1]*s[0][1]
	for k, line := range e.lines {
		for _, q := range line {
			x, y := q.X-3, q.Y+2
			far := math.Sqrt((s[1][1]*x*x - 2*s[0][1]*x*y + s[0][0]*y*y) / det)
			if !(math.Abs(far-float64(k+1)) < 1e-12) {
				t.Fatalf("a corner of ellipse %d lies %g away", k, far)
			}
		}
	}
	xmin, xmax, ymin, ymax := e.DataRange()
	for _, tt := range [][2]float64{{xmin, 3 - 2*math.Sqrt2}, {xmax, 3 + 2*math.Sqrt2}, {ymin, -2 - math.Sqrt2}, {ymax, -2 + math.Sqrt2}} {
		if !(math.Abs(tt[0]-tt[1]) < 1e-3) { // the corners miss the very ends
			t.Errorf("the range has an end at %g, want %g", tt[0], tt[1])
		}
	}
	flat, err := newEllipses(Gaussian{Covariance: [2][2]float64{{}, {0, 4}}}, Style{Color: Black})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ymin, ymax := flat.DataRange(); math.Abs(ymin+4) > 1e-12 || math.Abs(ymax-4) > 1e-12 {
		t.Errorf("a line of standard deviation 2 reaches from %g to %g", ymin, ymax)
	}
}

func TestGaussianErrors(t *testing.T) {
	points := Group{Name: "a", X: []float64{0}, Y: []float64{0}}
	for _, tt := range []struct {
		name       string
		covariance [2][2]float64
		want       error
		cause      string
	}{
		{"NaN", [2][2]float64{{math.NaN(), 0}, {0, 1}}, ErrNotFinite, `the Gaussian "a"`},
		{"not symmetric", [2][2]float64{{1, 0.5}, {0, 1}}, ErrRange, "0.5 and 0 differ"},
		{"a variance below 0", [2][2]float64{{1, 0}, {0, -1}}, ErrRange, "variances are 0 or more"},
		{"a correlation above 1", [2][2]float64{{1, 2}, {2, 1}}, ErrRange, "at most their geometric mean"},
		{"a covariance without a variance", [2][2]float64{{0, 2}, {2, 1}}, ErrRange, "at most their geometric mean"},
	} {
		_, err := Scatter(ScatterConfig{Gaussians: []Gaussian{{Name: "a", Covariance: tt.covariance}}}, points)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.cause) {
			t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.want, tt.cause)
		}
	}
}

// A Gaussian has the look of the group of its name, another one a look that no group has, and boundaries have yet another.
func TestLookOfAGaussian(t *testing.T) {
	groups := []Group{{Name: "a", X: []float64{0}, Y: []float64{0}}, {Name: Negative, X: []float64{1}, Y: []float64{1}}}
	config := BoundariesConfig{Shade: func(x, y float64) bool { return x > 0.5 }, ShadeName: "right", Margins: true}
	unit := [2][2]float64{{1, 0}, {0, 1}}
	config.Gaussians = []Gaussian{{Name: "a", Covariance: unit}, {Name: "b", Covariance: unit}}
	styles := StyleFor("a", Negative)
	over, err := config.ellipses(groups, styles)
	if err != nil {
		t.Fatal(err)
	}
	if over[0].style.Color != styles[0].Color || over[1].style.Color == styles[0].Color || over[1].style.Color == styles[1].Color {
		t.Errorf("the groups have %v, the Gaussians %v and %v", styles, over[0].style, over[1].style)
	}
	p, err := Boundaries(config, groups, Boundary{Name: "line", WeightX: 1})
	if err != nil {
		t.Fatal(err)
	}
	paper := &sheetOfPaper{w: 500, h: 300}
	if err := drawOn(p, paper); err != nil {
		t.Fatal(err)
	}
	words := paper.words()
	for _, word := range []string{"a, 1 and 2 σ", "b, 1 and 2 σ", "line", "its logits −1 and 1", "right"} {
		if _, ok := words[word]; !ok {
			t.Errorf("the legend lacks %q", word)
		}
	}
	var strokes plotter.XYs
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.Stroke); ok && s.Path[0].Type == vg.MoveComp {
			strokes = append(strokes, plotter.XY{X: float64(s.Path[0].Pos.X), Y: float64(s.Path[0].Pos.Y)})
		}
	}
	if _, _, low, high := plotter.XYRange(strokes); low < 0 || high > 300 {
		t.Errorf("lines reach from %g to %g on a page of 300 points", low, high)
	}
}
