package viz

import (
	"fmt"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sign is a letter that the font lacks, drawn as lines. Lengths are in font sizes, from the start of the letter on its
// baseline.
type sign struct {
	width float64
	lines [][][2]float64
}

// signs holds the signs of formulas, and the check mark and cross, that the fonts of gonum/plot lack.
var signs = map[rune]*sign{
	'∇': {0.70, [][][2]float64{{{0.05, 0.68}, {0.65, 0.68}, {0.35, 0.03}, {0.05, 0.68}, {0.65, 0.68}}}},
	'∈': {0.68, [][][2]float64{
		{{0.58, 0.60}, {0.36, 0.60}, {0.22, 0.55}, {0.12, 0.45}, {0.09, 0.32}, {0.12, 0.19}, {0.22, 0.09}, {0.36, 0.04}, {0.58, 0.04}},
		{{0.09, 0.32}, {0.55, 0.32}}}},
	'⟨': {0.36, [][][2]float64{{{0.28, 0.76}, {0.09, 0.28}, {0.28, -0.20}}}},
	'⟩': {0.36, [][][2]float64{{{0.08, 0.76}, {0.27, 0.28}, {0.08, -0.20}}}},
	'⌊': {0.34, [][][2]float64{{{0.10, 0.76}, {0.10, -0.20}, {0.30, -0.20}}}},
	'⌋': {0.34, [][][2]float64{{{0.24, 0.76}, {0.24, -0.20}, {0.04, -0.20}}}},
	'⇒': {0.90, [][][2]float64{{{0.06, 0.40}, {0.72, 0.40}}, {{0.06, 0.22}, {0.72, 0.22}}, {{0.62, 0.54}, {0.84, 0.31}, {0.62, 0.08}}}},
	'∓': {0.58, [][][2]float64{{{0.06, 0.62}, {0.52, 0.62}}, {{0.06, 0.26}, {0.52, 0.26}}, {{0.29, 0.49}, {0.29, 0.03}}}},
	'∖': {0.42, [][][2]float64{{{0.07, 0.72}, {0.35, -0.02}}}},
	'∼': {0.60, [][][2]float64{{{0.06, 0.24}, {0.12, 0.34}, {0.20, 0.37}, {0.30, 0.31}, {0.40, 0.25}, {0.48, 0.28}, {0.54, 0.38}}}},
	'≪': {0.86, [][][2]float64{{{0.46, 0.60}, {0.08, 0.32}, {0.46, 0.04}}, {{0.78, 0.60}, {0.40, 0.32}, {0.78, 0.04}}}},
	'✓': {0.74, [][][2]float64{{{0.08, 0.30}, {0.27, 0.06}, {0.66, 0.66}}}},
	'✗': {0.66, [][][2]float64{{{0.10, 0.60}, {0.56, 0.04}}, {{0.10, 0.04}, {0.56, 0.60}}}},
}

// draw draws the sign in the current color with its baseline beginning at pt, with lines as thick as those of the
// letters of f.
func (s *sign) draw(c vg.Canvas, f font.Face, pt vg.Point) {
	size := f.Font.Size
	thick := vg.Length(0.075)
	if f.Font.Weight != 0 {
		thick = 0.125
	}
	c.SetLineWidth(thick * size)
	c.SetLineDash(nil, 0)
	for _, line := range s.lines {
		var path vg.Path
		for i, q := range line {
			at := pt.Add(vg.Point{X: vg.Length(q[0]) * size, Y: vg.Length(q[1]) * size})
			if i == 0 {
				path.Move(at)
			} else {
				path.Line(at)
			}
		}
		c.Stroke(path)
	}
}

// proofread is a canvas that records the first drawn letter that its font lacks.
type proofread struct {
	vg.CanvasSizer
	err error
}

// FillString draws s, and looks up its letters.
func (p *proofread) FillString(f font.Face, pt vg.Point, s string) {
	p.CanvasSizer.FillString(f, pt, s)
	var buf sfnt.Buffer
	for _, r := range s {
		if glyph, err := f.Face.GlyphIndex(&buf, r); p.err == nil && (glyph == 0 || err != nil) {
			what := fmt.Sprintf("%q", r)
			if unicode.IsPrint(r) {
				what = string(r)
			}
			p.err = fmt.Errorf("viz: the text %q: %w, %s (U+%04X): write it in letters that every font has", s, ErrLetter, what, r)
		}
	}
}
