package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Marker is a shape that marks a point; it implements draw.GlyphDrawer. The shapes are filled, with a thin white rim
// that keeps neighbors apart, and of about the same area; Cross and Plus are drawn with strokes.
//
// gonum/plot has shapes too, but half of them are outlines half a point wide, too thin for a series that must be
// told apart by its shape.
type Marker int

// The markers, in the order in which StyleFor hands them out.
const (
	Circle Marker = iota
	Square
	UpTriangle
	Diamond
	DownTriangle
	Cross
	Plus
)

// rimFrom is the radius from which a marker gets its white rim: smaller ones would be all rim.
const rimFrom = 2.5

// DrawGlyph draws the marker at pt.
func (m Marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius
	if m == Cross || m == Plus {
		m.strokes(c, sty, pt)
		return
	}
	path := m.outline(pt, r)
	c.SetColor(sty.Color)
	c.Fill(path)
	if r >= rimFrom {
		c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.5})
		c.Stroke(path)
	}
}

// outline returns the closed path of a filled marker.
func (m Marker) outline(pt vg.Point, r vg.Length) vg.Path {
	if m == Circle {
		var p vg.Path
		p.Move(vg.Point{X: pt.X + r, Y: pt.Y})
		p.Arc(pt, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	var corners []vg.Point // in units of r
	switch m {
	case Square:
		corners = []vg.Point{{X: -.88, Y: -.88}, {X: .88, Y: -.88}, {X: .88, Y: .88}, {X: -.88, Y: .88}}
	case UpTriangle:
		corners = []vg.Point{{X: -1.13, Y: -.72}, {X: 1.13, Y: -.72}, {X: 0, Y: 1.25}}
	case DownTriangle:
		corners = []vg.Point{{X: -1.13, Y: .72}, {X: 1.13, Y: .72}, {X: 0, Y: -1.25}}
	default: // Diamond
		corners = []vg.Point{{X: -1.2}, {Y: -1.2}, {X: 1.2}, {Y: 1.2}}
	}
	var p vg.Path
	for i, k := range corners {
		q := vg.Point{X: pt.X + r*k.X, Y: pt.Y + r*k.Y}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}

// strokes draws Cross and Plus.
func (m Marker) strokes(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius
	a, b := vg.Point{X: r, Y: r}, vg.Point{X: r, Y: -r}
	if m == Plus {
		a, b = vg.Point{X: 1.2 * r}, vg.Point{Y: 1.2 * r}
	}
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: max(0.8, 0.45*r)})
	for _, d := range []vg.Point{a, b} {
		var p vg.Path
		p.Move(vg.Point{X: pt.X - d.X, Y: pt.Y - d.Y})
		p.Line(vg.Point{X: pt.X + d.X, Y: pt.Y + d.Y})
		c.Stroke(p)
	}
}
