package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/puclab/puclab/internal/expect"
)

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

// Points are drawn in their directions, and those of one direction outside of each other, across groups too.
func TestOnCircle(t *testing.T) {
	at, err := onCircle([]Group{{X: []float64{3, 0, -1}, Y: []float64{4, 2, 0}}, {X: []float64{6, 0.3}, Y: []float64{8, 0.4}}})
	expect.NoError(t, err)
	want := [][2]float64{{0.6, 0.8}, {0, 1}, {-1, 0}, {1.14 * 0.6, 1.14 * 0.8}, {1.28 * 0.6, 1.28 * 0.8}}
	for i, w := range want {
		expect.That(t, !(math.Hypot(at[i].X-w[0], at[i].Y-w[1]) > 1e-12), "point %d lies at %v, want %v", i, at[i], w)
	}
}

// The longest arrow is 0.6 radii long unless the scale is given, and an arrow of no length is none.
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
