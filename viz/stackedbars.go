package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StackedBar is one bar of StackedBars: its name, and the length of each of its parts, 0 for an absent part.
type StackedBar struct {
	Name  string
	Parts []float64
}

// StackedBars draws horizontal bars below each other, the first one on top, each divided into parts from left to right,
// for example the composition of a data set. parts names the parts, which have their own color and hatching (see
// [StyleFor]) and stand in the legend above the bars. A part shows its length as a number if there is room for it; the
// number of the last part may stand behind the bar.
//
// Without an XLabel the unit is "examples". Bars are at most as thick as a line of text requires, so a low figure suits
// few bars: a Height of 2.5*Inch for three.
//
// It returns an error if there are no bars or no parts, if a bar has another number of parts, if a length is negative
// or not finite, or if all lengths are 0.
func StackedBars(cfg Figure, parts []string, bars ...StackedBar) (*plot.Plot, error) {
	if len(bars) == 0 || len(parts) == 0 {
		return nil, fmt.Errorf("viz: stacked bars: %w: there are %d bars of %d parts", ErrNoData, len(bars), len(parts))
	}
	s := &stack{styles: StyleFor(parts...)}
	for _, b := range bars {
		what := fmt.Sprintf("the bar %q", b.Name)
		if len(b.Parts) != len(parts) {
			return nil, fmt.Errorf("viz: %s has %d parts and there are %d names: %w", what, len(b.Parts), len(parts), ErrLength)
		}
		if err := checkFinite(what, b.Parts...); err != nil {
			return nil, err
		}
		var length float64
		for i, v := range b.Parts {
			if v < 0 {
				return nil, fmt.Errorf("viz: %s: the part %q is %g, want 0 or more: %w", what, parts[i], v, ErrRange)
			}
			length += v
		}
		s.longest = max(s.longest, length)
		s.bars = append(s.bars, StackedBar{b.Name, slices.Clone(b.Parts)})
	}
	if s.longest == 0 {
		return nil, fmt.Errorf("viz: stacked bars: %w: all lengths are 0", ErrNoData)
	}
	cfg.XLabel = cmp.Or(cfg.XLabel, "examples")
	p := New(cfg)
	p.Y.Tick.Marker = plot.ConstantTicks{} // the names of the bars replace the ticks
	p.Add(s, frame{})                      // the axis over the rims of the bars
	var entries []Entry
	for i, name := range parts {
		entries = append(entries, newEntry(name, &swatch{s.styles[i].Color, i}))
	}
	p.Legend.Top = true
	AddLegend(p, entries...)
	return p, nil
}

// Measures of bars, in points.
const (
	thickestBar = 1.9 * smallSize
	stackShare  = 0.72            // of the distance between two bars
	barName     = vg.Length(130)  // the room for a name, longer ones are broken and cut
	numberRoom  = vg.Length(3)    // on both sides of a number
	hatchGap    = vg.Length(6)    // between two lines of a hatching
	hatchWidth  = vg.Length(0.75) // of such a line
)

// stack is a plotter of stacked bars. StackedBar i lies about y = −i.
type stack struct {
	bars    []StackedBar
	styles  []Style
	longest float64
}

func (s *stack) DataRange() (xmin, xmax, ymin, ymax float64) {
	return 0, s.longest, 0.5 - float64(len(s.bars)), 0.5
}

// nameLines returns the name of a bar in at most two lines.
func (b StackedBar) nameLines() []string {
	lines := wrap(b.Name, barName, smallWidth)
	if len(lines) > 2 {
		lines = []string{lines[0], strings.Join(lines[1:], " ")}
	}
	for i := range lines {
		lines[i] = cut(lines[i], barName, smallWidth)
	}
	return lines
}

// GlyphBoxes claims the room for the names to the left of the bars.
func (s *stack) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, b := range s.bars {
		width = max(width, widest(smallWidth, b.nameLines()...))
	}
	return []plot.GlyphBox{{X: 0, Y: 0.5, Rectangle: vg.Rectangle{Min: vg.Point{X: -width - thumbGap}}}}
}

func (s *stack) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	half := min(thickestBar, stackShare*(toY(0)-toY(-1))) / 2
	for i, b := range s.bars {
		y := toY(-float64(i))
		writeSmallLines(c, vg.Point{X: c.Min.X - thumbGap, Y: y}, 1, b.nameLines())
		var from float64
		last := len(b.Parts) - 1
		for last > 0 && b.Parts[last] == 0 {
			last--
		}
		for part, v := range b.Parts {
			if v == 0 {
				continue
			}
			box := vg.Rectangle{Min: vg.Point{X: toX(from), Y: y - half}, Max: vg.Point{X: toX(from + v), Y: y + half}}
			hatch(c, box, s.styles[part].Color, part)
			writeLength(c, box, v, part == last)
			from += v
		}
	}
}

// writeLength writes the length of a part into its middle, on a white plate, which makes text readable in every theme.
// If the number does not fit, it is written behind the last part of a bar, and omitted for the other parts.
func writeLength(c draw.Canvas, box vg.Rectangle, v float64, last bool) {
	if v != math.Trunc(v) { // 0.3, not 0.30000000000000004 from rounding
		digits := math.Pow10(3 - int(math.Floor(math.Log10(v))))
		v = math.Round(v*digits) / digits
	}
	text := number(v, -1)
	width := smallWidth(text) + 2*numberRoom
	middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	base := middle.Y - 0.36*smallSize
	if size := box.Size(); width > size.X || 1.1*smallSize > size.Y {
		if last && box.Max.X+width <= c.Max.X {
			writeSmall(c, vg.Point{X: box.Max.X + numberRoom, Y: base}, 0, text)
		}
		return
	}
	box.Min, box.Max = vg.Point{X: middle.X - width/2, Y: box.Min.Y + 3}, vg.Point{X: middle.X + width/2, Y: box.Max.Y - 3}
	fill(c, white, box.Path())
	writeSmall(c, vg.Point{X: middle.X, Y: base}, 0.5, text)
}

// swatch is the thumbnail of a part.
type swatch struct {
	color color.Color
	part  int
}

func (s *swatch) Thumbnail(c *draw.Canvas) {
	middle := c.Center().Y
	hatch(*c, vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: middle - 5}, Max: vg.Point{X: c.Max.X, Y: middle + 5}}, s.color, s.part)
}

// hatch fills a box with a color and a hatching of white lines that depends on the part: none, rising, falling, both,
// level. The hatching distinguishes parts without color.
func hatch(c draw.Canvas, box vg.Rectangle, col color.Color, part int) {
	fill(c, col, box.Path())
	lines := draw.LineStyle{Color: white, Width: hatchWidth}
	kind := part % 5
	for _, falling := range [][]bool{1: {false}, 2: {true}, 3: {false, true}, 4: nil}[kind] {
		c.StrokeLines(lines, slanted(box, falling)...)
	}
	if kind == 4 {
		for y := box.Min.Y + hatchGap/2; y < box.Max.Y; y += hatchGap / 1.5 {
			c.StrokeLine2(lines, box.Min.X, y, box.Max.X, y)
		}
	}
	c.StrokeLines(draw.LineStyle{Color: white, Width: 1}, []vg.Point{box.Min, {X: box.Min.X, Y: box.Max.Y},
		box.Max, {X: box.Max.X, Y: box.Min.Y}, box.Min})
}

// slanted returns the lines at 45° that hatch a box, rising to the right or falling, cut at its edges.
func slanted(box vg.Rectangle, falling bool) [][]vg.Point {
	w, h := box.Max.X-box.Min.X, box.Max.Y-box.Min.Y
	var lines [][]vg.Point
	for at := hatchGap/2 - h; at < w; at += hatchGap { // start of a rising line at the bottom
		from, to := max(at, 0), min(at+h, w)
		if from >= to {
			continue
		}
		a := vg.Point{X: box.Min.X + from, Y: box.Min.Y + from - at}
		b := vg.Point{X: box.Min.X + to, Y: box.Min.Y + to - at}
		if falling {
			a.Y, b.Y = box.Min.Y+box.Max.Y-a.Y, box.Min.Y+box.Max.Y-b.Y
		}
		lines = append(lines, []vg.Point{a, b})
	}
	return lines
}
