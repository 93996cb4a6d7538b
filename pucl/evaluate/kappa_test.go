package evaluate

import "testing"

func TestKappa(t *testing.T) {
	repeat := func(yes, first, second, no int) (a, b []bool) { // both positive, one of them, none
		for i, count := range []int{yes, first, second, no} {
			for range count {
				a, b = append(a, i < 2), append(b, i == 0 || i == 2)
			}
		}
		return a, b
	}
	for _, tt := range []struct {
		yes, first, second, no int
		want                   float64
	}{
		{20, 5, 10, 15, 0.4}, // of two reviewers of 50 grant proposals: 0.7 agree, by chance 0.5
		{3, 0, 0, 4, 1}, {0, 2, 2, 0, -1}, {9, 3, 3, 1, 0}, {5, 0, 0, 0, 0}, {0, 0, 0, 5, 0}, {4, 4, 0, 0, 0},
	} {
		a, b := repeat(tt.yes, tt.first, tt.second, tt.no)
		near(t, "κ", must[float64](t)(Kappa(a, b)), tt.want, 1e-15)
	}
	if _, err := Kappa([]bool{true}, nil); err == nil {
		t.Error("predictions of other examples are compared")
	}
}
