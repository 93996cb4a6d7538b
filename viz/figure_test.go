package viz

import (
	"bytes"
	"compress/zlib"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

// The default size is that of the configuration; Show and Save can override it.
func TestFigureSize(t *testing.T) {
	p := expect.Must(Bars(BarsConfig{Figure: Figure{Width: 300, Height: 90}}, Bar{Name: "a", Value: 1}))(t)
	column := expect.Must(Column(0, p, New(Figure{})))(t)
	training, err := TrainingCurves(TrainingConfig{Figure: Figure{Width: 400, Height: 333}}, TrainingLog{Losses: []float64{2, 1}})
	expect.NoError(t, err)
	for _, tt := range []struct {
		name          string
		figure        Drawer
		width, height vg.Length // arguments of Show
		want          vg.Point
	}{
		{"its own", p, 0, 0, vg.Point{X: 300, Y: 90}},
		{"another height", p, 0, 120, vg.Point{X: 300, Y: 120}},
		{"another width", p, 200, 0, vg.Point{X: 200, Y: 90}},
		{"none", New(Figure{}), 0, 0, vg.Point{X: defaultWidth, Y: defaultHeight}},
		{"no plot of this package", plot.New(), 0, 0, vg.Point{X: defaultWidth, Y: defaultHeight}},
		{"column", column, 0, 0, vg.Point{X: defaultWidth, Y: 90 + rowGap + defaultHeight}},
		{"training", training, 0, 0, vg.Point{X: 400, Y: 333}},
	} {
		if w, h := sizeOf(tt.figure, tt.width, tt.height); w != tt.want.X || h != tt.want.Y {
			t.Errorf("%s: %g by %g, want %v", tt.name, w.Points(), h.Points(), tt.want)
		}
	}
	expect.Is(t, Save(New(Figure{Width: -1}), t.TempDir()+"/a.png", 0, 0), ErrRange, "a negative width")
}

// A drawing of 100×50 is centered on a larger canvas, and fills the width of a smaller one at half its size.
func TestDrawingInTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		width, height vg.Length
		origin        vg.Point
		scale         float64
	}{{300, 200, vg.Point{X: 100, Y: 125}, 1}, {50, 200, vg.Point{X: 0, Y: 112.5}, 0.5}} {
		var r recorder.Canvas
		d := &Drawing{width: 100, height: 50, draw: func(draw.Canvas, vg.Length, vg.Length) {}}
		d.Draw(draw.NewCanvas(&r, tt.width, tt.height))
		var moved, scaled bool
		for _, action := range r.Actions {
			switch a := action.(type) {
			case *recorder.Translate:
				moved = a.Point == tt.origin
			case *recorder.Scale:
				scaled = a.X == tt.scale && a.Y == tt.scale
			}
		}
		expect.That(t, moved && scaled, "on %g×%g: %v", tt.width, tt.height, r.Actions)
	}
}

// wrong is an invalid call: the expected sentinel of its error, and a part of the error's text.
type wrong struct {
	name string
	err  error
	want error
	says string
}

// refuses reports each call that does not return its expected error.
func refuses(t *testing.T, uses []wrong) {
	t.Helper()
	for _, use := range uses {
		expect.That(t, errors.Is(use.err, use.want) && strings.Contains(use.err.Error(), use.says),
			"%s: %v, want %v with %q", use.name, use.err, use.want, use.says)
	}
}

// second returns the second of two values: the error of a call with one result.
func second[A, B any](_ A, b B) B { return b }

func TestTrainingCurvesErrors(t *testing.T) {
	nan := math.NaN()
	refuses(t, []wrong{
		{"no steps", second(TrainingCurves(TrainingConfig{}, TrainingLog{})), ErrNoData, ""},
		{"no finite loss", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{nan}})),
			ErrNotFinite, ""},
		{"rates", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{1, 2}, Rates: []float64{1}})),
			ErrLength, ""},
		{"ranks", second(TrainingCurves(TrainingConfig{}, TrainingLog{Losses: []float64{1, 2}, Ranks: []float64{1}})),
			ErrLength, ""},
		{"neighbors", second(TrainingCurves(TrainingConfig{},
			TrainingLog{Losses: []float64{1, 2}, Neighbors: []Curve{{X: []float64{1}}}})),
			ErrLength, ""},
	})
}

// A panel is drawn only if the log has its numbers: a run without readings, or without recorded history, has fewer
// panels.
func TestTrainingCurvesPanels(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		log  TrainingLog
		want []string // labels of the y axes of the panels
	}{
		{"losses alone", TrainingLog{Losses: []float64{3, 2, nan}, Rates: []float64{nan, nan, nan}}, nil},
		{"one step", TrainingLog{Losses: []float64{3}, GradientNorms: []float64{1}}, []string{"length of the gradient"}},
		{"norms, which are of different size", TrainingLog{Losses: []float64{3, 2}, GradientNorms: []float64{1, 2}, ProjectionNorms: []float64{50, 60}},
			[]string{"length of the gradient", "longest projection"}},
		{"one reading", TrainingLog{Losses: []float64{3, 2}, Rates: []float64{1, 2}, ReadingSteps: []float64{2},
			Alignment: []float64{nan}, Uniformity: []float64{-1}, Ranks: []float64{2}},
			[]string{"learning rate", "alignment, uniformity", "effective rank"}},
	} {
		panels := expect.Must(tt.log.panels("", 0))(t)
		var got []string
		for _, p := range panels {
			got = append(got, p.Y.Label.Text)
		}
		expect.That(t, slices.Equal(got, tt.want), "%s: panels %q, want %q", tt.name, got, tt.want)
		figure := expect.Must(TrainingCurves(TrainingConfig{}, tt.log))(t)
		w, h := sizeOf(figure, 0, 0)
		drawnAt(t, figure, w, h)
	}
}

func TestColumn(t *testing.T) {
	c := expect.Must(Column(0, New(Figure{Title: "first"}), New(Figure{Title: "second"})))(t)
	refuses(t, []wrong{
		{"no figure", second(Column(0)), ErrNoData, ""},
		{"a figure that is nil", second(Column(0, (*Composite)(nil))), ErrNoData, ""},
		{"a negative width", second(Column(-1, New(Figure{}))), ErrRange, ""},
		{"no column", Show((*Composite)(nil), "alt"), ErrNoData, ""},
		{"drawn too small for data", second(encodePNG(c, 1*Inch, 1*Inch)), ErrRange, ""},
		{"no panels", second(Panels(0, 0)), ErrNoData, ""},
		{"a nil panel", second(Panels(0, 0, nil)), ErrNoData, ""},
		{"panels of a negative width", second(Panels(-1, 0, New(Figure{}))), ErrRange, ""},
		{"no drawing", Show((*Drawing)(nil), "a figure that was not made"), ErrNoData, ""},
		{"no animation", Show((*Animation)(nil), "alt"), ErrNoData, ""},
	})
	if w, h := c.Size(); w != defaultWidth || h != 2*defaultHeight+rowGap || titleOf(c) != "first" {
		t.Errorf("a column of two is %g by %g, titled %q", w, h, titleOf(c))
	}
}

// DrawnSVG lets tests count marks, each of which vgsvg writes as an element of its own.
var DrawnSVG = drawnSVG

// The default compression levels.
var smallPNG, smallZlib = pngLevel, zlibLevel

// TestMain uses fast compression.
func TestMain(m *testing.M) {
	pngLevel, zlibLevel = png.BestSpeed, zlib.BestSpeed
	os.Exit(m.Run())
}

// compressed sets the default compression for a test.
func compressed(t *testing.T) {
	expect.That(t, smallPNG == png.BestCompression && smallZlib == zlib.BestCompression, "files are not as small as possible")
	pngLevel, zlibLevel = smallPNG, smallZlib
	t.Cleanup(func() { pngLevel, zlibLevel = png.BestSpeed, zlib.BestSpeed })
}

func TestImageGridErrors(t *testing.T) {
	four := []uint8{0, 1, 2, 3}
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"none", second(ImageGrid(nil, 2, 2, 1, 0, nil)), ErrNoData},
		{"no height", second(ImageGrid(four, 0, 2, 1, 0, nil)), ErrRange},
		{"two channels", second(ImageGrid(four, 2, 1, 2, 0, nil)), ErrRange},
		{"columns", second(ImageGrid(four, 2, 2, 1, -1, nil)), ErrRange},
		{"part of an image", second(ImageGrid(four, 3, 1, 1, 0, nil)), ErrLength},
		{"captions", second(ImageGrid(four, 2, 2, 1, 0, []string{"a", "b"})), ErrLength},
	} {
		expect.That(t, errors.Is(tt.err, tt.want), "%s: %v, want %v", tt.name, tt.err, tt.want)
	}
}

// decode returns the image in a PNG file.
func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	return expect.Must(png.Decode(bytes.NewReader(data)))(t)
}

// TestImageGridPixels checks the middle of each pixel of two images of 2 by 2 pixels in color.
func TestImageGridPixels(t *testing.T) {
	pixels := []uint8{
		255, 0, 0 /**/, 0, 255, 0,
		0, 0, 255 /**/, 10, 20, 30,

		255, 255, 0 /**/, 0, 255, 255,
		90, 90, 90 /**/, 0, 0, 0,
	}
	g := expect.Must(ImageGrid(pixels, 2, 2, 3, 1, nil))(t)
	before := append([]uint8(nil), pixels...)
	w, h := g.Size()
	data := expect.Must(encodePNG(g, w, h))(t)
	expect.That(t, bytes.Equal(pixels, before), "the pixels changed")
	for i := range pixels {
		pixels[i] = 7 // the grid has its own copy
	}
	again := expect.Must(encodePNG(g, w, h))(t)
	expect.That(t, bytes.Equal(again, data), "the grid changed with the pixels")
	img := decode(t, data)
	const dots = pngDPI / 72.0 // a point
	for i := range 8 {
		n, y, x := i/4, i/2%2, i%2
		px := int(dots * float64(margin+largestCell*(0.25+0.5*vg.Length(x))))
		py := int(dots * float64(margin+(largestCell+cellGap)*vg.Length(n)+largestCell*(0.25+0.5*vg.Length(y))))
		want := color.RGBA{before[3*i], before[3*i+1], before[3*i+2], 255}
		got := color.RGBAModel.Convert(img.At(px, py))
		expect.That(t, got == want, "image %d, row %d, column %d: %v, want %v", n, y, x, got, want)
	}
}

func TestImageGridLayout(t *testing.T) {
	g, err := ImageGrid(make([]uint8, 10*4*2), 4, 2, 1, 0, nil) // ten images twice as high as wide
	expect.NoError(t, err)
	boxes, _ := drawn(t, g)
	expect.Require(t, len(boxes) == 10, "%d pictures, want 10", len(boxes))
	for i, box := range boxes {
		if column, row := i%8, i/8; box.Min.X != boxes[column].Min.X || box.Min.Y != boxes[8*row].Min.Y {
			t.Errorf("picture %d lies at %v, not in column %d of row %d", i, box, column, row)
		}
		size := box.Size()
		expect.That(t, math.Abs(float64(size.Y-2*size.X)) <= 1e-9, "a picture of %v, want twice as high as wide", size)
	}
	expect.That(t, boxes[8].Max.Y <= boxes[0].Min.Y,
		"the second row at %v lies over the first at %v", boxes[8], boxes[0])
	if w, _ := g.Size(); w > defaultWidth+0.01 {
		t.Errorf("the grid is %g points wide, the notebook %g", w.Points(), defaultWidth.Points())
	}
	long := "antidisestablishmentarianism"
	g = expect.Must(ImageGrid(make([]uint8, 8), 1, 1, 1, 8, []string{long, "", "", "", "", "", "", "two words"}))(t)
	_, words := drawn(t, g)
	var captions []string
	for s := range words {
		captions = append(captions, s)
	}
	slices.Sort(captions)
	expect.That(t, len(captions) >= 2 && strings.HasPrefix(captions[0], "anti") && captions[0] != long &&
		strings.Join(captions[1:], " ") == "two words", "captions %q", captions)
}

// drawn returns the positions of the pictures and the words of f, drawn at its own size, from its upper left corner.
func drawn(t *testing.T, f Drawer) (pictures []vg.Rectangle, words map[string]vg.Rectangle) {
	t.Helper()
	w, h := sizeOf(f, 0, 0)
	paper := &sheetOfPaper{w: w, h: h}
	expect.NoError(t, drawOn(f, paper))
	for _, a := range paper.Actions {
		if a, ok := a.(*recorder.DrawImage); ok {
			pictures = append(pictures, a.Rectangle)
		}
	}
	return pictures, paper.words()
}
