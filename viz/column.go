package viz

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// FigureColumn is figures one below the other. It is a Figure.
type FigureColumn struct {
	figures []Figure
	heights []vg.Length
	width   vg.Length
}

// rowGap is the white between two figures of a column, in points.
const rowGap = vg.Length(14)

// Column sets figures one below the other, the first at the top, each with its own height and all with the given width in
// points; 0 means 6.5 inches.
//
// It returns an error if there is no figure, one is nil, or the width is negative.
func Column(width vg.Length, figures ...Figure) (*FigureColumn, error) {
	if len(figures) == 0 {
		return nil, fmt.Errorf("viz: column: %w: pass at least one figure", ErrNoData)
	}
	if width < 0 {
		return nil, fmt.Errorf("viz: column: the width is %g points, want 0 or more: %w", width.Points(), ErrRange)
	}
	c := &FigureColumn{figures: append([]Figure(nil), figures...), width: width}
	if c.width == 0 {
		c.width = defaultWidth
	}
	for i, f := range figures {
		if isNil(f) {
			return nil, fmt.Errorf("viz: column: figure %d is nil: %w", i, ErrNoData)
		}
		_, height := sizeOf(f, 0, 0)
		c.heights = append(c.heights, height)
	}
	return c, nil
}

// Size returns the size of the column in points.
func (f *FigureColumn) Size() (width, height vg.Length) {
	height = rowGap * vg.Length(len(f.figures)-1)
	for _, h := range f.heights {
		height += h
	}
	return f.width, height
}

// Draw draws the column on c.
func (f *FigureColumn) Draw(c draw.Canvas) {
	for i, part := range f.arrange(c) {
		if p, ok := f.figures[i].(*plot.Plot); ok {
			layout(p, part).Draw(part)
			continue
		}
		f.figures[i].Draw(part)
	}
}

// arrange returns the canvas of each figure, in the shares of c that their heights ask for.
func (f *FigureColumn) arrange(c draw.Canvas) []draw.Canvas {
	_, all := f.Size()
	scale := (c.Max.Y - c.Min.Y) / all
	parts := make([]draw.Canvas, len(f.figures))
	top := c.Max.Y
	for i, h := range f.heights {
		parts[i] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: top - scale*h}, Max: vg.Point{X: c.Max.X, Y: top},
		}}
		top -= scale * (h + rowGap)
	}
	return parts
}

// title is that of the first figure that has one.
func (f *FigureColumn) title() string {
	for _, part := range f.figures {
		if t := titleOf(part); t != "" {
			return t
		}
	}
	return ""
}
