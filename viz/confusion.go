package viz

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Confusion is a confusion matrix: the predictions of a classifier for each kind of example, as counts and as fractions
// of the kind. Figure draws it, Table lists it and Alt describes it.
//
// For positive and unlabeled data the kinds are LabeledPositive and Unlabeled, or UnlabeledPositive and Negative if the
// true classes are known.
type Confusion struct {
	Title   string
	Columns []string // predicted classes
	Rows    []ConfusionRow
}

// ConfusionRow holds the predictions for one kind of example.
type ConfusionRow struct {
	Name   string
	Class  string // the correct column; "" if unknown
	Counts []int  // a number for each column
}

// Measures of a confusion, in points.
const (
	cellWidth  = vg.Length(96)
	cellHeight = vg.Length(42)
	cellRim    = vg.Length(2)
	kindWidth  = vg.Length(120) // longer names are broken and cut
)

// check returns the number of examples predicted as each class, or an error if there is nothing to draw.
func (c Confusion) check() (all ConfusionRow, err error) {
	if len(c.Columns) < 2 || len(c.Rows) == 0 {
		return all, fmt.Errorf("viz: confusion: %w: there are %d columns and %d rows, want 2 and 1 or more",
			ErrNoData, len(c.Columns), len(c.Rows))
	}
	all = ConfusionRow{Name: "all", Counts: make([]int, len(c.Columns))}
	for _, r := range c.Rows {
		if len(r.Counts) != len(c.Columns) {
			return all, fmt.Errorf("viz: confusion: the row %q has %d counts and there are %d columns: %w",
				r.Name, len(r.Counts), len(c.Columns), ErrLength)
		}
		if r.Class != "" && !slices.Contains(c.Columns, r.Class) {
			return all, fmt.Errorf("viz: confusion: the row %q is of the class %q, which is no column: %w: give one of %q, or \"\" for unknown",
				r.Name, r.Class, ErrRange, c.Columns)
		}
		for j, n := range r.Counts {
			if n < 0 {
				return all, fmt.Errorf("viz: confusion: the row %q counts %d predicted %s: %w: give 0 or more",
					r.Name, n, c.Columns[j], ErrRange)
			}
			all.Counts[j] += n
		}
	}
	if all.total() == 0 {
		return all, fmt.Errorf("viz: confusion: %w: all counts are 0", ErrNoData)
	}
	return all, nil
}

// total returns the number of examples of the row.
func (r ConfusionRow) total() (n int) {
	for _, k := range r.Counts {
		n += k
	}
	return n
}

// lines returns the name of the row, and below it its number of examples.
func (r ConfusionRow) lines() []string {
	lines := fit(r.Name, kindWidth, kindWidth, smallWidth)
	return append(lines[:min(2, len(lines))], "of "+number(float64(r.total()), 0))
}

// share returns entry j as a percentage of the row: "92.0%".
func (r ConfusionRow) share(j int) string {
	if r.total() == 0 {
		return missing
	}
	return number(100*float64(r.Counts[j])/float64(r.total()), 1) + "%"
}

// remark returns a sentence that reports a constant prediction, or "" if predictions vary.
func (c Confusion) remark(all ConfusionRow) string {
	for j, n := range all.Counts {
		if n == all.total() {
			return fmt.Sprintf("Degenerate: every prediction is %s.", c.Columns[j])
		}
	}
	return ""
}

// Table returns the counts, and the fractions of each row in percent. The errors are those of Figure.
func (c Confusion) Table() (Table, error) {
	t := Table{Title: c.Title, RowsHeader: "examples"}
	all, err := c.check()
	if err != nil {
		return t, err
	}
	for _, name := range c.Columns {
		t.Columns = append(t.Columns, "predicted "+name, "in %")
	}
	for _, r := range append(slices.Clone(c.Rows), all) {
		var cells []Cell
		for _, n := range r.Counts {
			percent := Cell{Missing: r.total() == 0}
			if !percent.Missing {
				percent.Mean = 100 * float64(n) / float64(r.total())
			}
			cells = append(cells, Cell{Text: number(float64(n), 0)}, percent)
		}
		t.Add(r.Name, cells)
	}
	t.Note = c.remark(all)
	return t, nil
}

// Alt returns the alternative text of the figure for Show. The errors are those of Figure.
func (c Confusion) Alt() (string, error) {
	all, err := c.check()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if c.Title != "" {
		b.WriteString(c.Title + ". ")
	}
	for _, r := range c.Rows {
		var parts []string
		for j, n := range r.Counts {
			parts = append(parts, fmt.Sprintf("%s (%s) %s", number(float64(n), 0), r.share(j), c.Columns[j]))
		}
		fmt.Fprintf(&b, "Of %s %s, predicted are %s. ", number(float64(r.total()), 0), r.Name, strings.Join(parts, ", "))
	}
	return strings.TrimSpace(b.String() + c.remark(all)), nil
}

// Figure draws a cell for each kind of example and each prediction, with the count and its fraction of the kind. The
// cell is blue and framed if the prediction is correct, vermillion if it is wrong, gray if the class is unknown; a
// larger fraction has a fuller color. The last row has the totals. A class that is never predicted is hatched, and a
// classifier that assigns all examples to one class is called degenerate.
//
// It returns an error if there are fewer than two columns or no row, a row has another number of counts or an unknown
// class, a count is negative, or all are 0.
func (c Confusion) Figure() (*Drawing, error) {
	all, err := c.check()
	if err != nil {
		return nil, err
	}
	f := &confusionFigure{columns: slices.Clone(c.Columns), all: all, remark: c.remark(all)}
	for _, r := range c.Rows {
		r.Counts = slices.Clone(r.Counts)
		f.rows = append(f.rows, r)
		f.names = max(f.names, widest(smallWidth, r.lines()...))
	}
	f.names += thumbGap
	for _, name := range c.Columns {
		lines := fit(name, cellWidth-2*cellRim, cellWidth-2*cellRim, smallWidth)
		f.header = max(f.header, lineFactor*smallSize*vg.Length(len(lines)))
	}
	f.header += lineFactor*smallSize + 6
	width := f.names + cellWidth*vg.Length(len(c.Columns))
	height := f.header + cellHeight*vg.Length(len(c.Rows)+1) + 4
	f.notes = wrap(strings.TrimSpace(f.remark+" Framed: right."), max(width, 3*vg.Inch), smallWidth)
	height += lineFactor*smallSize*vg.Length(len(f.notes)) + tablePad
	return &Drawing{Title: c.Title, width: max(width, widest(smallWidth, f.notes...)), height: height, draw: f.draw}, nil
}

// confusionFigure is a Confusion with its measures.
type confusionFigure struct {
	columns       []string
	rows          []ConfusionRow
	all           ConfusionRow
	remark        string
	notes         []string
	names, header vg.Length // the width of the names, the height of the headers
}

func (f *confusionFigure) draw(c draw.Canvas, title, _ vg.Length) {
	y := -title
	middle := func(j int) vg.Length { return f.names + cellWidth*(vg.Length(j)+0.5) }
	center := vg.Point{X: (middle(0) + middle(len(f.columns)-1)) / 2, Y: y - smallSize}
	write(c, face(smallSize, false), AxisGray, center, 0.5, "predicted")
	for j, name := range f.columns {
		lines := fit(name, cellWidth-2*cellRim, cellWidth-2*cellRim, smallWidth)
		for i, line := range lines {
			at := vg.Point{X: middle(j), Y: y - f.header + 8 + lineFactor*smallSize*vg.Length(len(lines)-1-i)}
			write(c, face(smallSize, true), TextGray, at, 0.5, line)
		}
	}
	y -= f.header
	for _, r := range f.rows {
		f.drawRow(c, y, r, f.ground)
		y -= cellHeight
	}
	y -= 4
	c.StrokeLine2(draw.LineStyle{Color: TextGray, Width: 0.8}, 0, y+2, f.names+cellWidth*vg.Length(len(f.columns)), y+2)
	f.drawRow(c, y, f.all, func(ConfusionRow, int) color.Color { return white })
	y -= cellHeight + tablePad
	for i, line := range f.notes {
		writeSmall(c, vg.Point{Y: y - smallSize - lineFactor*smallSize*vg.Length(i)}, 0, line)
	}
}

// drawRow draws a row whose upper edge lies at y, with the background colors of grounds.
func (f *confusionFigure) drawRow(c draw.Canvas, y vg.Length, r ConfusionRow, grounds func(r ConfusionRow, j int) color.Color) {
	writeSmallLines(c, vg.Point{X: f.names - thumbGap, Y: y - cellHeight/2}, 1, r.lines())
	for j, n := range r.Counts {
		left := f.names + cellWidth*vg.Length(j)
		box := vg.Rectangle{
			Min: vg.Point{X: left + cellRim, Y: y - cellHeight + cellRim}, Max: vg.Point{X: left + cellWidth - cellRim, Y: y - cellRim}}
		ground := grounds(r, j)
		fill(c, ground, box.Path())
		if f.all.Counts[j] == 0 {
			c.StrokeLines(draw.LineStyle{Color: GridGray, Width: hatchWidth}, slanted(box, false)...)
		}
		if r.Class == f.columns[j] {
			stroke(c, draw.LineStyle{Color: TextGray, Width: 1.6}, box.Path())
		}
		at := vg.Point{X: left + cellWidth/2, Y: y - cellHeight/2}
		write(c, face(labelSize, true), TextGray, at.Add(vg.Point{Y: 2}), 0.5, number(float64(n), 0))
		writeSmall(c, at.Sub(vg.Point{Y: smallSize}), 0.5, r.share(j))
	}
}

// ground returns the color of entry j of a row.
func (f *confusionFigure) ground(r ConfusionRow, j int) color.Color {
	const fullest = 0.5 // on which dark text, and light text in a dark theme, has a contrast of 4.5:1 or nearly so
	if r.total() == 0 {
		return white
	}
	share := fullest * float64(r.Counts[j]) / float64(r.total())
	switch r.Class {
	case "":
		return faint(MarkGray, share)
	case f.columns[j]:
		return faint(Blue, share)
	}
	return faint(Vermillion, share)
}
