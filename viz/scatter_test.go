package viz

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestScatterErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cfg    ScatterConfig
		groups []Group
		want   error
	}{
		{"no groups", ScatterConfig{}, nil, ErrNoData},
		{"no points", ScatterConfig{}, []Group{{Name: "a"}, {Name: "b"}}, ErrNoData},
		{"mismatched", ScatterConfig{}, []Group{{X: []float64{1}, Y: []float64{1, 2}}}, ErrLength},
		{"NaN", ScatterConfig{}, []Group{{X: []float64{1}, Y: []float64{math.NaN()}}}, ErrNotFinite},
		{"negative limit", ScatterConfig{MaxPerGroup: -1}, []Group{{X: []float64{1}, Y: []float64{1}}}, ErrRange},
	} {
		if _, err := Scatter(tt.cfg, tt.groups...); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := Scatter(ScatterConfig{}, Group{Name: "empty"}, Group{Name: "one", X: []float64{1}, Y: []float64{1}}); err != nil {
		t.Errorf("an empty group beside another: %v", err)
	}
}

func TestScatterSubset(t *testing.T) {
	g := Group{Name: Negative}
	for i := range 1000 {
		g.X, g.Y = append(g.X, float64(i)), append(g.Y, 0)
	}
	svg := func(seed uint64) string {
		p, err := Scatter(ScatterConfig{MaxPerGroup: 50, Seed: seed}, g)
		if err != nil {
			t.Fatal(err)
		}
		b, err := drawnSVG(p, 400, 300)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	one := svg(1)
	if !strings.Contains(one, "of 1,000)") || !strings.Contains(one, "(50") {
		t.Error("the legend does not say that 50 of 1,000 points are drawn")
	}
	if one != svg(1) {
		t.Error("the same seed draws other points")
	}
	if one == svg(2) {
		t.Error("another seed draws the same points")
	}
	blue := strings.Count(one, "#0072B2")
	if blue != 51 { // 50 marks and one in the legend
		t.Errorf("%d blue marks, want 51", blue)
	}
}

// TestSubsetUniform counts how often each number is chosen: 3 of 6, so half of the time.
func TestSubsetUniform(t *testing.T) {
	const trials = 6000
	count := make([]int, 6)
	for seed := range uint64(trials) {
		s := subset(6, 3, seed, 0)
		if len(s) != 3 || !slices.IsSorted(s) || s[0] == s[1] || s[1] == s[2] {
			t.Fatalf("subset %v", s)
		}
		for _, i := range s {
			count[i]++
		}
	}
	for i, n := range count {
		// The standard deviation of the count is √(6000/4) ≈ 39: five of them.
		if !(math.Abs(float64(n)-trials/2) <= 195) {
			t.Errorf("%d was chosen %d times of %d", i, n, trials)
		}
	}
}

func TestGroupBy(t *testing.T) {
	rows := mat.NewDense(3, 3, []float64{
		1, 2, 9,
		3, 4, 9,
		5, 6, 9,
	})
	got, err := GroupBy(rows, []int{1, 0, 1}, "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	want := []Group{{"a", []float64{3}, []float64{4}}, {"b", []float64{1, 5}, []float64{2, 6}}, {Name: "c"}}
	for i := range want {
		if got[i].Name != want[i].Name || !slices.Equal(got[i].X, want[i].X) || !slices.Equal(got[i].Y, want[i].Y) {
			t.Errorf("group %d: %v, want %v", i, got[i], want[i])
		}
	}
	for name, err := range map[string]error{
		"short labels":   second(GroupBy(rows, []int{0}, "a")),
		"unnamed label":  second(GroupBy(rows, []int{0, 1, 2}, "a", "b")),
		"negative label": second(GroupBy(rows, []int{0, -1, 0}, "a")),
		"one column":     second(GroupBy(mat.NewDense(2, 1, nil), []int{0, 0}, "a")),
	} {
		if !errors.Is(err, ErrLength) && !errors.Is(err, ErrRange) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestByLabel(t *testing.T) {
	rows := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	got, err := ByLabel(rows, []bool{false, true, false})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Group{{Positive, []float64{3}, []float64{4}}, {Negative, []float64{1, 5}, []float64{2, 6}}} {
		if got[i].Name != want.Name || !slices.Equal(got[i].X, want.X) || !slices.Equal(got[i].Y, want.Y) {
			t.Errorf("group %d: %v, want %v", i, got[i], want)
		}
	}
	if _, err := ByLabel(rows, []bool{true}); !errors.Is(err, ErrLength) {
		t.Errorf("one label for three rows: %v", err)
	}
}

func second[A, B any](_ A, b B) B { return b }
