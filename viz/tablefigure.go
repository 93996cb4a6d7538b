package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// column is the position of a column of cells, in points from the left of the drawing.
type column struct {
	left, right vg.Length
	point       vg.Length // the decimal points
	name        []string  // lines of the header
}

// Measures of a drawn table, in points.
const (
	rowHeight   = vg.Length(19)
	columnGap   = vg.Length(22)
	headerLimit = vg.Length(110) // headers break here
	tablePad    = vg.Length(6)   // between a rule and the text beside it
)

// Figure returns the table as a figure, for a paper or a slide: horizontal rules only, names on the left, numbers
// aligned at the decimal point. It returns the same errors as the other renderings.
func (t Table) Figure() (*Drawing, error) {
	s, err := t.sheet()
	if err != nil {
		return nil, err
	}
	bold := func(s string) vg.Length { return textWidth(face(smallSize, true), s) }
	x := max(bold(t.RowsHeader), widest(smallWidth, t.Rows...)) + tablePad
	columns := make([]column, len(t.Columns))
	headerLines := 1
	for j, name := range t.Columns {
		// Bold letters may be wider, digits are not. Measuring all cells in bold keeps the column fixed when the best
		// cell changes.
		before, after := split(s, j, bold)
		k := column{name: wrap(name, headerLimit, bold), left: x + columnGap}
		wide := max(before+after, widest(bold, k.name...))
		for i := range s.cells {
			if w := s.cells[i][j]; !w.number {
				wide = max(wide, bold(w.text()))
			}
		}
		k.right = k.left + wide
		k.point = (k.left+k.right)/2 + (before-after)/2
		headerLines = max(headerLines, len(k.name))
		columns[j], x = k, k.right
	}
	width := max(x+tablePad, textWidth(face(titleSize, true), t.Title))
	var below []string // the lines of the note
	if s.note != "" {
		below = wrap(s.note, width, smallWidth)
		width = max(width, widest(smallWidth, below...))
	}
	header := lineFactor*smallSize*vg.Length(headerLines) + 2*tablePad
	height := header + rowHeight*vg.Length(len(t.Rows)) + tablePad
	if len(below) > 0 {
		height += tablePad + lineFactor*smallSize*vg.Length(len(below))
	}
	return &Drawing{Title: t.Title, width: width, height: height, draw: func(c draw.Canvas, title, width vg.Length) {
		s.draw(c, 0-title, width, header, columns, below)
	}}, nil
}

// draw draws the table from y downwards: a header of the given height, the cells, and the lines of the note.
func (s *sheet) draw(c draw.Canvas, y, width, header vg.Length, columns []column, below []string) {
	rule := func(y, thick vg.Length) {
		c.StrokeLine2(draw.LineStyle{Color: TextGray, Width: thick}, 0, y, width, y)
	}
	rule(y, 1.2)
	line := lineFactor * smallSize
	bold := face(smallSize, true)
	base := y - header + tablePad + 0.3*smallSize // of the last line of the headers
	write(c, bold, TextGray, vg.Point{X: tablePad, Y: base}, 0, s.RowsHeader)
	for _, k := range columns {
		for i, text := range k.name {
			at := vg.Point{X: (k.left + k.right) / 2, Y: base + line*vg.Length(len(k.name)-1-i)}
			write(c, bold, TextGray, at, 0.5, text)
		}
	}
	y -= header
	rule(y, 0.6)
	for i, name := range s.Rows {
		base := y - rowHeight*vg.Length(i) - rowHeight/2 - 0.36*smallSize - tablePad/4
		writeSmall(c, vg.Point{X: tablePad, Y: base}, 0, name)
		for j, k := range columns {
			s.drawCell(c, s.cells[i][j], k, base)
		}
	}
	y -= rowHeight*vg.Length(len(s.Rows)) + tablePad/2
	rule(y, 1.2)
	for i, text := range below {
		writeSmall(c, vg.Point{Y: y - tablePad - line*vg.Length(i) - 0.8*smallSize}, 0, text)
	}
}

// drawCell writes one cell into column k with its baseline at y.
func (s *sheet) drawCell(c draw.Canvas, w words, k column, y vg.Length) {
	f := face(smallSize, w.strong && !s.Underline)
	var left, right vg.Length
	if w.number {
		left, right = k.point-textWidth(f, w.whole), k.point+textWidth(f, w.fraction+w.spread)
		write(c, f, TextGray, vg.Point{X: k.point, Y: y}, 1, w.whole)
		write(c, f, TextGray, vg.Point{X: k.point, Y: y}, 0, w.fraction+w.spread)
	} else {
		col := TextGray
		if w.missing {
			col = MarkGray
		}
		center, half := (k.left+k.right)/2, textWidth(f, w.text())/2
		left, right = center-half, center+half
		write(c, f, col, vg.Point{X: center, Y: y}, 0.5, w.text())
	}
	if w.strong && s.Underline {
		c.StrokeLine2(draw.LineStyle{Color: TextGray, Width: 0.8}, left, y-2.5, right, y-2.5)
	}
}
