package viz

import (
	"image/color"
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

// TestStackedBarsLengths measures in the picture how long each part of two bars is, by the dots of its color on a line
// near the upper edge of the bar, where no number lies: solid parts only, so that no hatching is in the way.
func TestStackedBarsLengths(t *testing.T) {
	parts := []string{"first", "x", "x", "x", "x", "sixth"} // hatchings repeat after five: both are solid
	bars := []StackedBar{{"one", []float64{30, 0, 0, 0, 0, 10}}, {"two", []float64{5, 0, 0, 0, 0, 0}}}
	p := expect.Must(StackedBars(Figure{}, parts, bars...))(t)
	data := expect.Must(encodePNG(p, 500, 200))(t)
	bars[0].Parts[0] = 99 // the plot has its own copy
	expect.Equal(t, expect.Must(encodePNG(p, 500, 200))(t), data, "the plot changed with the lengths")
	img := decode(t, data)
	styles := StyleFor(parts...)
	longest := func(c color.Color, from, to int) (n int) { // the longest run of a color in rows of dots
		want := color.RGBAModel.Convert(c)
		for y := from; y < to; y++ {
			run := 0
			for x := range img.Bounds().Dx() {
				if color.RGBAModel.Convert(img.At(x, y)) != want {
					run = 0
					continue
				}
				run++
				n = max(n, run)
			}
		}
		return n
	}
	// Rows of dots of each bar, from the layout that the plot itself uses.
	c := draw.Crop(draw.New(&sheetOfPaper{w: 500, h: 200}), margin, -margin, margin, -margin)
	area := layout(p, c).DataCanvas(c)
	const dots = pngDPI / 72.0
	unit := float64(area.Max.X-area.Min.X) / 40 * dots
	middle := img.Bounds().Dy() - int(float64(area.Min.Y+area.Max.Y)/2*dots)
	top := img.Bounds().Dy() - int(float64(area.Max.Y)*dots)
	bottom := img.Bounds().Dy() - int(float64(area.Min.Y)*dots)
	for _, tt := range []struct {
		name           string
		color          color.Color
		from, to, want int
	}{
		{"first part of the upper bar", styles[0].Color, top, middle, 30},
		{"last part of the upper bar", styles[5].Color, top, middle, 10},
		{"first part of the lower bar", styles[0].Color, middle, bottom, 5},
		{"last part of the lower bar", styles[5].Color, middle, bottom, 0},
	} {
		want := float64(tt.want) * unit
		// The white rim takes a point at each end.
		got := float64(longest(tt.color, tt.from, tt.to))
		expect.That(t, got <= want && got >= want-2*dots, "%s: %g dots, want %.0f, less a rim", tt.name, got, want)
	}
}

// TestStackedBarsNumbers: a number stands inside a part with room, or behind the bar for the last part.
func TestStackedBarsNumbers(t *testing.T) {
	p := expect.Must(StackedBars(Figure{XLabel: "things"}, []string{"a", "b"},
		StackedBar{"wide", []float64{12345, 70000}}, StackedBar{"short", []float64{1.5, 77}}, StackedBar{"split", []float64{0.1 + 0.2, 0}},
		StackedBar{"a name that is so long that it takes two lines or more than that, cut there", []float64{9000, 0}}))(t)
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

// TestNumbersStandOnWhite checks that a number in a bar is dark on a white plate, in dark themes too.
func TestNumbersStandOnWhite(t *testing.T) {
	p := expect.Must(StackedBars(Figure{}, []string{Positive, Negative}, StackedBar{"a", []float64{123, 77}}))(t)
	paper := drawnAt(t, p, 400, 200)
	var ink color.Color
	var plate vg.Path
	var plateColor color.Color
	numbers := 0
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			ink = a.Color
		case *recorder.Fill:
			plate, plateColor = a.Path, ink
		case *recorder.FillString:
			if a.String != "123" && a.String != "77" {
				continue
			}
			numbers++
			end := a.Point.X + smallWidth(a.String)
			expect.That(t, plateColor == color.Color(white) && ink == color.Color(TextGray) &&
				plate[0].Pos.X <= a.Point.X && plate[2].Pos.X >= end,
				"%s in %v at %v stands on %v, %v", a.String, ink, a.Point, plateColor, plate)
		}
	}
	expect.That(t, numbers == 2, "%d numbers, want 2", numbers)
}
