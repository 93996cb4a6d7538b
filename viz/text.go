package viz

import (
	"cmp"
	"image/color"
	"math"
	"strings"
	"unicode"

	imgfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// face returns the sans-serif face of the house style in the given size.
func face(size vg.Length, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = imgfont.WeightBold
	}
	return font.DefaultCache.Lookup(f, size)
}

// raised and lowered map the letters of superscripts and subscripts to their normal forms. The fonts of gonum/plot lack
// some of them, among them ⁺ and ⁻, so all are drawn as small letters.
var (
	raised  = small("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "+−0123456789n")
	lowered = small("₊₋₀₁₂₃₄₅₆₇₈₉ᵢⱼₙ", "+−0123456789ijn")
)

func small(forms, letters string) map[rune]rune {
	m, to := map[rune]rune{}, []rune(letters)
	for i, r := range []rune(forms) {
		m[r] = to[i]
	}
	return m
}

// run is a piece of text on one level: 0 for the line, 1 above it, −1 below it; or a sign that is drawn as lines.
type run struct {
	text  string
	level int
	sign  *sign
}

// runs splits s into pieces of one level and signs.
func runs(s string) []run {
	var pieces []run
	for _, r := range s {
		level := 0
		if to, ok := raised[r]; ok {
			r, level = to, 1
		} else if to, ok := lowered[r]; ok {
			r, level = to, -1
		} else if drawn := signs[r]; drawn != nil {
			pieces = append(pieces, run{string(r), 0, drawn})
			continue
		} else if unicode.IsSpace(r) {
			r = ' ' // the font lacks some other spaces
		}
		if n := len(pieces); n > 0 && pieces[n-1].level == level && pieces[n-1].sign == nil {
			pieces[n-1].text += string(r)
		} else {
			pieces = append(pieces, run{string(r), level, nil})
		}
	}
	return pieces
}

// at returns the face of a run in a text of face f, and the height of its baseline above that of the text.
func (r run) at(f font.Face) (font.Face, vg.Length) {
	up := []vg.Length{-0.14, 0, 0.34}[r.level+1] * f.Font.Size
	if r.level != 0 {
		f.Font.Size *= 0.68
	}
	return f, up
}

// textWidth returns the width of one line of text.
func textWidth(f font.Face, s string) (w vg.Length) {
	for _, r := range runs(s) {
		if r.sign != nil {
			w += vg.Length(r.sign.width) * f.Font.Size
			continue
		}
		g, _ := r.at(f)
		w += g.Width(r.text)
	}
	return w
}

// write draws one line of text with its baseline at pt; align is 0 for text that starts there, 0.5 for centered text
// and 1 for text that ends there.
func write(c vg.Canvas, f font.Face, col color.Color, pt vg.Point, align float64, s string) {
	pt.X -= vg.Length(align) * textWidth(f, s)
	c.SetColor(col)
	for _, r := range runs(s) {
		if r.sign != nil {
			r.sign.draw(c, f, pt)
			pt.X += vg.Length(r.sign.width) * f.Font.Size
			continue
		}
		g, up := r.at(f)
		// SVG drops spaces at the start of a piece, so they are left out of it.
		word := strings.TrimLeft(r.text, " ")
		pt.X += g.Width(r.text[:len(r.text)-len(word)])
		c.FillString(g, vg.Point{X: pt.X, Y: pt.Y + up}, word)
		pt.X += g.Width(word)
	}
}

// writeSmall writes one line of small text.
func writeSmall(c vg.Canvas, pt vg.Point, align float64, s string) {
	write(c, face(smallSize, false), TextGray, pt, align, s)
}

// writeSmallLines writes lines of small text that lie about pt.
func writeSmallLines(c vg.Canvas, pt vg.Point, align float64, lines []string) {
	for i, line := range lines {
		base := pt.Y + lineFactor*smallSize*(vg.Length(len(lines)-1)/2-vg.Length(i)) - 0.36*smallSize
		writeSmall(c, vg.Point{X: pt.X, Y: base}, align, line)
	}
}

// smallWidth returns the width of one line of small text.
func smallWidth(s string) vg.Length { return textWidth(face(smallSize, false), s) }

// handler draws the texts of a plot with superscripts and subscripts; otherwise it places them as the plain handler of
// gonum/plot does. It also carries the size of the plot, which plot.Plot has no field for.
type handler struct {
	text.Plain
	width, height vg.Length // 0 for the usual size
}

// Box returns the extent of one line of text.
func (h handler) Box(txt string, fnt font.Font) (w, height, depth vg.Length) {
	_, height, depth = h.Plain.Box("", fnt)
	return textWidth(h.Fonts.Lookup(fnt, fnt.Size), txt), height, depth
}

// Draw draws lines of text at pt in the style sty.
func (h handler) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
		// pt in the rotated coordinates. Moving the origin there instead would blur the letters of vgimg.
		sin, cos := math.Sincos(sty.Rotation)
		pt = vg.Point{X: pt.X*vg.Length(cos) + pt.Y*vg.Length(sin), Y: pt.Y*vg.Length(cos) - pt.X*vg.Length(sin)}
	}
	f := h.Fonts.Lookup(sty.Font, sty.Font.Size)
	ext := f.Extents()
	lines := h.Lines(txt)
	y := pt.Y + vg.Length(sty.YAlign)*sty.Height(txt) - ext.Ascent + f.Font.Size // the last baseline
	for i, line := range lines {
		at := vg.Point{X: pt.X, Y: y + vg.Length(len(lines)-1-i)*ext.Height}
		write(c, f, sty.Color, at, -float64(sty.XAlign), line)
	}
}

// wrap breaks s at spaces so that every line is at most limit wide if no single word is wider. Line breaks in s stay.
func wrap(s string, limit vg.Length, width func(string) vg.Length) []string {
	var lines []string
	for _, part := range strings.Split(s, "\n") {
		line := ""
		for _, word := range strings.Fields(part) {
			switch longer := line + " " + word; {
			case line == "":
				line = word
			case width(longer) <= limit:
				line = longer
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// widest returns the largest of the widths of some texts, 0 for none.
func widest[L cmp.Ordered](width func(string) L, texts ...string) (most L) {
	for _, s := range texts {
		most = max(most, width(s))
	}
	return most
}

// fit breaks s at spaces into lines at most limit wide, and cuts single words that are wider than longest.
func fit(s string, limit, longest vg.Length, width func(string) vg.Length) []string {
	lines := wrap(s, limit, width)
	for i := range lines {
		lines[i] = cut(lines[i], longest, width)
	}
	return lines
}

// cut shortens s to the limit and marks the cut.
func cut(s string, limit vg.Length, width func(string) vg.Length) string {
	if width(s) <= limit {
		return s
	}
	letters := []rune(s)
	for len(letters) > 0 && width(string(letters)+"…") > limit {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}
