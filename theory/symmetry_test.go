package theory

import (
	"math"
	"testing"
)

func TestSameForgivesRoundingOnly(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		a, b float64
		want bool
	}{
		{1, 1 + 1e-12, true}, {1, 1 + 1e-9, false}, {1e6, 1e6 + 1e-6, true}, {0, 1e-12, true},
		{inf, inf, true}, {inf, -inf, false}, {nan, nan, true}, {nan, 1, false}, {1, inf, false},
	} {
		if got := same(tt.a, tt.b); got != tt.want {
			t.Errorf("same(%g, %g) = %v", tt.a, tt.b, got)
		}
	}
}

func TestSymmetryNames(t *testing.T) {
	for s, want := range map[Symmetry]string{
		everything: "examples, views, classes", {Examples: true}: "examples", {Views: true, Classes: true}: "views, classes", {}: "nothing",
	} {
		if s.String() != want {
			t.Errorf("%q, want %q", s.String(), want)
		}
	}
}
