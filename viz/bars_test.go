package viz

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// Each bar shows its number with the configured decimals, and a figure of zeros can be drawn.
func TestBarsNumbers(t *testing.T) {
	for decimals, want := range map[int][]string{0: {"1.26", "−0.50", "0.00"}, 3: {"1.256", "−0.500", "0.000"}, -1: {"1", "−1", "0"}} {
		for i, value := range []float64{1.2564, -0.5004, 0} {
			p := expect.Must(Bars(BarsConfig{Decimals: decimals}, Bar{Name: "a", Value: value}))(t)
			expect.Contains(t, string(expect.Must(encodeSVG(p, 400, 100, "", ""))(t)), ">"+want[i]+"</text>")
		}
	}
}

// The alternative text has the numbers of the bars.
func TestBarsAlt(t *testing.T) {
	bars := []Bar{{Name: "printed", Value: -0.5004}, {Name: "measured", Value: 1}}
	expect.Equal(t, BarsAlt(BarsConfig{}, bars...), "Bars: printed −0.50; measured 1.00.")
	cfg := BarsConfig{Figure: Figure{Title: "Bias", XLabel: "nats"}, Decimals: 3}
	expect.Equal(t, BarsAlt(cfg, bars...), "Bias (nats): printed −0.500; measured 1.000.")
}

// The data range includes zero for all signs, 16% more beyond the ends, and room for half a bar above and below.
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

func TestStackedBarsErrors(t *testing.T) {
	parts := []string{"a", "b"}
	refuses(t, []wrong{
		{"no bars", second(StackedBars(Figure{}, parts)), ErrNoData, ""},
		{"no parts", second(StackedBars(Figure{}, nil, StackedBar{Name: "x"})), ErrNoData, ""},
		{"all empty", second(StackedBars(Figure{}, parts, StackedBar{"x", []float64{0, 0}})), ErrNoData, ""},
		{"one part of two", second(StackedBars(Figure{}, parts, StackedBar{"x", []float64{1}})), ErrLength, ""},
		{"negative", second(StackedBars(Figure{}, parts, StackedBar{"x", []float64{2, -1}})), ErrRange, ""},
		{"NaN", second(StackedBars(Figure{}, parts, StackedBar{"x", []float64{2, math.NaN()}})), ErrNotFinite, ""},
	})
}

// TestStackedBarsNumbers checks that a number stands inside a part with room, or behind the bar for the last part.
func TestStackedBarsNumbers(t *testing.T) {
	wide := []float64{12345, 70000}
	p := expect.Must(StackedBars(Figure{XLabel: "things"}, []string{"a", "b"}, StackedBar{"wide", wide},
		StackedBar{"short", []float64{1.5, 77}}, StackedBar{"split", []float64{0.1 + 0.2, 0}},
		StackedBar{"a name that is so long that it takes two lines or more than that, cut there", []float64{9000, 0}}))(t)
	wide[0] = 99 // the plot has its own copy
	paper := drawnAt(t, p, 468, 220)
	found := paper.words()
	c := draw.Crop(draw.New(paper), margin, -margin, margin, -margin)
	data := layout(p, c).DataCanvas(c)
	x := func(v float64) vg.Length { return data.Min.X + (data.Max.X-data.Min.X)*vg.Length(v/82345) }
	for word, at := range map[string][2]float64{"12,345": {0, 12345}, "70,000": {12345, 82345}, "9,000": {0, 9000}} {
		r, ok := found[word]
		expect.That(t, ok && r.Min.X >= x(at[0]) && r.Max.X <= x(at[1]),
			"%s lies at %v (%v), want between %v and %v", word, r, ok, x(at[0]), x(at[1]))
	}
	for word, after := range map[string]float64{"77": 78.5, "0.3": 0.3} {
		r, ok := found[word]
		expect.That(t, ok && r.Min.X >= x(after), "%s lies at %v (%v), want behind %v", word, r, ok, x(after))
	}
	r, ok := found["1.5"]
	expect.That(t, !ok, "1.5 lies at %v, but has no room", r)
	for _, name := range []string{"wide", "short", "split", "a name that is so long", "it takes"} {
		seen := false
		for word, r := range found {
			if strings.HasPrefix(word, name) {
				seen = true
				expect.That(t, r.Max.X <= data.Min.X && r.Min.X >= 0 &&
					(name != "it takes" || strings.HasSuffix(word, "…")),
					"the name %q lies at %v, the bars start at %v", word, r, data.Min.X)
			}
		}
		expect.That(t, seen, "the name %q is not drawn among %v", name, found)
	}
}

// TestHatchings checks that neighbors in a bar differ in more than their color.
func TestHatchings(t *testing.T) {
	box := vg.Rectangle{Max: vg.Point{X: 40, Y: 20}}
	lines := make([]int, 6)
	for part := range lines {
		paper := &sheetOfPaper{w: 50, h: 30}
		hatch(draw.New(paper), box, Blue, part)
		for _, a := range paper.Actions {
			if s, ok := a.(*recorder.Stroke); ok {
				lines[part]++
				for _, q := range s.Path {
					expect.That(t, q.Type == vg.CloseComp || q.Pos.X >= 0 && q.Pos.X <= 40 && q.Pos.Y >= 0 &&
						q.Pos.Y <= 20, "part %d: a line goes to %v, out of the box", part, q.Pos)
				}
			}
		}
	}
	expect.That(t, lines[0] == 1 && lines[5] == 1,
		"solid parts have %d and %d lines", lines[0], lines[5]) // the rim alone
	expect.That(t, lines[1] == lines[2] && lines[1] >= 8 && lines[3] == 2*lines[1]-1,
		"rising %d, falling %d, both %d lines", lines[1], lines[2], lines[3])
	rising, falling := slanted(box, false), slanted(box, true)
	for i := range rising {
		for _, l := range []struct {
			from, to vg.Point
			slope    vg.Length
		}{{rising[i][0], rising[i][1], 1}, {falling[i][0], falling[i][1], -1}} {
			if d := l.to.Sub(l.from); !(math.Abs(float64(d.Y-l.slope*d.X)) <= 1e-9) || d.X <= 0 {
				t.Errorf("line %d goes from %v to %v, want a slope of %v", i, l.from, l.to, l.slope)
			}
		}
	}
}
