package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Object is the object on a corner of a UnitSquare: a mark, filled or hollow, so that two kinds of one shape differ in
// more than color.
type Object struct {
	Shape  Marker
	Color  color.Color // nil for dark gray
	Hollow bool        // a filled shape as an outline; Cross and Plus are strokes anyway
}

// UnitSquare is a square with an object on each corner.
type UnitSquare struct {
	Corners [4]*Object // clockwise from the upper left: (0, 1), (1, 1), (1, 0), (0, 0); nil leaves a corner free
	Shaded  bool       // on a gray ground
	Framed  bool       // in a dark frame
	Caption string     // a line below; long ones are broken at spaces
}

// SquareKey is a line of the key below a grid of squares: the meaning of an object.
type SquareKey struct {
	Object Object
	Name   string
}

// Measures of a grid of squares, in points.
const (
	largestSquare  = vg.Length(110)
	smallestSquare = vg.Length(48)
	squareGap      = vg.Length(10)
	objectRadius   = vg.Length(6.5)
	keyLine        = vg.Length(20)
)

// SquareGrid returns a grid of squares, row by row, for example of all ways to place four objects on the corners of the
// unit square. columns is the number of squares in a row; 0 means all in one row, at most 6. The key below the grid,
// which may be nil, explains the objects. Set Title of the result for a title.
//
// It returns an error if there is no square, or columns is negative or above 8, which would not fit the width of a
// notebook.
func SquareGrid(columns int, key []SquareKey, squares ...UnitSquare) (*Drawing, error) {
	if len(squares) == 0 {
		return nil, fmt.Errorf("viz: square grid: %w: pass at least one square", ErrNoData)
	}
	if columns < 0 || columns > 8 {
		return nil, fmt.Errorf("viz: square grid: %d columns, want 1 to 8, or 0 for as many as fit: %w", columns, ErrRange)
	}
	g := newGrid(len(squares), columns, 6, smallestSquare, largestSquare, squareGap)
	squares, key = slices.Clone(squares), slices.Clone(key)
	for i := range squares {
		s := &squares[i]
		for k, o := range s.Corners {
			if o != nil {
				s.Corners[k] = new(*o)
			}
		}
		var lines []string
		if s.Caption != "" {
			lines = g.caption(s.Caption)
		}
		g.captions = append(g.captions, lines)
	}
	var lines []vg.Point // sizes of the lines of the key
	for _, k := range key {
		lines = append(lines, vg.Point{X: 2*objectRadius + thumbGap + smallWidth(k.Name), Y: keyLine})
	}
	offsets, size := flow(lines, max(g.across(), defaultWidth-2*margin), legendGap, 0)
	height := g.down()
	if len(key) > 0 {
		height += size.Y + 4
	}
	return &Drawing{align: 0.5, width: max(g.across(), size.X), height: height, draw: func(c draw.Canvas, title, width vg.Length) {
		y := g.draw(c, (width-g.across())/2, -title, func(i int, cell vg.Rectangle) { squares[i].drawOn(c, cell) })
		for i, k := range key {
			at := vg.Point{X: (width-size.X)/2 + offsets[i].X + objectRadius, Y: y - offsets[i].Y - keyLine/2}
			k.Object.drawAt(c, at, objectRadius-1)
			writeSmall(c, vg.Point{X: at.X + objectRadius + thumbGap, Y: at.Y - 0.33*smallSize}, 0, k.Name)
		}
	}}, nil
}

// drawOn draws the square into its cell.
func (s UnitSquare) drawOn(c draw.Canvas, cell vg.Rectangle) {
	inside := cell
	if s.Framed {
		// Two areas rather than a line, whose corners would be open in some formats.
		fill(c, TextGray, cell.Path())
		inside = draw.Crop(draw.Canvas{Rectangle: cell}, 2, -2, 2, -2).Rectangle
	}
	ground := white
	if s.Shaded {
		ground = GridGray
	}
	fill(c, ground, inside.Path())
	in := 0.21 * (cell.Max.X - cell.Min.X)
	l, r, b, t := cell.Min.X+in, cell.Max.X-in, cell.Min.Y+in, cell.Max.Y-in
	corners := []vg.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}}
	c.StrokeLines(draw.LineStyle{Color: MarkGray, Width: 0.75}, append(corners, corners[0]))
	for i, o := range s.Corners {
		if o != nil {
			o.drawAt(c, corners[i], objectRadius)
		}
	}
}

// drawAt draws the object with its middle at pt.
func (o Object) drawAt(c draw.Canvas, pt vg.Point, radius vg.Length) {
	col := cmp.Or[color.Color](o.Color, TextGray)
	if o.Shape == Cross || o.Shape == Plus {
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: radius, Shape: o.Shape}, pt)
		return
	}
	path := o.Shape.outline(pt, radius)
	inner := col
	if o.Hollow {
		inner = white
	}
	fill(c, inner, path)
	stroke(c, draw.LineStyle{Color: col, Width: 2}, path)
}
