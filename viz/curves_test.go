package viz

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestLearningCurvesErrors(t *testing.T) {
	good := curve("PUCL", 3, 2, 1)
	within := func(low, high float64) []Curve {
		k := curve("PUCL", 3, 2, 1)
		k.Within = [2]float64{low, high}
		return []Curve{k}
	}
	draw := func(cfg CurvesConfig, curves []Curve) error { return second(LearningCurves(cfg, curves...)) }
	refuses(t, []wrong{
		{"none", draw(CurvesConfig{}, nil), ErrNoData, ""},
		{"empty", draw(CurvesConfig{}, []Curve{good, {Name: "ssCL"}}), ErrNoData, ""},
		{"mismatched", draw(CurvesConfig{}, []Curve{{X: []float64{0, 1}, Y: []float64{1}}}), ErrLength, ""},
		{"NaN", draw(CurvesConfig{}, []Curve{curve("ssCL", 1, math.NaN())}), ErrNotFinite, ""},
		{"infinite x", draw(CurvesConfig{}, []Curve{{X: []float64{0, math.Inf(1)}, Y: []float64{1, 1}}}),
			ErrNotFinite, ""},
		{"too large", draw(CurvesConfig{}, []Curve{curve("ssCL", 1e200)}), ErrRange, ""},
		{"backwards", draw(CurvesConfig{}, []Curve{{X: []float64{1, 0}, Y: []float64{1, 1}}}), ErrOrder, ""},
		{"reference", draw(CurvesConfig{References: []Reference{{Name: "log(−1)", Y: math.Log(-1)}}}, []Curve{good}),
			ErrNotFinite, ""},
		{"smoothing", draw(CurvesConfig{Smooth: -1}, []Curve{good}), ErrRange, ""},
		{"half a band", draw(CurvesConfig{}, []Curve{{X: []float64{0, 1}, Y: []float64{1, 1}, Low: []float64{0, 0}}}),
			ErrLength, ""},
		{"a band of NaN", draw(CurvesConfig{},
			[]Curve{{X: []float64{0}, Y: []float64{1}, Low: []float64{0}, High: []float64{math.NaN()}}}),
			ErrNotFinite, ""},
		{"no range", draw(CurvesConfig{}, within(100, 0)), ErrRange, ""},
		{"above what can be", draw(CurvesConfig{}, within(0, 2)), ErrRange, ""},
		{"a reference above what can be",
			draw(CurvesConfig{References: []Reference{{Name: "chance", Y: 5}}}, within(0, 4)), ErrRange, ""},
		{"a logarithm of 0", draw(CurvesConfig{LogX: true}, []Curve{{X: []float64{0, 1}, Y: []float64{1, 1}}}),
			ErrRange, ""},
	})
	expect.Must(LearningCurves(CurvesConfig{}, Curve{X: []float64{0, 1, 1}, Y: []float64{3, 2, 2.5}}))(t) // as after a restart
}

// TestWithin checks that the limits of Y clip intervals and the axis, and that the passed curve is not changed.
func TestWithin(t *testing.T) {
	k := Curve{Name: "PUPL", X: []float64{0, 1}, Y: []float64{68, 90}, Low: []float64{-5, 89}, High: []float64{136, 91},
		Within: [2]float64{0, 100}}
	p := expect.Must(LearningCurves(CurvesConfig{}, k))(t)
	expect.That(t, p.Y.Min == 0 && p.Y.Max == 100, "the axis goes from %g to %g, want 0 to 100", p.Y.Min, p.Y.Max)
	if c := k.cut(); c.Low[0] != 0 || c.High[0] != 100 || c.Low[1] != 89 || c.High[1] != 91 {
		t.Errorf("the band is drawn from %g to %g", c.Low, c.High)
	}
	ending := k
	ending.Low, ending.High = []float64{0, 89}, []float64{100, 91}
	q := expect.Must(LearningCurves(CurvesConfig{}, ending))(t)
	beyond, beyondErr := encodeSVG(p, 300, 200, "", "")
	there, thereErr := encodeSVG(q, 300, 200, "", "")
	if err := errors.Join(beyondErr, thereErr); err != nil || !slices.Equal(beyond, there) {
		t.Errorf("%v; a band that goes on is not drawn like one that ends there", err)
	}
	expect.That(t, k.Low[0] == -5 && k.High[0] == 136,
		"the interval that was passed became %g to %g", k.Low[0], k.High[0])
	middle := curve("PUPL", 40, 60)
	middle.Within = k.Within
	inside := expect.Must(LearningCurves(CurvesConfig{}, middle))(t)
	expect.That(t, inside.Y.Min >= 35 && inside.Y.Max <= 65,
		"the axis of a curve within goes from %g to %g, want about 40 to 60", inside.Y.Min, inside.Y.Max)
	beside := expect.Must(LearningCurves(CurvesConfig{}, k, curve("loss", 1, 120)))(t) // which can be anything
	expect.That(t, beside.Y.Max >= 120, "the axis ends at %g, below a curve that may go on", beside.Y.Max)
}

// TestLearningCurvesCopies checks that a plot does not change when the slices of its curves do.
func TestLearningCurvesCopies(t *testing.T) {
	for _, smooth := range []int{0, 3} {
		c := curve("PUCL", 3, 2, 1)
		p := expect.Must(LearningCurves(CurvesConfig{Smooth: smooth}, c))(t)
		before := expect.Must(encodeSVG(p, 300, 200, "", ""))(t)
		c.X[1], c.Y[1] = 1.5, 2.9
		after := expect.Must(encodeSVG(p, 300, 200, "", ""))(t)
		expect.That(t, slices.Equal(before, after), "smooth %d: the plot changed with the slices", smooth)
		expect.That(t, p.X.Label.Text != "" && p.Y.Label.Text != "", "an axis has no label")
	}
}

func TestReferenceInRange(t *testing.T) {
	p, err := LearningCurves(CurvesConfig{References: []Reference{{"high", 9}, {"low", -9}}}, curve("PUCL", 3, 2))
	expect.NoError(t, err)
	expect.That(t, p.Y.Min <= -9 && p.Y.Max >= 9 && p.X.Min == 0 && p.X.Max == 1,
		"ranges [%g, %g] and [%g, %g]", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
}

func TestRunningMean(t *testing.T) {
	y := []float64{4, 8, 6, -1, 2, 10}
	for n := 1; n <= 9; n++ {
		got := runningMean(y, n)
		for i := range y {
			// Every entry at most n/2 before and at most (n−1)/2 after i.
			sum, count := 0.0, 0.0
			for j := range y {
				if d := j - i; d >= -(n/2) && d <= (n-1)/2 {
					sum += y[j]
					count++
				}
			}
			expect.Near(t, got[i], sum/count, 1e-12, "n = %d: mean %d", n, i)
		}
	}
	expect.Equal(t, runningMean([]float64{1, 2, 6}, 3), []float64{1.5, 3, 4}, "means of 1, 2, 6 by three")
}

func TestMarkPlaces(t *testing.T) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i * i) // dense at the start
	}
	at := markPlaces(x, 7, 0.5)
	expect.Require(t, len(at) == 7, "%d marks, want 7", len(at))
	for i, j := range at {
		want := (float64(i) + 0.5) / 7 * x[999]
		expect.That(t, x[j] >= want && (j <= 0 || x[j-1] < want),
			"mark %d at x = %g, want the first from %g on", i, x[j], want)
	}
	expect.Equal(t, markPlaces(x[:3], 7, 0.5), []int{0, 1, 2}, "marks of three values")
	got := markPlaces(make([]float64, 100), 7, 0.5)
	expect.That(t, len(got) != 0 && len(got) <= 7, "marks of one place: %v", got) // all at one x
}

func TestCurvesFromValues(t *testing.T) {
	square := func(x float64) float64 { return x * x }
	added := Curve{Name: "added"}
	added.Add(1, 3)
	added.Add(2, 5)
	expect.Equal(t, Steps("PUCL", []float64{6, 5, 4}),
		Curve{Name: "PUCL", X: []float64{1, 2, 3}, Y: []float64{6, 5, 4}})
	expect.Equal(t, len(Steps("none", nil).X), 0)
	expect.Equal(t, CurveOf("square", []float64{-1, 0, 3}, square),
		Curve{Name: "square", X: []float64{-1, 0, 3}, Y: []float64{1, 0, 9}})
	expect.Equal(t, added, Curve{Name: "added", X: []float64{1, 2}, Y: []float64{3, 5}})
}

// The range of a figure holds its bands, and a logarithmic axis has round values.
func TestBandsOnALogarithmicAxis(t *testing.T) {
	var k Curve
	for _, x := range []float64{0.002, 0.01, 0.05, 0.5} {
		k.AddInterval(x, 0.8, 0.8-x, 0.9)
	}
	p := expect.Must(LearningCurves(CurvesConfig{LogX: true}, k))(t)
	expect.That(t, p.Y.Min <= 0.3 && p.Y.Max >= 0.9 && p.X.Min == 0.002,
		"y from %g to %g, x from %g", p.Y.Min, p.Y.Max, p.X.Min)
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{{0.002, 0.5, []string{"0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"}}, {50, 20_000, []string{"100", "1,000", "10,000"}},
		{60, 90, []string{"60", "65", "70", "75", "80", "85", "90"}}} {
		var got []string
		for _, tick := range p.X.Tick.Marker.Ticks(tt.lo, tt.hi) {
			got = append(got, tick.Label)
		}
		expect.That(t, slices.Equal(got, tt.want), "from %g to %g: %q, want %q", tt.lo, tt.hi, got, tt.want)
	}
}

// A logarithmic axis with a single value has room on both sides of it, all of it above 0.
func TestOnePlaceOnALogarithmicAxis(t *testing.T) {
	for _, x := range []float64{0.5, 1, 60} {
		p := expect.Must(LearningCurves(CurvesConfig{LogX: true}, Curve{X: []float64{x}, Y: []float64{3}}))(t)
		expect.That(t, p.X.Min == x/2 && p.X.Max == 2*x, "at %g: from %g to %g", x, p.X.Min, p.X.Max)
	}
}

// TestWhiskersStandAside reads from the drawing the positions and ends of the intervals of three curves at one place.
func TestWhiskersStandAside(t *testing.T) {
	var curves []Curve
	for _, name := range []string{"PUCL", "ssCL", "SCL-PU"} {
		k := Curve{Name: name, Within: [2]float64{0, 100}}
		k.AddInterval(1, 50, 40, 60)
		k.AddInterval(2, 90, 70, 110) // cut at 100
		curves = append(curves, k)
	}
	curves[2].Low, curves[2].High = nil, nil // a curve may have no intervals
	p := expect.Must(LearningCurves(CurvesConfig{Whiskers: true}, curves...))(t)
	paper, x, y := withScales(t, p)
	for _, want := range []struct{ at, low, high float64 }{{1, 40, 60}, {2, 70, 100}} {
		for i := range 3 {
			at := vg.Point{X: x(want.at) + whiskerGap*vg.Length(i-1)}
			low, high := at.Add(vg.Point{Y: y(want.low)}), at.Add(vg.Point{Y: y(want.high)})
			expect.Equal(t, hasLine(paper, low, high), (i < 2), "curve %d: a whisker from %.1f to %.1f", i, low, high)
		}
	}
}

// TestWhiskersOfNearPlaces checks that whiskers stay near their place, every place has a tick, and no labels touch.
func TestWhiskersOfNearPlaces(t *testing.T) {
	var curves []Curve
	for i := range 5 {
		k := Curve{Name: string(rune('a' + i))}
		for _, x := range []float64{50, 100, 105, 10000} {
			k.AddInterval(x, 50, 40, 60)
		}
		curves = append(curves, k)
	}
	p := expect.Must(LearningCurves(CurvesConfig{Whiskers: true, LogX: true}, curves...))(t)
	paper, c := drawnOn(t, p)
	q := layout(p, c)
	area := q.DataCanvas(c)
	x, y := q.Transforms(&area)
	for i := range curves {
		at := vg.Point{X: x(105) + (x(105)-x(100))*0.45/4*vg.Length(i-2)}
		expect.That(t, hasLine(paper, at.Add(vg.Point{Y: y(40)}), at.Add(vg.Point{Y: y(60)})),
			"curve %d: no whisker at %.2f", i, at.X)
	}
	var labels []string
	for _, tick := range q.X.Tick.Marker.Ticks(q.X.Min, q.X.Max) {
		labels = append(labels, tick.Label)
	}
	expect.Equal(t, labels, []string{"50", "100", "", "10,000"}, "ticks")
}

// TestIntervalOfASinglePlace checks a single X, where a band would have no width.
func TestIntervalOfASinglePlace(t *testing.T) {
	var along, single Curve
	along.AddInterval(1, 50, 40, 60)
	along.AddInterval(2, 90, 70, 95)
	single.AddInterval(3, 50, 30, 80)
	p := expect.Must(LearningCurves(CurvesConfig{}, along, single))(t)
	paper, x, y := withScales(t, p)
	for _, k := range []Curve{along, single} {
		low, high := vg.Point{X: x(k.X[0]), Y: y(k.Low[0])}, vg.Point{X: x(k.X[0]), Y: y(k.High[0])}
		expect.Equal(t, hasLine(paper, low, high),
			(len(k.X) == 1), "%d places: a whisker from %.1f to %.1f", len(k.X), low, high)
	}
}

// hasLine reports whether a straight line was drawn from one point to another.
func hasLine(paper *sheetOfPaper, from, to vg.Point) bool {
	return slices.ContainsFunc(paper.Actions, func(a recorder.Action) bool {
		s, ok := a.(*recorder.Stroke)
		return ok && len(s.Path) == 2 && samePlace(s.Path[0].Pos, from) && samePlace(s.Path[1].Pos, to)
	})
}

// samePlace reports whether two points lie within a hundredth of a point.
func samePlace(a, b vg.Point) bool {
	return math.Abs(float64(a.X-b.X)) < 0.01 && math.Abs(float64(a.Y-b.Y)) < 0.01
}

// withScales returns a sheet with p drawn on it, and where on it the data lie.
func withScales(t *testing.T, p *plot.Plot) (paper *sheetOfPaper, x, y func(float64) vg.Length) {
	t.Helper()
	paper, c := drawnOn(t, p)
	area := layout(p, c).DataCanvas(c)
	x, y = p.Transforms(&area)
	return paper, x, y
}
