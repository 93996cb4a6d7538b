package viz

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/puclab/puclab/internal/expect"
)

func TestSave(t *testing.T) {
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "τ⁺ ± λ"}}, curve("PUCL", 3, -2)))(t)
	dir := t.TempDir()
	for ext, magic := range map[string]string{".png": "\x89PNG", ".svg": "<svg ", ".pdf": "%PDF", ".PNG": "\x89PNG"} {
		path := filepath.Join(dir, "figure"+ext)
		expect.NoError(t, Save(p, path, 3*Inch, 2*Inch))
		data := expect.Must(os.ReadFile(path))(t)
		expect.That(t, bytes.HasPrefix(data, []byte(magic)), "%s starts with %q", ext, data[:8])
	}
	expect.NoError(t, Save(p, filepath.Join(dir, "sized.png"), 2.5*Inch, 0))
	data := expect.Must(os.ReadFile(filepath.Join(dir, "sized.png")))(t)
	if got, want := decode(t, data).Bounds().Size(), (image.Point{X: 2.5 * pngDPI, Y: 4 * pngDPI}); got != want {
		t.Errorf("2.5 inches by the default height are %v pixels, want %v", got, want)
	}
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"format", Save(p, filepath.Join(dir, "figure.jpg"), 0, 0), ErrFormat},
		{"no ending", Save(p, filepath.Join(dir, "figure"), 0, 0), ErrFormat},
		{"negative", Save(p, filepath.Join(dir, "a.png"), -1, 0), ErrRange},
		{"NaN", Save(p, filepath.Join(dir, "a.png"), vg.Length(math.NaN()), 0), ErrRange},
		{"huge", Save(p, filepath.Join(dir, "a.png"), 1e9, 0), ErrRange},
		{"too small for its labels", Save(p, filepath.Join(dir, "a.pdf"), 60, 60), ErrRange},
		{"nil", Save(nil, filepath.Join(dir, "a.png"), 0, 0), ErrNoData},
		{"folder", Save(p, filepath.Join(dir, "none", "a.png"), 0, 0), os.ErrNotExist},
	} {
		expect.That(t, errors.Is(tt.err, tt.want), "%s: %v, want %v", tt.name, tt.err, tt.want)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "a.*"))
	expect.That(t, len(files) == 0, "failed calls left %v", files)
}

// TestShrinkColors checks that flat colors stay, shades become few, and photographs are not changed.
func TestShrinkColors(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	for y := range 100 {
		for x := range 100 {
			img.SetRGBA(x, y, white)
			if y < 50 {
				img.SetRGBA(x, y, Blue)
			}
		}
	}
	for x := range 100 {
		img.Set(x, 50, faint(Blue, float64(x)/100)) // an edge
		for y := 90; y < 100; y++ {
			img.Set(x, y, faint(Orange, float64(10*x+y-90)/1000))
		}
	}
	small, ok := shrinkColors(img).(*image.Paletted)
	expect.Require(t, ok && len(small.Palette) <= 256, "the colors of a drawing do not fit a palette")
	for y := range 100 {
		for x := range 100 {
			got, want := color.RGBAModel.Convert(small.At(x, y)).(color.RGBA), img.RGBAAt(x, y)
			expect.Require(t, (y >= 50 || got == Blue) && (y <= 50 || y >= 90 || got == white),
				"flat color %v became %v", want, got)
			for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
				expect.Require(t, d >= -15 && d <= 15, "%v became %v", want, got)
			}
		}
	}
	few := &image.RGBA{Pix: img.Pix[:51*img.Stride], Stride: img.Stride, Rect: image.Rect(0, 0, 100, 51)}
	samePixels(t, "few colors", shrinkColors(few), few)
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i * 7919 >> 5)
	}
	got := shrinkColors(img)
	expect.That(t, got == image.Image(img), "an image of many colors became a %T", got)
}

// TestOutline checks that letters of PDF files are as wide and as high as the measured text, also beyond western
// letters.
func TestOutline(t *testing.T) {
	f := face(100, false)
	bounds := func(s string) (r vg.Rectangle) {
		r = vg.Rectangle{Min: vg.Point{X: 1e9, Y: 1e9}, Max: vg.Point{X: -1e9, Y: -1e9}}
		for _, p := range outline(f, vg.Point{X: 10, Y: 20}, s) {
			if p.Pos == (vg.Point{}) { // closing has no position
				continue
			}
			r.Min = vg.Point{X: min(r.Min.X, p.Pos.X), Y: min(r.Min.Y, p.Pos.Y)}
			r.Max = vg.Point{X: max(r.Max.X, p.Pos.X), Y: max(r.Max.Y, p.Pos.Y)}
		}
		return r
	}
	h := bounds("H") // capital letters of the font are 0.69 high
	expect.That(t, h.Min.Y == 20 && math.Abs(float64(h.Max.Y)-20-69) <= 1 && h.Min.X >= 10 &&
		h.Max.X <= 10+f.Width("H"), "H lies in %v", h)
	p := bounds("p")
	expect.That(t, p.Min.Y <= 5, "p does not reach below the line: %v", p)
	if long := bounds("AVHH"); !(math.Abs(float64(long.Max.X-10-f.Width("AVHH")+f.Width("H")-(h.Max.X-10))) <= 0.5) {
		t.Errorf("AVHH ends at %v, its width is %v", long.Max.X, f.Width("AVHH"))
	}
	missing := outline(f, vg.Point{}, "\U0010FFFF")
	for _, s := range []string{"τ", "λ", "π", "−", "±", "×", "≥", "½"} {
		if got := outline(f, vg.Point{}, s); len(got) == 0 || len(got) == len(missing) && reflect.DeepEqual(got, missing) {
			t.Errorf("%s has no outline of its own", s)
		}
	}
	got := outline(f, vg.Point{}, " ")
	expect.That(t, len(got) == 0, "a space has an outline: %v", got)
}

func TestFlipped(t *testing.T) {
	img := image.NewGray(image.Rect(0, 5, 2, 8))
	img.SetGray(1, 5, color.Gray{Y: 200})
	f := flipped{img}
	got := f.At(1, 7)
	expect.That(t, got == (color.Gray{Y: 200}), "the top right pixel is not at the bottom right: %v", got)
	got = f.At(1, 5)
	expect.That(t, got == (color.Gray{}), "top right: %v", got)
}

// TestSVGWidths checks that every text of an SVG file has its width, so that it fits in any font.
func TestSVGWidths(t *testing.T) {
	p := expect.Must(LearningCurves(CurvesConfig{Figure: Figure{Title: "λ⁺ a < b"}}, curve("τ⁺ & π⁻", 3, -2)))(t)
	svg := expect.Must(encodeSVG(p, 3*Inch, 2*Inch, "", ""))(t)
	texts, widths := bytes.Count(svg, []byte("<text ")), bytes.Count(svg, []byte(` textLength='`))
	expect.That(t, texts >= 10 && texts == widths && !bytes.Contains(svg, []byte(`textLength='0'`)),
		"%d texts, %d widths:\n%s", texts, widths, svg)
	for word, f := range map[string]font.Face{"optimizer step": face(labelSize, false), "a < b": face(titleSize, true)} {
		want := fmt.Sprintf(`textLength='%.5g' lengthAdjust='spacingAndGlyphs'>%s<`, float64(f.Width(word)), html.EscapeString(word))
		expect.That(t, bytes.Contains(svg, []byte(want)), "no %s in\n%s", want, svg)
	}
}
