package viz

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

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
		if !moved || !scaled {
			t.Errorf("on %g×%g: %v", tt.width, tt.height, r.Actions)
		}
	}
}
