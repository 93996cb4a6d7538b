package viz

import (
	"errors"
	"math"
	"testing"
)

func TestDistributionsErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"no sample", second(Distributions(DistributionsConfig{})), ErrNoData},
		{"no values", second(Distributions(DistributionsConfig{}, Sample{Name: "a"})), ErrNoData},
		{"NaN", second(Distributions(DistributionsConfig{}, Sample{"a", []float64{1, math.NaN()}})), ErrNotFinite},
		{"negative bins", second(Distributions(DistributionsConfig{Bins: -1}, Sample{"a", []float64{1}})), ErrRange},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	for _, values := range [][]float64{{3, 3}, {1e17, 1e17}, {0, math.SmallestNonzeroFloat64}, {1, math.Nextafter(1, 2)}} { // as good as one value
		p, err := Distributions(DistributionsConfig{}, Sample{"a", values})
		if err != nil || !(p.X.Min <= values[0] && values[0] <= p.X.Max && p.X.Min < p.X.Max) {
			t.Errorf("%g: %v", values, err)
		}
	}
}

// TestHistogram counts by hand: of 1, 1.5, 2 and 4.5 in six bins from 0 to 6, where nothing is drawn of the first and the last.
func TestHistogram(t *testing.T) {
	outline, top := histogram([]float64{1, 1.5, 2, 4.5}, 0, 6, 6)
	want := [][2]float64{{1, 0}, {1, 0.5}, {2, 0.5}, {2, 0.25}, {3, 0.25}, {3, 0}, {4, 0}, {4, 0.25}, {5, 0.25}, {5, 0}}
	if len(outline) != len(want) {
		t.Fatalf("%v", outline)
	}
	area := 0.0
	for i, q := range outline {
		if q.X != want[i][0] || q.Y != want[i][1] {
			t.Errorf("corner %d is %v, want %v", i, q, want[i])
		}
		if i > 0 {
			area += (q.X - outline[i-1].X) * q.Y
		}
	}
	if edge, _ := histogram([]float64{0, 2}, 0, 2, 2); edge[len(edge)-1].X != 2 || edge[3].Y != 0.5 {
		t.Errorf("the last bin has its upper end in it: %v", edge)
	}
	if area != 1 || top[0].X != 1.5 || top[0].Y != 0.5 {
		t.Errorf("area %g, top %v", area, top)
	}
}
