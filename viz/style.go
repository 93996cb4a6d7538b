package viz

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette: the colors of Okabe and Ito that have a contrast of 3:1 or more against white. Orange and SkyBlue
// are darkened to 85 % to reach it (the printed ones have 2.3:1); yellow would turn brown and is left out.
//
// Source: M. Okabe, K. Ito, Color Universal Design (2008).
var (
	Blue       = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	Vermillion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	Green      = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	Purple     = color.RGBA{0xCC, 0x79, 0xA7, 0xFF}
	Orange     = color.RGBA{0xC4, 0x87, 0x00, 0xFF}
	SkyBlue    = color.RGBA{0x49, 0x99, 0xC6, 0xFF}
	Black      = color.RGBA{0x00, 0x00, 0x00, 0xFF}
)

// Grays for text, points of unknown class, axes, and the light grid behind the data, which are not series.
var (
	TextGray = color.RGBA{0x22, 0x22, 0x22, 0xFF}
	MarkGray = color.RGBA{0x76, 0x76, 0x76, 0xFF}
	AxisGray = color.RGBA{0x55, 0x55, 0x55, 0xFF}
	GridGray = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}

	white = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// Font sizes in points. None is below 11, the smallest readable size at the width of a notebook.
const (
	titleSize = vg.Length(13)
	labelSize = vg.Length(12)
	smallSize = vg.Length(11)
)

// Inch is one inch, for the sizes of Save, Size and Panels: 6.5*viz.Inch.
const Inch = vg.Inch

// Names with fixed styles: the kinds of examples in PU learning. Positive and UnlabeledPositive share a style; the
// first is a prediction and the second the true class.
const (
	LabeledPositive   = "labeled positive"
	UnlabeledPositive = "unlabeled positive"
	Positive          = "positive"
	Negative          = "negative"
	Unlabeled         = "unlabeled"
)

// Style is the style of one series: a color, the dashes of its line (nil for a solid one) and its marker.
type Style struct {
	Color  color.Color
	Dashes []vg.Length
	Marker Marker
}

// Line returns the style as a line that is width points wide.
func (s Style) Line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: s.Color, Width: width, Dashes: s.Dashes}
}

// Glyph returns the style as a mark of the given radius in points.
func (s Style) Glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.Color, Radius: radius, Shape: s.Marker}
}

// The order in which series without a fixed style get theirs.
var (
	colors = []color.RGBA{Blue, Vermillion, Green, Purple, Orange, SkyBlue, Black}
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}, {4, 2}, {9, 3, 2, 3, 2, 3}, {14, 4}}
)

// fixedStyles holds the styles that are the same in all figures. Warm colors are positive, cold ones negative. Within
// the roles and within the methods, no two share a color, a marker or a dash pattern.
var fixedStyles = map[string]Style{
	key(LabeledPositive):   {Vermillion, dashes[1], UpTriangle},
	key(UnlabeledPositive): {Orange, dashes[0], Circle},
	key(Positive):          {Orange, dashes[0], Circle},
	key(Negative):          {Blue, dashes[2], Square},
	key(Unlabeled):         {MarkGray, dashes[3], Plus},

	key("PUCL"):   {Green, dashes[0], Circle},
	key("ssCL"):   {Blue, dashes[1], Square},
	key("SCL-PU"): {Vermillion, dashes[2], UpTriangle},
	key("SCL"):    {Black, dashes[3], Diamond},
	key("DCL"):    {Purple, dashes[4], DownTriangle},
	key("puNCE"):  {Orange, dashes[5], Cross},
	key("MCL"):    {SkyBlue, dashes[6], Plus},
}

// key returns the key of a name in fixedStyles: letters and digits only, lower case, and no plural s.
func key(name string) string {
	k := strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
	if strings.HasSuffix(k, "ives") || strings.HasSuffix(k, "unlabeleds") {
		k = strings.TrimSuffix(k, "s")
	}
	return k
}

// StyleFor returns the style of each of the named series of one figure, in their order.
//
// Some names have the same style in every figure: the roles (LabeledPositive, UnlabeledPositive, Positive, Negative,
// Unlabeled) and the losses PUCL, ssCL, SCL-PU, SCL, DCL, puNCE and MCL. Case, spaces, hyphens and a plural s do not
// matter. Every other name gets the first color, marker and dashes that the figure does not use yet, so that two series
// differ in all three. After seven they repeat in new pairs of color and marker, up to 49 series.
func StyleFor(names ...string) []Style {
	styles := make([]Style, len(names))
	for i, name := range names {
		styles[i] = fixedStyles[key(name)]
	}
	n := len(colors)
	// free returns the first of n that no style has yet, n if none is free.
	free := func(has func(s Style, i int) bool) (i int) {
		for i < n && slices.ContainsFunc(styles, func(s Style) bool { return s.Color != nil && has(s, i) }) {
			i++
		}
		return i
	}
	again := 0
	for i := range styles {
		s := &styles[i]
		if s.Color != nil {
			continue
		}
		c := free(func(s Style, i int) bool { return s.Color == colors[i] })
		d := free(func(s Style, i int) bool { return slices.Equal(s.Dashes, dashes[i]) })
		m := free(func(s Style, i int) bool { return s.Marker == Marker(i) })
		if max(c, d, m) < n {
			*s = Style{colors[c], dashes[d], Marker(m)}
		}
		for ; s.Color == nil; again++ {
			// Seven of each are taken: go round again with the markers shifted against the colors.
			t := Style{colors[again%n], dashes[again%n], Marker((again + again/n + 1) % n)}
			if again >= n*n || !slices.ContainsFunc(styles, t.sameMark) {
				*s = t
			}
		}
	}
	return styles
}

// sameMark reports whether both styles have the same color and marker.
func (s Style) sameMark(t Style) bool { return s.Color == t.Color && s.Marker == t.Marker }

// stylesOf returns the style of each of the series of one figure by its name.
func stylesOf[T any](series []T, name func(T) string) []Style {
	names := make([]string, len(series))
	for i, s := range series {
		names[i] = name(s)
	}
	return StyleFor(names...)
}

// sheer returns a translucent version of the color, so that overlapping bands stay visible.
func sheer(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 38}
}

// faint returns the color mixed with white, without transparency, which some viewers of PDF files draw badly.
func faint(c color.Color, share float64) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(v uint32) uint8 { return uint8(share*float64(v>>8) + (1-share)*255 + 0.5) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xFF}
}

// Marker is a shape that marks a point; it implements draw.GlyphDrawer. The shapes are filled, with a thin white rim
// that separates neighbors, and of about the same area; Cross and Plus are drawn with strokes.
//
// Half of the shapes of gonum/plot are outlines half a point wide, too thin to distinguish series.
type Marker int

// The markers, in the order in which StyleFor assigns them.
const (
	Circle Marker = iota
	Square
	UpTriangle
	Diamond
	DownTriangle
	Cross
	Plus
)

// rimFrom is the radius from which a marker has its white rim: smaller ones would be all rim.
const rimFrom = 2.5

// DrawGlyph draws the marker at pt.
func (m Marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	switch r := sty.Radius; m {
	case Cross:
		strokes(c, sty, pt, vg.Point{X: r, Y: r}, vg.Point{X: r, Y: -r})
	case Plus:
		strokes(c, sty, pt, vg.Point{X: 1.2 * r}, vg.Point{Y: 1.2 * r})
	default:
		path := m.outline(pt, r)
		fill(*c, sty.Color, path)
		if r >= rimFrom {
			stroke(*c, draw.LineStyle{Color: white, Width: 0.5}, path)
		}
	}
}

// corners holds the corners of the filled shapes for a radius of 1.
var corners = map[Marker][]vg.Point{
	Square:       {{X: -.88, Y: -.88}, {X: .88, Y: -.88}, {X: .88, Y: .88}, {X: -.88, Y: .88}},
	UpTriangle:   {{X: -1.13, Y: -.72}, {X: 1.13, Y: -.72}, {X: 0, Y: 1.25}},
	DownTriangle: {{X: -1.13, Y: .72}, {X: 1.13, Y: .72}, {X: 0, Y: -1.25}},
	Diamond:      {{X: -1.2}, {Y: -1.2}, {X: 1.2}, {Y: 1.2}},
}

// outline returns the closed path of a filled marker.
func (m Marker) outline(pt vg.Point, r vg.Length) (p vg.Path) {
	if m == Circle {
		p.Move(vg.Point{X: pt.X + r, Y: pt.Y})
		p.Arc(pt, r, 0, 2*math.Pi)
	}
	for i, k := range corners[m] {
		q := vg.Point{X: pt.X + r*k.X, Y: pt.Y + r*k.Y}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}

// strokes draws two lines through pt, from −a to a and from −b to b.
func strokes(c *draw.Canvas, sty draw.GlyphStyle, pt, a, b vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: max(0.8, 0.45*sty.Radius)},
		[]vg.Point{pt.Sub(a), pt.Add(a)}, []vg.Point{pt.Sub(b), pt.Add(b)})
}
