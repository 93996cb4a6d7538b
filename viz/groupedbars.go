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

// BarGroup is a group of adjacent bars of GroupedBars, one for each series, for example the results of several methods
// on one data set.
type BarGroup struct {
	Name string
	Bars []MeasuredBar
}

// MeasuredBar is a bar with an optional interval and published value. The zero value of each field except Value leaves
// it out.
type MeasuredBar struct {
	Value     float64
	HalfWidth float64 // of the interval Value ± HalfWidth, drawn as a whisker; 0 for none
	Published float64 // published value, drawn as a mark; 0 for none
	Missing   bool    // no bar, though perhaps a published number
}

// GroupedBars draws groups of vertical bars with their intervals and the published values, as a picture of a table of
// accuracies. series names the bars of a group, which have their own color and hatching (see [StyleFor]) and a legend
// above. All bars begin at 0, so that lengths can be compared.
//
// It returns an error if there are no groups or no series, a group has another number of bars, or a number is negative
// or not finite.
func GroupedBars(cfg Figure, series []string, groups ...BarGroup) (*plot.Plot, error) {
	if len(groups) == 0 || len(series) == 0 {
		return nil, fmt.Errorf("viz: grouped bars: %w: there are %d groups of %d bars", ErrNoData, len(groups), len(series))
	}
	g := &grouped{styles: StyleFor(series...)}
	names := plot.ConstantTicks{}
	published := false
	for i, group := range groups {
		what := fmt.Sprintf("the group %q", group.Name)
		if len(group.Bars) != len(series) {
			return nil, fmt.Errorf("viz: %s has %d bars and there are %d names: %w", what, len(group.Bars), len(series), ErrLength)
		}
		for j, b := range group.Bars {
			if err := checkFinite(fmt.Sprintf("%s, bar %q", what, series[j]), b.Value, b.HalfWidth, b.Published); err != nil {
				return nil, err
			}
			if min(b.Value, b.HalfWidth, b.Published) < 0 {
				return nil, fmt.Errorf("viz: %s, bar %q: a number is below 0: %w", what, series[j], ErrRange)
			}
			published = published || b.Published > 0
		}
		g.groups = append(g.groups, slices.Clone(group.Bars))
		names = append(names, plot.Tick{Value: float64(i), Label: group.Name})
	}
	cfg.YLabel = cmp.Or(cfg.YLabel, "accuracy (%)")
	p := New(cfg)
	p.X.Tick.Marker = names
	p.Add(g, frame{}) // the axis over the rims of the bars
	var entries []Entry
	for i, name := range series {
		entries = append(entries, newEntry(name, &swatch{g.styles[i].Color, i}))
	}
	if published {
		entries = append(entries, newEntry("published", newMarks(nil, publishedMark, 0)))
	}
	p.Legend.Top = true
	AddLegend(p, entries...)
	return p, nil
}

// publishedMark is the mark of a published number.
var publishedMark = draw.GlyphStyle{Color: Black, Radius: 4.5, Shape: Diamond}

// groupShare is the fraction of the distance between two groups that their bars fill.
const groupShare = 0.8

// grouped is a plotter of grouped bars. Group i lies about x = i.
type grouped struct {
	groups [][]MeasuredBar
	styles []Style
}

func (g *grouped) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, bars := range g.groups {
		for _, b := range bars {
			ymax = max(ymax, b.Value+b.HalfWidth, b.Published)
		}
	}
	if ymax == 0 {
		ymax = 1
	}
	return -0.5, float64(len(g.groups)) - 0.5, 0, 1.03 * ymax
}

func (g *grouped) Plot(c draw.Canvas, p *plot.Plot) {
	place := onCanvas(c, p)
	style := draw.LineStyle{Color: TextGray, Width: 1.2}
	for i, bars := range g.groups {
		width := groupShare / float64(len(bars))
		for j, b := range bars {
			middle := float64(i) + width*(float64(j)-float64(len(bars)-1)/2)
			at := func(y float64) vg.Point { return place(plotter.XY{X: middle, Y: y}) }
			half := (place(plotter.XY{X: width}).X - place(plotter.XY{}).X) / 2
			if !b.Missing {
				hatch(c, vg.Rectangle{Min: at(0).Sub(vg.Point{X: half}), Max: at(b.Value).Add(vg.Point{X: half})}, g.styles[j].Color, j)
			}
			if b.HalfWidth > 0 && !b.Missing {
				whisker(c, style, at(math.Max(0, b.Value-b.HalfWidth)), at(b.Value+b.HalfWidth), min(4, half/2))
			}
			if b.Published > 0 {
				c.DrawGlyph(publishedMark, at(b.Published))
			}
		}
	}
}
