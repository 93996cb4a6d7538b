package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// UnitCircleConfig says what UnitCircle draws besides points. The zero value works. In Links and Arrows points go by their number,
// counted from 0 through all groups in their order.
type UnitCircleConfig struct {
	Title string

	// Links are drawn below the points, Arrows above them; both have their names in the legend.
	Links  []Links
	Arrows []Arrows

	// ArrowScale is how many radii an arrow of length 1 is drawn long; 0 means what makes the longest one 0.6 radii long. Set
	// it where figures are to be compared.
	ArrowScale float64
}

// Links is a series of lines between points, for example from an anchor to what it is attracted to. The name decides the
// look, see StyleFor.
type Links struct {
	Name  string
	Pairs [][2]int // numbers of two different points
}

// Arrows is a series of arrows from points, for example gradients. The name decides the look, see StyleFor.
type Arrows struct {
	Name   string
	From   []int // numbers of the points
	DX, DY []float64
}

// Planar makes a group of points of the plane given one by one, as populations and batches hold them. It returns an error if
// one of them has not two coordinates.
func Planar(name string, points [][]float64) (Group, error) {
	x, y, err := planar(points)
	if err != nil {
		return Group{}, fmt.Errorf("viz: the group %q: %w", name, err)
	}
	return Group{Name: name, X: x, Y: y}, nil
}

// ArrowsAt makes arrows of vectors of the plane, each factor times as long (−1 turns a gradient into where descent goes): the k-th
// vector starts from point first + k. It returns an error if one of them has not two coordinates.
func ArrowsAt(name string, first int, factor float64, vectors [][]float64) (Arrows, error) {
	x, y, err := planar(vectors)
	if err != nil {
		return Arrows{}, fmt.Errorf("viz: the arrows %q: %w", name, err)
	}
	a := Arrows{Name: name, DX: x, DY: y}
	for k := range vectors {
		a.From = append(a.From, first+k)
		a.DX[k] *= factor
		a.DY[k] *= factor
	}
	return a, nil
}

// planar returns the coordinates of points of the plane.
func planar(points [][]float64) (x, y []float64, err error) {
	for i, z := range points {
		if len(z) != 2 {
			return nil, nil, fmt.Errorf("entry %d has %d coordinates, want 2: %w", i, len(z), ErrLength)
		}
		x, y = append(x, z[0]), append(y, z[1])
	}
	return x, y, nil
}

// outwardStep is by how many radii points at one place are drawn outside of each other.
const outwardStep = 0.14

// UnitCircle draws embeddings in the plane: each point in its direction on the circle of radius 1, wherever on the ray it
// lies, since contrastive losses look at directions only. Points in one direction are stacked outward, the first on the circle. The legend
// lies to the right (set Legend.Top of the plot to move it above).
//
// It returns an error if there is no point, X and Y of a group differ in length, a value is not finite, a point is the origin,
// which has no direction, or a link or an arrow is not between or from points.
func UnitCircle(cfg UnitCircleConfig, groups ...Group) (*plot.Plot, error) {
	at, err := onCircle(groups)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, l := range cfg.Links {
		names = append(names, l.Name)
	}
	for _, a := range cfg.Arrows {
		names = append(names, a.Name)
	}
	scale, err := cfg.check(len(at))
	if err != nil {
		return nil, err
	}
	styles := StyleFor(names...)
	p := New(cfg.Title, "", "")
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{N: 4}, Ticks{N: 4}
	p.Add(&rim{draw.LineStyle{Color: MarkGrey, Width: 1}})
	var entries []Entry
	var below, marked, above []plot.Plotter
	next := 0
	for i, g := range groups {
		m := &marks{xys: at[next : next+len(g.X)], style: styles[i].Glyph(5), thumb: 4}
		next += len(g.X)
		if len(g.X) > 0 {
			marked = append(marked, m)
		}
		entries = append(entries, Entry{Name: g.Name, Thumbs: []plot.Thumbnailer{m}})
	}
	for i, l := range cfg.Links {
		s := &segments{style: styles[len(groups)+i].Line(1.6)}
		for _, pair := range l.Pairs {
			s.from, s.to = append(s.from, at[pair[0]]), append(s.to, at[pair[1]])
		}
		below = append(below, s)
		entries = append(entries, Entry{Name: l.Name, Thumbs: []plot.Thumbnailer{s}})
	}
	for i, a := range cfg.Arrows {
		style := styles[len(groups)+len(cfg.Links)+i].Line(2)
		style.Dashes = nil // short arrows would be all gap
		s := &segments{style: style, heads: true}
		for k, from := range a.From {
			s.from = append(s.from, at[from])
			s.to = append(s.to, plotter.XY{X: at[from].X + scale*a.DX[k], Y: at[from].Y + scale*a.DY[k]})
		}
		above = append(above, s)
		entries = append(entries, Entry{Name: a.Name, Thumbs: []plot.Thumbnailer{s}})
	}
	p.Add(below...)
	p.Add(marked...)
	p.Add(above...)
	AddLegend(p, entries...)
	EqualAspect(p)
	return p, nil
}

// onCircle returns where the points of all groups are drawn.
func onCircle(groups []Group) (plotter.XYs, error) {
	var at plotter.XYs
	var directions plotter.XYs
	for _, g := range groups {
		if err := checkXY("the group "+quote(g.Name), g.X, g.Y); err != nil {
			return nil, err
		}
		for i := range g.X {
			length := math.Hypot(g.X[i], g.Y[i])
			if length == 0 {
				return nil, fmt.Errorf("viz: unit circle: point %d of %q is the origin, which has no direction: %w", i, g.Name, ErrRange)
			}
			d := plotter.XY{X: g.X[i] / length, Y: g.Y[i] / length}
			radius := 1.0
			for _, other := range directions {
				if math.Hypot(other.X-d.X, other.Y-d.Y) < 1e-6 {
					radius += outwardStep
				}
			}
			directions = append(directions, d)
			at = append(at, plotter.XY{X: radius * d.X, Y: radius * d.Y})
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("viz: unit circle: %w: the groups hold no point", ErrNoData)
	}
	return at, nil
}

// check looks at links and arrows between n points, and returns the scale of the arrows.
func (cfg UnitCircleConfig) check(n int) (scale float64, err error) {
	known := func(i int) bool { return i >= 0 && i < n }
	for _, l := range cfg.Links {
		for _, pair := range l.Pairs {
			if !known(pair[0]) || !known(pair[1]) || pair[0] == pair[1] {
				return 0, fmt.Errorf("viz: unit circle: %q links points %d and %d, want two different ones of 0 to %d: %w",
					l.Name, pair[0], pair[1], n-1, ErrRange)
			}
		}
	}
	longest := 0.0
	for _, a := range cfg.Arrows {
		if len(a.From) != len(a.DX) {
			return 0, fmt.Errorf("viz: unit circle: the arrows %q start from %d points and have %d x values: %w", a.Name, len(a.From), len(a.DX), ErrLength)
		}
		if err := checkXY("the arrows "+quote(a.Name), a.DX, a.DY); err != nil {
			return 0, err
		}
		for k, from := range a.From {
			if !known(from) {
				return 0, fmt.Errorf("viz: unit circle: an arrow of %q starts from point %d, want 0 to %d: %w", a.Name, from, n-1, ErrRange)
			}
			longest = max(longest, math.Hypot(a.DX[k], a.DY[k]))
		}
	}
	switch {
	case !(cfg.ArrowScale >= 0) || cfg.ArrowScale > largestValue:
		return 0, fmt.Errorf("viz: unit circle: ArrowScale is %g, want 0 or more: %w", cfg.ArrowScale, ErrRange)
	case cfg.ArrowScale > 0:
		return cfg.ArrowScale, nil
	case longest > 0:
		return 0.6 / longest, nil
	}
	return 1, nil
}

// rim is a plotter of the circle of radius 1.
type rim struct{ style draw.LineStyle }

func (r *rim) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const corners = 180
	line := make([]vg.Point, corners+1)
	for i := range line {
		angle := 2 * math.Pi * float64(i) / corners
		line[i] = vg.Point{X: x(math.Cos(angle)), Y: y(math.Sin(angle))}
	}
	c.StrokeLines(r.style, line)
}

func (r *rim) DataRange() (xmin, xmax, ymin, ymax float64) { return -1.15, 1.15, -1.15, 1.15 }

// segments is a plotter of lines from one point each to another, with a head at the end where heads is set.
type segments struct {
	from, to plotter.XYs
	style    draw.LineStyle
	heads    bool
}

// headLength is the length of an arrow's head in points; of shorter arrows it is all there is.
const headLength = vg.Length(8)

func (s *segments) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range s.from {
		s.draw(&c, vg.Point{X: x(s.from[i].X), Y: y(s.from[i].Y)}, vg.Point{X: x(s.to[i].X), Y: y(s.to[i].Y)})
	}
}

func (s *segments) draw(c *draw.Canvas, from, to vg.Point) {
	d := to.Sub(from)
	length := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if length == 0 {
		return
	}
	if !s.heads {
		c.StrokeLine2(s.style, from.X, from.Y, to.X, to.Y)
		return
	}
	head := min(headLength, length)
	along := d.Scale(head / length)
	base := to.Sub(along)
	across := vg.Point{X: -along.Y, Y: along.X}.Scale(0.38)
	if length > head {
		c.StrokeLine2(s.style, from.X, from.Y, base.X, base.Y)
	}
	c.FillPolygon(s.style.Color, []vg.Point{to, base.Add(across), base.Sub(across)})
}

// DataRange leaves room at the ends of arrows.
func (s *segments) DataRange() (xmin, xmax, ymin, ymax float64) {
	if len(s.from) == 0 {
		return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	}
	xmin, xmax, ymin, ymax = plotter.XYRange(append(append(plotter.XYs(nil), s.from...), s.to...))
	const room = 0.05
	return xmin - room, xmax + room, ymin - room, ymax + room
}

func (s *segments) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	s.draw(c, vg.Point{X: c.Min.X, Y: y}, vg.Point{X: c.Max.X, Y: y})
}
