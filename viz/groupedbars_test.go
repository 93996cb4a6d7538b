package viz

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

func TestGroupedBarsErrors(t *testing.T) {
	names := []string{"a", "b"}
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"no groups", second(GroupedBars(Figure{}, names)), ErrNoData},
		{"no names", second(GroupedBars(Figure{}, nil, BarGroup{Name: "x"})), ErrNoData},
		{"one bar of two", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: 1}}})), ErrLength},
		{"NaN", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: math.NaN()}, {}}})), ErrNotFinite},
		{"below 0", second(GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Value: 1, HalfWidth: -1}, {}}})), ErrRange},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	if _, err := GroupedBars(Figure{}, names, BarGroup{"x", []MeasuredBar{{Missing: true}, {Missing: true}}}); err != nil {
		t.Errorf("nothing measured: %v", err)
	}
}

// TestGroupedBarsHeights reads from what is drawn how high bars, whiskers and marks reach.
func TestGroupedBarsHeights(t *testing.T) {
	p, err := GroupedBars(Figure{}, []string{"solid"}, BarGroup{"one", []MeasuredBar{{Value: 60, HalfWidth: 20, Published: 97}}},
		BarGroup{"two", []MeasuredBar{{Missing: true, Published: 30}}})
	if err != nil {
		t.Fatal(err)
	}
	paper, c := drawnOn(t, p)
	area := layout(p, c).DataCanvas(c)
	value := func(y vg.Length) float64 { return 1.03 * 97 * float64((y-area.Min.Y)/(area.Max.Y-area.Min.Y)) }
	has := func(values []float64, want float64) bool {
		for _, v := range values {
			if math.Abs(v-want) < 0.01 {
				return true
			}
		}
		return false
	}
	var tops, ends, marks []float64
	for _, a := range paper.Actions {
		switch a := a.(type) {
		case *recorder.Fill:
			high, middle, n := math.Inf(-1), 0.0, 0
			for _, part := range a.Path {
				if part.Type != vg.CloseComp {
					high = max(high, value(part.Pos.Y))
					middle += value(part.Pos.Y)
					n++
				}
			}
			tops, marks = append(tops, high), append(marks, middle/float64(n))
		case *recorder.Stroke:
			for _, part := range a.Path {
				ends = append(ends, value(part.Pos.Y))
			}
		}
	}
	if !has(tops, 60) || !has(ends, 40) || !has(ends, 80) || !has(marks, 97) || !has(marks, 30) {
		t.Errorf("tops %.1f, ends %.1f, marks %.1f", tops, ends, marks)
	}
}
