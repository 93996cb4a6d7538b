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

// UnitCircleConfig configures UnitCircle. The zero value works. Links and Arrows refer to points by their number,
// counted from 0 through all groups in their order.
type UnitCircleConfig struct {
	Figure

	// Links are drawn below the points, Arrows above them; the legend names both.
	Links  []Links
	Arrows []Arrows

	// ArrowScale is the drawn length, in radii, of an arrow of length 1; 0 makes the longest arrow 0.6 radii long. Set
	// it to compare figures.
	ArrowScale float64
}

// Links is a series of lines between points, for example from an anchor to its positives. The name determines the
// style, see StyleFor.
type Links struct {
	Name  string
	Pairs [][2]int // numbers of two different points
}

// Arrows is a series of arrows from points, for example gradients. The name determines the style, see StyleFor.
type Arrows struct {
	Name   string
	From   []int // numbers of the points
	DX, DY []float64
}

// ArrowsAt returns arrows for vectors of the plane, each scaled by factor (−1 turns a gradient into the descent
// direction): the k-th vector starts from point first + k. It returns an error if a vector does not have two
// coordinates.
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

// outwardStep is the distance, in radii, between stacked points of one direction.
const outwardStep = 0.14

// Attractions draws groups as UnitCircle does, with lines named "attraction" between the given pairs of points, such as
// the positive pairs of a loss.
func Attractions(title string, pairs [][2]int, groups ...Group) (*plot.Plot, error) {
	links := []Links{{Name: "attraction", Pairs: pairs}}
	return UnitCircle(UnitCircleConfig{Figure: Figure{Title: title}, Links: links}, groups...)
}

// UnitCircle draws embeddings in the plane: each point at its direction on the circle of radius 1, since contrastive
// losses depend on directions only. Points in one direction are stacked outward, the first on the circle. The legend
// lies to the right (set Legend.Top of the plot to move it above).
//
// It returns an error if there is no point, X and Y of a group differ in length, a value is not finite, a point is the
// origin, which has no direction, or a link or an arrow refers to a point that does not exist.
func UnitCircle(cfg UnitCircleConfig, groups ...Group) (*plot.Plot, error) {
	at, pointsErr := onCircle(groups)
	lines, linesErr := cfg.lines(at)
	if err := cmp.Or(pointsErr, linesErr); err != nil {
		return nil, err
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, l := range lines {
		names = append(names, l.name)
	}
	p := New(cfg.Figure)
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{N: 4}, Ticks{N: 4}
	p.Add(&plotter.Line{XYs: rim(), LineStyle: draw.LineStyle{Color: MarkGray, Width: 1}})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1.15, 1.15, -1.15, 1.15
	var entries []Entry
	var points, arrows []plot.Plotter // above the links, which are added at once
	styles := StyleFor(names...)
	for i, g := range groups {
		m := newMarks(at[:len(g.X)], styles[i].Glyph(5), 4)
		at = at[len(g.X):]
		points = append(points, m)
		entries = append(entries, newEntry(g.Name, m))
	}
	for i, l := range lines {
		style := styles[len(groups)+i]
		if l.heads {
			style.Dashes = nil // short arrows would be all gap
			l.style = style.Line(2)
			arrows = append(arrows, l)
		} else {
			l.style = style.Line(1.6)
			p.Add(l)
		}
		entries = append(entries, newEntry(l.name, l))
	}
	p.Add(points...)
	p.Add(arrows...)
	AddLegend(p, entries...)
	EqualAspect(p)
	return p, nil
}

// onCircle returns the drawn positions of the points of all groups.
func onCircle(groups []Group) (at plotter.XYs, err error) {
	if err := checkGroups("unit circle", groups); err != nil {
		return nil, err
	}
	var directions plotter.XYs
	for _, g := range groups {
		for i, x := range g.X {
			length := math.Hypot(x, g.Y[i])
			if length == 0 {
				return nil, fmt.Errorf("viz: unit circle: point %d of %q is the origin, which has no direction: %w", i, g.Name, ErrRange)
			}
			d := plotter.XY{X: x / length, Y: g.Y[i] / length}
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
	return at, nil
}

// lines returns the links and then the arrows between or from points at these positions.
func (cfg UnitCircleConfig) lines(at plotter.XYs) (all []*segments, err error) {
	if !(cfg.ArrowScale >= 0) || cfg.ArrowScale > largestValue {
		return nil, fmt.Errorf("viz: unit circle: ArrowScale is %g, want 0 or more: %w", cfg.ArrowScale, ErrRange)
	}
	n := len(at)
	known := func(i int) bool { return i >= 0 && i < n }
	for _, l := range cfg.Links {
		s := &segments{name: l.Name}
		for _, pair := range l.Pairs {
			if !known(pair[0]) || !known(pair[1]) || pair[0] == pair[1] {
				return nil, fmt.Errorf("viz: unit circle: %q links points %d and %d, want two different ones of 0 to %d: %w",
					l.Name, pair[0], pair[1], n-1, ErrRange)
			}
			s.add(at[pair[0]], at[pair[1]])
		}
		all = append(all, s)
	}
	longest := 0.0 // of all arrows
	for _, a := range cfg.Arrows {
		if len(a.From) != len(a.DX) {
			return nil, fmt.Errorf("viz: unit circle: the arrows %q start from %d points and have %d x values: %w",
				a.Name, len(a.From), len(a.DX), ErrLength)
		}
		if err := checkXY(fmt.Sprintf("the arrows %q", a.Name), a.DX, a.DY); err != nil {
			return nil, err
		}
		for k, from := range a.From {
			if !known(from) {
				return nil, fmt.Errorf("viz: unit circle: an arrow of %q starts from point %d, want 0 to %d: %w", a.Name, from, n-1, ErrRange)
			}
			longest = max(longest, math.Hypot(a.DX[k], a.DY[k]))
		}
	}
	scale := cmp.Or(cfg.ArrowScale, 0.6/cmp.Or(longest, 0.6))
	for _, a := range cfg.Arrows {
		s := &segments{name: a.Name, heads: true}
		for k, from := range a.From {
			s.add(at[from], plotter.XY{X: at[from].X + scale*a.DX[k], Y: at[from].Y + scale*a.DY[k]})
		}
		all = append(all, s)
	}
	return all, nil
}

// rim returns the circle of radius 1 as a polygon.
func rim() plotter.XYs {
	const corners = 180
	line := make(plotter.XYs, corners+1)
	for i := range line {
		line[i].Y, line[i].X = math.Sincos(2 * math.Pi * float64(i) / corners)
	}
	return line
}

// segments is a plotter of lines from one point each to another, with a head at the end where heads is set.
type segments struct {
	name     string
	from, to plotter.XYs
	style    draw.LineStyle
	heads    bool
}

// headLength is the length of an arrow's head in points; a shorter arrow is only a head.
const headLength = vg.Length(8)

func (s *segments) add(from, to plotter.XY) { s.from, s.to = append(s.from, from), append(s.to, to) }

func (s *segments) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	for i := range s.from {
		s.draw(&c, on(s.from[i]), on(s.to[i]))
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
	xmin, xmax, ymin, ymax = plotter.XYRange(slices.Concat(s.from, s.to)) // an empty range if there are none
	const room = 0.05
	return xmin - room, xmax + room, ymin - room, ymax + room
}

func (s *segments) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	s.draw(c, vg.Point{X: c.Min.X, Y: y}, vg.Point{X: c.Max.X, Y: y})
}
