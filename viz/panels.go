package viz

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PanelRow is a row of plots side by side. It is a Figure.
type PanelRow struct {
	plots         []*plot.Plot
	width, height vg.Length
}

// Panels sets plots side by side, with data areas of one size and the legends above the data, as for the same points
// coloured by their true class and by their pseudo-label. width and height are those of the whole row in points; 0
// means 6.5 inches and the height at which a panel is about square. The plots stay as they are.
//
// It returns an error if there is no plot, one is nil, or a size is negative.
func Panels(width, height vg.Length, plots ...*plot.Plot) (*PanelRow, error) {
	if len(plots) == 0 {
		return nil, fmt.Errorf("viz: panels: %w: pass at least one plot", ErrNoData)
	}
	if width < 0 || height < 0 {
		return nil, fmt.Errorf("viz: panels: the size is %g by %g points, want 0 or more: %w", width.Points(), height.Points(), ErrRange)
	}
	row := &PanelRow{width: width, height: height}
	for i, p := range plots {
		if p == nil {
			return nil, fmt.Errorf("viz: panels: plot %d is nil: %w", i, ErrNoData)
		}
		q := *p
		q.Legend.Top = true
		row.plots = append(row.plots, &q)
	}
	if row.width == 0 {
		row.width = defaultWidth
	}
	if row.height == 0 {
		// A panel loses about as much of its width to the axis as of its height; title and legend come on top.
		row.height = min(row.width/vg.Length(len(plots))+0.75*vg.Inch, 6*vg.Inch)
	}
	return row, nil
}

// Size returns the size of the row in points.
func (r *PanelRow) Size() (width, height vg.Length) { return r.width, r.height }

// Draw draws the row on c.
func (r *PanelRow) Draw(c draw.Canvas) {
	plots, canvases := r.arrange(c)
	for i, p := range plots {
		p.Draw(canvases[i])
	}
}

// arrange returns the plots as they are drawn on c, each with its canvas.
func (r *PanelRow) arrange(c draw.Canvas) ([]*plot.Plot, []draw.Canvas) {
	tiles := draw.Tiles{Rows: 1, Cols: len(r.plots), PadX: 16}
	row := make([]*plot.Plot, len(r.plots))
	// The layout of a plot depends on its canvas, and the canvas on the layouts of its neighbours: settle in two rounds.
	for i, p := range r.plots {
		row[i] = layout(p, tiles.At(c, i, 0))
	}
	canvases := plot.Align([][]*plot.Plot{row}, tiles, c)[0]
	for i, p := range r.plots {
		row[i] = layout(p, canvases[i])
	}
	canvases = plot.Align([][]*plot.Plot{row}, tiles, c)[0]
	for i := range canvases {
		// The data areas are level, the legends are not of one height: raise all titles to the top.
		row[i].Title.Padding += c.Max.Y - canvases[i].Max.Y
		canvases[i].Max.Y = c.Max.Y
	}
	return row, canvases
}
