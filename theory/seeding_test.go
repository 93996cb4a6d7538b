package theory

import "testing"

// By hand: one labeled row at 0, unlabeled rows at 0, 1 and 3 with weights 0, 1 and 9. Started at 1: distances 0, 0, 0 and 4
// to the nearer center; started at 3: 0, 0, 1, 0. Best split: {0, 0, 1} and {3}, with 2/3.
func TestSeedingByHand(t *testing.T) {
	s, err := EnumerateSeeding(stack([][]float64{{0}}, [][]float64{{0}, {1}, {3}}))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Starts) != 2 || s.Starts[0].StartRow != 2 || s.Starts[1].StartRow != 3 {
		t.Fatalf("starts %+v", s.Starts)
	}
	near(t, "probability of row 2", s.Starts[0].Probability, 0.1, 1e-15)
	near(t, "probability of row 3", s.Starts[1].Probability, 0.9, 1e-15)
	near(t, "expected potential after seeding", s.Expected, 0.1*4+0.9*1, 1e-15)
	near(t, "optimal potential", s.Optimal, 2.0/3, 1e-15)
}

func TestSeedingRefuses(t *testing.T) {
	one := [][]float64{{1, 2}}
	_, err := EnumerateSeeding(stack(nil, one))
	wantError(t, "nothing labeled", err, "at least one labeled")
	_, err = EnumerateSeeding(dense(one), []bool{true, false})
	wantError(t, "two labels for one row", err, "1 rows and 2 labels")
	_, err = EnumerateSeeding(stack(one, one))
	wantError(t, "collapsed", err, "nothing to draw")
	many := make([][]float64, 20)
	for i := range many {
		many[i] = []float64{float64(i), 1}
	}
	_, err = EnumerateSeeding(stack(one, many))
	wantError(t, "many points", err, "21 points", "at most 20")
}
