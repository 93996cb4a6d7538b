package viz

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

func TestReliabilityErrors(t *testing.T) {
	bin := func(mean, positive, low, high float64) []ReliabilityBin {
		return []ReliabilityBin{{mean, positive, low, high}}
	}
	ok := bin(0.5, 0.5, 0.4, 0.6)
	for _, tt := range []struct {
		name   string
		curves []ReliabilityCurve
		want   error
		mend   string
	}{
		{"no curve", nil, ErrNoData, "pass at least one curve"},
		{"no bins", []ReliabilityCurve{{Name: "a"}}, ErrNoData, `reliability of "a" has no bins`},
		{"NaN", []ReliabilityCurve{{Bins: bin(0.5, math.NaN(), 0, 1)}}, ErrNotFinite, "bin 0"},
		{"a logit", []ReliabilityCurve{{Bins: bin(1.5, 0.5, 0, 1)}}, ErrRange, "give probabilities, from 0 to 1"},
		{"distances", []ReliabilityCurve{{Bins: bin(0.5, 0.5, 0.1, 0.1)}}, ErrRange, "give the ends, not their distances"},
		{"backwards", []ReliabilityCurve{{Bins: append(bin(0.6, 0.5, 0, 1), ok...)}}, ErrOrder, "from 0.6 to 0.5"},
		{"percent", []ReliabilityCurve{{Bins: ok, Probabilities: []float64{1, 50}}}, ErrRange, "probability 1 is 50"},
		{"no probability", []ReliabilityCurve{{Bins: ok, Probabilities: []float64{math.NaN()}}}, ErrRange, "probability 0 is NaN"},
	} {
		if _, err := Reliability(Figure{}, tt.curves...); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.mend) {
			t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.want, tt.mend)
		}
	}
}

// TestReliabilityOneAxis checks that both parts have the probability at one place, and that estimates above 1 are drawn.
func TestReliabilityOneAxis(t *testing.T) {
	k := ReliabilityCurve{Name: "a name long enough to need some room", Bins: []ReliabilityBin{{0.2, 0.1, 0, 0.3}, {0.8, 1.1, 0.9, 1.4}}}
	for range 1000 {
		k.Probabilities = append(k.Probabilities, 0.2)
	}
	f, err := Reliability(Figure{Title: "A title"}, k)
	if err != nil {
		t.Fatal(err)
	}
	w, h := f.Size()
	c := draw.New(&sheetOfPaper{w: w, h: h})
	parts := f.arrange(draw.Crop(c, margin, -margin, margin, -margin))
	if len(parts) != 2 {
		t.Fatalf("%d parts, want 2", len(parts))
	}
	top, below := parts[0].Drawer.(*plot.Plot), parts[1].Drawer.(*plot.Plot)
	a, b := top.DataCanvas(parts[0].canvas), below.DataCanvas(parts[1].canvas)
	if math.Abs(float64(a.Min.X-b.Min.X)) > 1e-6 || math.Abs(float64(a.Max.X-b.Max.X)) > 1e-6 {
		t.Errorf("the data lie between %v and %v above, between %v and %v below", a.Min.X, a.Max.X, b.Min.X, b.Max.X)
	}
	if a.Min.Y < b.Max.Y || a.Max.Y-a.Min.Y < 1.5*(b.Max.Y-b.Min.Y) {
		t.Errorf("above %v, below %v", a.Rectangle, b.Rectangle)
	}
	if top.Y.Max < 1.4 || top.Y.Min != 0 || below.Y.Min != 0 || below.Y.Max < 20 {
		t.Errorf("shares up to %g, densities up to %g", top.Y.Max, below.Y.Max)
	}
	k.Probabilities = nil
	if f, err = Reliability(Figure{}, k); err != nil {
		t.Fatal(err)
	}
	if parts := f.arrange(c); len(parts) != 1 || parts[0].Drawer.(*plot.Plot).X.Label.Text != "predicted probability" {
		t.Errorf("without probabilities there are %d parts", len(parts))
	}
}
