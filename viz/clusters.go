package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is one series of points for Clusters. The name decides the look, see StyleFor.
type Dots struct {
	Name string
	At   [][]float64 // one coordinate a point on a line, two in the plane

	// Centre is the number of the centre, counted from 1, to which all of these points belong; 0 lets each belong to
	// the nearest one.
	Centre int
}

// Centre is the centre of a cluster. Positive and Negative, as names, have a look of their own.
type Centre struct {
	Name string
	At   []float64 // as many coordinates as the points have
}

// ClustersConfig says how Clusters draws. The zero value works.
type ClustersConfig struct {
	Title, XLabel, YLabel string // YLabel is for the plane only
}

// Clusters draws points on a line or in the plane, the centres of their clusters, the region in which each centre is
// the nearest, and from every point a thin spoke to the centre that it belongs to: the sum of the squared lengths of the
// spokes is the potential of the clustering. Set Legend.Top of the plot to move the legend above the data.
//
// On a line the points stand above it, one on top of the other where some coincide, and the centres below them, so
// that only the horizontal part of a spoke counts. Where more than five coincide, and wherever some do in the plane, one
// mark stands for all of a series, with their number. The plane has equal units on both axes.
//
// It returns an error if there is no point or no centre, coordinates are not all one or all two finite numbers, or a
// series belongs to a centre that there is not.
func Clusters(cfg ClustersConfig, centres []Centre, dots ...Dots) (*plot.Plot, error) {
	f, err := newClusterFigure(centres, dots)
	if err != nil {
		return nil, err
	}
	if f.line {
		cfg.YLabel = ""
	}
	p := New(cfg.Title, cfg.XLabel, cfg.YLabel)
	if f.line {
		p.Y.Tick.Marker = plot.ConstantTicks(nil)
	}
	p.Add(f)

	names := make([]string, len(dots))
	for i, d := range dots {
		names[i] = d.Name
	}
	var entries []Entry
	for i, s := range StyleFor(names...) {
		m := &marks{xys: f.places[i], style: s.Glyph(4.5), thumb: 4}
		if len(m.xys) > 0 {
			p.Add(m)
		}
		entries = append(entries, Entry{Name: names[i], Thumbs: []plot.Thumbnailer{m}})
	}
	for i, k := range centres {
		m := &marks{xys: f.centres[i : i+1], style: draw.GlyphStyle{Color: f.styles[i].Color, Radius: 7.5, Shape: ring(k.Name)}, thumb: 5}
		p.Add(m)
		entries = append(entries, Entry{Name: k.Name + " centre", Thumbs: []plot.Thumbnailer{m}})
	}
	p.Add(f.counts)
	AddLegend(p, entries...)
	f.room(p)
	if !f.line {
		EqualAspect(p)
	}
	return p, nil
}

// Rows of a figure of points on a line: the centres lie at height 0, the points from pointRow upwards.
const (
	pointRow  = 1.0
	stackStep = 0.3
	stackMost = 5 // points at one place that are still drawn one by one
)

// clusterFigure is a plotter of regions and spokes.
type clusterFigure struct {
	line    bool
	centres plotter.XYs
	styles  []Style       // of the centres
	places  []plotter.XYs // where the marks of each series go
	spokes  [][]int       // centre of each of these marks
	counts  *tally
}

func newClusterFigure(centres []Centre, dots []Dots) (*clusterFigure, error) {
	if len(centres) == 0 {
		return nil, fmt.Errorf("viz: clusters: %w: pass at least one centre", ErrNoData)
	}
	dim := len(centres[0].At)
	if dim != 1 && dim != 2 {
		return nil, fmt.Errorf("viz: clusters: the centre %s has %d coordinates, want 1 (a line) or 2 (the plane): %w", quote(centres[0].Name), dim, ErrRange)
	}
	f := &clusterFigure{line: dim == 1, counts: &tally{}}
	names := make([]string, len(centres))
	for i, k := range centres {
		at, err := f.point("the centre "+quote(k.Name), k.At)
		if err != nil {
			return nil, err
		}
		f.centres, names[i] = append(f.centres, at), k.Name
	}
	f.styles = StyleFor(names...)

	total := map[plotter.XY]int{} // at each place, over all series
	for _, d := range dots {
		if d.Centre < 0 || d.Centre > len(centres) {
			return nil, fmt.Errorf("viz: clusters: the points %s belong to centre %d of %d: %w", quote(d.Name), d.Centre, len(centres), ErrRange)
		}
		for _, at := range d.At {
			q, err := f.point("a point of "+quote(d.Name), at)
			if err != nil {
				return nil, err
			}
			total[q]++
		}
	}
	if len(total) == 0 {
		return nil, fmt.Errorf("viz: clusters: %w: there is no point", ErrNoData)
	}
	f.lay(dots, total)
	return f, nil
}

// point checks the coordinates of a point and returns it, on a line with height 0.
func (f *clusterFigure) point(what string, at []float64) (plotter.XY, error) {
	dim := 2
	if f.line {
		dim = 1
	}
	if len(at) != dim {
		return plotter.XY{}, fmt.Errorf("viz: clusters: %s has %d coordinates, the first centre has %d: %w", what, len(at), dim, ErrLength)
	}
	if err := checkFinite(what, at); err != nil {
		return plotter.XY{}, err
	}
	if f.line {
		return plotter.XY{X: at[0]}, nil
	}
	return plotter.XY{X: at[0], Y: at[1]}, nil
}

// lay decides where the marks go and to which centre each belongs.
func (f *clusterFigure) lay(dots []Dots, total map[plotter.XY]int) {
	height := map[plotter.XY]int{} // marks at each place of a line so far
	for _, d := range dots {
		var marks plotter.XYs
		var spokes []int
		first := map[plotter.XY]int{} // of this series, the mark at each place
		count := map[plotter.XY]int{}
		for _, at := range d.At {
			q, _ := f.point("", at) // checked before
			count[q]++
			if _, met := first[q]; met && (!f.line || total[q] > stackMost) {
				continue
			}
			first[q] = len(marks)
			centre := d.Centre - 1
			if centre < 0 {
				centre = f.nearest(q)
			}
			place := q
			if f.line {
				place.Y = pointRow + stackStep*float64(height[q])
				height[q]++
			}
			marks, spokes = append(marks, place), append(spokes, centre)
		}
		for q, i := range first {
			if n := count[q]; n > 1 && (!f.line || total[q] > stackMost) {
				f.counts.add(marks[i], n)
			}
		}
		f.places, f.spokes = append(f.places, marks), append(f.spokes, spokes)
	}
}

// nearest is the centre nearest to a point, the first of several.
func (f *clusterFigure) nearest(q plotter.XY) int {
	best, least := 0, math.Inf(1)
	for i, k := range f.centres {
		if d := math.Hypot(q.X-k.X, q.Y-k.Y); d < least {
			best, least = i, d
		}
	}
	return best
}

// room leaves some room around the marks, which is more on a line, where all of them lie in rows.
func (f *clusterFigure) room(p *plot.Plot) {
	x, y := 0.06*(p.X.Max-p.X.Min), 0.06*(p.Y.Max-p.Y.Min)
	if f.line {
		y = 0.4
	}
	p.X.Min, p.X.Max = p.X.Min-x, p.X.Max+x
	p.Y.Min, p.Y.Max = p.Y.Min-y, p.Y.Max+y
}

// Plot draws regions and spokes.
func (f *clusterFigure) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	on := func(q plotter.XY) vg.Point { return vg.Point{X: x(q.X), Y: y(q.Y)} }
	frame := []plotter.XY{{X: p.X.Min, Y: p.Y.Min}, {X: p.X.Max, Y: p.Y.Min}, {X: p.X.Max, Y: p.Y.Max}, {X: p.X.Min, Y: p.Y.Max}}
	for i := range f.centres {
		region := frame
		for k, other := range f.centres {
			if other != f.centres[i] {
				region = halfPlane(region, f.centres[i], f.centres[k])
			}
		}
		var corners []vg.Point
		for _, q := range region {
			corners = append(corners, on(q))
		}
		if len(corners) > 2 {
			c.FillPolygon(faint(f.styles[i].Color, 0.13), corners)
		}
	}
	for i, marks := range f.places {
		for k, q := range marks {
			centre := f.spokes[i][k]
			c.StrokeLines(draw.LineStyle{Color: faint(f.styles[centre].Color, 0.6), Width: 1}, []vg.Point{on(q), on(f.centres[centre])})
		}
	}
}

// DataRange holds the centres; the marks see to themselves.
func (f *clusterFigure) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(f.centres)
}

// halfPlane cuts from a convex polygon what is nearer to other than to own.
func halfPlane(polygon []plotter.XY, own, other plotter.XY) []plotter.XY {
	nx, ny := other.X-own.X, other.Y-own.Y
	beyond := func(q plotter.XY) float64 { // above 0 beyond the perpendicular bisector
		return nx*(q.X-(own.X+other.X)/2) + ny*(q.Y-(own.Y+other.Y)/2)
	}
	var kept []plotter.XY
	for i, q := range polygon {
		next := polygon[(i+1)%len(polygon)]
		here, there := beyond(q), beyond(next)
		if here <= 0 {
			kept = append(kept, q)
		}
		if (here < 0 && there > 0) || (here > 0 && there < 0) {
			t := here / (here - there)
			kept = append(kept, plotter.XY{X: q.X + t*(next.X-q.X), Y: q.Y + t*(next.Y-q.Y)})
		}
	}
	return kept
}

// tally is a plotter of numbers beside marks that stand for several points.
type tally struct {
	at    plotter.XYs
	texts []string
}

func (t *tally) add(at plotter.XY, n int) {
	t.at, t.texts = append(t.at, at), append(t.texts, "×"+number(float64(n), 0))
}

// tallyGap is how far the numbers lie from the middle of their mark.
const tallyGap = vg.Length(7)

func (t *tally) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, q := range t.at {
		write(c, face(smallSize, false), TextGrey, vg.Point{X: x(q.X) + tallyGap, Y: y(q.Y) - 0.33*smallSize}, 0, t.texts[i])
	}
}

// GlyphBoxes claims the room for numbers at the right edge.
func (t *tally) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(t.at))
	for i, q := range t.at {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(q.X), Y: p.Y.Norm(q.Y), Rectangle: vg.Rectangle{Max: vg.Point{X: tallyGap + textWidth(face(smallSize, false), t.texts[i])}}}
	}
	return boxes
}

// ring is the mark of a centre: a ring around a plus for Positive, a minus for Negative and a dot for any other name.
type ring string

// DrawGlyph draws the ring at pt.
func (r ring) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	circle := func(radius vg.Length) vg.Path { return Circle.outline(pt, radius) }
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.55 * sty.Radius})
	c.Stroke(circle(sty.Radius))
	line := draw.LineStyle{Color: sty.Color, Width: 0.3 * sty.Radius}
	c.SetLineStyle(line)
	c.Stroke(circle(sty.Radius))
	d := 0.5 * sty.Radius
	positive := key(string(r)) == key(Positive)
	if !positive && key(string(r)) != key(Negative) {
		c.SetColor(sty.Color)
		c.Fill(circle(0.3 * sty.Radius))
		return
	}
	c.StrokeLines(line, []vg.Point{{X: pt.X - d, Y: pt.Y}, {X: pt.X + d, Y: pt.Y}})
	if positive {
		c.StrokeLines(line, []vg.Point{{X: pt.X, Y: pt.Y - d}, {X: pt.X, Y: pt.Y + d}})
	}
}
