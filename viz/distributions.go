package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Sample is a series of values of one kind in Distributions, such as the similarities of labeled positives. The name
// determines the style, see StyleFor.
type Sample struct {
	Name   string
	Values []float64
}

// DistributionsConfig configures Distributions. The zero value works; its labels are "similarity" and "density".
type DistributionsConfig struct {
	Figure
	Bins int // from the least drawn value to the largest; 0 means 40
}

// Distributions draws the histograms of several samples over each other, in the same bins and scaled to an area of 1,
// so that samples of different size can be compared. Each has its own line style and marker, and a legend stands to the
// right.
//
// If the range of all values is more than 100 times that of the inner 98% of each sample, values beyond the latter,
// widened by its length on both sides, are not drawn. The legend states their number, and they count toward the area.
//
// It returns an error if there is no sample, one has no values, a value is not finite, or the number of bins is negative.
func Distributions(cfg DistributionsConfig, samples ...Sample) (*plot.Plot, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("viz: distributions: %w: pass at least one sample", ErrNoData)
	}
	if cfg.Bins < 0 {
		return nil, fmt.Errorf("viz: distributions: %d bins, want 0 or more: %w", cfg.Bins, ErrRange)
	}
	for i, s := range samples {
		what := fmt.Sprintf("the sample %q", s.Name)
		if len(s.Values) == 0 {
			return nil, fmt.Errorf("viz: %s, number %d: %w", what, i+1, ErrNoData)
		}
		if err := checkFinite(what, s.Values...); err != nil {
			return nil, err
		}
	}
	all := make([][]float64, len(samples))
	for i, s := range samples {
		all[i] = s.Values
	}
	low, high := innerLimits(all...)
	bins := cmp.Or(cfg.Bins, 40)
	if width := (high - low) / float64(bins); low+width == low || high-width == high { // practically one value gets a bin
		room := max(0.5, 1e-9*max(math.Abs(low), math.Abs(high)))
		low, high = low-room, high+room
	}
	cfg.XLabel, cfg.YLabel = cmp.Or(cfg.XLabel, "similarity"), cmp.Or(cfg.YLabel, "density")
	p := New(cfg.Figure)
	var entries []Entry
	var front []plot.Plotter
	for i, style := range stylesOf(samples, func(s Sample) string { return s.Name }) {
		outline, tops, outside := histogram(samples[i].Values, low, high, bins)
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{outline}, Color: sheer(style.Color)})
		line := &plotter.Line{XYs: outline, LineStyle: style.Line(1.6)}
		marks := newMarks(tops, style.Glyph(4), 0)
		front = append(front, line, marks)
		entries = append(entries, newEntry(beyond(samples[i].Name, outside, len(samples[i].Values)), line, marks))
	}
	p.Add(front...)
	p.Y.Min, p.Y.Max = 0, 1.05*p.Y.Max
	AddLegend(p, entries...)
	return p, nil
}

// histogram returns the outline of a histogram of area 1, from the axis to the axis, the top of the fullest bin,
// where its mark is, and the number of values outside, which is below that of all values.
func histogram(values []float64, low, high float64, bins int) (outline, tops plotter.XYs, outside int) {
	counts := make([]int, bins)
	width := (high - low) / float64(bins)
	for _, v := range values {
		if v < low || v > high {
			outside++
			continue
		}
		counts[min(int((v-low)/width), bins-1)]++
	}
	at := func(edge int) float64 { return low + float64(edge)*width }
	density := func(k int) float64 { return float64(counts[k]) / (float64(len(values)) * width) }
	first, end := 0, bins // nothing is drawn along the axis beyond the values
	for counts[first] == 0 {
		first++
	}
	for counts[end-1] == 0 {
		end--
	}
	outline = plotter.XYs{{X: at(first)}}
	for k := first; k < end; k++ {
		outline = append(outline, plotter.XY{X: at(k), Y: density(k)}, plotter.XY{X: at(k + 1), Y: density(k)})
	}
	outline = append(outline, plotter.XY{X: at(end)})
	fullest := slices.Index(counts, slices.Max(counts))
	return outline, plotter.XYs{{X: at(fullest) + width/2, Y: density(fullest)}}, outside
}
