package viz

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

// sheetOfPaper is a canvas that records the drawing.
type sheetOfPaper struct {
	recorder.Canvas
	w, h vg.Length
}

// drawnAt returns a sheet of the given size with f drawn on it.
func drawnAt(t *testing.T, f Drawer, w, h vg.Length) *sheetOfPaper {
	t.Helper()
	paper := &sheetOfPaper{w: w, h: h}
	expect.NoError(t, drawOn(f, paper))
	return paper
}

// drawnOn returns a sheet with p drawn on it, and the canvas within its margins.
func drawnOn(t *testing.T, p *plot.Plot) (*sheetOfPaper, draw.Canvas) {
	t.Helper()
	paper := drawnAt(t, p, 400, 300)
	return paper, draw.Crop(draw.New(paper), margin, -margin, margin, -margin)
}

// holds reports each word that is not drawn, or not on the paper.
func (s *sheetOfPaper) holds(t *testing.T, words ...string) {
	t.Helper()
	found := s.words()
	for _, word := range words {
		if r, ok := found[word]; !ok || r.Min.X < 0 || r.Max.X > s.w || r.Min.Y < 0 || r.Max.Y > s.h {
			t.Errorf("%q lies at %v (%v) on %v by %v, among %v", word, r, ok, s.w, s.h, found)
		}
	}
}

func (s *sheetOfPaper) Size() (w, h vg.Length) { return s.w, s.h }

// words returns the position of each text that is not rotated: its rectangle from baseline to the height of letters.
func (s *sheetOfPaper) words() map[string]vg.Rectangle {
	found := map[string]vg.Rectangle{}
	turned := 0
	var stack []int
	for _, a := range s.Actions {
		switch a := a.(type) {
		case *recorder.Push:
			stack = append(stack, turned)
		case *recorder.Pop:
			turned, stack = stack[len(stack)-1], stack[:len(stack)-1]
		case *recorder.Rotate:
			turned++
		case *recorder.FillString:
			if turned > 0 {
				continue
			}
			f := face(a.Size, a.Font.Weight != 0)
			found[a.String] = vg.Rectangle{Min: a.Point, Max: vg.Point{X: a.Point.X + f.Width(a.String), Y: a.Point.Y + 0.72*a.Size}}
		}
	}
	return found
}

func curve(name string, y ...float64) Curve {
	c := Curve{Name: name, Y: y}
	for i := range y {
		c.X = append(c.X, float64(i))
	}
	return c
}

// TestLegendBesideData checks, for both places of the legend, that it covers no data and stays on the paper.
func TestLegendBesideData(t *testing.T) {
	const long = "a name so long that it has to be broken into several lines somewhere"
	for _, top := range []bool{false, true} {
		p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "A title"}}, curve("ssCL", 3, 2, 1), curve("PUCL", 2, 1, 0), curve(long, 5, 4, 3),
			curve(strings.Repeat("endless", 30), 1, 1, 1)))(t)
		p.Legend.Top = top
		paper := drawnAt(t, p, 400, 300)
		c := draw.Crop(draw.New(paper), margin, -margin, margin, -margin)
		data := layout(p, c).DataCanvas(c)
		expect.That(t, data.Max.X-data.Min.X >= 100 && data.Max.Y-data.Min.Y >= 100,
			"top %v: the data have only %v", top, data.Rectangle)
		found := paper.words()
		for _, name := range []string{"ssCL", "PUCL", "a name so long", "A title"} {
			seen := false
			for word, r := range found {
				if !strings.HasPrefix(word, name) {
					continue
				}
				seen = true
				expect.That(t, r.Min.X >= data.Max.X || r.Max.X <= data.Min.X || r.Min.Y >= data.Max.Y ||
					r.Max.Y <= data.Min.Y, "top %v: %q at %v lies over the data %v", top, word, r, data.Rectangle)
			}
			expect.That(t, seen, "top %v: %q is not drawn", top, name)
		}
		for word, r := range found {
			expect.That(t, r.Min.X >= 0 && r.Min.Y >= 0 && r.Max.X <= paper.w+0.01 && r.Max.Y <= paper.h,
				"top %v: %q at %v leaves the paper", top, word, r)
		}
	}
}

// TestTitleOverData checks that a short title is centered over the data and a long one stays on the paper, in lines.
func TestTitleOverData(t *testing.T) {
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "Short"}}, curve("PUCL", 2, 1)))(t)
	paper, c := drawnOn(t, p)
	data := layout(p, c).DataCanvas(c)
	r := paper.words()["Short"]
	d := math.Abs(float64(r.Min.X + r.Max.X - data.Min.X - data.Max.X))
	expect.That(t, d <= 1, "the title lies at %v, the data at %v", r, data.Rectangle)
	p.Title.Text = strings.Repeat("many words ", 20)
	got := layout(p, c).Title.Text
	expect.That(t, strings.Count(got, "\n") >= 2, "the long title became %q", got)
	expect.That(t, !strings.Contains(p.Title.Text, "\n"), "drawing changed the plot")
}

// TestTickLabelsApart draws long tick labels on a narrow figure: none may touch another.
func TestTickLabelsApart(t *testing.T) {
	c := Curve{Name: "PUCL"}
	for i := range 60 {
		c.X, c.Y = append(c.X, 22_000*float64(i)), append(c.Y, float64(i))
	}
	p := expect.Must(LearningCurves(CurvesConfig{}, c))(t)
	p.Legend.Top = true
	for _, w := range []vg.Length{120, 150, 300, 600} {
		paper := drawnAt(t, p, w, 120)
		found := paper.words()
		delete(found, "optimizer step")
		ticks := 0
		for s, r := range found {
			ticks++
			for u, q := range found {
				expect.That(t, s >= u || r.Min.X >= q.Max.X+3 || q.Min.X >= r.Max.X+3 || r.Min.Y >= q.Max.Y ||
					q.Min.Y >= r.Max.Y, "%g points: %q at %v and %q at %v touch", w.Points(), s, r, u, q)
			}
		}
		expect.That(t, ticks >= 3, "%g points: only %d texts", w.Points(), ticks)
	}
}

// TestEqualAspectLeavesTicks checks that custom ticks are kept, though a figure may show fewer.
func TestEqualAspectLeavesTicks(t *testing.T) {
	ticks := plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 5, Label: "5"}, {Value: 10, Label: "10"}}
	p := New(Figure{})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1
	p.X.Tick.Marker = ticks
	EqualAspect(p)
	expect.Must(encodeSVG(p, 400, 300, "", ""))(t)
	for i, want := range []string{"0", "5", "10"} {
		expect.That(t, ticks[i].Label == want, "tick %d is now %q, want %q", i, ticks[i].Label, want)
	}
}

func TestEqualAspect(t *testing.T) {
	p, err := Scatter(ScatterConfig{EqualAspect: true}, Group{Name: "g", X: []float64{0, 10}, Y: []float64{0, 1}})
	expect.NoError(t, err)
	for _, size := range []vg.Point{{X: 468, Y: 288}, {X: 200, Y: 400}} {
		c := draw.New(&sheetOfPaper{w: size.X, h: size.Y})
		q := layout(p, c)
		data := q.DataCanvas(c)
		x := float64(data.Max.X-data.Min.X) / (q.X.Max - q.X.Min)
		y := float64(data.Max.Y-data.Min.Y) / (q.Y.Max - q.Y.Min)
		expect.That(t, math.Abs(x/y-1) <= 1e-6, "%v: a unit is %g points wide and %g high", size, x, y)
		expect.That(t, q.X.Min <= 0 && q.X.Max >= 10 && q.Y.Min <= 0 && q.Y.Max >= 1,
			"%v: the ranges [%g, %g] and [%g, %g] lost data", size, q.X.Min, q.X.Max, q.Y.Min, q.Y.Max)
	}
}

func TestPanels(t *testing.T) {
	p, err := LearningCurves(CurvesConfig{Figure: Figure{Title: "Left"}}, curve("PUCL", 2000, 1), curve("ssCL", 3, 1), curve("a third loss", 3, 1))
	expect.NoError(t, err)
	q := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "Right"}}, curve("PUCL", 2, 1)))(t)
	row := expect.Must(Panels(0, 0, p, q))(t)
	expect.That(t, !p.Legend.Top && p.Legend.XOffs == 0 && p.Title.Padding == New(Figure{}).Title.Padding,
		"Panels changed a plot")
	w, h := row.Size()
	paper := drawnAt(t, row, w, h)
	found := paper.words()
	left, right := found["Left"], found["Right"]
	expect.That(t, left.Min.Y == right.Min.Y, "the titles lie at %v and %v", left, right)
	expect.That(t, left.Max.X <= w/2 && right.Min.X >= w/2,
		"the titles at %v and %v are not over their halves of %v", left, right, w)
	expect.Equal(t, strings.Count(textOf(paper), "optimizer step"), 2, "x labels")
}

func textOf(s *sheetOfPaper) string {
	var b strings.Builder
	for _, a := range s.Actions {
		if f, ok := a.(*recorder.FillString); ok {
			b.WriteString(f.String + "\n")
		}
	}
	return b.String()
}

// TestOddNumbers draws finite extreme values: the figure may be poor, but drawing must neither panic nor fail.
func TestOddNumbers(t *testing.T) {
	for _, y := range [][]float64{{0}, {5, 5}, {1e100, -1e100}, {5e-324, 0}, {1e9, 1e9 + 1e-6}, {1e16, 1e16 + 2}} {
		p := expect.Must(LearningCurves(CurvesConfig{Smooth: 3}, curve("", y...)))(t)
		q := expect.Must(Scatter(ScatterConfig{EqualAspect: true}, Group{X: y, Y: y}))(t)
		for _, f := range []*plot.Plot{p, q} {
			expect.Must(encodePNG(f, 230, 180))(t)
			expect.Is(t, expect.Err(encodePNG(f, smallest, smallest)),
				ErrRange, "%g, a figure of %g points", y, smallest.Points())
			row := expect.Must(Panels(0, 0, f, f))(t)
			expect.Is(t, expect.Err(encodePNG(row, 80, 80)), ErrRange, "%g, two panels of 40 points", y)
		}
	}
}

// TestSVG checks that the SVG is one XML element with title and description, a white background and a generic font.
func TestSVG(t *testing.T) {
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "a < b & \"c\""}}, curve("PUCL <1>", 2, 1)))(t)
	svg := expect.Must(encodeSVG(p, 468, 288, p.Title.Text, "x > y & 'z'"))(t)
	texts := map[string]string{}
	var path []string
	role, fonts := "", 0
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		expect.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			path = append(path, e.Name.Local)
			for _, a := range e.Attr {
				if len(path) == 1 && a.Name.Local == "role" {
					role = a.Value
				}
				if a.Name.Local == "font-family" {
					expect.That(t, strings.Contains(a.Value, "sans-serif"),
						"font without a generic family: %s", a.Value)
					fonts++
				}
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if len(path) == 2 {
				texts[path[1]] += strings.TrimSpace(string(e))
			}
		}
	}
	expect.That(t, role == "img" && texts["title"] == "a < b & \"c\"" && texts["desc"] == "x > y & 'z'",
		"role %q, title %q, desc %q", role, texts["title"], texts["desc"])
	expect.That(t, fonts != 0, "no text")
	expect.That(t, bytes.Contains(svg, []byte("<path d='M0 288H468V0H0z'")) &&
		bytes.Contains(svg, []byte(" fill='#FFF'")), "the background is not drawn white: %.600s", svg)
	i, j := bytes.Index(svg, []byte("<title>")), bytes.Index(svg, []byte("<path "))
	expect.That(t, !(i < 0) && !(j < i), "the title must be the first element")
}
