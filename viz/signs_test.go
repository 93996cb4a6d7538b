package viz

import (
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

// TestNoLetterIsDropped gives every place of text a letter that the font lacks, and wants its name in the error, be it for the
// screen or for a file.
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

// TestSigns: |∇L| is drawn as letters with a sign of lines between them, which is measured and lies on the line, in every format.
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
		case *recorder.Stroke:
			strokes++
			for _, q := range a.Path {
				expect.That(t, !(q.Pos.X < end) && !(q.Pos.X > end+68) && !(q.Pos.Y < 20) && !(q.Pos.Y > 90),
					"a corner of the sign lies at %v", q.Pos)
			}
		}
	}
	expect.That(t, strokes == 2 && len(texts) == 2 && texts[1] == "A", "%d strokes and %q", strokes, texts)
	for r, s := range signs {
		for _, line := range s.lines {
			for _, q := range line {
				expect.That(t, !(q[0] < 0) && !(q[0] > s.width) && !(q[1] < -0.25) && !(q[1] > 0.8),
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

// TestFontHasWhatFiguresSay reads the strings in the cells of the notebooks, and in the Go files beside them that draw:
// whatever they may write into a figure is drawn.
func TestFontHasWhatFiguresSay(t *testing.T) {
	found := 0
	check := func(path, source string) {
		var s scanner.Scanner
		files := token.NewFileSet()
		s.Init(files.AddFile(path, -1, len(source)), []byte(source), nil, 0) // lines that are for the kernel are no Go, and hold no strings
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
