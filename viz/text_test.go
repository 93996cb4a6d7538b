package viz

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

// TestSuperscripts checks that τ⁺ is drawn as τ and a small raised plus, x₁ with a small lowered one, and that both are
// measured accordingly.
func TestSuperscripts(t *testing.T) {
	f := face(100, false)
	plain := func(s string) float64 { return float64(f.Width(s)) }
	for s, want := range map[string]float64{
		"τ⁺": plain("τ") + 0.68*plain("+"), "x₁": plain("x") + 0.68*plain("1"), "10⁻²": plain("10") + 0.68*plain("−2"), "": 0, "plain": plain("plain"),
	} {
		got := float64(textWidth(f, s))
		expect.Near(t, got, want, 1e-9, "width of %q", s)
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
	expect.That(t, got[0].Point.Y == 20 && got[1].Point.Y > 20 && got[2].Point.Y == 20 && got[3].Point.Y < 20,
		"baselines %v %v %v %v", got[0].Point.Y, got[1].Point.Y, got[2].Point.Y, got[3].Point.Y)
	expect.That(t, got[1].Size < got[0].Size, "the superscript is as large as the text")
	end := got[3].Point.X + 0.68*f.Width("1")
	expect.Near(t, float64(end), 50, 1e-9, "the end of text that ends at 50")
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

// lacks returns the first letter of a text that would not be drawn, 0 if all are.
func lacks(s string) rune {
	var buf sfnt.Buffer
	for _, bold := range []bool{false, true} {
		for _, r := range runs(s) {
			for _, letter := range r.text {
				if glyph, err := face(labelSize, bold).Face.GlyphIndex(&buf, letter); r.sign == nil && (glyph == 0 || err != nil) {
					return letter
				}
			}
		}
	}
	return 0
}

// TestNoLetterIsDropped gives every text a letter that the font lacks; the error must name the letter.
func TestNoLetterIsDropped(t *testing.T) {
	const bad = "a ☃"
	named := func(f Figure, name string) Drawer {
		return expect.Must(LearningCurves(CurvesConfig{Figure: f}, curve(name, 2, 1)))(t)
	}
	confusion, err := Confusion{Columns: []string{"a", bad}, Rows: []ConfusionRow{{Name: "b", Counts: []int{1, 2}}}}.Figure()
	expect.NoError(t, err)
	for what, f := range map[string]Drawer{
		"title": named(Figure{Title: bad}, "PUCL"), "label": named(Figure{XLabel: bad}, "PUCL"),
		"turned": named(Figure{YLabel: bad}, "PUCL"),
		"legend": named(Figure{}, bad), "confusion": confusion, "Chinese": named(Figure{Title: "中"}, "PUCL"),
	} {
		path := filepath.Join(t.TempDir(), "a.png")
		for _, err := range []error{Show(f, "alt"), Save(f, path, 0, 0), Save(f, strings.TrimSuffix(path, "png")+"pdf", 0, 0)} {
			expect.Require(t, errors.Is(err, ErrLetter), "%s: %v", what, err)
			named := strings.Contains(err.Error(), "☃ (U+2603)") || strings.Contains(err.Error(), "中 (U+4E2D)")
			expect.That(t, named && strings.Contains(err.Error(), "write it in"), "%s: %v", what, err)
		}
		expect.That(t, expect.Err(os.Stat(path)) != nil, "%s: the figure was written all the same", what)
	}
}

// TestSigns checks that |∇L| is drawn as letters with a sign of lines between them, which is measured and lies on the
// line, in every format.
func TestSigns(t *testing.T) {
	f := face(100, false)
	expect.Equal(t, textWidth(f, "|∇L|"), f.Width("|")+70+f.Width("L|"), "width of |∇L|")
	expect.Equal(t, textWidth(f, "a\u2009b"), f.Width("a b"), "a thin space is not a space")
	var paper recorder.Canvas
	write(&paper, f, TextGray, vg.Point{X: 10, Y: 20}, 0, "x∈A")
	end := 10 + f.Width("x")
	strokes, texts := 0, []string{}
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.FillString:
			texts = append(texts, a.String)
		case *recorder.SetLineWidth:
			expect.Near(t, float64(a.Width), 7.5, 1e-9, "how thick lines of letters of 100 points are")
		case *recorder.Stroke:
			strokes++
			for _, q := range a.Path {
				expect.That(t, q.Pos.X >= end && q.Pos.X <= end+68 && q.Pos.Y >= 20 && q.Pos.Y <= 90,
					"a corner of the sign lies at %v", q.Pos)
			}
		}
	}
	expect.That(t, strokes == 2 && len(texts) == 2 && texts[1] == "A", "%d strokes and %q", strokes, texts)
	for r, s := range signs {
		for _, line := range s.lines {
			for _, q := range line {
				expect.That(t, q[0] >= 0 && q[0] <= s.width && q[1] >= -0.25 && q[1] <= 0.8,
					"the sign %c leaves its box at %v", r, q)
			}
		}
	}
	p, err := LearningCurves(CurvesConfig{Figure: Figure{Title: "|∇L| ✓", YLabel: "⟨B, ∇μ⟩"}}, curve("x ∈ A", 2, 1))
	expect.NoError(t, err)
	for _, ext := range []string{"png", "svg", "pdf"} {
		expect.NoError(t, Save(p, filepath.Join(t.TempDir(), "a."+ext), 0, 0))
	}
}

// TestFontHasWhatFiguresSay checks that the font has all letters of strings in cells of notebooks and their Go files.
func TestFontHasWhatFiguresSay(t *testing.T) {
	found := 0
	check := func(path, source string) {
		var s scanner.Scanner
		files := token.NewFileSet()
		s.Init(files.AddFile(path, -1, len(source)), []byte(source), nil, 0) // lines for the kernel are not Go, and hold no strings
		for {
			_, kind, text := s.Scan()
			if kind == token.EOF {
				return
			}
			if kind == token.STRING {
				found++
				if r := lacks(strings.Trim(text, "`\"")); r != 0 && r != '\n' && r != '\t' {
					t.Errorf("%s: the font lacks %c (U+%04X) of %s; give it a sign", path, r, r, text)
				}
			}
		}
	}
	err := filepath.WalkDir("../notebooks", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".v") || d.Name() == "out" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		notebook := strings.HasSuffix(path, ".ipynb") && !strings.HasPrefix(d.Name(), ".")
		if !notebook && (!strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go")) {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !notebook {
			if strings.Contains(string(source), `puclab/viz"`) {
				check(path, string(source))
			}
			return nil
		}
		var file struct {
			Cells []struct {
				Type   string   `json:"cell_type"`
				Source []string `json:"source"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(source, &file); err != nil {
			return err
		}
		for _, cell := range file.Cells {
			if text := strings.Join(cell.Source, ""); cell.Type == "code" && strings.Contains(text, "viz.") {
				check(path, text)
			}
		}
		return nil
	})
	expect.That(t, err == nil && found >= 500, "%d strings were read: %v", found, err)
}
