package viz

import (
	"cmp"
	"fmt"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure holds the common settings of all figures with axes; their configurations embed it. The zero value works: no
// title, the default labels of the function and the default size.
type Figure struct {
	Title          string
	XLabel, YLabel string // with their units

	// Width and Height, in points, are the size that Show, Save and Column use by default. Zero means 6.5 by 4 inches,
	// the width of a notebook.
	Width, Height vg.Length
}

// Drawer is a figure that draws itself on a canvas, as Show and Save require. *plot.Plot, *Drawing, *Composite and
// *Animation implement it.
type Drawer interface {
	Draw(draw.Canvas)
}

const (
	defaultWidth  = 6.5 * vg.Inch
	defaultHeight = 4 * vg.Inch
	margin        = vg.Length(5) // white on all sides of a figure
)

// isNil reports whether f is nil or a nil pointer, which results from an overlooked error.
func isNil(f Drawer) bool {
	v := reflect.ValueOf(f)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// The smallest and largest size of a figure, in points.
const (
	smallest = vg.Inch / 2
	largest  = 100 * vg.Inch
)

// checkedSize returns the size at which f is drawn, or an error if f is nil or the size is out of range. what names the
// action, saving or showing, in the error.
func checkedSize(what string, f Drawer, width, height vg.Length) (w, h vg.Length, err error) {
	if isNil(f) {
		return 0, 0, fmt.Errorf("viz: %s: the figure is nil: %w", what, ErrNoData)
	}
	w, h = sizeOf(f, width, height)
	ok := func(v vg.Length) bool { return v >= smallest && v <= largest } // false for NaN too
	if !ok(w) || !ok(h) {
		err = fmt.Errorf("viz: a figure of %g by %g points: %w: want %g to %g, 6.5*viz.Inch is the width of a notebook",
			w.Points(), h.Points(), ErrRange, smallest.Points(), largest.Points())
	}
	return w, h, err
}

// sizeOf returns the size of f, with width and height in place of its own where they are not 0.
func sizeOf(f Drawer, width, height vg.Length) (w, h vg.Length) {
	switch f := f.(type) {
	case interface {
		Size() (width, height vg.Length)
	}:
		w, h = f.Size()
	case *plot.Plot:
		if t, ok := f.TextHandler.(handler); ok {
			w, h = t.width, t.height
		}
	}
	return cmp.Or(width, w, defaultWidth), cmp.Or(height, h, defaultHeight)
}

// titleOf returns the title of f, "" for none; for a column, the first title.
func titleOf(f Drawer) string {
	switch f := f.(type) {
	case *plot.Plot:
		return f.Title.Text
	case *Drawing:
		return f.Title
	case *Animation:
		return titleOf(f.still)
	case *Composite:
		for _, part := range f.column {
			if t := titleOf(part); t != "" {
				return t
			}
		}
	}
	return ""
}

// New returns an empty plot in the house style, with a light grid, for other kinds of figures. An empty title or label
// takes no room.
func New(f Figure) *plot.Plot {
	p := plot.New()
	h := handler{text.Plain{Fonts: font.DefaultCache}, f.Width, f.Height}
	p.TextHandler = h
	set := func(s *text.Style, size vg.Length, bold bool) {
		s.Font, s.Color, s.Handler = face(size, bold).Font, TextGray, h
	}
	p.Title.Text = f.Title
	p.Title.Padding = 8
	set(&p.Title.TextStyle, titleSize, true)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		set(&a.Label.TextStyle, labelSize, false)
		a.Label.Padding = 4
		set(&a.Tick.Label, smallSize, false)
		a.Tick.Marker = Ticks{}
		// The grid replaces the tick marks. frame replaces the axis lines, which would not meet in the corner if a tick
		// label or a mark extends beyond the data.
		a.Tick.Length = 0
		a.Width = 0
		a.Padding = 5
	}
	set(&p.Legend.TextStyle, smallSize, false)
	line := draw.LineStyle{Color: GridGray, Width: 0.75}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line}, frame{})
	return p
}

// frame is a plotter of the two axis lines, at the left and at the bottom of the data.
type frame struct{}

func (frame) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(draw.LineStyle{Color: AxisGray, Width: 0.75},
		[]vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
}

// Drawing is a figure without axes, such as a table or a grid of images. It is a Drawer of known size.
type Drawing struct {
	Title string // over it; may be empty

	align         float64   // of the title: 0 for left, 0.5 for the middle
	width, height vg.Length // of the part below the title, without the margin
	unit          vg.Length // size and position are multiples of it; 0 for any
	// draw draws the part below a title of the given height. The origin is the upper left corner of the whole drawing,
	// which has the given width.
	draw func(c draw.Canvas, title, width vg.Length)
}

// titleHeight returns the height of a title with the space below it.
func titleHeight(title string) vg.Length {
	if title == "" {
		return 0
	}
	return titleSize + 10
}

// Size returns the size at which text has the house style's font sizes, in points, with the margin.
func (d *Drawing) Size() (width, height vg.Length) {
	width = max(d.width, textWidth(face(titleSize, true), d.Title))
	return snap(width+2*margin, d.unit), snap(titleHeight(d.Title)+d.height+2*margin, d.unit)
}

// Draw draws d in the middle of c, scaled down if c is smaller than the drawing.
func (d *Drawing) Draw(c draw.Canvas) {
	width, height := d.Size()
	width, height = width-2*margin, height-2*margin
	w, h := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	scale := min(1, w/width, h/height)
	c.Push()
	defer c.Pop()
	c.Translate(vg.Point{X: snap(c.Min.X+(w-scale*width)/2, d.unit), Y: snap(c.Min.Y+(h+scale*height)/2, d.unit)})
	c.Scale(float64(scale), float64(scale))
	if d.Title != "" {
		write(c, face(titleSize, true), TextGray, vg.Point{X: vg.Length(d.align) * width, Y: -titleSize}, d.align, d.Title)
	}
	d.draw(c, titleHeight(d.Title), width)
}
