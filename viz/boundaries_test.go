package viz

import (
	"errors"
	"math"
	"testing"
)

func TestBoundariesErrors(t *testing.T) {
	points := []Group{{X: []float64{0, 1}, Y: []float64{0, 1}}}
	for _, tt := range []struct {
		name   string
		groups []Group
		line   Boundary
		want   error
	}{
		{"no points", nil, Boundary{WeightX: 1}, ErrNoData},
		{"nowhere", points, Boundary{Name: "CE", Bias: 1}, ErrRange},
		{"NaN", points, Boundary{WeightX: 1, Bias: math.NaN()}, ErrNotFinite},
	} {
		if _, err := Boundaries(BoundariesConfig{}, tt.groups, tt.line); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// A boundary goes from edge to edge of the data, be it upright, level, slanting or through a corner, and is nowhere where it misses them.
func TestEndsOfABoundary(t *testing.T) {
	p := New(Figure{})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 4, 0, 2
	for _, tt := range []struct {
		b    Boundary
		want [4]float64
		miss bool
	}{
		{Boundary{WeightX: 1, Bias: -1}, [4]float64{1, 0, 1, 2}, false},
		{Boundary{WeightY: -2, Bias: 2}, [4]float64{0, 1, 4, 1}, false},
		{Boundary{WeightX: 1, WeightY: -2}, [4]float64{0, 0, 4, 2}, false},
		{Boundary{WeightX: 1, WeightY: 1, Bias: -1}, [4]float64{0, 1, 1, 0}, false},
		{Boundary{WeightX: 1, WeightY: 1, Bias: -7}, [4]float64{}, true},
		{Boundary{WeightX: 1, Bias: 1}, [4]float64{}, true},
	} {
		ends := (&across{Boundary: tt.b}).ends(p)
		if tt.miss != (len(ends) == 0) {
			t.Errorf("%+v: %v", tt.b, ends)
			continue
		}
		if !tt.miss && [4]float64{ends[0].X, ends[0].Y, ends[1].X, ends[1].Y} != tt.want {
			t.Errorf("%+v: %v, want %v", tt.b, ends, tt.want)
		}
	}
}
