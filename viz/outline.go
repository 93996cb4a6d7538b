package viz

import (
	"image"
	"image/color"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// outlined is a PDF canvas that draws letters as filled outlines and images the right way up. The text of vgpdf
// (gonum.org/v1/plot v0.17.0) knows one code page of western letters only, without τ, λ or a real minus sign, and no
// bold face, and its images come out upside down.
type outlined struct {
	*vgpdf.Canvas
}

// FillString draws the outlines of s with its baseline starting at pt.
func (c outlined) FillString(f font.Face, pt vg.Point, s string) {
	if path := outline(f, pt, s); len(path) > 0 {
		c.Fill(path)
	}
}

// DrawImage draws img into rect.
func (c outlined) DrawImage(rect vg.Rectangle, img image.Image) {
	c.Canvas.DrawImage(rect, flipped{img})
}

// flipped is an image upside down.
type flipped struct{ image.Image }

func (f flipped) At(x, y int) color.Color {
	b := f.Bounds()
	return f.Image.At(x, b.Min.Y+b.Max.Y-1-y)
}

// outline returns the outlines of s as one path. A letter that the font lacks takes the shape of a missing letter.
func outline(f font.Face, pt vg.Point, s string) vg.Path {
	var (
		path vg.Path
		buf  sfnt.Buffer
		ppem = fixed.Int26_6(f.Face.UnitsPerEm()) // font units come out as 1/64 pixel
		unit = f.Font.Size / vg.Length(ppem)
		last sfnt.GlyphIndex
	)
	for i, r := range s {
		// Where the font lacks something, such as a kerning table, it answers with an error and 0 or nothing.
		glyph, _ := f.Face.GlyphIndex(&buf, r)
		if i > 0 {
			kern, _ := f.Face.Kern(&buf, last, glyph, ppem, 0)
			pt.X += unit * vg.Length(kern)
		}
		segments, _ := f.Face.LoadGlyph(&buf, glyph, ppem, nil)
		at := func(p fixed.Point26_6) vg.Point { // y points down in fonts
			return vg.Point{X: pt.X + unit*vg.Length(p.X), Y: pt.Y - unit*vg.Length(p.Y)}
		}
		for j, g := range segments {
			switch g.Op {
			case sfnt.SegmentOpMoveTo:
				if j > 0 {
					path.Close()
				}
				path.Move(at(g.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(g.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(g.Args[0]), at(g.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(g.Args[0]), at(g.Args[1]), at(g.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		step, _ := f.Face.GlyphAdvance(&buf, glyph, ppem, 0)
		pt.X += unit * vg.Length(step)
		last = glyph
	}
	return path
}
