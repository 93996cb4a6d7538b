package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is one series of points for Clusters. The name determines the style, see StyleFor.
type Dots struct {
	Name string
	At   [][]float64 // one coordinate a point on a line, two in the plane

	// Center is the number of the center, counted from 1, to which all these points belong. If it is 0, each point
	// belongs to the nearest center.
	Center int
}

// Center is the center of a cluster. The names Positive and Negative have styles of their own.
type Center struct {
	Name string
	At   []float64 // as many coordinates as the points have
}

// Clusters draws points on a line or in the plane, the centers of their clusters, the region in which each center is
// the nearest, and a thin spoke from each point to its center. The sum of the squared lengths of the spokes is the
// potential of the clustering. Set Legend.Top of the plot to move the legend above the data.
//
// On a line the points lie above it, coincident points stacked, and the centers below it, so that only the horizontal
// part of a spoke counts. There is no y axis and no YLabel. If more than five points coincide, or any do in the plane,
// one mark per series stands for all, with their number. The plane has equal units on both axes.
//
// It returns an error if there is no point or no center, coordinates are not all one or all two finite numbers, or a
// series belongs to a center that does not exist.
func Clusters(cfg Figure, centers []Center, dots ...Dots) (*plot.Plot, error) {
	f, err := newClusterFigure(centers, dots)
	if err != nil {
		return nil, err
	}
	p := New(cfg)
	if f.line {
		p.Y.Label.Text, p.Y.Tick.Marker = "", plot.ConstantTicks(nil)
	}
	p.Add(f)
	var entries []Entry
	for i, s := range stylesOf(dots, func(d Dots) string { return d.Name }) {
		m := newMarks(f.places[i], s.Glyph(4.5), 4)
		p.Add(m)
		entries = append(entries, newEntry(dots[i].Name, m))
	}
	for i, k := range centers {
		m := newMarks(f.centers[i:i+1], draw.GlyphStyle{Color: f.styles[i].Color, Radius: 7.5, Shape: ring(k.Name)}, 5)
		p.Add(m)
		entries = append(entries, newEntry(k.Name+" center", m))
	}
	p.Add(f.counts)
	AddLegend(p, entries...)
	// Add a margin around the marks, a wider one on a line, where all marks lie in rows.
	widen(&p.X, 0.06*(p.X.Max-p.X.Min))
	if f.line {
		widen(&p.Y, 0.4)
	} else {
		widen(&p.Y, 0.06*(p.Y.Max-p.Y.Min))
		EqualAspect(p)
	}
	return p, nil
}

// Rows of a figure of points on a line: the centers lie at height 0, the points from pointRow upwards.
const (
	pointRow  = 1.0
	stackStep = 0.3
	stackMost = 5 // points at one place that are still drawn one by one
)

// clusterFigure is a plotter of regions and spokes.
type clusterFigure struct {
	line    bool
	centers plotter.XYs
	styles  []Style       // of the centers
	places  []plotter.XYs // positions of the marks of each series
	spokes  [][]int       // center of each of these marks
	counts  *counts
}

func newClusterFigure(centers []Center, dots []Dots) (*clusterFigure, error) {
	if len(centers) == 0 {
		return nil, fmt.Errorf("viz: clusters: %w: pass at least one center", ErrNoData)
	}
	dim := len(centers[0].At)
	if dim != 1 && dim != 2 {
		return nil, fmt.Errorf("viz: clusters: the center %q has %d coordinates, want 1 (a line) or 2 (the plane): %w",
			centers[0].Name, dim, ErrRange)
	}
	f := &clusterFigure{line: dim == 1, counts: &counts{}, styles: stylesOf(centers, func(k Center) string { return k.Name })}
	for _, k := range centers {
		at, err := pointsOf(fmt.Sprintf("the center %q", k.Name), dim, k.At)
		if err != nil {
			return nil, err
		}
		f.centers = append(f.centers, at...)
	}
	points := make([]plotter.XYs, len(dots)) // of each series, as given
	total := map[plotter.XY]int{}            // at each place, over all series
	for i, d := range dots {
		if d.Center < 0 || d.Center > len(centers) {
			return nil, fmt.Errorf("viz: clusters: the points %q belong to center %d of %d: %w", d.Name, d.Center, len(centers), ErrRange)
		}
		var err error
		if points[i], err = pointsOf(fmt.Sprintf("a point of %q", d.Name), dim, d.At...); err != nil {
			return nil, err
		}
		for _, q := range points[i] {
			total[q]++
		}
	}
	if len(total) == 0 {
		return nil, fmt.Errorf("viz: clusters: %w: there is no point", ErrNoData)
	}
	height := map[plotter.XY]int{} // marks at each place of a line so far
	for i, d := range dots {
		f.addSeries(points[i], d.Center-1, total, height)
	}
	return f, nil
}

// pointsOf returns the points with these coordinates, on a line with height 0.
func pointsOf(what string, dim int, all ...[]float64) (points plotter.XYs, err error) {
	for _, at := range all {
		if len(at) != dim {
			return nil, fmt.Errorf("viz: clusters: %s has %d coordinates, the first center has %d: %w", what, len(at), dim, ErrLength)
		}
		if err := checkFinite(what, at...); err != nil {
			return nil, err
		}
		q := plotter.XY{X: at[0]}
		if dim == 2 {
			q.Y = at[1]
		}
		points = append(points, q)
	}
	return points, nil
}

// addSeries decides where the marks of a series go and to which center each belongs, the nearest one if center is −1.
func (f *clusterFigure) addSeries(points plotter.XYs, center int, total, height map[plotter.XY]int) {
	var marks plotter.XYs
	var spokes []int
	count := map[plotter.XY]int{} // points at each place that have no mark yet
	for _, q := range points {
		count[q]++
	}
	for _, q := range points { // in their order, so that the same points make the same file
		n := 1
		if !f.line || total[q] > stackMost {
			n = count[q]
		}
		count[q] -= n
		if n == 0 {
			continue
		}
		spoke := center
		if center < 0 {
			spoke = f.nearest(q)
		}
		if f.line {
			height[q]++
			q.Y = pointRow + stackStep*float64(height[q]-1)
		}
		if n > 1 {
			f.counts.add(q, n)
		}
		marks, spokes = append(marks, q), append(spokes, spoke)
	}
	f.places, f.spokes = append(f.places, marks), append(f.spokes, spokes)
}

// nearest returns the center nearest to a point, the first of several.
func (f *clusterFigure) nearest(q plotter.XY) int {
	best, least := 0, math.Inf(1)
	for i, k := range f.centers {
		if d := math.Hypot(q.X-k.X, q.Y-k.Y); d < least {
			best, least = i, d
		}
	}
	return best
}

// Plot draws regions and spokes.
func (f *clusterFigure) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	frame := []plotter.XY{{X: p.X.Min, Y: p.Y.Min}, {X: p.X.Max, Y: p.Y.Min}, {X: p.X.Max, Y: p.Y.Max}, {X: p.X.Min, Y: p.Y.Max}}
	for i, own := range f.centers {
		region := frame
		for _, other := range f.centers {
			if other != own {
				region = halfPlane(region, own, other)
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
			center := f.spokes[i][k]
			c.StrokeLines(draw.LineStyle{Color: faint(f.styles[center].Color, 0.6), Width: 1}, []vg.Point{on(q), on(f.centers[center])})
		}
	}
}

// DataRange holds the centers; the marks have ranges of their own.
func (f *clusterFigure) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(f.centers)
}

// halfPlane removes from a convex polygon the part that is nearer to other than to own.
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

// counts is a plotter of numbers beside marks that stand for several points.
type counts struct {
	at    plotter.XYs
	texts []string
}

func (t *counts) add(at plotter.XY, n int) {
	t.at, t.texts = append(t.at, at), append(t.texts, "×"+number(float64(n), 0))
}

// countGap is the distance of a number from the middle of its mark.
const countGap = vg.Length(7)

func (t *counts) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	for i, q := range t.at {
		writeSmall(c, on(q).Add(vg.Point{X: countGap, Y: -0.33 * smallSize}), 0, t.texts[i])
	}
}

// GlyphBoxes claims the room for numbers at the right edge.
func (t *counts) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return glyphBoxes(p, t.at, func(i int) vg.Rectangle {
		return vg.Rectangle{Max: vg.Point{X: countGap + smallWidth(t.texts[i])}}
	})
}

// ring is the mark of a center: a ring around a plus for Positive, a minus for Negative and a dot for any other name.
type ring string

// DrawGlyph draws the ring at pt.
func (r ring) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	circle := func(radius vg.Length) vg.Path { return Circle.outline(pt, radius) }
	line := draw.LineStyle{Color: sty.Color, Width: 0.3 * sty.Radius}
	stroke(*c, draw.LineStyle{Color: white, Width: 0.55 * sty.Radius}, circle(sty.Radius))
	stroke(*c, line, circle(sty.Radius))
	d := 0.5 * sty.Radius
	switch name := key(string(r)); name {
	case key(Positive), key(Negative):
		c.StrokeLine2(line, pt.X-d, pt.Y, pt.X+d, pt.Y)
		if name == key(Positive) {
			c.StrokeLine2(line, pt.X, pt.Y-d, pt.X, pt.Y+d)
		}
	default:
		fill(*c, sty.Color, circle(0.3*sty.Radius))
	}
}
