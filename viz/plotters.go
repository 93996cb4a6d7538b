package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Helpers and plotters that several kinds of figures share.

// onCanvas returns the map from points of p to points of c.
func onCanvas(c draw.Canvas, p *plot.Plot) func(plotter.XY) vg.Point {
	x, y := p.Transforms(&c)
	return func(q plotter.XY) vg.Point { return vg.Point{X: x(q.X), Y: y(q.Y)} }
}

// fill fills a path with a color.
func fill(c draw.Canvas, col color.Color, path vg.Path) {
	c.SetColor(col)
	c.Fill(path)
}

// stroke draws a path as a line.
func stroke(c draw.Canvas, style draw.LineStyle, path vg.Path) {
	c.SetLineStyle(style)
	c.Stroke(path)
}

// points returns x and y as the points that gonum/plot draws.
func points(x, y []float64) plotter.XYs {
	p := make(plotter.XYs, len(x))
	for i := range x {
		p[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return p
}

// pick returns p[i] for each i of at.
func pick(p plotter.XYs, at []int) plotter.XYs {
	q := make(plotter.XYs, len(at))
	for i, j := range at {
		q[i] = p[j]
	}
	return q
}

// glyphBoxes claims room for a box around each of some points, so that it stays on the page at the edge.
func glyphBoxes(p *plot.Plot, at plotter.XYs, box func(i int) vg.Rectangle) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(at))
	for i, q := range at {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(q.X), Y: p.Y.Norm(q.Y), Rectangle: box(i)}
	}
	return boxes
}

// marks is a plotter of equal marks, with a size of its own in the legend.
type marks struct {
	plotter.Scatter
	thumb vg.Length // radius in the legend; 0 means the radius of the marks
}

func newMarks(at plotter.XYs, style draw.GlyphStyle, thumb vg.Length) *marks {
	return &marks{plotter.Scatter{XYs: at, GlyphStyle: style}, thumb}
}

func (m *marks) Thumbnail(c *draw.Canvas) {
	s := m.GlyphStyle
	if m.thumb > 0 {
		s.Radius = m.thumb
	}
	c.DrawGlyphNoClip(s, c.Center())
}

// whisker strokes an upright interval with end caps of half-width end.
func whisker(c draw.Canvas, style draw.LineStyle, low, high vg.Point, end vg.Length) {
	side := vg.Point{X: end}
	c.StrokeLines(style, []vg.Point{low, high}, []vg.Point{low.Sub(side), low.Add(side)}, []vg.Point{high.Sub(side), high.Add(side)})
}

// widen adds to both ends of the range of an axis.
func widen(a *plot.Axis, room float64) { a.Min, a.Max = a.Min-room, a.Max+room }

// whiskers is a plotter of upright intervals.
type whiskers struct {
	low, high plotter.XYs
	style     draw.LineStyle
}

func (w *whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	for i := range w.low {
		whisker(c, w.style, on(w.low[i]), on(w.high[i]), 3)
	}
}

// DataRange holds all ends.
func (w *whiskers) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(append(append(plotter.XYs{}, w.low...), w.high...))
}

// part is a plotter with a data range.
type part interface {
	plot.Plotter
	plot.DataRanger
}

// aside is a plotter that shifts parts to the right of their values, or to the left for negative gaps, by a multiple of
// a gap. A gap is whiskerGap, or less if places are close to each other, so that the parts of one place stay together.
type aside struct {
	parts  []part
	gaps   float64 // below 0 for left
	most   float64 // of gaps, from the first curve to the last
	places []float64
}

// by returns the horizontal shift of the parts on p, drawn on c.
func (a aside) by(c draw.Canvas, p *plot.Plot) vg.Length {
	gap := whiskerGap
	x, _ := p.Transforms(&c)
	for i := 1; i < len(a.places) && a.most > 0; i++ {
		gap = min(gap, (x(a.places[i])-x(a.places[i-1]))*vg.Length(0.45/a.most))
	}
	return gap * vg.Length(a.gaps)
}

func (a aside) Plot(c draw.Canvas, p *plot.Plot) {
	by := a.by(c, p)
	c.Min.X, c.Max.X = c.Min.X+by, c.Max.X+by
	for _, part := range a.parts {
		part.Plot(c, p)
	}
}

// DataRange returns the range of the unshifted parts.
func (a aside) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, part := range a.parts {
		left, right, low, high := part.DataRange()
		xmin, xmax, ymin, ymax = min(xmin, left), max(xmax, right), min(ymin, low), max(ymax, high)
	}
	return xmin, xmax, ymin, ymax
}

// GlyphBoxes claims room for marks that are shifted beyond an edge.
func (a aside) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	for _, part := range a.parts {
		if part, ok := part.(plot.GlyphBoxer); ok {
			for _, box := range part.GlyphBoxes(p) {
				box.Rectangle = box.Add(vg.Point{X: whiskerGap * vg.Length(a.gaps)}) // largest shift
				boxes = append(boxes, box)
			}
		}
	}
	return boxes
}
