package viz

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// TestSuperscripts: τ⁺ is drawn as τ and a small raised plus, x₁ with a small lowered one, and both are measured so.
func TestSuperscripts(t *testing.T) {
	f := face(100, false)
	plain := func(s string) float64 { return float64(f.Width(s)) }
	for s, want := range map[string]float64{
		"τ⁺": plain("τ") + 0.68*plain("+"), "x₁": plain("x") + 0.68*plain("1"), "10⁻²": plain("10") + 0.68*plain("−2"), "": 0, "plain": plain("plain"),
	} {
		if got := float64(textWidth(f, s)); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%q is %g wide, want %g", s, got, want)
		}
	}
	var paper recorder.Canvas
	write(&paper, f, TextGray, vg.Point{X: 50, Y: 20}, 1, "τ⁺x₁")
	var got []recorder.FillString
	for _, a := range paper.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			got = append(got, *s)
		}
	}
	if len(got) != 4 || got[1].String != "+" || got[3].String != "1" {
		t.Fatalf("drawn as %+v", got)
	}
	if got[0].Point.Y != 20 || got[1].Point.Y <= 20 || got[2].Point.Y != 20 || got[3].Point.Y >= 20 {
		t.Errorf("baselines %v %v %v %v", got[0].Point.Y, got[1].Point.Y, got[2].Point.Y, got[3].Point.Y)
	}
	if got[1].Size >= got[0].Size {
		t.Errorf("the superscript is as large as the text")
	}
	end := got[3].Point.X + 0.68*f.Width("1")
	if !(math.Abs(float64(end-50)) <= 1e-9) {
		t.Errorf("text that ends at 50 ends at %g", end)
	}
}

// TestEveryText draws a figure with τ⁺ in every text; the plus must arrive as a small one everywhere.
func TestEveryText(t *testing.T) {
	const s = "DCL, τ⁺"
	p, err := LearningCurves(CurvesConfig{Figure: Figure{Title: s, XLabel: s, YLabel: s}}, curve(s, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	table, err := Table{Title: s, RowsHeader: s, Columns: []string{s}, Rows: []string{s}, Cells: [][]Cell{{{Text: s}}}, Note: s}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	grid, err := ImageGrid(make([]uint8, 4), 2, 2, 1, 1, []string{s})
	if err != nil {
		t.Fatal(err)
	}
	grid.Title = s
	for what, f := range map[string]struct {
		Drawer
		texts int
	}{"curves": {p, 4}, "table": {table, 6}, "images": {grid, 2}} {
		w, h := sizeOf(f.Drawer, 0, 0)
		paper := &sheetOfPaper{w: w, h: h}
		if err := drawOn(f.Drawer, paper); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(textOf(paper), "\n")
		n := 0
		for _, line := range lines {
			if line == "+" {
				n++
			}
			if strings.Contains(line, "⁺") {
				t.Errorf("%s: %q is drawn with a letter that the font lacks", what, line)
			}
		}
		if n != f.texts {
			t.Errorf("%s: %d small plus signs, want %d", what, n, f.texts)
		}
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
		if got := wrap(tt.s, tt.limit, letters); !slices.Equal(got, tt.want) {
			t.Errorf("wrap(%q, %v) = %q, want %q", tt.s, tt.limit, got, tt.want)
		}
	}
	runes := func(s string) vg.Length { return vg.Length(len([]rune(s))) }
	for s, want := range map[string]string{"abcdef": "ab…", "abc": "abc", "äöüß": "äö…"} {
		if got := cut(s, 3, runes); got != want {
			t.Errorf("cut(%q, 3) = %q, want %q", s, got, want)
		}
	}
}

// SVG drops the spaces that begin a piece of text, so no piece may begin with one.
func TestNoPieceOfTextBeginsWithASpace(t *testing.T) {
	p := New(Figure{Title: "ζ₂ = 1, x² falls", XLabel: "x", YLabel: "y"})
	var out bytes.Buffer
	w, err := p.WriterTo(300, 200, "svg")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), ">= 1, x<") || strings.Contains(out.String(), "> ") {
		t.Errorf("the pieces of the title are not as they should be in\n%s", out.String())
	}
}
