package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

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

// A value far from all others does not press these into one bin or onto one point, and the legend counts it.
func TestFarValues(t *testing.T) {
	var values []float64
	for i := range 200 {
		values = append(values, float64(i%20))
	}
	far := append(slices.Clone(values), 1e9)
	dots := Group{Name: Negative, X: slices.Repeat(values, 2), Y: slices.Repeat(values, 2)}
	dots.X[7], dots.Y[9] = -1e12, 1e12
	histograms := expect.Must(Distributions(DistributionsConfig{}, Sample{"some", values}, Sample{"far", far}))(t)
	scattered := expect.Must(Scatter(ScatterConfig{}, dots, Group{Name: Positive, X: []float64{3}, Y: []float64{60}}))(t)
	for count, p := range map[string]*plot.Plot{"(1": histograms, "(2": scattered} {
		svg := string(expect.Must(drawnSVG(p, 400, 300))(t))
		expect.That(t, strings.Contains(svg, count) && strings.Contains(svg, "outside)"),
			"the legend does not count %s outside", count)
		expect.That(t, p.X.Max < 100 && p.X.Min > -100 && p.Y.Max < 100,
			"axes from %g to %g and to %g", p.X.Min, p.X.Max, p.Y.Max)
	}
	low, high := innerLimits(values, []float64{1e9})
	expect.That(t, low == 0 && high == 1e9, "a series of one value is cut off at %g to %g", low, high)
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
		// The standard deviation of the count is √(6000/4) ≈ 39; the tolerance is five of them.
		expect.Near(t, float64(n), trials/2, 195, "how often %d was chosen", i)
	}
}

func TestGroupBy(t *testing.T) {
	rows := mat.NewDense(3, 3, []float64{1, 2, 9, 3, 4, 9, 5, 6, 9})
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

// A boundary ends at the edges of the data, be it upright, level, slanting or through a corner, and is not drawn if it
// misses them.
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

func TestDistributionsErrors(t *testing.T) {
	refuses(t, []wrong{
		{"no sample", second(Distributions(DistributionsConfig{})), ErrNoData, ""},
		{"no values", second(Distributions(DistributionsConfig{}, Sample{Name: "a"})), ErrNoData, ""},
		{"NaN", second(Distributions(DistributionsConfig{}, Sample{"a", []float64{1, math.NaN()}})), ErrNotFinite, ""},
		{"negative bins", second(Distributions(DistributionsConfig{Bins: -1}, Sample{"a", []float64{1}})),
			ErrRange, ""},
	})
	for _, values := range [][]float64{{3, 3}, {1e17, 1e17}, {0, math.SmallestNonzeroFloat64}, {1, math.Nextafter(1, 2)}} { // practically one value
		p := expect.Must(Distributions(DistributionsConfig{}, Sample{"a", values}))(t)
		expect.That(t, p.X.Min <= values[0] && values[0] <= p.X.Max && p.X.Min < p.X.Max, "%g", values)
	}
}

// TestHistogram counts by hand: 1, 1.5, 2 and 4.5 in six bins from 0 to 6, whose first and last are empty and not
// drawn.
func TestHistogram(t *testing.T) {
	outline, top, _ := histogram([]float64{1, 1.5, 2, 4.5}, 0, 6, 6)
	want := [][2]float64{{1, 0}, {1, 0.5}, {2, 0.5}, {2, 0.25}, {3, 0.25}, {3, 0}, {4, 0}, {4, 0.25}, {5, 0.25}, {5, 0}}
	expect.Require(t, len(outline) == len(want), "%v", outline)
	area := 0.0
	for i, q := range outline {
		expect.That(t, q.X == want[i][0] && q.Y == want[i][1], "corner %d is %v, want %v", i, q, want[i])
		if i > 0 {
			area += (q.X - outline[i-1].X) * q.Y
		}
	}
	edge, _, _ := histogram([]float64{0, 2}, 0, 2, 2)
	expect.That(t, edge[len(edge)-1].X == 2 && edge[3].Y == 0.5, "the last bin has its upper end in it: %v", edge)
	expect.That(t, area == 1 && top[0].X == 1.5 && top[0].Y == 0.5, "area %g, top %v", area, top)
}

func TestReliabilityErrors(t *testing.T) {
	bin := func(mean, positive, low, high float64) []ReliabilityBin {
		return []ReliabilityBin{{mean, positive, low, high}}
	}
	ok := bin(0.5, 0.5, 0.4, 0.6)
	draw := func(curves []ReliabilityCurve) error { return second(Reliability(Figure{}, curves...)) }
	refuses(t, []wrong{
		{"no curve", draw(nil), ErrNoData, "pass at least one curve"},
		{"no bins", draw([]ReliabilityCurve{{Name: "a"}}), ErrNoData, `reliability of "a" has no bins`},
		{"NaN", draw([]ReliabilityCurve{{Bins: bin(0.5, math.NaN(), 0, 1)}}), ErrNotFinite, "bin 0"},
		{"a logit", draw([]ReliabilityCurve{{Bins: bin(1.5, 0.5, 0, 1)}}), ErrRange, "give probabilities, from 0 to 1"},
		{"distances", draw([]ReliabilityCurve{{Bins: bin(0.5, 0.5, 0.1, 0.1)}}),
			ErrRange, "give the ends, not their distances"},
		{"backwards", draw([]ReliabilityCurve{{Bins: append(bin(0.6, 0.5, 0, 1), ok...)}}),
			ErrOrder, "from 0.6 to 0.5"},
		{"percent", draw([]ReliabilityCurve{{Bins: ok, Probabilities: []float64{1, 50}}}),
			ErrRange, "probability 1 is 50"},
		{"no probability", draw([]ReliabilityCurve{{Bins: ok, Probabilities: []float64{math.NaN()}}}),
			ErrRange, "probability 0 is NaN"},
	})
}

// TestReliabilityOneAxis checks that both parts have the probability at the same position, and that estimates above 1
// are drawn.
func TestReliabilityOneAxis(t *testing.T) {
	k := ReliabilityCurve{Name: "a name long enough to need some room", Bins: []ReliabilityBin{{0.2, 0.1, 0, 0.3}, {0.8, 1.1, 0.9, 1.4}}}
	for range 1000 {
		k.Probabilities = append(k.Probabilities, 0.2)
	}
	f := expect.Must(Reliability(Figure{Title: "A title"}, k))(t)
	w, h := f.Size()
	c := draw.New(&sheetOfPaper{w: w, h: h})
	parts := f.arrange(draw.Crop(c, margin, -margin, margin, -margin))
	expect.Require(t, len(parts) == 2, "%d parts, want 2", len(parts))
	top, below := parts[0].Drawer.(*plot.Plot), parts[1].Drawer.(*plot.Plot)
	a, b := top.DataCanvas(parts[0].canvas), below.DataCanvas(parts[1].canvas)
	expect.That(t, math.Abs(float64(a.Min.X-b.Min.X)) <= 1e-6 && math.Abs(float64(a.Max.X-b.Max.X)) <= 1e-6,
		"the data lie between %v and %v above, between %v and %v below", a.Min.X, a.Max.X, b.Min.X, b.Max.X)
	expect.That(t, a.Min.Y >= b.Max.Y && a.Max.Y-a.Min.Y >= 1.5*(b.Max.Y-b.Min.Y),
		"above %v, below %v", a.Rectangle, b.Rectangle)
	expect.That(t, top.Y.Max >= 1.4 && top.Y.Min == 0 && below.Y.Min == 0 && below.Y.Max >= 20,
		"shares up to %g, densities up to %g", top.Y.Max, below.Y.Max)
	k.Probabilities = nil
	f = expect.Must(Reliability(Figure{}, k))(t)
	if parts := f.arrange(c); len(parts) != 1 || parts[0].Drawer.(*plot.Plot).X.Label.Text != "predicted probability" {
		t.Errorf("without probabilities there are %d parts", len(parts))
	}
}
