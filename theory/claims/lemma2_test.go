package claims

import (
	"math/big"
	"strings"
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestLemma2(t *testing.T) {
	c := checked(t, Lemma2())
	if c.Verdict != Holds || c.Number.Value != 0 || c.Counterexample != "" {
		t.Errorf("%s (%s)", c, c.Counterexample)
	}
	// Ten sets each of 1 to 6 points, with every n_L: 10·(1 + … + 6) cases, 10 of them with one point.
	near(t, "cases", measuredAs(t, c.Finding, "cases of a set of points and n_L"), 200, 0)
	near(t, "undefined", measuredAs(t, c.Finding, "cases with n_P = 1, where the factor is 0/0"), 10, 0)
	near(t, "subsets", measuredAs(t, c.Finding, "subsets enumerated"), 10*(1+3+7+15+31+63), 0)
}

// The factor for draws with replacement is another formula, and misses.
func TestLemma2VerdictFollowsTheNumbers(t *testing.T) {
	f := lemma2Finding(&subject{}, func(nP, nL int64) *big.Rat { return plus(whole(1), big.NewRat(1, nL)) })
	if f.Verdict != Fails || f.Number.Value <= 0 || f.Counterexample == "" || !strings.Contains(f.Sentence, "misses") {
		t.Errorf("%s: %s (%s)", f.Verdict, f.Sentence, f.Counterexample)
	}
}

// Points 0, 0 and 3: φ* = 6 at mean 1. One of them: 9, 9 or 18, in the mean 12 = (1 + 2/2)·6. Two of them: means 0, 3/2 and
// 3/2, so 9, 27/4 and 27/4, in the mean 15/2 = (1 + 1/4)·6. Two draws with replacement: means 0, 3/2 and 3 with
// probabilities 4/9, 4/9 and 1/9, so 4 + 3 + 2 = (1 + ½)·6. Outside a subset of two: 4, 1 or 1, in the mean 2.
func TestMeasureCentroidByHand(t *testing.T) {
	points := theory.RationalLine(0, 0, 3)
	one, err := MeasureCentroid(points, 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := MeasureCentroid(points, 2)
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]*big.Rat{
		"best":           {one.Best, big.NewRat(6, 1)},
		"one":            {one.Subsets, big.NewRat(12, 1)},
		"one drawn":      {one.Draws, big.NewRat(12, 1)},
		"two":            {two.Subsets, big.NewRat(15, 2)},
		"two drawn":      {two.Draws, big.NewRat(9, 1)},
		"outside of two": {two.Unlabeled, big.NewRat(2, 1)},
	} {
		if pair[0].Cmp(pair[1]) != 0 {
			t.Errorf("%s: %s, want %s", what, pair[0].RatString(), pair[1].RatString())
		}
	}
	if one.NumSubsets != 3 || two.NumSubsets != 3 {
		t.Errorf("%d and %d subsets", one.NumSubsets, two.NumSubsets)
	}
	_, err = MeasureCentroid(points, 4)
	wantError(t, "too many", err, "4 of 3 points")
	_, err = MeasureCentroid(nil, 1)
	wantError(t, "none", err, "at least one")
	_, err = MeasureCentroid(theory.RationalLine(make([]int64, 11)...), 1)
	wantError(t, "eleven", err, "1 to 10 points")
	_, err = MeasureCentroid(theory.RationalPoints{{whole(1)}, {}}, 1)
	wantError(t, "ragged", err, "row 1")
}
