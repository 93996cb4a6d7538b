package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/internal/expect"
)

func TestScatterErrors(t *testing.T) {
	draw := func(cfg ScatterConfig, groups []Group) error { return second(Scatter(cfg, groups...)) }
	refuses(t, []wrong{
		{"no groups", draw(ScatterConfig{}, nil), ErrNoData, ""},
		{"no points", draw(ScatterConfig{}, []Group{{Name: "a"}, {Name: "b"}}), ErrNoData, ""},
		{"mismatched", draw(ScatterConfig{}, []Group{{X: []float64{1}, Y: []float64{1, 2}}}), ErrLength, ""},
		{"NaN", draw(ScatterConfig{}, []Group{{X: []float64{1}, Y: []float64{math.NaN()}}}), ErrNotFinite, ""},
		{"negative limit", draw(ScatterConfig{MaxPerGroup: -1}, []Group{{X: []float64{1}, Y: []float64{1}}}),
			ErrRange, ""},
	})
	expect.Must(Scatter(ScatterConfig{}, Group{Name: "empty"}, Group{Name: "one", X: []float64{1}, Y: []float64{1}}))(t)
}

func TestScatterSubset(t *testing.T) {
	g := Group{Name: Negative}
	for i := range 1000 {
		g.X, g.Y = append(g.X, float64(i)), append(g.Y, 0)
	}
	svg := func(seed uint64) string {
		p := expect.Must(Scatter(ScatterConfig{MaxPerGroup: 50, Seed: seed}, g))(t)
		b := expect.Must(drawnSVG(p, 400, 300))(t)
		return string(b)
	}
	one := svg(1)
	expect.That(t, strings.Contains(one, "of 1,000)") && strings.Contains(one, "(50"),
		"the legend does not say that 50 of 1,000 points are drawn")
	expect.That(t, one == svg(1), "the same seed draws other points")
	expect.That(t, one != svg(2), "another seed draws the same points")
	blue := strings.Count(one, "#0072B2")
	expect.That(t, blue == 51, "%d blue marks, want 51", blue) // 50 marks and one in the legend
}

// TestSubsetUniform counts how often each number is chosen: 3 of 6, so half of the time.
func TestSubsetUniform(t *testing.T) {
	const trials = 6000
	count := make([]int, 6)
	for seed := range uint64(trials) {
		s := subset(6, 3, seed, 0)
		expect.Require(t, len(s) == 3 && slices.IsSorted(s) && s[0] != s[1] && s[1] != s[2], "subset %v", s)
		for _, i := range s {
			count[i]++
		}
	}
	for i, n := range count {
		// The standard deviation of the count is √(6000/4) ≈ 39: five of them.
		expect.Near(t, float64(n), trials/2, 195, "how often %d was chosen", i)
	}
}

func TestGroupBy(t *testing.T) {
	rows := mat.NewDense(3, 3, []float64{
		1, 2, 9,
		3, 4, 9,
		5, 6, 9,
	})
	got := expect.Must(GroupBy(rows, []int{1, 0, 1}, "a", "b", "c"))(t)
	want := []Group{{"a", []float64{3}, []float64{4}}, {"b", []float64{1, 5}, []float64{2, 6}}, {Name: "c"}}
	expect.Equal(t, got, want)
	refuses(t, []wrong{
		{"short labels", second(GroupBy(rows, []int{0}, "a")), ErrLength, ""},
		{"unnamed label", second(GroupBy(rows, []int{0, 1, 2}, "a", "b")), ErrRange, ""},
		{"negative label", second(GroupBy(rows, []int{0, -1, 0}, "a")), ErrRange, ""},
		{"one column", second(GroupBy(mat.NewDense(2, 1, nil), []int{0, 0}, "a")), ErrRange, ""},
	})
}

func TestByLabel(t *testing.T) {
	rows := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	got := expect.Must(ByLabel(rows, []bool{false, true, false}))(t)
	expect.Equal(t, got, []Group{{Positive, []float64{3}, []float64{4}}, {Negative, []float64{1, 5}, []float64{2, 6}}})
	refuses(t, []wrong{{"one label for three rows", second(ByLabel(rows, []bool{true})), ErrLength, ""}})
}

func TestBoundariesErrors(t *testing.T) {
	points := []Group{{X: []float64{0, 1}, Y: []float64{0, 1}}}
	draw := func(groups []Group, line Boundary) error { return second(Boundaries(BoundariesConfig{}, groups, line)) }
	refuses(t, []wrong{
		{"no points", draw(nil, Boundary{WeightX: 1}), ErrNoData, ""},
		{"nowhere", draw(points, Boundary{Name: "CE", Bias: 1}), ErrRange, ""},
		{"NaN", draw(points, Boundary{WeightX: 1, Bias: math.NaN()}), ErrNotFinite, ""},
	})
}

// A boundary goes from edge to edge of the data, be it upright, level, slanting or through a corner, and is nowhere where it misses them.
func TestEndsOfABoundary(t *testing.T) {
	p := New(Figure{})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 4, 0, 2
	for _, tt := range []struct {
		b    Boundary
		want [4]float64
		miss bool
	}{
		{Boundary{WeightX: 1, Bias: -1}, [4]float64{1, 0, 1, 2}, false},
		{Boundary{WeightY: -2, Bias: 2}, [4]float64{0, 1, 4, 1}, false},
		{Boundary{WeightX: 1, WeightY: -2}, [4]float64{0, 0, 4, 2}, false},
		{Boundary{WeightX: 1, WeightY: 1, Bias: -1}, [4]float64{0, 1, 1, 0}, false},
		{Boundary{WeightX: 1, WeightY: 1, Bias: -7}, [4]float64{}, true},
		{Boundary{WeightX: 1, Bias: 1}, [4]float64{}, true},
	} {
		ends := (&across{Boundary: tt.b}).ends(p)
		if tt.miss != (len(ends) == 0) {
			t.Errorf("%+v: %v", tt.b, ends)
			continue
		}
		expect.That(t, tt.miss || [4]float64{ends[0].X, ends[0].Y, ends[1].X, ends[1].Y} == tt.want,
			"%+v: %v, want %v", tt.b, ends, tt.want)
	}
}
