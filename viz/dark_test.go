package viz

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/puclab/puclab/internal/expect"
)

// inTheDark returns what darkStyle makes of a color, as the specification of CSS filters says of invert and hue-rotate.
//
// Source: Filter Effects Module Level 1, sections 11.1.3 and 11.1.8.
func inTheDark(t *testing.T, c color.Color) color.Color {
	t.Helper()
	share := expect.Must(strconv.ParseFloat(darkInvert, 64))(t)
	r, g, b, _ := c.RGBA()
	var v, out [3]float64
	for i, u := range []uint32{r, g, b} {
		v[i] = share + (1-2*share)*float64(u)/0xFFFF
	}
	for i, row := range [3][3]float64{{-0.574, 1.430, 0.144}, {0.426, 0.430, 0.144}, {0.426, 1.430, -0.856}} { // of 180°
		for j := range v {
			out[i] += row[j] * v[j]
		}
		out[i] = 255 * max(0, min(1, out[i]))
	}
	return color.RGBA{uint8(math.Round(out[0])), uint8(math.Round(out[1])), uint8(math.Round(out[2])), 255}
}

// TestContrastInTheDark checks that what a dark theme makes of the palette has the contrast that the house asks for: 3:1 for
// marks and 4.5:1 for text, and 4.4:1 for the numbers in the fullest cells of a confusion; and that hues stay.
func TestContrastInTheDark(t *testing.T) {
	ground := inTheDark(t, white)
	against := func(a, b color.Color) float64 {
		ratio := contrast(a) / contrast(b)
		return max(ratio, 1/ratio)
	}
	for _, c := range colors {
		d := inTheDark(t, c)
		got := against(d, ground)
		expect.That(t, !(got < 3), "%v becomes %v, of a contrast of %.2f", c, d, got)
		if c == Black {
			continue
		}
		fullest := func(c color.Color) int {
			r, g, b, _ := c.RGBA()
			if r >= g && r >= b {
				return 0
			} else if g >= b {
				return 1
			}
			return 2
		}
		expect.That(t, fullest(c) == fullest(d), "%v becomes %v, of another hue", c, d)
	}
	for _, c := range []color.Color{TextGray, AxisGray, MarkGray} {
		got := against(inTheDark(t, c), ground)
		expect.That(t, !(got < 4.5), "text of %v has a contrast of %.2f", c, got)
	}
	f := &confusionFigure{columns: []string{"a", "b"}}
	for _, class := range []string{"a", "b", ""} {
		cell := f.ground(ConfusionRow{Class: class, Counts: []int{9, 0}}, 0)
		if light, dark := against(cell, TextGray), against(inTheDark(t, cell), inTheDark(t, TextGray)); light < 4.4 || dark < 4.4 {
			t.Errorf("numbers on %v have a contrast of %.2f, in the dark %.2f", cell, light, dark)
		}
	}
}

// TestDarkStyle checks which figures a dark theme turns over: drawings as vectors and as pixels, but none with a picture in it.
func TestDarkStyle(t *testing.T) {
	curves := expect.Must(LearningCurves(CurvesConfig{}, curve("PUCL", 2, 1)))(t)
	pictures := expect.Must(ImageGrid(make([]uint8, 4), 2, 2, 1, 0, nil))(t)
	for name, tt := range map[string]struct {
		f    Drawer
		opts []Option
		turn bool
	}{"vectors": {curves, nil, true}, "pixels": {curves, []Option{AsPNG()}, true}, "pictures": {pictures, nil, false}} {
		data := expect.Must(figureData(tt.f, "alt", tt.opts...))(t)
		element := data.Data[protocol.MIMETextHTML].(string)
		// The class alone turns a figure over where another one on the page brings the style.
		class, style := strings.Contains(element, `class="`+darkClass+`"`), strings.HasSuffix(element, darkStyle)
		expect.That(t, class == tt.turn && style == tt.turn,
			"%s: the class is there: %v, the style: %v, want %v", name, class, style, tt.turn)
		expect.That(t, strings.HasPrefix(element, "<img ") && strings.Contains(element, "background:#fff"),
			"%s: without the style it is not on white: %.120s", name, element)
	}
}
