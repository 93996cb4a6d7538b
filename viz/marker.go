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
	switch r := sty.Radius; m {
	case Cross:
		strokes(c, sty, pt, vg.Point{X: r, Y: r}, vg.Point{X: r, Y: -r})
	case Plus:
		strokes(c, sty, pt, vg.Point{X: 1.2 * r}, vg.Point{Y: 1.2 * r})
	default:
		path := m.outline(pt, r)
		fill(*c, sty.Color, path)
		if r >= rimFrom {
			stroke(*c, draw.LineStyle{Color: white, Width: 0.5}, path)
		}
	}
}

// corners holds the corners of the filled shapes for a radius of 1.
var corners = map[Marker][]vg.Point{
	Square:       {{X: -.88, Y: -.88}, {X: .88, Y: -.88}, {X: .88, Y: .88}, {X: -.88, Y: .88}},
	UpTriangle:   {{X: -1.13, Y: -.72}, {X: 1.13, Y: -.72}, {X: 0, Y: 1.25}},
	DownTriangle: {{X: -1.13, Y: .72}, {X: 1.13, Y: .72}, {X: 0, Y: -1.25}},
	Diamond:      {{X: -1.2}, {Y: -1.2}, {X: 1.2}, {Y: 1.2}},
}

// outline returns the closed path of a filled marker.
func (m Marker) outline(pt vg.Point, r vg.Length) (p vg.Path) {
	if m == Circle {
		p.Move(vg.Point{X: pt.X + r, Y: pt.Y})
		p.Arc(pt, r, 0, 2*math.Pi)
	}
	for i, k := range corners[m] {
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

// strokes draws two lines through pt, from −a to a and from −b to b.
func strokes(c *draw.Canvas, sty draw.GlyphStyle, pt, a, b vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: max(0.8, 0.45*sty.Radius)},
		[]vg.Point{pt.Sub(a), pt.Add(a)}, []vg.Point{pt.Sub(b), pt.Add(b)})
}
