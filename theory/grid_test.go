package theory

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Angles are degrees, counterclockwise; the hypotenuse of a right triangle with legs 1 and √3 rises by 60°.
func TestDirections(t *testing.T) {
	for i, z := range Directions(0, 60, -90, 540) {
		want := [][]float64{{1, 0}, {0.5, math.Sqrt(3) / 2}, {0, -1}, {-1, 0}}[i]
		if math.Abs(z[0]-want[0]) > 1e-15 || math.Abs(z[1]-want[1]) > 1e-15 {
			t.Errorf("direction %d is %v, want %v", i, z, want)
		}
	}
	if points := Directions(); len(points) != 0 {
		t.Errorf("no angle gives %v", points)
	}
}

func TestCircleAndCorners(t *testing.T) {
	half := math.Sqrt(0.5)
	want := [][]float64{{1, 0}, {half, half}, {0, 1}, {-half, half}, {-1, 0}, {-half, -half}, {0, -1}, {half, -half}}
	for i, z := range Circle(8) {
		for k, x := range z {
			if i%2 == 0 && (x != want[i][k] || math.Signbit(x) != math.Signbit(want[i][k])) {
				t.Errorf("point %d is %v, want %v exactly", i, z, want[i])
			}
			near(t, "coordinate", x, want[i][k], 1e-15)
		}
	}
	for i, z := range Circle(7) {
		near(t, "length", math.Hypot(z[0], z[1]), 1, 1e-15)
		near(t, "angle", math.Mod(math.Atan2(z[1], z[0])+2*math.Pi, 2*math.Pi), 2*math.Pi*float64(i)/7, 1e-15)
	}
	if got := fmt.Sprint(Corners(2)); got != "[[1 1] [1 -1] [-1 1] [-1 -1]]" {
		t.Error(got)
	}
	for _, empty := range [][][]float64{Circle(0), Circle(-1), Corners(0), Corners(-2), Corners(17)} {
		if len(empty) > 0 {
			t.Errorf("%d points", len(empty))
		}
	}
}

func TestVary(t *testing.T) {
	d := Design{Labeled: 3, Prior: 0.9, SameView: 0.5}
	got := d.Vary([]int{0, 1}, []int{0, 2}, nil)
	want := []Design{{Unlabeled: 2, Prior: 0.9, SameView: 0.5}, {Labeled: 1, Prior: 0.9, SameView: 0.5}, {Labeled: 1, Unlabeled: 2, Prior: 0.9, SameView: 0.5}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := d.Vary(nil, nil, nil); !slices.Equal(got, []Design{d}) {
		t.Errorf("%+v", got)
	}
	if got := d.Vary(nil, []int{1, 2}, []float64{0.1, 0.2, 0.3}); len(got) != 6 || got[5] != (Design{Labeled: 3, Unlabeled: 2, Prior: 0.3, SameView: 0.5}) {
		t.Errorf("%+v", got)
	}
}

// Of populations that turn into one another a grid keeps one.
func TestGridWithoutCopies(t *testing.T) {
	// One atom a class: two points of the square are the same, neighbors or opposite; of the cube there are four distances.
	// Two atoms in halves: of the 8 symmetries of the square the identity fixes 10 classes, half a turn 2, the diagonal mirrors
	// 4 each, the others 2 each and quarter turns none; (10² + 2² + 2·4² + 2·2²)/8 = 18 pairs of classes (Burnside's lemma).
	for _, tt := range []struct {
		name         string
		points       [][]float64
		atoms, parts int
		all, kept    int
	}{
		{"square, one atom", Circle(4), 1, 4, 16, 3},
		{"cube, one atom", Corners(3), 1, 1, 64, 4},
		{"square, two atoms in halves", Circle(4), 2, 2, 100, 18},
		{"line", Corners(1), 2, 2, 9, 5},
		{"points of different length", [][]float64{{1, 0}, {0, 2}}, 1, 1, 4, 4},
	} {
		all, kept := grid(tt.points, tt.atoms, tt.parts, true), grid(tt.points, tt.atoms, tt.parts, false)
		if len(all) != tt.all || len(kept) != tt.kept {
			t.Errorf("%s: %d populations, %d without copies, want %d and %d", tt.name, len(all), len(kept), tt.all, tt.kept)
		}
		for _, p := range kept {
			if err := p.Validate(); err != nil || len(p.Positive) > tt.atoms || len(p.Negative) > tt.atoms {
				t.Errorf("%s: %v, %v", tt.name, p, err)
			}
		}
		// What tells populations apart, taken together, must be there in both lists.
		signature := func(p Population) string {
			var parts []string
			for _, a := range append(slices.Clone(p.Positive), p.Negative...) {
				for _, b := range append(slices.Clone(p.Positive), p.Negative...) {
					parts = append(parts, fmt.Sprintf("%.3f %.3f %.6f", a.P, b.P, cosine(a.Z, b.Z)+2))
				}
			}
			slices.Sort(parts)
			return fmt.Sprint(len(p.Positive), parts)
		}
		have := map[string]bool{}
		for _, p := range kept {
			have[signature(p)] = true
		}
		for _, p := range all {
			if !have[signature(p)] {
				t.Errorf("%s: nothing like %v was kept", tt.name, p)
			}
		}
	}
}
