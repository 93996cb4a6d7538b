package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Boundary is the decision boundary of a linear classifier of the plane: WeightX·x + WeightY·y + Bias = 0. The positive
// side has values above 0. The name determines the style, see StyleFor.
type Boundary struct {
	Name                   string
	WeightX, WeightY, Bias float64
}

// BoundariesConfig configures Boundaries. The zero value works.
type BoundariesConfig struct {
	ScatterConfig

	// Shade, if not nil, reports whether a point is positive; the positive side is hatched. It may be the Bayes
	// classifier.
	Shade func(x, y float64) bool
	// ShadeName is the legend text of the hatched side; "" means "positive side".
	ShadeName string
	// Margins draws the two lines at which the first boundary's classifier has the logits −1 and 1.
	Margins bool
}

// Boundaries draws points of the plane as [Scatter] does, and over them the boundaries of linear classifiers. The range
// is that of the points and the Gaussians. The legend marks a boundary out of this range as outside.
//
// It returns the errors of Scatter, and an error for a boundary with both weights 0 or a value that is not finite.
func Boundaries(cfg BoundariesConfig, groups []Group, lines ...Boundary) (*plot.Plot, error) {
	for _, b := range lines {
		if err := checkFinite(fmt.Sprintf("the boundary %q", b.Name), b.WeightX, b.WeightY, b.Bias); err != nil {
			return nil, err
		}
		if b.WeightX == 0 && b.WeightY == 0 {
			return nil, fmt.Errorf("viz: the boundary %q is nowhere, since both weights are 0: %w", b.Name, ErrRange)
		}
	}
	var behind []plot.Plotter
	var hatched *sides
	if cfg.Shade != nil {
		hatched = &sides{cfg.Shade, draw.LineStyle{Color: faint(StyleFor(Positive)[0].Color, 0.35), Width: 1}}
		behind = append(behind, hatched)
	}
	p, entries, err := scatter(cfg.ScatterConfig, groups, behind...)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(groups)+len(cfg.Gaussians)+len(lines))
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, g := range cfg.Gaussians {
		names = append(names, g.Name)
	}
	for _, b := range lines {
		names = append(names, b.Name)
	}
	styles := StyleFor(names...)[len(groups)+len(cfg.Gaussians):] // differ from the styles of the groups
	for i, b := range lines {
		line := &across{b, styles[i].Line(2)}
		name := cmp.Or(b.Name, fmt.Sprintf("boundary %d", i+1))
		outside := ""
		if len(line.ends(p)) < 2 {
			outside = " (outside)"
		}
		entries = append(entries, newEntry(name+outside, line))
		if cfg.Margins && i == 0 {
			var margin *across
			for _, logit := range []float64{-1, 1} {
				margin = &across{b, draw.LineStyle{Color: styles[i].Color, Width: 0.8, Dashes: []vg.Length{2, 2}}}
				margin.Bias -= logit
				p.Add(margin)
			}
			entries = append(entries, newEntry("its logits −1 and 1", margin))
		}
		p.Add(line)
	}
	if hatched != nil {
		entries = append(entries, newEntry(cmp.Or(cfg.ShadeName, "positive side"), hatched))
	}
	AddLegend(p, entries...)
	return p, nil
}

// across is a plotter of a boundary, from one edge of the data to another.
type across struct {
	Boundary
	style draw.LineStyle
}

// ends returns the two intersections of the line with the edges of p's range, or nothing if the line misses the range.
func (a *across) ends(p *plot.Plot) plotter.XYs {
	var at plotter.XYs
	add := func(x, y float64) {
		const slack = 1e-9
		w, h := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
		if x >= p.X.Min-slack*w && x <= p.X.Max+slack*w && y >= p.Y.Min-slack*h && y <= p.Y.Max+slack*h {
			at = append(at, plotter.XY{X: x, Y: y})
		}
	}
	for _, x := range []float64{p.X.Min, p.X.Max} {
		if a.WeightY != 0 {
			add(x, -(a.WeightX*x+a.Bias)/a.WeightY)
		}
	}
	for _, y := range []float64{p.Y.Min, p.Y.Max} {
		if a.WeightX != 0 {
			add(-(a.WeightY*y+a.Bias)/a.WeightX, y)
		}
	}
	if len(at) < 2 {
		return nil
	}
	far := slices.MaxFunc(at, func(q, r plotter.XY) int { // a corner counts twice
		return cmp.Compare(math.Hypot(q.X-at[0].X, q.Y-at[0].Y), math.Hypot(r.X-at[0].X, r.Y-at[0].Y))
	})
	return plotter.XYs{at[0], far}
}

func (a *across) Plot(c draw.Canvas, p *plot.Plot) {
	place := onCanvas(c, p)
	if ends := a.ends(p); len(ends) == 2 {
		c.StrokeLines(a.style, []vg.Point{place(ends[0]), place(ends[1])})
	}
}

func (a *across) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(a.style, c.Min.X, y, c.Max.X, y)
}

// sides is a plotter that hatches the positive side with slanting lines.
type sides struct {
	positive func(x, y float64) bool
	style    draw.LineStyle
}

func (s *sides) Plot(c draw.Canvas, p *plot.Plot) {
	const gap, step = vg.Length(7), vg.Length(1)
	at := func(v, lo, hi vg.Length, a plot.Axis) float64 { return a.Min + (a.Max-a.Min)*float64((v-lo)/(hi-lo)) }
	inside := func(q vg.Point) bool {
		return s.positive(at(q.X, c.Min.X, c.Max.X, p.X), at(q.Y, c.Min.Y, c.Max.Y, p.Y))
	}
	height := c.Max.Y - c.Min.Y
	for x := c.Min.X - height; x < c.Max.X; x += gap {
		var from *vg.Point
		for t := vg.Length(0); t <= height; t += step {
			q := vg.Point{X: x + t, Y: c.Min.Y + t}
			in := q.X >= c.Min.X && q.X <= c.Max.X && inside(q)
			switch {
			case in && from == nil:
				from = &vg.Point{X: q.X, Y: q.Y}
			case from != nil && (!in || t+step > height):
				c.StrokeLine2(s.style, from.X, from.Y, q.X-step, q.Y-step)
				from = nil
			}
		}
	}
}

// Thumbnail draws a few of the slanting lines.
func (s *sides) Thumbnail(c *draw.Canvas) {
	const half, gap = vg.Length(4.5), vg.Length(5)
	y := c.Center().Y
	for x := c.Min.X; x+2*half <= c.Max.X; x += gap {
		c.StrokeLine2(s.style, x, y-half, x+2*half, y+half)
	}
}
