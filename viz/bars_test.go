package viz

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

func TestBarsErrors(t *testing.T) {
	draw := func(values ...float64) error {
		list := []Bar{{Name: "fine", Value: 1}}
		for _, v := range values {
			list = append(list, Bar{Name: "wrong", Value: v})
		}
		return second(Bars(BarsConfig{}, list...))
	}
	refuses(t, []wrong{
		{"no bar", second(Bars(BarsConfig{})), ErrNoData, ""},
		{"infinite", draw(math.Inf(-1)), ErrNotFinite, "wrong"},
		{"NaN", draw(math.NaN()), ErrNotFinite, "wrong"},
		{"too large", draw(1e200), ErrRange, "wrong"},
	})
}

// Each bar shows its number with the decimals asked for, and a figure of zeros can be drawn.
func TestBarsNumbers(t *testing.T) {
	for decimals, want := range map[int][]string{0: {"1.26", "−0.50", "0.00"}, 3: {"1.256", "−0.500", "0.000"}, -1: {"1", "−1", "0"}} {
		for i, value := range []float64{1.2564, -0.5004, 0} {
			p := expect.Must(Bars(BarsConfig{Decimals: decimals}, Bar{Name: "a", Value: value}))(t)
			expect.Contains(t, string(expect.Must(encodeSVG(p, 400, 100, "", ""))(t)), ">"+want[i]+"</text>")
		}
	}
}

// The alternative text says the numbers as the bars do.
func TestBarsAlt(t *testing.T) {
	bars := []Bar{{Name: "printed", Value: -0.5004}, {Name: "measured", Value: 1}}
	expect.Equal(t, BarsAlt(BarsConfig{}, bars...), "Bars: printed −0.50; measured 1.00.")
	cfg := BarsConfig{Figure: Figure{Title: "Bias", XLabel: "nats"}, Decimals: 3}
	expect.Equal(t, BarsAlt(cfg, bars...), "Bias (nats): printed −0.500; measured 1.000.")
}

// The data range holds zero, whatever the signs, 16% more beyond the ends, and half a bar's room above and below.
func TestBarsRange(t *testing.T) {
	for _, tt := range []struct {
		values   []float64
		min, max float64
	}{{[]float64{25, 50}, 0, 58}, {[]float64{-25, -50}, -58, 0}, {[]float64{-25, 75}, -41, 91}, {[]float64{0}, 0, 1.16}} {
		b := &bars{}
		for _, v := range tt.values {
			b.list = append(b.list, Bar{Value: v})
		}
		x0, x1, y0, y1 := b.DataRange()
		expect.That(t, x0 == tt.min && x1 == tt.max && y0 == -0.5 && y1 == float64(len(tt.values))-0.5,
			"%v: range %g to %g by %g to %g", tt.values, x0, x1, y0, y1)
	}
}

func TestGroupedBarsErrors(t *testing.T) {
	names := []string{"a", "b"}
	refuses(t, []wrong{
		{"no groups", second(GroupedBars(Figure{}, names)), ErrNoData, ""},
		{"no names", second(GroupedBars(Figure{}, nil, BarGroup{Name: "x"})), ErrNoData, ""},
		{"one bar of two", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: 1}}})),
			ErrLength, ""},
		{"NaN", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: math.NaN()}, {}}})),
			ErrNotFinite, ""},
		{"below 0", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: 1, HalfWidth: -1}, {}}})),
			ErrRange, ""},
	})
	expect.Must(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Missing: true}, {Missing: true}}}))(t)
}

// TestGroupedBarsHeights reads from what is drawn how high bars, whiskers and marks reach.
func TestGroupedBarsHeights(t *testing.T) {
	p := expect.Must(GroupedBars(Figure{}, []string{"solid"}, BarGroup{"one", []MeasuredBar{{Value: 60, HalfWidth: 20, Published: 97}}},
		BarGroup{"two", []MeasuredBar{{Missing: true, Published: 30}}}))(t)
	paper, c := drawnOn(t, p)
	area := layout(p, c).DataCanvas(c)
	value := func(y vg.Length) float64 { return 1.03 * 97 * float64((y-area.Min.Y)/(area.Max.Y-area.Min.Y)) }
	has := func(values []float64, want float64) bool {
		for _, v := range values {
			if math.Abs(v-want) < 0.01 {
				return true
			}
		}
		return false
	}
	var tops, ends, marks []float64
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.Fill:
			high, middle, n := math.Inf(-1), 0.0, 0
			for _, part := range a.Path {
				if part.Type != vg.CloseComp {
					high = max(high, value(part.Pos.Y))
					middle += value(part.Pos.Y)
					n++
				}
			}
			tops, marks = append(tops, high), append(marks, middle/float64(n))
		case *recorder.Stroke:
			for _, part := range a.Path {
				ends = append(ends, value(part.Pos.Y))
			}
		}
	}
	expect.That(t, has(tops, 60) && has(ends, 40) && has(ends, 80) && has(marks, 97) && has(marks, 30),
		"tops %.1f, ends %.1f, marks %.1f", tops, ends, marks)
}
