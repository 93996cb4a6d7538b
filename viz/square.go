package viz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Object is what lies on a corner of a UnitSquare: a mark, filled or hollow, so that two kinds of one shape can be told apart
// without their colours.
type Object struct {
	Shape  Marker
	Color  color.Color // nil for dark grey
	Hollow bool        // a filled shape as an outline; Cross and Plus are strokes anyway
}

// UnitSquare is a square with an object on each corner.
type UnitSquare struct {
	Corners [4]*Object // round the square from the upper left: (0, 1), (1, 1), (1, 0), (0, 0); nil leaves a corner free
	Shaded  bool       // on a grey ground
	Framed  bool       // in a dark frame
	Caption string     // a line below; long ones are broken at spaces
}

// Squares is a grid of squares. It is a Figure and knows its size.
type Squares struct {
	Title   string // over the grid; may be empty
	Key     []SquareKey
	squares []UnitSquare
	columns int
	lines   [][]string // of the captions
	cell    vg.Length  // width and height of a cell, without the caption
}

// SquareKey is a line of the key below a grid of squares: what an object is.
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

// SquareGrid returns a grid of squares, row by row, as for all ways to put four objects on the corners of the unit square.
// columns is the number of squares in a row, 0 for as many as there are but at most 6. The objects of a shape and a
// fill are for the reader to tell apart: set Key of the result to say what they are, and Title for a title.
//
// It returns an error if there is no square, or the columns are fewer than 0 or more than 8, which would not fit the
// width of a notebook.
func SquareGrid(columns int, squares ...UnitSquare) (*Squares, error) {
	if len(squares) == 0 {
		return nil, fmt.Errorf("viz: square grid: %w: pass at least one square", ErrNoData)
	}
	if columns < 0 || columns > 8 {
		return nil, fmt.Errorf("viz: square grid: %d columns, want 1 to 8, or 0 for as many as fit: %w", columns, ErrRange)
	}
	if columns == 0 {
		columns = min(len(squares), 6)
	}
	g := &Squares{columns: columns}
	across := min(columns, len(squares))
	g.cell = min(largestSquare, (defaultWidth-2*margin+squareGap)/vg.Length(across)-squareGap)
	g.cell = max(g.cell, smallestSquare)
	measured := measure(face(smallSize, false))
	for _, s := range squares {
		for i, o := range s.Corners {
			if o != nil {
				o := *o
				s.Corners[i] = &o
			}
		}
		var lines []string
		if s.Caption != "" {
			lines = wrap(s.Caption, g.cell, measured)
		}
		for i := range lines {
			lines[i] = cut(lines[i], g.cell, measured)
		}
		g.squares, g.lines = append(g.squares, s), append(g.lines, lines)
	}
	return g, nil
}

func (g *Squares) title() string { return g.Title }

func (g *Squares) titleHeight() vg.Length {
	if g.Title == "" {
		return 0
	}
	return titleSize + 10
}

// rowHeights returns the height of each row of the grid: the squares and the longest caption under them.
func (g *Squares) rowHeights() []vg.Length {
	var rows []vg.Length
	for i := 0; i < len(g.squares); i += g.columns {
		lines := 0
		for j := i; j < min(i+g.columns, len(g.squares)); j++ {
			lines = max(lines, len(g.lines[j]))
		}
		rows = append(rows, g.cell+lineFactor*smallSize*vg.Length(lines))
	}
	return rows
}

// gridWidth returns the width of the squares of a row.
func (g *Squares) gridWidth() vg.Length {
	return vg.Length(min(g.columns, len(g.squares)))*(g.cell+squareGap) - squareGap
}

// keyRows lays the key out: the offset of each entry from the left, line by line, and the width of the longest line.
func (g *Squares) keyRows() (offsets []vg.Point, width vg.Length) {
	f := face(smallSize, false)
	room := max(g.gridWidth(), defaultWidth-2*margin)
	x, y := vg.Length(0), vg.Length(0)
	for _, k := range g.Key {
		w := 2*objectRadius + thumbGap + textWidth(f, k.Name)
		if x > 0 && x+w > room {
			x, y = 0, y+keyLine
		}
		offsets = append(offsets, vg.Point{X: x, Y: y})
		width = max(width, x+w)
		x += w + legendGap
	}
	return offsets, width
}

func (g *Squares) keyHeight() vg.Length {
	offsets, _ := g.keyRows()
	if len(offsets) == 0 {
		return 0
	}
	return offsets[len(offsets)-1].Y + keyLine + 4
}

// Size returns the size of the grid in points, with the margin.
func (g *Squares) Size() (width, height vg.Length) {
	_, key := g.keyRows()
	width = max(g.gridWidth(), key)
	if g.Title != "" {
		width = max(width, textWidth(face(titleSize, true), g.Title))
	}
	height = g.titleHeight() + g.keyHeight() - squareGap
	for _, h := range g.rowHeights() {
		height += h + squareGap
	}
	return width + 2*margin, height + 2*margin
}

// Draw draws the grid in the middle of c, made smaller as a whole where c is smaller than the grid.
func (g *Squares) Draw(c draw.Canvas) {
	gw, gh := g.Size()
	gw, gh = gw-2*margin, gh-2*margin
	center(c, gw, gh)
	defer c.Pop()
	if g.Title != "" {
		write(c, face(titleSize, true), TextGrey, vg.Point{X: gw / 2, Y: -titleSize}, 0.5, g.Title)
	}
	f := face(smallSize, false)
	left := (gw - g.gridWidth()) / 2
	y := -g.titleHeight()
	for row, height := range g.rowHeights() {
		for i := row * g.columns; i < min((row+1)*g.columns, len(g.squares)); i++ {
			x := left + vg.Length(i%g.columns)*(g.cell+squareGap)
			g.squares[i].drawOn(c, vg.Rectangle{Min: vg.Point{X: x, Y: y - g.cell}, Max: vg.Point{X: x + g.cell, Y: y}})
			for j, s := range g.lines[i] {
				write(c, f, TextGrey, vg.Point{X: x + g.cell/2, Y: y - g.cell - lineFactor*smallSize*vg.Length(j) - 1.05*smallSize}, 0.5, s)
			}
		}
		y -= height + squareGap
	}
	offsets, width := g.keyRows()
	for i, k := range g.Key {
		at := vg.Point{X: (gw-width)/2 + offsets[i].X + objectRadius, Y: y - offsets[i].Y - keyLine/2}
		k.Object.drawAt(c, at, objectRadius-1)
		write(c, f, TextGrey, vg.Point{X: at.X + objectRadius + thumbGap, Y: at.Y - 0.33*smallSize}, 0, k.Name)
	}
}

// drawOn draws the square into its cell.
func (s UnitSquare) drawOn(c draw.Canvas, cell vg.Rectangle) {
	inside := cell
	if s.Framed {
		// Two areas rather than a line, the corners of which would not close in every format.
		c.SetColor(TextGrey)
		c.Fill(cell.Path())
		inside.Min.X, inside.Min.Y, inside.Max.X, inside.Max.Y = cell.Min.X+2, cell.Min.Y+2, cell.Max.X-2, cell.Max.Y-2
	}
	c.SetColor(white)
	if s.Shaded {
		c.SetColor(GridGrey)
	}
	c.Fill(inside.Path())
	in := 0.21 * (cell.Max.X - cell.Min.X)
	l, r, b, t := cell.Min.X+in, cell.Max.X-in, cell.Min.Y+in, cell.Max.Y-in
	corners := []vg.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}}
	c.StrokeLines(draw.LineStyle{Color: MarkGrey, Width: 0.75}, append(corners, corners[0]))
	for i, o := range s.Corners {
		if o != nil {
			o.drawAt(c, corners[i], objectRadius)
		}
	}
}

// drawAt draws the object with its middle at pt.
func (o Object) drawAt(c draw.Canvas, pt vg.Point, radius vg.Length) {
	col := o.Color
	if col == nil {
		col = TextGrey
	}
	if o.Shape == Cross || o.Shape == Plus {
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: radius, Shape: o.Shape}, pt)
		return
	}
	path := o.Shape.outline(pt, radius)
	c.SetColor(col)
	if o.Hollow {
		c.SetColor(white)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: col, Width: 2})
	c.Stroke(path)
}
