package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"

	"github.com/puclab/puclab/internal/expect"
)

// contrast returns the contrast of a color with white by WCAG 2.2: (1 + 0.05) / (L + 0.05).
func contrast(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 65535
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 1.05 / (0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b) + 0.05)
}

func TestContrast(t *testing.T) {
	got := contrast(color.Black)
	expect.Require(t, math.Abs(got-21) <= 1e-9, "contrast of black is %v, want 21", got) // by definition
	for _, c := range append(slices.Clone(colors), MarkGray, AxisGray) {
		got := contrast(c)
		expect.That(t, got >= 3, "color %v: contrast %.2f, want 3 for marks", c, got)
	}
	for _, c := range []color.Color{TextGray, MarkGray} {
		got := contrast(c)
		expect.That(t, got >= 4.5, "color %v: contrast %.2f, want 4.5 for text", c, got)
	}
}

func TestFontSizes(t *testing.T) {
	p := New(Figure{Title: "title", XLabel: "x", YLabel: "y"})
	for what, size := range map[string]vg.Length{
		"title": p.Title.TextStyle.Font.Size, "x label": p.X.Label.TextStyle.Font.Size, "y label": p.Y.Label.TextStyle.Font.Size,
		"x ticks": p.X.Tick.Label.Font.Size, "y ticks": p.Y.Tick.Label.Font.Size, "legend": p.Legend.TextStyle.Font.Size,
		"small": smallSize,
	} {
		expect.That(t, size >= 11, "%s: %g points, want 11 or more", what, size.Points())
	}
}

// TestFixedStyles checks that a name has the same style alone and among others, in every spelling.
func TestFixedStyles(t *testing.T) {
	for _, name := range []string{LabeledPositive, UnlabeledPositive, Negative, Unlabeled, "PUCL", "ssCL", "SCL-PU"} {
		alone := StyleFor(name)[0]
		among := StyleFor("first", name, "other", "PUCL", "ssCL")[1]
		expect.That(t, alone.sameMark(among) && slices.Equal(alone.Dashes, among.Dashes),
			"%s looks like %v alone and like %v among others", name, alone, among)
	}
	for name, other := range map[string]string{
		"Labeled Positives": LabeledPositive, "negatives": Negative, "unlabelled": "", "SCLPU": "SCL-PU", "pucl": "PUCL",
	} {
		same := other != "" && StyleFor(name)[0].sameMark(StyleFor(other)[0])
		expect.That(t, same == (other != ""), "%q and %q: same look %v", name, other, same)
	}
}

// TestDistinct checks that in a figure of seven series every pair differs in color, marker and dashes.
func TestDistinct(t *testing.T) {
	for _, names := range [][]string{
		{"a", "b", "c", "d", "e", "f", "g"},
		{"PUCL", "ssCL", "SCL-PU", "SCL", "DCL", "puNCE", "MCL"},
		{"PUCL", "mine", "ssCL", "yours", "SCL-PU", "theirs", "another"},
		{LabeledPositive, UnlabeledPositive, Negative, Unlabeled},
	} {
		styles := StyleFor(names...)
		for i, s := range styles {
			for j, r := range styles[:i] {
				expect.That(t, s.Color != r.Color && s.Marker != r.Marker && !slices.Equal(s.Dashes, r.Dashes),
					"%s and %s: %v and %v", names[i], names[j], s, r)
			}
		}
	}
	names := make([]string, 49)
	for i := range names {
		names[i] = fmt.Sprint("series ", i)
	}
	styles := StyleFor(names...)
	for i, s := range styles {
		j := slices.IndexFunc(styles[:i], s.sameMark)
		expect.That(t, j < 0, "series %d and %d look the same", i, j)
	}
	expect.Equal(t, len(StyleFor(append(names, names...)...)),
		98, "98 names have: styles") // more than there are styles: no endless search
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 400, []string{"0", "100", "200", "300", "400"}},
		{4.34, 6.38, []string{"4.5", "5.0", "5.5", "6.0"}},
		{-2.5, 3.8, []string{"−2", "−1", "0", "1", "2", "3"}},
		{0, 12_000, []string{"0", "2,500", "5,000", "7,500", "10,000"}},
		{0, 1_320_000, []string{"0", "0.25M", "0.50M", "0.75M", "1.00M", "1.25M"}},
		{0, 1, []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0, 1.2e-4, []string{"0", "2.5e−5", "5e−5", "7.5e−5", "1e−4"}},
		{-3e14, 0, []string{"−3e14", "−2.5e14", "−2e14", "−1.5e14", "−1e14", "−5e13", "0"}},
		{9_999_999, 10_000_001, []string{"9,999,999.0", "9,999,999.5", "10,000,000.0", "10,000,000.5", "10,000,001.0"}},
		{5, 5, []string{"5", "5"}},
		{1e16, 1e16 + 2, []string{"1e16", "1e16"}},
	} {
		var got []string
		for _, k := range (Ticks{}).Ticks(tt.lo, tt.hi) {
			got = append(got, k.Label)
			expect.That(t, k.Value >= tt.lo-1e-6*(tt.hi-tt.lo) && k.Value <= tt.hi+1e-6*(tt.hi-tt.lo),
				"[%g, %g]: tick at %g", tt.lo, tt.hi, k.Value)
		}
		expect.That(t, slices.Equal(got, tt.want), "[%g, %g]: %q, want %q", tt.lo, tt.hi, got, tt.want)
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 1, "0.0"}, {-0.04, 1, "0.0"}, {-0.06, 1, "−0.1"}, {999, 0, "999"}, {1000, 0, "1,000"}, {-1234567.89, 1, "−1,234,567.9"}, {2.5, -1, "2.5"},
	} {
		expect.Equal(t, number(tt.v, tt.decimals), tt.want, "number(%g, %d) =", tt.v, tt.decimals)
	}
}

// inTheDark returns a color after the filters invert and hue-rotate of darkStyle, as specified for CSS.
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

// TestContrastInTheDark checks the contrast of the palette in a dark theme: 3:1 for marks, 4.5:1 for text, and 4.4:1
// for the numbers in the fullest cells of a confusion matrix. It also checks that hues are kept.
func TestContrastInTheDark(t *testing.T) {
	ground := inTheDark(t, white)
	against := func(a, b color.Color) float64 {
		ratio := contrast(a) / contrast(b)
		return max(ratio, 1/ratio)
	}
	for _, c := range colors {
		d := inTheDark(t, c)
		got := against(d, ground)
		expect.That(t, got >= 3, "%v becomes %v, of a contrast of %.2f", c, d, got)
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
		expect.That(t, got >= 4.5, "text of %v has a contrast of %.2f", c, got)
	}
	f := &confusionFigure{columns: []string{"a", "b"}}
	for _, class := range []string{"a", "b", ""} {
		cell := f.ground(ConfusionRow{Class: class, Counts: []int{9, 0}}, 0)
		if light, dark := against(cell, TextGray), against(inTheDark(t, cell), inTheDark(t, TextGray)); light < 4.4 || dark < 4.4 {
			t.Errorf("numbers on %v have a contrast of %.2f, in the dark %.2f", cell, light, dark)
		}
	}
}

// TestDarkStyle checks which figures a dark theme inverts: drawings as vectors and as pixels, but none with a picture.
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
		// The class alone inverts a figure if another one on the page has the style.
		class, style := strings.Contains(element, `class="`+darkClass+`"`), strings.HasSuffix(element, darkStyle)
		expect.That(t, class == tt.turn && style == tt.turn,
			"%s: the class is there: %v, the style: %v, want %v", name, class, style, tt.turn)
		expect.That(t, strings.HasPrefix(element, "<img ") && strings.Contains(element, "background:#fff"),
			"%s: without the style it is not on white: %.120s", name, element)
	}
}
