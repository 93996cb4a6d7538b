package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line of LearningCurves: the values Y of a loss, or of any other quantity, at the steps X. X must not
// go backwards. The name decides the look, see StyleFor.
type Curve struct {
	Name string
	X, Y []float64
}

// Reference is a horizontal line to compare the curves with.
type Reference struct {
	Name string
	Y    float64
}

// ChanceLevel returns the reference line of a contrastive loss over batches of b examples with two views each: the
// loss log(2b−1), in nats, of an encoder for which every one of the 2b−1 other views looks the same. A loss that
// stays there has learned nothing. b must be 1 or more, else LearningCurves returns an error.
func ChanceLevel(b int) Reference {
	return Reference{Name: fmt.Sprintf("chance level log(2b−1), b = %s", number(float64(b), 0)), Y: math.Log(float64(2*b - 1))}
}

// CurvesConfig says how LearningCurves draws. The zero value works.
type CurvesConfig struct {
	Title      string
	XLabel     string      // with its unit; "" means "optimizer step"
	YLabel     string      // with its unit; "" means "loss (nats)"
	Smooth     int         // number of values in the running mean; 0 or 1 for no smoothing
	References []Reference // horizontal lines, with their names in the legend
}

// marksPerCurve is how many markers a curve of many values gets: enough to tell it from the others.
const marksPerCurve = 7

// LearningCurves draws curves over each other, each with a line style and a marker of its own and a legend to the
// right. With cfg.Smooth above 1 each curve is the running mean over that many values, centred, over fewer at the
// ends; the values themselves stay behind it as a faint line.
//
// It returns an error if there is no curve, a curve is empty, its X and Y differ in length, a value is not finite
// (a loss that became NaN is named with its place), or X goes backwards.
func LearningCurves(cfg CurvesConfig, curves ...Curve) (*plot.Plot, error) {
	if len(curves) == 0 {
		return nil, fmt.Errorf("viz: learning curves: %w: pass at least one curve", ErrNoData)
	}
	if cfg.Smooth < 0 {
		return nil, fmt.Errorf("viz: learning curves: Smooth is %d, want 0 or more: %w", cfg.Smooth, ErrRange)
	}
	names := make([]string, len(curves))
	for i, k := range curves {
		if err := k.check(); err != nil {
			return nil, err
		}
		names[i] = k.Name
	}
	p := New(cfg.Title, orElse(cfg.XLabel, "optimizer step"), orElse(cfg.YLabel, "loss (nats)"))
	var entries []Entry
	var front []plot.Plotter // what lies over the faint lines of all curves
	for i, s := range StyleFor(names...) {
		k := curves[i]
		y := k.Y
		if cfg.Smooth > 1 {
			raw := &plotter.Line{XYs: points(k.X, k.Y), LineStyle: draw.LineStyle{Color: faint(s.Color, 0.3), Width: 0.8}}
			p.Add(raw)
			y = runningMean(y, cfg.Smooth)
		}
		line := &plotter.Line{XYs: points(k.X, y), LineStyle: s.Line(1.8)}
		at := spread(k.X, marksPerCurve, (float64(i)+0.5)/float64(len(curves)))
		marks := &marks{xys: pick(line.XYs, at), style: s.Glyph(4)}
		front = append(front, line, marks)
		entries = append(entries, Entry{Name: k.Name, Thumbs: []plot.Thumbnailer{line, marks}})
	}
	for _, r := range cfg.References {
		if err := checkFinite("the reference line "+quote(r.Name), []float64{r.Y}); err != nil {
			return nil, err
		}
		line := &level{y: r.Y, style: draw.LineStyle{Color: AxisGrey, Width: 1.2, Dashes: []vg.Length{1, 2.5}}}
		p.Add(line)
		entries = append(entries, Entry{Name: r.Name, Thumbs: []plot.Thumbnailer{line}})
	}
	p.Add(front...)
	AddLegend(p, entries...)
	if room := 0.04 * (p.Y.Max - p.Y.Min); room > 0 {
		p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
	}
	return p, nil
}

func (k Curve) check() error {
	what := "the curve " + quote(k.Name)
	if len(k.X) == 0 && len(k.Y) == 0 {
		return fmt.Errorf("viz: %s: %w", what, ErrNoData)
	}
	if err := checkXY(what, k.X, k.Y); err != nil {
		return err
	}
	for i := 1; i < len(k.X); i++ {
		if k.X[i] < k.X[i-1] {
			return fmt.Errorf("viz: %s: x goes from %g to %g at entry %d: %w", what, k.X[i-1], k.X[i], i, ErrOrder)
		}
	}
	return nil
}

// runningMean returns, for every entry, the mean of the n entries around it that exist. For even n the window has
// one entry more before the middle than after it.
func runningMean(y []float64, n int) []float64 {
	sums := make([]float64, len(y)+1)
	for i, v := range y {
		sums[i+1] = sums[i] + v
	}
	mean := make([]float64, len(y))
	for i := range y {
		from, to := max(0, i-n/2), min(len(y), i+(n-1)/2+1)
		mean[i] = (sums[to] - sums[from]) / float64(to-from)
	}
	return mean
}

// spread returns the indices of about n values of x that lie evenly over its range, the first one at the given
// share of the distance between two; all indices if there are few.
func spread(x []float64, n int, share float64) []int {
	if len(x) <= 2*n {
		all := make([]int, len(x))
		for i := range all {
			all[i] = i
		}
		return all
	}
	var at []int
	first, last := x[0], x[len(x)-1]
	next := 0
	for i, v := range x {
		if next < n && v-first >= (float64(next)+share)*(last-first)/float64(n) {
			at = append(at, i)
			next++
		}
	}
	return at
}

// points returns x and y as the points that gonum/plot draws.
func points(x, y []float64) plotter.XYs {
	p := make(plotter.XYs, len(x))
	for i := range x {
		p[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return p
}

func pick(p plotter.XYs, at []int) plotter.XYs {
	q := make(plotter.XYs, len(at))
	for i, j := range at {
		q[i] = p[j]
	}
	return q
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func quote(name string) string { return fmt.Sprintf("%q", name) }

// marks is a plotter of equal marks; it clears the room for marks at the edge.
type marks struct {
	xys   plotter.XYs
	style draw.GlyphStyle
	thumb vg.Length // radius in the legend; 0 for that of style
}

func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, q := range m.xys {
		c.DrawGlyph(m.style, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
}

func (m *marks) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(m.xys) }

func (m *marks) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	boxes := make([]plot.GlyphBox, len(m.xys))
	for i, q := range m.xys {
		boxes[i] = plot.GlyphBox{X: p.X.Norm(q.X), Y: p.Y.Norm(q.Y), Rectangle: m.style.Rectangle()}
	}
	return boxes
}

func (m *marks) Thumbnail(c *draw.Canvas) {
	s := m.style
	if m.thumb > 0 {
		s.Radius = m.thumb
	}
	c.DrawGlyphNoClip(s, c.Center())
}

// level is a plotter of a horizontal line over the whole width.
type level struct {
	y     float64
	style draw.LineStyle
}

func (l *level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if at := y(l.y); c.ContainsY(at) {
		c.StrokeLine2(l.style, c.Min.X, at, c.Max.X, at)
	}
}

func (l *level) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), l.y, l.y
}

func (l *level) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(l.style, c.Min.X, y, c.Max.X, y)
}
