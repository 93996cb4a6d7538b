package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is one bar of Bars: a number with a name.
type Bar struct {
	Name   string
	Value  float64
	Strong bool // drawn in the warm color, with its number in bold
}

// BarsConfig configures Bars. The zero value works.
type BarsConfig struct {
	Figure
	Decimals int // of the numbers at the bars; 0 means 2, negative means none
}

// Bars draws numbers as horizontal bars from zero, negative ones to the left, the first on top, with names to the left
// and each number at the end of its bar. Examples are the parts of a sum, or claimed and measured values. Bars are as
// thick as the figure allows; a Height of about 2*Inch suits three or four.
//
// It returns an error if there is no bar or a value is not finite.
func Bars(cfg BarsConfig, list ...Bar) (*plot.Plot, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("viz: bars: %w: pass at least one bar", ErrNoData)
	}
	p := New(cfg.Figure)
	b := &bars{list: slices.Clone(list), style: p.Y.Tick.Label}
	var names plot.ConstantTicks
	for i, bar := range list {
		if err := checkFinite(fmt.Sprintf("the bar %q", bar.Name), bar.Value); err != nil {
			return nil, err
		}
		at := plotter.XY{X: bar.Value, Y: float64(len(list) - 1 - i)}
		names = append(names, plot.Tick{Value: at.Y, Label: bar.Name})
		b.ends = append(b.ends, at)
		b.text = append(b.text, number(bar.Value, decimals(cfg.Decimals, 2)))
	}
	p.Y.Tick.Marker = names
	p.Add(b)
	return p, nil
}

// BarsAlt returns the alternative text of the figure of Bars for Show: the title with the unit, then each name with its
// number as shown at the bar.
func BarsAlt(cfg BarsConfig, list ...Bar) string {
	words := make([]string, len(list))
	for i, bar := range list {
		words[i] = bar.Name + " " + number(bar.Value, decimals(cfg.Decimals, 2))
	}
	title := cmp.Or(cfg.Title, "Bars")
	if cfg.XLabel != "" {
		title += " (" + cfg.XLabel + ")"
	}
	return title + ": " + strings.Join(words, "; ") + "."
}

// bars is a plotter of horizontal bars with their numbers.
type bars struct {
	list  []Bar
	ends  plotter.XYs
	text  []string
	style text.Style
}

const (
	barShare = 0.62         // bar thickness as a fraction of the distance between two bars
	barGap   = vg.Length(5) // between a bar and its number
)

func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	on := onCanvas(c, p)
	base := on(plotter.XY{})
	half := (on(plotter.XY{Y: 1}).Y - base.Y) * barShare / 2
	for i, bar := range b.list {
		end := on(b.ends[i])
		col := SkyBlue
		if bar.Strong {
			col = Vermillion
		}
		fill(c, col, vg.Rectangle{Min: vg.Point{X: base.X, Y: end.Y - half}, Max: vg.Point{X: end.X, Y: end.Y + half}}.Path())
		style, gap := b.label(i)
		at := vg.Point{X: end.X + gap, Y: end.Y}
		fill(c, white, style.Rectangle(b.text[i]).Add(at).Path()) // no grid line through the number
		at.Y += 0.1 * style.Font.Size                             // digits have no descenders
		c.FillText(style, at, b.text[i])
	}
	c.StrokeLine2(draw.LineStyle{Color: AxisGray, Width: 1}, base.X, c.Min.Y, base.X, c.Max.Y)
}

// label returns the style of a bar's number and its distance from the bar's end.
func (b *bars) label(i int) (text.Style, vg.Length) {
	style, gap := b.style, barGap
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	style.Font = face(style.Font.Size, b.list[i].Strong).Font
	if b.list[i].Value < 0 {
		style.XAlign, gap = draw.XRight, -barGap
	}
	return style, gap
}

// DataRange includes zero, half a bar more above and below, and a margin beyond the ends, so that the numbers stay
// inside.
func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, bar := range b.list {
		xmin, xmax = min(xmin, bar.Value), max(xmax, bar.Value)
	}
	if xmin == xmax {
		xmax = 1 // nothing but zeros
	}
	room := 0.16 * (xmax - xmin)
	if xmin < 0 {
		xmin -= room
	}
	if xmax > 0 {
		xmax += room
	}
	return xmin, xmax, -0.5, float64(len(b.list)) - 0.5
}

// GlyphBoxes claims room for the numbers.
func (b *bars) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return glyphBoxes(p, b.ends, func(i int) vg.Rectangle {
		style, gap := b.label(i)
		return style.Rectangle(b.text[i]).Add(vg.Point{X: gap})
	})
}
