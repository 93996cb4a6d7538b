package viz

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

// TestSuperscripts: τ⁺ is drawn as τ and a small raised plus, x₁ with a small lowered one, and both are measured so.
func TestSuperscripts(t *testing.T) {
	f := face(100, false)
	plain := func(s string) float64 { return float64(f.Width(s)) }
	for s, want := range map[string]float64{
		"τ⁺": plain("τ") + 0.68*plain("+"), "x₁": plain("x") + 0.68*plain("1"), "10⁻²": plain("10") + 0.68*plain("−2"), "": 0, "plain": plain("plain"),
	} {
		got := float64(textWidth(f, s))
		expect.That(t, math.Abs(got-want) <= 1e-9, "%q is %g wide, want %g", s, got, want)
	}
	var paper recorder.Canvas
	write(&paper, f, TextGray, vg.Point{X: 50, Y: 20}, 1, "τ⁺x₁")
	var got []recorder.FillString
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			got = append(got, *s)
		}
	}
	expect.Require(t, len(got) == 4 && got[1].String == "+" && got[3].String == "1", "drawn as %+v", got)
	expect.That(t, got[0].Point.Y == 20 && !(got[1].Point.Y <= 20) && got[2].Point.Y == 20 && !(got[3].Point.Y >= 20),
		"baselines %v %v %v %v", got[0].Point.Y, got[1].Point.Y, got[2].Point.Y, got[3].Point.Y)
	expect.That(t, !(got[1].Size >= got[0].Size), "the superscript is as large as the text")
	end := got[3].Point.X + 0.68*f.Width("1")
	expect.That(t, math.Abs(float64(end-50)) <= 1e-9, "text that ends at 50 ends at %g", end)
}

// TestEveryText draws a figure with τ⁺ in every text; the plus must arrive as a small one everywhere.
func TestEveryText(t *testing.T) {
	const s = "DCL, τ⁺"
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: s, XLabel: s, YLabel: s}}, curve(s, 2, 1)))(t)
	table, err := Table{Title: s, RowsHeader: s, Columns: []string{s}, Rows: []string{s}, Cells: [][]Cell{{{Text: s}}}, Note: s}.Figure()
	expect.NoError(t, err)
	grid := expect.Must(ImageGrid(make([]uint8, 4), 2, 2, 1, 1, []string{s}))(t)
	grid.Title = s
	for what, f := range map[string]struct {
		Drawer
		texts int
	}{"curves": {p, 4}, "table": {table, 6}, "images": {grid, 2}} {
		w, h := sizeOf(f.Drawer, 0, 0)
		paper := drawnAt(t, f.Drawer, w, h)
		lines := strings.Split(textOf(paper), "\n")
		n := 0
		for _, line := range lines {
			if line == "+" {
				n++
			}
			expect.That(t, !strings.Contains(line, "⁺"),
				"%s: %q is drawn with a letter that the font lacks", what, line)
		}
		expect.That(t, n == f.texts, "%s: %d small plus signs, want %d", what, n, f.texts)
	}
}

func TestWrap(t *testing.T) {
	letters := func(s string) vg.Length { return vg.Length(len(s)) }
	for _, tt := range []struct {
		s     string
		limit vg.Length
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 3, []string{"one", "two", "three"}},
		{"one\ntwo three", 99, []string{"one", "two three"}},
		{"", 5, []string{""}},
	} {
		expect.Equal(t, wrap(tt.s, tt.limit, letters), tt.want, "wrap(%q, %v) =", tt.s, tt.limit)
	}
	runes := func(s string) vg.Length { return vg.Length(len([]rune(s))) }
	for s, want := range map[string]string{"abcdef": "ab…", "abc": "abc", "äöüß": "äö…"} {
		expect.Equal(t, cut(s, 3, runes), want, "cut(%q, 3) =", s)
	}
}

// SVG drops the spaces that begin a piece of text, so no piece may begin with one.
func TestNoPieceOfTextBeginsWithASpace(t *testing.T) {
	p := New(Figure{Title: "ζ₂ = 1, x² falls", XLabel: "x", YLabel: "y"})
	var out bytes.Buffer
	w := expect.Must(p.WriterTo(300, 200, "svg"))(t)
	expect.Must(w.WriteTo(&out))(t)
	expect.That(t, strings.Contains(out.String(), ">= 1, x<") && !strings.Contains(out.String(), "> "),
		"the pieces of the title are not as they should be in\n%s", out.String())
}
