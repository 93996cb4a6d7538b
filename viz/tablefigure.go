package viz

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TableFigure is a Table drawn as a figure, for a paper or a slide. It is a Figure and knows its size.
type TableFigure struct {
	s             *sheet
	columns       []column
	notes         []string  // lines of the note
	nameWidth     vg.Length // of the first column
	width, height vg.Length // of the drawing
}

// column is where a column of cells lies, in points from the left of the drawing.
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

// Figure returns the table as a figure: horizontal rules only, names on the left, numbers lined up at the decimal
// point. It returns the errors that the other renderings return too.
func (t Table) Figure() (*TableFigure, error) {
	s, err := t.sheet()
	if err != nil {
		return nil, err
	}
	f := &TableFigure{s: s}
	regular, bold := measure(face(smallSize, false)), measure(face(smallSize, true))
	f.nameWidth = bold(t.RowsHeader)
	for _, name := range t.Rows {
		f.nameWidth = max(f.nameWidth, regular(name))
	}
	x := tablePad + f.nameWidth
	for j, name := range t.Columns {
		// Bold letters may be wider, digits are not; measuring all cells in bold keeps the column still when the
		// best changes.
		digits := func(s string) float64 { return float64(bold(s)) }
		before, after := split(s, j, digits)
		wide := vg.Length(before + after)
		for i := range s.cells {
			if w := s.cells[i][j]; !w.number {
				wide = max(wide, bold(w.text()))
			}
		}
		c := column{name: wrap(name, headerLimit, bold)}
		for _, line := range c.name {
			wide = max(wide, bold(line))
		}
		c.left = x + columnGap
		c.right = c.left + wide
		c.point = (c.left+c.right)/2 + vg.Length(before-after)/2
		f.columns = append(f.columns, c)
		x = c.right
	}
	f.width = x + tablePad
	if t.Title != "" {
		f.width = max(f.width, textWidth(face(titleSize, true), t.Title))
	}
	if s.note != "" {
		f.notes = wrap(s.note, f.width, regular)
		for _, line := range f.notes {
			f.width = max(f.width, regular(line))
		}
	}
	f.height = f.titleHeight() + f.headerHeight() + rowHeight*vg.Length(len(t.Rows)) + tablePad
	if len(f.notes) > 0 {
		f.height += tablePad + lineFactor*smallSize*vg.Length(len(f.notes))
	}
	return f, nil
}

func (f *TableFigure) title() string { return f.s.Title }

func (f *TableFigure) titleHeight() vg.Length {
	if f.s.Title == "" {
		return 0
	}
	return titleSize + 10
}

func (f *TableFigure) headerHeight() vg.Length {
	lines := 1
	for _, c := range f.columns {
		lines = max(lines, len(c.name))
	}
	return lineFactor*smallSize*vg.Length(lines) + 2*tablePad
}

// Size returns the size at which the letters have the sizes of the house, in points, with the margin.
func (f *TableFigure) Size() (width, height vg.Length) {
	return f.width + 2*margin, f.height + 2*margin
}

// Draw draws the table in the middle of c, made smaller as a whole where c is smaller than the table.
func (f *TableFigure) Draw(c draw.Canvas) {
	center(c, f.width, f.height)
	defer c.Pop()
	// From here on the origin is the upper left corner of the table.
	regular, bold := face(smallSize, false), face(smallSize, true)
	y := vg.Length(0)
	if f.s.Title != "" {
		write(c, face(titleSize, true), TextGrey, vg.Point{Y: -titleSize}, 0, f.s.Title)
		y -= f.titleHeight()
	}
	rule := func(y, thick vg.Length) {
		c.StrokeLine2(draw.LineStyle{Color: TextGrey, Width: thick}, 0, y, f.width, y)
	}
	rule(y, 1.2)
	line := lineFactor * smallSize
	base := y - f.headerHeight() + tablePad + 0.3*smallSize // of the last line of the headers
	write(c, bold, TextGrey, vg.Point{X: tablePad, Y: base}, 0, f.s.RowsHeader)
	for _, k := range f.columns {
		for i, text := range k.name {
			at := vg.Point{X: (k.left + k.right) / 2, Y: base + line*vg.Length(len(k.name)-1-i)}
			write(c, bold, TextGrey, at, 0.5, text)
		}
	}
	y -= f.headerHeight()
	rule(y, 0.6)
	for i, name := range f.s.Rows {
		base := y - rowHeight*vg.Length(i) - rowHeight/2 - 0.36*smallSize - tablePad/4
		write(c, regular, TextGrey, vg.Point{X: tablePad, Y: base}, 0, name)
		for j, k := range f.columns {
			f.cell(c, f.s.cells[i][j], k, base)
		}
	}
	y -= rowHeight*vg.Length(len(f.s.Rows)) + tablePad/2
	rule(y, 1.2)
	for i, text := range f.notes {
		write(c, regular, TextGrey, vg.Point{Y: y - tablePad - line*vg.Length(i) - 0.8*smallSize}, 0, text)
	}
}

// cell writes one cell into column k with its baseline at y.
func (f *TableFigure) cell(c draw.Canvas, w words, k column, y vg.Length) {
	fc := face(smallSize, w.strong && !f.s.Underline)
	var left, right vg.Length
	if w.number {
		write(c, fc, TextGrey, vg.Point{X: k.point, Y: y}, 1, w.whole)
		write(c, fc, TextGrey, vg.Point{X: k.point, Y: y}, 0, w.fraction+w.spread)
		left, right = k.point-textWidth(fc, w.whole), k.point+textWidth(fc, w.fraction+w.spread)
	} else {
		col := TextGrey
		if w.missing {
			col = MarkGrey
		}
		centre := (k.left + k.right) / 2
		write(c, fc, col, vg.Point{X: centre, Y: y}, 0.5, w.text())
		left, right = centre-textWidth(fc, w.text())/2, centre+textWidth(fc, w.text())/2
	}
	if w.strong && f.s.Underline {
		c.StrokeLine2(draw.LineStyle{Color: TextGrey, Width: 0.8}, left, y-2.5, right, y-2.5)
	}
}
