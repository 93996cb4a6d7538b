package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatmapConfig configures Heatmap. The zero value works.
type HeatmapConfig struct {
	Figure
	Limit  float64 // the value of the fullest color, above 0; 0 means the largest magnitude in the matrix
	Unit   string  // unit or name of the values, written over the scale: "cosine"
	Groups []Span  // consecutive groups of rows and columns; nil for none
}

// Span is a number of rows with a name.
type Span struct {
	Name string
	Rows int
}

// Heatmap draws a square matrix, such as the similarities of a batch, as colors, its first row on top: white for 0,
// warm above and cold below, fuller for a larger magnitude. A scale stands to the right. With groups, lines separate
// them, and their names replace the ticks. For square cells use a size such as 5 by 4 inches.
//
// It returns an error if there is no row, the matrix is not square, a value is not finite or its magnitude above the
// limit, or the group sizes do not add up to the number of rows.
func Heatmap(cfg HeatmapConfig, values [][]float64) (*plot.Plot, error) {
	n := len(values)
	if n == 0 {
		return nil, fmt.Errorf("viz: heatmap: %w: the matrix has no rows", ErrNoData)
	}
	largest := 0.0
	for i, row := range values {
		if len(row) != n {
			return nil, fmt.Errorf("viz: heatmap: row %d has %d values and there are %d rows: %w", i, len(row), n, ErrLength)
		}
		if err := checkFinite(fmt.Sprintf("row %d of the matrix", i), row...); err != nil {
			return nil, err
		}
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	if cfg.Limit == 0 {
		cfg.Limit = largest
	}
	if cfg.Limit == 0 {
		cfg.Limit = 1 // nothing but zeros
	}
	if !(cfg.Limit >= largest) || math.IsInf(cfg.Limit, 0) {
		return nil, fmt.Errorf("viz: heatmap: a limit of %g with values up to %g: %w", cfg.Limit, largest, ErrRange)
	}
	h := &heat{n: n, limit: cfg.Limit, unit: cfg.Unit}
	for _, row := range values {
		for _, v := range row {
			c := heatColor(v / cfg.Limit)
			h.pixels = append(h.pixels, c.R, c.G, c.B)
		}
	}
	p := New(cfg.Figure)
	names := plot.ConstantTicks{}
	for i, g := range cfg.Groups {
		if g.Rows < 1 {
			return nil, fmt.Errorf("viz: heatmap: the group %q has %d rows, want 1 or more: %w", g.Name, g.Rows, ErrRange)
		}
		first := 0
		if i > 0 {
			first = h.ends[i-1]
		}
		h.ends = append(h.ends, first+g.Rows)
		names = append(names, plot.Tick{Value: float64(first) + float64(g.Rows)/2, Label: g.Name})
	}
	if len(h.ends) > 0 && h.ends[len(h.ends)-1] != n {
		return nil, fmt.Errorf("viz: heatmap: the groups have %d rows and the matrix %d: %w", h.ends[len(h.ends)-1], n, ErrLength)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = names, fromTop{names, float64(n)}
	p.Add(h)
	return p, nil
}

// heatColor returns the color of a value of share times the limit, with share from −1 to 1.
func heatColor(share float64) color.RGBA {
	if share < 0 {
		return faint(Blue, -share).(color.RGBA)
	}
	return faint(Vermillion, share).(color.RGBA)
}

// fromTop are ticks that count from the top of an axis.
type fromTop struct {
	ticks  plot.ConstantTicks
	length float64
}

// Ticks returns the ticks where they lie on the axis.
func (f fromTop) Ticks(float64, float64) []plot.Tick {
	turned := make([]plot.Tick, len(f.ticks))
	for i, t := range f.ticks {
		turned[i] = plot.Tick{Value: f.length - t.Value, Label: t.Label}
	}
	return turned
}

// heat is a plotter of a matrix with its scale.
type heat struct {
	n      int
	limit  float64
	unit   string
	ends   []int   // of the groups
	pixels []uint8 // a color for each value
}

func (h *heat) DataRange() (xmin, xmax, ymin, ymax float64) { return 0, float64(h.n), 0, float64(h.n) }

// Measures of a scale, in points.
const (
	scaleGap   = vg.Length(14) // from the data
	scaleWidth = vg.Length(14)
	scaleSteps = 100
)

// labels are the values that are written at the scale.
func (h *heat) labels() []plot.Tick { return Ticks{N: 4}.Ticks(-h.limit, h.limit) }

// GlyphBoxes claims the room for the scale to the right of the data.
func (h *heat) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := smallWidth(h.unit)
	for _, t := range h.labels() {
		width = max(width, scaleWidth+thumbGap+smallWidth(t.Label))
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: scaleGap + width}}}}
}

func (h *heat) Plot(c draw.Canvas, p *plot.Plot) {
	place := onCanvas(c, p)
	n := float64(h.n)
	all := vg.Rectangle{Min: place(plotter.XY{}), Max: place(plotter.XY{X: n, Y: n})}
	c.DrawImage(all, enlarge(h.pixels, h.n, h.n, 3, max(all.Size().X, all.Size().Y)))
	line := draw.LineStyle{Color: TextGray, Width: 0.75}
	for _, end := range append([]int{0, h.n}, h.ends...) {
		at := float64(end)
		c.StrokeLines(line, []vg.Point{place(plotter.XY{X: at}), place(plotter.XY{X: at, Y: n})},
			[]vg.Point{place(plotter.XY{Y: n - at}), place(plotter.XY{X: n, Y: n - at})})
	}
	h.drawScale(c)
}

// drawScale draws the colors from −limit at the bottom to limit, with some values.
func (h *heat) drawScale(c draw.Canvas) {
	top := c.Max.Y
	left := c.Max.X + scaleGap
	if h.unit != "" {
		writeSmall(c, vg.Point{X: left, Y: top - smallSize}, 0, h.unit)
		top -= 2 * smallSize
	}
	box := vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y}, Max: vg.Point{X: left + scaleWidth, Y: top}}
	step := box.Size().Y / scaleSteps
	for k := range scaleSteps {
		y := box.Min.Y + step*vg.Length(k)
		part := vg.Rectangle{Min: vg.Point{X: box.Min.X, Y: y}, Max: vg.Point{X: box.Max.X, Y: min(y+1.5*step, box.Max.Y)}} // no gaps
		fill(c, heatColor(2*(float64(k)+0.5)/scaleSteps-1), part.Path())
	}
	stroke(c, draw.LineStyle{Color: MarkGray, Width: 0.5}, box.Path())
	for _, t := range h.labels() {
		y := box.Min.Y + box.Size().Y*vg.Length((t.Value/h.limit+1)/2)
		writeSmall(c, vg.Point{X: box.Max.X + thumbGap, Y: y - 0.33*smallSize}, 0, t.Label)
	}
}
