package viz

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/puclab/puclab/internal/expect"
)

// The size of a configuration is that of the figure until Show or Save are told another one.
func TestFigureSize(t *testing.T) {
	p := expect.Must(Bars(BarsConfig{Figure: Figure{Width: 300, Height: 90}}, Bar{Name: "a", Value: 1}))(t)
	column := expect.Must(Column(0, p, New(Figure{})))(t)
	training, err := TrainingCurves(TrainingConfig{Figure: Figure{Width: 400, Height: 333}}, TrainingLog{Losses: []float64{2, 1}})
	expect.NoError(t, err)
	for _, tt := range []struct {
		name          string
		figure        Drawer
		width, height vg.Length // asked for
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

// A drawing of 100×50 lies in the middle of a larger canvas as it is, and fills the width of a smaller one at half its size.
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

// wrong is a use that a function refuses: the sentinel of its error, and a part of the error's text.
type wrong struct {
	name string
	err  error
	want error
	says string
}

// refuses reports each use that is not refused with its error.
func refuses(t *testing.T, uses []wrong) {
	t.Helper()
	for _, use := range uses {
		expect.That(t, errors.Is(use.err, use.want) && strings.Contains(use.err.Error(), use.says),
			"%s: %v, want %v with %q", use.name, use.err, use.want, use.says)
	}
}

// second returns the second of two values: the error of a call with one result.
func second[A, B any](_ A, b B) B { return b }
