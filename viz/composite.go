package viz

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Composite is a figure that consists of several figures, see Panels and Column. It is a Drawer of known size.
type Composite struct {
	width, height vg.Length
	column        []Drawer                   // the figures of a column, for its title
	arrange       func(draw.Canvas) []placed // where the figures go
}

// placed is a figure and where it is drawn. A plot is laid out for that place.
type placed struct {
	Drawer
	canvas draw.Canvas
}

// place returns the figures that f consists of, each with its place on c.
func place(f Drawer, c draw.Canvas) []placed {
	switch f := f.(type) {
	case *plot.Plot:
		return []placed{{layout(f, c), c}}
	case *Composite:
		return f.arrange(c)
	case *Animation:
		return f.still.arrange(c)
	}
	return []placed{{f, c}}
}

// Size returns the size of the figure in points.
func (f *Composite) Size() (width, height vg.Length) { return f.width, f.height }

// Draw draws the figure on c.
func (f *Composite) Draw(c draw.Canvas) {
	for _, part := range f.arrange(c) {
		part.Draw(part.canvas)
	}
}

// Panels draws plots side by side, with data areas of equal size and the legends above the data, for example the same
// points colored by true class and by pseudo-label. width and height are those of the whole row in points; 0 means 6.5
// inches and the height at which a panel is about square. The plots are not changed, and their own sizes are ignored.
//
// It returns an error if there is no plot, one is nil, or a size is negative.
func Panels(width, height vg.Length, plots ...*plot.Plot) (*Composite, error) {
	if len(plots) == 0 {
		return nil, fmt.Errorf("viz: panels: %w: pass at least one plot", ErrNoData)
	}
	if width < 0 || height < 0 {
		return nil, fmt.Errorf("viz: panels: the size is %g by %g points, want 0 or more: %w", width.Points(), height.Points(), ErrRange)
	}
	copies := make([]*plot.Plot, len(plots))
	for i, p := range plots {
		if p == nil {
			return nil, fmt.Errorf("viz: panels: plot %d is nil: %w", i, ErrNoData)
		}
		q := *p
		q.Legend.Top = true
		copies[i] = &q
	}
	width = cmp.Or(width, defaultWidth)
	// A panel loses about as much of its width to the axis as of its height; title and legend come on top.
	square := min(width/vg.Length(len(plots))+0.75*vg.Inch, 6*vg.Inch)
	return &Composite{width: width, height: cmp.Or(height, square),
		arrange: func(c draw.Canvas) []placed { return sideBySide(copies, c) }}, nil
}

// sideBySide returns plots as they are drawn on c, each with its canvas.
func sideBySide(plots []*plot.Plot, c draw.Canvas) []placed {
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: 16}
	row, canvases := make([]*plot.Plot, len(plots)), make([]draw.Canvas, len(plots))
	for i := range plots {
		canvases[i] = tiles.At(c, i, 0)
	}
	// The layout of a plot depends on its canvas, and the canvas on the layouts of its neighbors: settle in two rounds.
	for range 2 {
		for i, p := range plots {
			row[i] = layout(p, canvases[i])
		}
		canvases = plot.Align([][]*plot.Plot{row}, tiles, c)[0]
	}
	parts := make([]placed, len(plots))
	for i, p := range row {
		// The data areas are level, but the legends differ in height: raise all titles to the top.
		p.Title.Padding += c.Max.Y - canvases[i].Max.Y
		canvases[i].Max.Y = c.Max.Y
		parts[i] = placed{p, canvases[i]}
	}
	return parts
}

// rowGap is the space between two figures of a column, in points.
const rowGap = vg.Length(14)

// Column draws figures one below the other, the first at the top, each with its own height and all with the given width
// in points; 0 means 6.5 inches.
//
// It returns an error if there is no figure, one is nil, or the width is negative.
func Column(width vg.Length, figures ...Drawer) (*Composite, error) {
	if len(figures) == 0 {
		return nil, fmt.Errorf("viz: column: %w: pass at least one figure", ErrNoData)
	}
	if width < 0 {
		return nil, fmt.Errorf("viz: column: the width is %g points, want 0 or more: %w", width.Points(), ErrRange)
	}
	f := &Composite{width: cmp.Or(width, defaultWidth), column: slices.Clone(figures)}
	heights := make([]vg.Length, len(figures))
	all := rowGap * vg.Length(len(figures)-1)
	for i, part := range figures {
		if isNil(part) {
			return nil, fmt.Errorf("viz: column: figure %d is nil: %w", i, ErrNoData)
		}
		_, heights[i] = sizeOf(part, 0, 0)
		all += heights[i]
	}
	f.height = all
	f.arrange = func(c draw.Canvas) (parts []placed) {
		// Divide the height of c in proportion to the heights of the figures.
		scale := (c.Max.Y - c.Min.Y) / all
		top := c.Max.Y
		for i, h := range heights {
			box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - scale*h}, Max: vg.Point{X: c.Max.X, Y: top}}
			parts = append(parts, place(f.column[i], draw.Canvas{Canvas: c.Canvas, Rectangle: box})...)
			top -= scale * (h + rowGap)
		}
		return parts
	}
	return f, nil
}
