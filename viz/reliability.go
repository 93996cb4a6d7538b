package viz

import (
	"cmp"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ReliabilityCurve compares the probabilities of one classifier with the observed frequencies. The name should include
// the calibration error if it is known, and determines the style, see StyleFor.
type ReliabilityCurve struct {
	Name          string
	Bins          []ReliabilityBin // by ascending Mean
	Probabilities []float64        // of all examples, for the histogram below; nil for none
}

// ReliabilityBin is a bin of examples with similar probabilities.
type ReliabilityBin struct {
	Mean      float64 // of the probabilities
	Positive  float64 // fraction of positives; an estimate without negatives may exceed 1
	Low, High float64 // ends of its interval
}

// reliabilityBins is the number of bins of the histogram, and histogramShare its fraction of the height.
const (
	reliabilityBins = 20
	histogramShare  = 0.3
)

// Reliability draws the fraction of positive examples against the predicted probability, each bin with its interval. A
// calibrated classifier lies on the dotted diagonal, an overconfident one below it on the right. Below are the
// histograms of the probabilities, as densities, if given. Labels are "predicted probability" and "share positive".
//
// It returns an error if there is no curve or a curve has no bin, a value is not finite, a probability is not between 0
// and 1, a fraction is not within its interval, or the means decrease.
func Reliability(cfg Figure, curves ...ReliabilityCurve) (*Composite, error) {
	if len(curves) == 0 {
		return nil, fmt.Errorf("viz: reliability: %w: pass at least one curve", ErrNoData)
	}
	xLabel := cmp.Or(cfg.XLabel, "predicted probability")
	top := New(Figure{Title: cfg.Title, XLabel: xLabel, YLabel: cmp.Or(cfg.YLabel, "share positive")})
	below := New(Figure{XLabel: xLabel, YLabel: "density"})
	believed := draw.LineStyle{Color: AxisGray, Width: 1.2, Dashes: []vg.Length{1, 2.5}}
	diagonal := &plotter.Line{XYs: plotter.XYs{{}, {X: 1, Y: 1}}, LineStyle: believed}
	top.Add(diagonal)
	var entries []Entry
	var outlines []plot.Plotter // of the histograms, over all areas
	for i, style := range stylesOf(curves, func(k ReliabilityCurve) string { return k.Name }) {
		k := curves[i]
		if err := k.check(); err != nil {
			return nil, err
		}
		var at plotter.XYs
		ends := &whiskers{style: draw.LineStyle{Color: style.Color, Width: 1.2}}
		for _, b := range k.Bins {
			at = append(at, plotter.XY{X: b.Mean, Y: b.Positive})
			ends.low, ends.high = append(ends.low, plotter.XY{X: b.Mean, Y: b.Low}), append(ends.high, plotter.XY{X: b.Mean, Y: b.High})
		}
		line, marks := &plotter.Line{XYs: at, LineStyle: style.Line(1.8)}, newMarks(at, style.Glyph(4), 0)
		top.Add(ends, line, marks)
		entries = append(entries, newEntry(k.Name, line, marks))
		if len(k.Probabilities) > 0 {
			outline, tops, _ := histogram(k.Probabilities, 0, 1, reliabilityBins)
			below.Add(&plotter.Polygon{XYs: []plotter.XYs{outline}, Color: sheer(style.Color)})
			outlines = append(outlines, &plotter.Line{XYs: outline, LineStyle: style.Line(1.6)}, newMarks(tops, style.Glyph(4), 0))
		}
	}
	below.Add(outlines...)
	AddLegend(top, append(entries, newEntry("as predicted", diagonal))...)
	for _, p := range []*plot.Plot{top, below} {
		p.X.Min, p.X.Max = 0, 1
		p.Y.Min = 0
	}
	below.Y.Max *= 1.05
	f := &Composite{width: cmp.Or(cfg.Width, defaultWidth), height: cmp.Or(cfg.Height, 5*vg.Inch), column: []Drawer{top}}
	if len(outlines) == 0 {
		f.arrange = func(c draw.Canvas) []placed { return place(top, c) }
		return f, nil
	}
	top.X.Label.Text = "" // it stands below the histogram
	f.arrange = func(c draw.Canvas) []placed { return oneAxis(top, below, c) }
	return f, nil
}

func (k ReliabilityCurve) check() error {
	what := fmt.Sprintf("the reliability of %q", k.Name)
	if len(k.Bins) == 0 {
		return fmt.Errorf("viz: %s has no bins: %w", what, ErrNoData)
	}
	for i, b := range k.Bins {
		if err := checkFinite(fmt.Sprintf("%s, bin %d", what, i), b.Mean, b.Positive, b.Low, b.High); err != nil {
			return err
		}
		if b.Mean < 0 || b.Mean > 1 {
			return fmt.Errorf("viz: %s: the mean of bin %d is %g: %w: give probabilities, from 0 to 1", what, i, b.Mean, ErrRange)
		}
		if b.Low > b.Positive || b.High < b.Positive {
			return fmt.Errorf("viz: %s: the share %g of bin %d lies outside of its interval from %g to %g: %w: "+
				"give the ends, not their distances",
				what, b.Positive, i, b.Low, b.High, ErrRange)
		}
		if i > 0 && b.Mean < k.Bins[i-1].Mean {
			return fmt.Errorf("viz: %s: the means go from %g to %g at bin %d: %w", what, k.Bins[i-1].Mean, b.Mean, i, ErrOrder)
		}
	}
	for i, p := range k.Probabilities {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("viz: %s: probability %d is %g: %w: give numbers from 0 to 1", what, i, p, ErrRange)
		}
	}
	return nil
}

// oneAxis returns two plots, the second below the first, with data areas of equal width, so that they share the x axis.
func oneAxis(top, below *plot.Plot, c draw.Canvas) []placed {
	middle := c.Min.Y + histogramShare*(c.Max.Y-c.Min.Y)
	parts := []placed{{canvas: draw.Crop(c, 0, 0, middle-c.Min.Y, 0)}, {canvas: draw.Crop(c, 0, 0, 0, middle-c.Max.Y-rowGap/2)}}
	for i, p := range []*plot.Plot{top, below} {
		parts[i].Drawer = layout(p, parts[i].canvas)
	}
	data := func(i int) vg.Rectangle { return parts[i].Drawer.(*plot.Plot).DataCanvas(parts[i].canvas).Rectangle }
	left, right := max(data(0).Min.X, data(1).Min.X), min(data(0).Max.X, data(1).Max.X)
	for i, p := range []*plot.Plot{top, below} {
		d := data(i)
		parts[i].canvas = draw.Crop(parts[i].canvas, left-d.Min.X, right-d.Max.X, 0, 0)
		parts[i].Drawer = layout(p, parts[i].canvas)
	}
	return parts
}
