package viz

import (
	"bytes"
	"errors"
	"image"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/puclab/puclab/internal/expect"
)

// svgFigures returns figures that have all elements of SVG files.
func svgFigures(t *testing.T) map[string]Drawer {
	t.Helper()
	figures := map[string]Drawer{}
	add := func(name string, f Drawer, err error) {
		expect.NoError(t, err)
		figures[name] = f
	}
	random := rand.New(rand.NewPCG(1, 2))
	cloud := func(name string, n int) Group {
		g := Group{Name: name}
		for range n {
			g.X, g.Y = append(g.X, random.NormFloat64()), append(g.Y, random.NormFloat64())
		}
		return g
	}
	title := Figure{Title: "a < b & ζ₂ ∇", YLabel: "loss"}
	curves, err := LearningCurves(CurvesConfig{Figure: title}, curve("PUCL", 9, 1), curve("ssCL", 9, 2))
	add("curves", curves, err)
	scatter, err := Scatter(ScatterConfig{}, cloud(Positive, 150), cloud(Negative, 150), cloud(Unlabeled, 50))
	add("scatter", scatter, err)
	panels, err := Panels(0, 0, curves, scatter)
	add("panels", panels, err)
	grid, err := ImageGrid(make([]uint8, 2*16), 4, 4, 1, 0, []string{"one", "two"})
	add("pictures", grid, err)
	circle, err := UnitCircle(UnitCircleConfig{}, Group{Name: Positive, X: []float64{1, 0}, Y: []float64{0, 1}})
	add("circle", circle, err)
	corners := [4]*Object{{Shape: Circle, Color: Blue}, nil, nil, {Shape: Cross, Color: Blue}}
	squares, err := SquareGrid(0, nil, UnitSquare{Corners: corners, Caption: "a caption"})
	add("squares", squares, err)
	return figures
}

// TestCompactSVG checks that the painting is preserved, in the same order, in 55 percent of the bytes or fewer.
func TestCompactSVG(t *testing.T) {
	for name, f := range svgFigures(t) {
		t.Run(name, func(t *testing.T) {
			for _, size := range []vg.Length{1, 0.4} {
				w, h := sizeOf(f, 0, 0)
				if name == "squares" || name == "pictures" {
					w, h = size*w, size*h // the drawing is made smaller
				}
				drawn := expect.Must(drawnSVG(f, w, h))(t)
				compact := expect.Must(compactSVG(drawn, "", ""))(t)
				samePicture(t, paintedBy(t, compact), paintedBy(t, drawn), 0.0011)
				many := name == "curves" || name == "scatter" || name == "panels"
				expect.That(t, !many || 100*len(compact) <= 55*len(drawn), "%d bytes of %d", len(compact), len(drawn))
				again, err := encodeSVG(f, w, h, "", "")
				expect.That(t, err == nil && bytes.Equal(again, compact), "drawn again the file differs: %v", err)
			}
		})
	}
}

// TestCompactSVGTransforms draws within shifted, turned and scaled canvases.
func TestCompactSVGTransforms(t *testing.T) {
	c := vgsvg.New(300, 200)
	var shape vg.Path
	shape.Move(vg.Point{X: 1, Y: 2})
	shape.Line(vg.Point{X: 30, Y: 4})
	shape.QuadTo(vg.Point{X: 40, Y: 20}, vg.Point{X: 30, Y: 30})
	shape.CubeTo(vg.Point{X: 20, Y: 35}, vg.Point{X: 10, Y: 25}, vg.Point{X: 5, Y: 20})
	shape.Arc(vg.Point{X: 5, Y: 15}, 5, 1.5, 2)
	shape.Close()
	everything := func() {
		c.SetColor(Blue)
		c.Fill(shape)
		c.SetLineWidth(0.5)
		c.SetLineDash([]vg.Length{3, 1.5}, 0.25)
		c.SetColor(faint(Orange, 0.3))
		c.Stroke(shape)
		c.FillString(face(11, false), vg.Point{X: 3, Y: 4}, "a 'word'")
		place := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 30, Y: 33}}
		c.DrawImage(place, image.NewGray(image.Rect(0, 0, 2, 2)))
	}
	c.Push()
	everything()
	c.Translate(vg.Point{X: 100, Y: 20})
	everything()
	c.Scale(1, 1)
	everything()
	c.Rotate(0.5)
	everything()
	c.Translate(vg.Point{X: 10, Y: -3})
	c.Scale(0.5, 2)
	everything()
	c.Pop()
	everything()
	var drawn bytes.Buffer
	expect.NoError(t, expect.Err(c.WriteTo(&drawn)))
	compact := expect.Must(compactSVG(drawn.Bytes(), "", ""))(t)
	// The tolerance is twice that of other drawings, since a part is scaled by 2.
	samePicture(t, paintedBy(t, compact), paintedBy(t, drawn.Bytes()), 0.0025)
	n := bytes.Count(compact, []byte(`<g transform='`))
	expect.That(t, n == 2, "%d transformations are written, want those of the rotation and the scale:\n%s", n, compact)
}

func TestSVGPath(t *testing.T) {
	for data, want := range map[string]string{
		"M0,0L396,0L396,288L0,288Z":               "M0 300H396V12H0z",
		"M10,20L30.5,40.25L30.5,40.25":            "M10 280l20.5-20.25",
		"M100,250L100.25,249.5L100.75,249":        "M100 50l.25.5.5.5",
		"M5,5L6,6M100,100L101,101":                "M5 295l1-1m94-94 1-1",
		"M9,150A4,4 0 1 1 1,150A4,4 0 1 1 9,150Z": "M9 150a4 4 0 1 0-8 0 4 4 0 1 0 8 0z",
		"M1e+02,1e-05Q1,2,3,4":                    "M100 300q-99-2-97-4",
		"":                                        "",
	} {
		p := expect.Must(readPath(data, 0, 300))(t)
		expect.Equal(t, p.String(), want, "%s", data)
	}
	for data, want := range map[string]error{
		"M1,NaN": ErrRange, "M1,+Inf": ErrRange, "M1,2e+09": ErrRange, "M1": nil, "M1,x": nil, "H3": nil} {
		_, err := readPath(data, 0, 300)
		expect.That(t, err != nil && (want == nil || errors.Is(err, want)), "%s: %v, want %v", data, err, want)
	}
}

// TestCompactSVGErrors checks that input that vgsvg does not write is an error, not a gap in the figure.
func TestCompactSVGErrors(t *testing.T) {
	const page = `<svg width="9pt" height="9pt" viewBox="0 0 9 9"><g transform="scale(1, -1) translate(0, -9)">`
	for _, inside := range []string{
		`<circle r="1"/>`, `<g transform="skewX(3)"></g>`, `<path d="M0,0" style="filter:none"/>`, `<path d="K1"/>`,
		`<text x="1">a</text>`, `<image x="1" y="1" width="a" height="2"/>`, `<path d="M0,0">`} {
		_, err := compactSVG([]byte(page+inside+`</g></svg>`), "", "")
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), "viz: SVG: "), "%s: %v", inside, err)
	}
	expect.That(t, expect.Err(compactSVG([]byte(`<svg viewBox="0 0"></svg>`), "", "")) != nil,
		"a view box of two numbers was read")
}

// The SVG format rejects a figure with a point that is not finite; the error names the cause.
func TestSVGOutOfRange(t *testing.T) {
	far := &Drawing{width: 100, height: 100, draw: func(c draw.Canvas, _, _ vg.Length) {
		fill(c, Blue, vg.Path{{Type: vg.MoveComp}, {Type: vg.LineComp, Pos: vg.Point{X: 1e12}}})
	}}
	_, err := encodeSVG(far, 100, 100, "", "")
	expect.That(t, errors.Is(err, ErrRange) && strings.Contains(err.Error(), "axes"), "a point at 1e12: %v", err)
}

func TestDataURI(t *testing.T) {
	const svg = "<svg xmlns='x' fill='#FFF'><desc>50% \"a\" &amp; 'b'\nτ \\ c</desc></svg>"
	got := dataURI(protocol.MIMEImageSVG, []byte(svg))
	want := "data:image/svg+xml," +
		"%3Csvg xmlns='x' fill='%23FFF'%3E%3Cdesc%3E50%25 %22a%22 %26amp; 'b'%0Aτ %5C c%3C/desc%3E%3C/svg%3E"
	expect.Equal(t, got, want)
	expect.Equal(t, expect.Must(url.PathUnescape(strings.TrimPrefix(got, "data:image/svg+xml,")))(t), svg, "unescaped")
	for mime, data := range map[protocol.MIMEType]string{
		protocol.MIMEImagePNG: "plain letters", protocol.MIMEImageSVG: "<<<<<<<<<<<<"} {
		got := dataURI(mime, []byte(data))
		expect.That(t, strings.HasPrefix(got, "data:"+string(mime)+";base64,"), "%s of %q: %s", mime, data, got)
	}
}
