package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawOn draws f on a white canvas of the given size with a small margin. For a plot it computes the layout that
// depends on the size: line breaks of the title, rows of a legend above the data, and equal units on both axes. It
// returns an error if labels and legend leave no room for the data, or a text has a letter that the font lacks.
func drawOn(f Drawer, canvas vg.CanvasSizer) error {
	read := &proofread{CanvasSizer: canvas}
	c := draw.New(read)
	fill(c, white, c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	for _, part := range place(f, c) {
		if p, ok := part.Drawer.(*plot.Plot); ok {
			if err := checkRoom(p.DataCanvas(part.canvas), c); err != nil {
				return err
			}
		}
		part.Draw(part.canvas)
	}
	return read.err
}

// checkRoom returns an error if data, the data area of a plot, is too small or leaves the page: for an area of negative
// size gonum/plot can compute an unbounded one.
func checkRoom(data, page draw.Canvas) error {
	const least = 20 // points
	w, h := data.Max.X-data.Min.X, data.Max.Y-data.Min.Y
	if w >= least && h >= least && page.Contains(data.Min) && page.Contains(data.Max) { // false for NaN too
		return nil
	}
	return fmt.Errorf("viz: labels and legend leave no room for the data: %w: make the figure larger or the names shorter", ErrRange)
}

// layout returns a copy of p with the layout for c. The plotters are shared; p is not changed.
func layout(p *plot.Plot, c draw.Canvas) *plot.Plot {
	q := *p
	width := c.Max.X - c.Min.X
	q.Title.Text = strings.Join(wrap(p.Title.Text, width, p.Title.TextStyle.Width), "\n")
	q.X.Label.Text = strings.Join(wrap(p.X.Label.Text, width, p.X.Label.TextStyle.Width), "\n")
	q.Y.Label.Text = strings.Join(wrap(p.Y.Label.Text, c.Max.Y-c.Min.Y, p.Y.Label.TextStyle.Width), "\n")
	thinTicks(&q, c)
	if q.Legend.Top {
		// XOffs moves the stock legend, which the plots of this package do not use; here it carries the room.
		data := q.DataCanvas(c)
		q.Legend.XOffs = data.Max.X - data.Min.X
	}
	if _, ok := q.X.Scale.(equalScale); ok {
		equalUnits(&q, c)
	}
	centerTitle(&q, c)
	return &q
}

// thinTicks removes ticks whose labels would touch, or only the labels where the ticks are fixed positions.
func thinTicks(p *plot.Plot, c draw.Canvas) {
	data := p.DataCanvas(c)
	thin := func(a *plot.Axis, room vg.Length, need func(label string) vg.Length) {
		switch t := a.Tick.Marker.(type) {
		case Ticks:
			for t.N = max(t.N, 5); t.N > 1 && touch(t.Ticks(a.Min, a.Max), a, room, need); {
				t.N--
				a.Tick.Marker = t
			}
		case ticksAt:
			var shown, ticks plot.ConstantTicks
			for _, tick := range t.Ticks(a.Min, a.Max) {
				if touch(append(shown, tick), a, room, need) {
					tick.Label = "" // the tick stays
				} else {
					shown = append(shown, tick)
				}
				ticks = append(ticks, tick)
			}
			a.Tick.Marker = ticks
		}
	}
	thin(&p.X, data.Max.X-data.Min.X, func(s string) vg.Length { return p.X.Tick.Label.Width(s) + smallSize })
	thin(&p.Y, data.Max.Y-data.Min.Y, func(string) vg.Length { return 1.4 * smallSize })
}

// touch reports whether two neighbors among ticks need more than their distance on an axis as long as room.
func touch(ticks []plot.Tick, a *plot.Axis, room vg.Length, need func(string) vg.Length) bool {
	for i := 1; i < len(ticks); i++ {
		gap := room * vg.Length(a.Norm(ticks[i].Value)-a.Norm(ticks[i-1].Value))
		if gap < (need(ticks[i].Label)+need(ticks[i-1].Label))/2 {
			return true
		}
	}
	return false
}

// centerTitle centers a title of one line over the data rather than the canvas, which may hold a legend too, as far as
// there is room.
func centerTitle(p *plot.Plot, c draw.Canvas) {
	if p.Title.Text == "" || strings.Contains(p.Title.Text, "\n") {
		return
	}
	width := p.Title.TextStyle.Width(p.Title.Text)
	data := p.DataCanvas(c)
	left := (data.Min.X + data.Max.X - width) / 2
	left = max(c.Min.X, min(left, c.Max.X-width))
	p.Title.TextStyle.XAlign = draw.XAlignment((left - c.Center().X) / width)
}

// equalScale is a linear scale that also marks a plot whose axes have equal units.
type equalScale struct{ plot.LinearScale }

// EqualAspect makes one unit as long on the x axis as on the y axis, so that distances can be compared in all
// directions. Show, Save and Panels, which have the size of the figure, apply it and widen the range of one axis.
func EqualAspect(p *plot.Plot) { p.X.Scale = equalScale{} }

// equalUnits widens the range of one axis until a unit has the same length on both. Wider ranges can have wider tick
// labels, which shrink the data canvas; hence it iterates. In the second half of the rounds the ticks stay fixed, since
// they could oscillate.
func equalUnits(p *plot.Plot, c draw.Canvas) {
	var x0, x1, y0, y1 float64
	for round := range 12 {
		data := p.DataCanvas(c) // also settles empty ranges
		w, h := float64(data.Max.X-data.Min.X), float64(data.Max.Y-data.Min.Y)
		if !(w >= 1 && h >= 1) {
			return // checkRoom returns the error
		}
		if round == 0 {
			x0, x1, y0, y1 = p.X.Min, p.X.Max, p.Y.Min, p.Y.Max
		}
		unit := math.Max((x1-x0)/w, (y1-y0)/h) // data units a point
		p.X.Min, p.X.Max = (x0+x1-unit*w)/2, (x0+x1+unit*w)/2
		p.Y.Min, p.Y.Max = (y0+y1-unit*h)/2, (y0+y1+unit*h)/2
		if round == 5 {
			p.X.Tick.Marker = innerTicks(p.X)
			p.Y.Tick.Marker = innerTicks(p.Y)
		}
	}
}

// innerTicks returns the ticks of a that stay inside the range after a small change.
func innerTicks(a plot.Axis) plot.ConstantTicks {
	edge := 0.02 * (a.Max - a.Min)
	outside := func(t plot.Tick) bool { return t.Value < a.Min+edge || t.Value > a.Max-edge }
	return slices.DeleteFunc(slices.Clone(a.Tick.Marker.Ticks(a.Min, a.Max)), outside)
}
