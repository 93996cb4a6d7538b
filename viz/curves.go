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

// Curve is one line of LearningCurves: the values Y of a loss, or of any other quantity, at the steps X. X must not
// decrease. The name determines the style, see StyleFor.
type Curve struct {
	Name string
	X, Y []float64

	Low, High []float64 // ends of an interval about each of Y, drawn as a band; nil for none

	Within [2]float64 // limits of Y, such as 0 and 100 percent, which clip band and axis; zero means none
}

// Steps returns the curve of a value for each step, such as the losses of a training run, with steps counted from 1.
func Steps(name string, values []float64) Curve {
	c := Curve{Name: name}
	for i, v := range values {
		c.Add(float64(i+1), v)
	}
	return c
}

// CurveOf returns the curve of the function f at x, which is not copied.
func CurveOf(name string, x []float64, f func(x float64) float64) Curve {
	c := Curve{Name: name, X: x}
	for _, v := range x {
		c.Y = append(c.Y, f(v))
	}
	return c
}

// Add adds a point at the end of the curve.
func (k *Curve) Add(x, y float64) { k.X, k.Y = append(k.X, x), append(k.Y, y) }

// AddInterval adds a point and the ends of its interval to a curve whose points all have intervals.
func (k *Curve) AddInterval(x, y, low, high float64) {
	k.Add(x, y)
	k.Low, k.High = append(k.Low, low), append(k.High, high)
}

// band returns the area between the ends of the intervals, and its edges, which stay visible where bands overlap. For a
// single X it returns a whisker.
func (k Curve) band(s Style) (area plot.Plotter, edges []plot.Plotter) {
	low, high := points(k.X, k.Low), points(k.X, k.High)
	if k.X[0] == k.X[len(k.X)-1] { // a band would have no width
		edges = []plot.Plotter{k.whiskers(s)}
	} else {
		style := draw.LineStyle{Color: faint(s.Color, 0.6), Width: 0.6}
		edges = []plot.Plotter{&plotter.Line{XYs: low, LineStyle: style}, &plotter.Line{XYs: high, LineStyle: style}}
	}
	around := slices.Clone(high)
	slices.Reverse(around)
	return &plotter.Polygon{XYs: []plotter.XYs{append(slices.Clone(low), around...)}, Color: sheer(s.Color)}, edges
}

// whiskers returns the intervals of k as upright lines.
func (k Curve) whiskers(s Style) *whiskers {
	return &whiskers{points(k.X, k.Low), points(k.X, k.High), draw.LineStyle{Color: s.Color, Width: 1.2}}
}

// Reference is a horizontal line for comparison, such as the loss of an untrained encoder.
type Reference struct {
	Name string
	Y    float64
}

// CurvesConfig configures LearningCurves. The zero value works; its labels are "optimizer step" and "loss (nats)".
type CurvesConfig struct {
	Figure
	Smooth     int         // number of values in the running mean; 0 or 1 for no smoothing
	LogX       bool        // X, which must be above 0, on a logarithmic scale
	References []Reference // horizontal lines, with their names in the legend
	Whiskers   bool        // intervals as whiskers side by side, instead of bands: for many curves with few X
}

// marksPerCurve is the number of markers of a curve of many values, enough to distinguish curves.
const marksPerCurve = 7

// whiskerGap is the largest distance between curves with whiskers.
const whiskerGap = 0.09 * vg.Inch

// LearningCurves draws curves over each other, each with its own line style and marker, and a legend to the right. With
// cfg.Smooth above 1 each curve is the centered running mean over that many values, over fewer at the ends; the values
// themselves stay behind it as a faint line. Bands of intervals lie behind all lines; a curve at a single X has a
// whisker. With cfg.Whiskers all intervals are whiskers, slightly shifted from their X so that no interval covers
// another; the ticks stay at X.
//
// It returns an error if there is no curve, a curve is empty, its X and Y or the ends of its intervals differ in
// length, a value is not finite (the error gives the position of a NaN) or outside the limits of Y, X decreases, or X
// is not above 0 on a logarithmic scale.
func LearningCurves(cfg CurvesConfig, curves ...Curve) (*plot.Plot, error) {
	if len(curves) == 0 {
		return nil, fmt.Errorf("viz: learning curves: %w: pass at least one curve", ErrNoData)
	}
	if cfg.Smooth < 0 {
		return nil, fmt.Errorf("viz: learning curves: Smooth is %d, want 0 or more: %w", cfg.Smooth, ErrRange)
	}
	lowest, highest := math.Inf(1), math.Inf(-1) // limits of all curves
	for _, k := range curves {
		if err := k.check(cfg.LogX); err != nil {
			return nil, err
		}
		low, high := k.limits()
		lowest, highest = min(lowest, low), max(highest, high)
	}
	cfg.XLabel, cfg.YLabel = cmp.Or(cfg.XLabel, "optimizer step"), cmp.Or(cfg.YLabel, "loss (nats)")
	p := New(cfg.Figure)
	if cfg.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	var places []float64 // each X once
	if cfg.Whiskers {
		for _, k := range curves {
			places = append(places, k.X...)
		}
		slices.Sort(places)
		places = slices.Compact(places)
		p.X.Tick.Marker = ticksAt(places)
	}
	var entries []Entry
	var front []plot.Plotter // drawn over the faint lines of all curves
	for i, s := range stylesOf(curves, func(k Curve) string { return k.Name }) {
		k := curves[i]
		if k.Low != nil && !cfg.Whiskers {
			area, edges := k.cut().band(s)
			p.Add(area)
			front = append(front, edges...)
		}
		line := &plotter.Line{XYs: points(k.X, k.Y), LineStyle: s.Line(1.8)}
		if cfg.Smooth > 1 {
			p.Add(&plotter.Line{XYs: line.XYs, LineStyle: draw.LineStyle{Color: faint(s.Color, 0.3), Width: 0.8}})
			line.XYs = points(k.X, runningMean(k.Y, cfg.Smooth))
		}
		at := markPlaces(k.X, marksPerCurve, (float64(i)+0.5)/float64(len(curves)))
		marks := newMarks(pick(line.XYs, at), s.Glyph(4), 0)
		if cfg.Whiskers {
			parts := []part{line}
			if k.Low != nil {
				parts = append(parts, k.cut().whiskers(s))
			}
			most := float64(len(curves) - 1)
			front = append(front, aside{append(parts, marks), float64(i) - most/2, most, places})
		} else {
			front = append(front, line, marks)
		}
		entries = append(entries, newEntry(k.Name, line, marks))
	}
	for _, r := range cfg.References {
		if err := checkFinite(fmt.Sprintf("the reference line %q", r.Name), r.Y); err != nil {
			return nil, err
		}
		if r.Y < lowest || r.Y > highest {
			return nil, fmt.Errorf("viz: the reference line %q is at %g, where no curve can be: they lie within %g and %g: %w", r.Name, r.Y,
				lowest, highest, ErrRange)
		}
		line := plotter.NewFunction(func(float64) float64 { return r.Y })
		line.Samples, line.LineStyle = 2, draw.LineStyle{Color: AxisGray, Width: 1.2, Dashes: []vg.Length{1, 2.5}}
		p.Add(line)
		p.Y.Min, p.Y.Max = min(p.Y.Min, r.Y), max(p.Y.Max, r.Y)
		entries = append(entries, newEntry(r.Name, line))
	}
	p.Add(front...)
	if cfg.LogX && p.X.Min == p.X.Max { // an additive margin would reach 0
		p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
	}
	if cfg.Whiskers { // room beside the axis for the shifted whiskers
		if share := 0.015 * float64(len(curves)); cfg.LogX {
			ratio := math.Pow(p.X.Max/p.X.Min, share)
			p.X.Min, p.X.Max = p.X.Min/ratio, p.X.Max*ratio
		} else {
			widen(&p.X, share*(p.X.Max-p.X.Min))
		}
	}
	AddLegend(p, entries...)
	widen(&p.Y, 0.04*(p.Y.Max-p.Y.Min))
	p.Y.Min, p.Y.Max = max(p.Y.Min, lowest), min(p.Y.Max, highest)
	return p, nil
}

// limits returns the smallest and the largest possible Y.
func (k Curve) limits() (low, high float64) {
	if k.Within == [2]float64{} {
		return math.Inf(-1), math.Inf(1)
	}
	return k.Within[0], k.Within[1]
}

// cut returns the curve with its intervals clipped to the limits of Y.
func (k Curve) cut() Curve {
	low, high := k.limits()
	k.Low, k.High = slices.Clone(k.Low), slices.Clone(k.High)
	for i := range k.Low {
		k.Low[i], k.High[i] = max(k.Low[i], low), min(k.High[i], high)
	}
	return k
}

func (k Curve) check(positive bool) error {
	what := fmt.Sprintf("the curve %q", k.Name)
	if len(k.X) == 0 && len(k.Y) == 0 {
		return fmt.Errorf("viz: %s: %w", what, ErrNoData)
	}
	if err := checkXY(what, k.X, k.Y); err != nil {
		return err
	}
	if positive && !(k.X[0] > 0) {
		return fmt.Errorf("viz: %s begins at %g, and a logarithmic scale has no place for it: %w", what, k.X[0], ErrRange)
	}
	if k.Low != nil || k.High != nil {
		for _, end := range [][]float64{k.Low, k.High} {
			if err := checkXY("the band of "+what, k.X, end); err != nil {
				return err
			}
		}
	}
	low, high := k.limits()
	if !(low < high) {
		return fmt.Errorf("viz: Within of %s goes from %g to %g, want the smaller one first: %w", what, low, high, ErrRange)
	}
	for i, y := range k.Y {
		if y < low || y > high {
			return fmt.Errorf("viz: %s is %g at entry %d, outside of Within, %g to %g: %w", what, y, i, low, high, ErrRange)
		}
	}
	for i := 1; i < len(k.X); i++ {
		if k.X[i] < k.X[i-1] {
			return fmt.Errorf("viz: %s: x goes from %g to %g at entry %d: %w", what, k.X[i-1], k.X[i], i, ErrOrder)
		}
	}
	return nil
}

// runningMean returns, for every entry, the mean of the up to n entries around it. For even n the window has one entry
// more before the middle than after it.
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

// markPlaces returns the indices of about n values of x, evenly spaced over its range. The first lies at the given
// fraction of the spacing. It returns all indices if there are few.
func markPlaces(x []float64, n int, share float64) (at []int) {
	few := len(x) <= 2*n
	for i, v := range x {
		first, last, next := x[0], x[len(x)-1], float64(len(at))
		if few || len(at) < n && v-first >= (next+share)*(last-first)/float64(n) {
			at = append(at, i)
		}
	}
	return at
}
