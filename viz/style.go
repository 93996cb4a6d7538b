package viz

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette: the colours of Okabe and Ito that have a contrast of 3:1 or more against white. Orange and SkyBlue
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

// Greys for what is not a series: text, points whose class nobody knows, axes, and the light grid behind the data.
var (
	TextGrey = color.RGBA{0x22, 0x22, 0x22, 0xFF}
	MarkGrey = color.RGBA{0x76, 0x76, 0x76, 0xFF}
	AxisGrey = color.RGBA{0x55, 0x55, 0x55, 0xFF}
	GridGrey = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}

	white = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// Font sizes in points. None is below 11, which is what stays readable at the width of a notebook.
const (
	titleSize = vg.Length(13)
	labelSize = vg.Length(12)
	smallSize = vg.Length(11)
)

// Inch is one inch, for the sizes that Save, Size and Panels take: 6.5*viz.Inch.
const Inch = vg.Inch

// Names that have a look of their own: the parts that an example plays in learning from positive and unlabeled data.
// Positive and UnlabeledPositive share theirs, since the first is what a method says and the second what is true.
const (
	LabeledPositive   = "labeled positive"
	UnlabeledPositive = "unlabeled positive"
	Positive          = "positive"
	Negative          = "negative"
	Unlabeled         = "unlabeled"
)

// Style is the look of one series: a colour, the dashes of its line (nil for a solid one) and its marker.
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

// The order in which series without a fixed look take theirs.
var (
	colors = []color.RGBA{Blue, Vermillion, Green, Purple, Orange, SkyBlue, Black}
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}, {4, 2}, {9, 3, 2, 3, 2, 3}, {14, 4}}
)

// fixedStyles holds the looks that do not change from figure to figure. Warm colours are positive, cold ones negative.
// Within the roles and within the methods, no two share a colour, a marker or a dash pattern.
var fixedStyles = map[string]Style{
	key(LabeledPositive):   {Vermillion, dashes[1], UpTriangle},
	key(UnlabeledPositive): {Orange, dashes[0], Circle},
	key(Positive):          {Orange, dashes[0], Circle},
	key(Negative):          {Blue, dashes[2], Square},
	key(Unlabeled):         {MarkGrey, dashes[3], Plus},

	key("PUCL"):   {Green, dashes[0], Circle},
	key("ssCL"):   {Blue, dashes[1], Square},
	key("SCL-PU"): {Vermillion, dashes[2], UpTriangle},
	key("SCL"):    {Black, dashes[3], Diamond},
	key("DCL"):    {Purple, dashes[4], DownTriangle},
	key("puNCE"):  {Orange, dashes[5], Cross},
	key("MCL"):    {SkyBlue, dashes[6], Plus},
}

// key is a name as fixedStyles spells it: letters and digits only, lower case, and no plural s.
func key(name string) string {
	k := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	if strings.HasSuffix(k, "ives") || strings.HasSuffix(k, "unlabeleds") {
		k = strings.TrimSuffix(k, "s")
	}
	return k
}

// StyleFor returns the look of each of the named series of one figure, in their order.
//
// Some names look the same in every figure: the roles (LabeledPositive, UnlabeledPositive, Positive, Negative,
// Unlabeled) and the losses PUCL, ssCL, SCL-PU, SCL, DCL, puNCE and MCL. Case, spaces, hyphens and a plural s do not
// matter. Every other name takes the first colour, marker and dashes that the figure does not use yet, so that two
// series differ in all three. Where seven are taken they repeat in new pairs of colour and marker, up to 49 series.
func StyleFor(names ...string) []Style {
	styles := make([]Style, len(names))
	var usedColors, usedDashes, usedMarkers uint // bit i: entry i of the order is taken
	for i, name := range names {
		s, ok := fixedStyles[key(name)]
		if !ok {
			continue
		}
		styles[i] = s
		for j := range colors {
			if s.Color == colors[j] {
				usedColors |= 1 << j
			}
			if slices.Equal(s.Dashes, dashes[j]) {
				usedDashes |= 1 << j
			}
			if s.Marker == Marker(j) {
				usedMarkers |= 1 << j
			}
		}
	}
	n := len(colors)
	again := 0
	for i := range names {
		if styles[i].Color != nil {
			continue
		}
		c, d, m := firstFree(&usedColors, n), firstFree(&usedDashes, n), firstFree(&usedMarkers, n)
		s := Style{}
		if c >= 0 && d >= 0 && m >= 0 {
			s = Style{colors[c], dashes[d], Marker(m)}
		}
		for ; s.Color == nil; again++ {
			// Seven of each are taken: go round again with the markers shifted against the colours.
			t := Style{colors[again%n], dashes[again%n], Marker((again + again/n + 1) % n)}
			if again >= n*n || !slices.ContainsFunc(styles, t.looksLike) {
				s = t
			}
		}
		styles[i] = s
	}
	return styles
}

// looksLike tells whether the marks of both styles look the same.
func (s Style) looksLike(t Style) bool { return s.Color == t.Color && s.Marker == t.Marker }

// firstFree returns the lowest of n bits that is clear in used, and sets it; -1 if there is none.
func firstFree(used *uint, n int) int {
	for i := range n {
		if *used&(1<<i) == 0 {
			*used |= 1 << i
			return i
		}
	}
	return -1
}

// faint returns the colour mixed with white, without transparency, which some viewers of PDF files draw badly.
func faint(c color.Color, share float64) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(v uint32) uint8 { return uint8(share*float64(v>>8) + (1-share)*255 + 0.5) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xFF}
}

// New returns an empty plot in the house style, with a light grid, for figures that this package does not have.
// An empty title or label takes no room.
func New(title, xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	sans := func(size vg.Length, bold bool) font.Font { return face(size, bold).Font }
	p.Title.Text = title
	p.Title.Padding = 8
	p.Title.TextStyle.Font = sans(titleSize, true)
	p.Title.TextStyle.Color = TextGrey
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(labelSize, false)
		a.Label.TextStyle.Color = TextGrey
		a.Label.Padding = 4
		a.Tick.Label.Font = sans(smallSize, false)
		a.Tick.Label.Color = TextGrey
		a.Tick.Marker = Ticks{}
		// The grid takes the part of the tick marks, and frame that of the axis lines, which would not meet in
		// the corner where a tick label or a mark reaches over the edge of the data.
		a.Tick.Length = 0
		a.Width = 0
		a.Padding = 5
	}
	p.Legend.TextStyle.Font = sans(smallSize, false)
	p.Legend.TextStyle.Color = TextGrey
	useHandler(p)
	line := draw.LineStyle{Color: GridGrey, Width: 0.75}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line}, frame{})
	return p
}

// frame is a plotter of the two axis lines, at the left and at the bottom of the data.
type frame struct{}

func (frame) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(draw.LineStyle{Color: AxisGrey, Width: 0.75},
		[]vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
}
