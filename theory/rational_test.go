package theory

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/pucl/cluster"
)

// decimal returns the float64 nearest to x.
func decimal(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// equalRat fails where got is not the fraction want.
func equalRat(t *testing.T, what string, got, want *big.Rat) {
	t.Helper()
	if got == nil || got.Cmp(want) != 0 {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// Points 0, 1, 1 and 7: mean 9/4; squared distances to 1 and 6: 1 + 0 + 0 + 1; best split {0, 1, 1} with mean ⅔.
func TestRationalPointsByHand(t *testing.T) {
	p := RationalLine(0, 1, 1, 7)
	equalRat(t, "mean", p.Mean()[0], big.NewRat(9, 4))
	equalRat(t, "potential", p.Potential(RationalLine(1)[0], RationalLine(6)[0]), big.NewRat(2, 1))
	// Σx² − (Σx)²/4 = 51 − 81/4
	equalRat(t, "spread", p.Spread(), big.NewRat(123, 4))
	best, first, err := p.BestSplit()
	if err != nil {
		t.Fatal(err)
	}
	equalRat(t, "best split", best, big.NewRat(2, 3))
	if !slices.Equal(first, []bool{true, true, true, false}) {
		t.Errorf("split %v", first)
	}
	if RationalPoints(nil).Mean() != nil || RationalPoints(nil).Spread().Sign() != 0 {
		t.Error("no points have no mean, and spread 0")
	}
	// The argument must stay as it is.
	equalRat(t, "first point", p[0][0], new(big.Rat))
	equalRat(t, "last point", p[3][0], big.NewRat(7, 1))
}

// Coordinates in floats are fractions with a power of two below; many rows at few places are no hindrance.
func TestRationals(t *testing.T) {
	p, err := Rationals([][]float64{{0.75, -2}, {0.1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	equalRat(t, "¾", p[0][0], big.NewRat(3, 4))
	if tenth := big.NewRat(1, 10); p[1][0].Cmp(tenth) == 0 || decimal(p[1][0]) != 0.1 {
		t.Errorf("0.1 came as %v; the float nearest to it is not the fraction", p[1][0])
	}
	if back := p.Floats(); !slices.EqualFunc(back, [][]float64{{0.75, -2}, {0.1, 0}}, slices.Equal[[]float64]) {
		t.Errorf("back as floats: %v", back)
	}
	_, err = Rationals([][]float64{{1}, {math.NaN()}})
	wantError(t, "NaN", err, "NaN", "row 1")
	_, err = Rationals([][]float64{{math.Inf(1)}})
	wantError(t, "infinity", err, "Inf", "finite")
	_, err = Rationals(nil)
	wantError(t, "nothing", err, "at least one row")

	many := make([]int64, 3000)
	for i := range many {
		many[i] = int64(i % 3)
	}
	best, _, err := RationalLine(many...).BestSplit()
	if err != nil {
		t.Fatal(err)
	}
	equalRat(t, "three places with 1000 rows each", best, big.NewRat(500, 1)) // two neighbors: 2000 rows at distance ½
}

func TestRationalRefuses(t *testing.T) {
	one, ragged := RationalLine(1), RationalPoints{{big.NewRat(1, 1)}, {}}
	_, _, err := RationalPoints(nil).BestSplit()
	wantError(t, "nothing to split", err, "at least one")
	many := make([]int64, 21)
	for i := range many {
		many[i] = int64(i)
	}
	_, _, err = RationalLine(many...).BestSplit()
	wantError(t, "many places", err, "21 places", "at most 20")
	_, err = EnumerateRationalSeeding(one, ragged)
	wantError(t, "ragged", err, "unlabeled rows", "row 1 has 0")
	_, err = EnumerateRationalSeeding(nil, one)
	wantError(t, "nothing labeled", err, "labeled rows")
	_, err = EnumerateRationalSeeding(one, RationalPoints{{nil}})
	wantError(t, "nil", err, "coordinate 0 of row 0 is nil")
	_, err = EnumerateRationalSeeding(one, RationalPoints{{big.NewRat(1, 1), big.NewRat(1, 1)}})
	wantError(t, "dimension", err, "1 coordinates", "2")
	_, err = EnumerateRationalSeeding(one, one)
	wantError(t, "collapsed", err, "nothing to draw")
	_, err = RationalPUPLFrom(one, one, 1)
	wantError(t, "seed", err, "seed row 1")
	_, err = RationalPUPLFrom(one, nil, 0)
	wantError(t, "nothing unlabeled", err, "unlabeled rows")
	_, err = RationalPUPLPseudoCode(nil, one)
	wantError(t, "pseudo code, nothing labeled", err, "labeled rows")
	_, err = RationalKMeansPlusPlus(nil)
	wantError(t, "k-means++ without points", err, "points")
}

// Labeled 0; unlabeled 0, 1 and 3, as in TestSeedingByHand: E = (1·4 + 9·1)/10, best split {0, 0, 1} with ⅔.
func TestRationalSeedingByHand(t *testing.T) {
	s, err := EnumerateRationalSeeding(RationalLine(0), RationalLine(0, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	seeded, settled := s.Expected()
	equalRat(t, "expected", seeded.Free, big.NewRat(13, 10))
	equalRat(t, "optimal", s.Optimal, big.NewRat(2, 3))
	// From 1: {0, 0} and {1, 3} with means 0 and 2. The row 1 is at distance 1 from both, a tie, so it goes to the positive
	// center, and {0, 0, 1} and {3} remain. From 3 the same comes at once.
	equalRat(t, "settled", settled.Free, big.NewRat(2, 3))
	if !s.Starts[0].Tied || s.Starts[1].Tied || s.Starts[0].Seed != 1 {
		t.Errorf("starts %+v", s.Starts)
	}
}

// k-means++ on 0, 0 and 1: from 0 the second center is 1, from 1 it is 0, and nothing is left. On 0, 1 and 3: from 0 the
// weights are 1 and 9 with potentials 4 and 1; from 1: 1 and 4 with 4 and 1; from 3: 9 and 4 with 1 and 1.
func TestRationalKMeansPlusPlusByHand(t *testing.T) {
	zero, err := RationalKMeansPlusPlus(RationalLine(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	equalRat(t, "two places", zero, new(big.Rat))
	got, err := RationalKMeansPlusPlus(RationalLine(0, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	want := new(big.Rat).Add(big.NewRat(13, 10), big.NewRat(8, 5))
	want.Add(want, big.NewRat(1, 1))
	equalRat(t, "three places", got, want.Mul(want, big.NewRat(1, 3)))
	// 0 twice, 1 and 3: from a 0 as before, 13/10; from 1, weights 2·1 and 4 with potentials 4 and 2; from 3, weights 2·9 and 4
	// with 1 and 2.
	got, err = RationalKMeansPlusPlus(RationalLine(0, 0, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	want = new(big.Rat).Add(big.NewRat(26, 10), big.NewRat(16, 6))
	want.Add(want, big.NewRat(26, 22))
	equalRat(t, "four rows at three places", got, want.Mul(want, big.NewRat(1, 4)))
	same, err := RationalKMeansPlusPlus(RationalLine(5, 5))
	if err != nil {
		t.Fatal(err)
	}
	equalRat(t, "one place", same, new(big.Rat))
}

// Random whole numbers in the plane: the exact results must be those of the float64 algorithms that train. Where a tie
// occurs, rounding can send a row either way, so such cases are left out of the comparison of labels.
func TestRationalsAgreeWithFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	compared := 0
	for range 60 {
		draw := func(n int) ([][]float64, RationalPoints) {
			rows := make([][]float64, n)
			for i := range rows {
				rows[i] = []float64{float64(rng.IntN(30)), float64(rng.IntN(30))}
			}
			p, err := Rationals(rows)
			if err != nil {
				t.Fatal(err)
			}
			return rows, p
		}
		labeled, rationalLabeled := draw(1 + rng.IntN(4))
		unlabeled, rationalUnlabeled := draw(2 + rng.IntN(6))
		x, mask := stack(labeled, unlabeled)
		floats, err := enumerateFloats(x, mask)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := EnumerateRationalSeeding(rationalLabeled, rationalUnlabeled)
		if err != nil {
			t.Fatal(err)
		}
		seeded, _ := exact.Expected()
		near(t, "expected", floats.Expected, decimal(seeded.Free), 1e-12)
		near(t, "optimal", floats.Optimal, decimal(exact.Optimal), 1e-12)
		for i, start := range exact.Starts {
			near(t, "probability", floats.Starts[i].Probability, decimal(start.Probability), 1e-12)
			if !start.Tied {
				compareClusterings(t, floats.Starts[i].Clustering, start.RationalClustering, len(labeled))
				compared++
			}
		}
		free, err := cluster.PseudoCode(x, mask)
		if err != nil {
			t.Fatal(err)
		}
		exactFree, err := RationalPUPLPseudoCode(rationalLabeled, rationalUnlabeled)
		if err != nil {
			t.Fatal(err)
		}
		if !exactFree.Tied {
			compareClusterings(t, free, exactFree, len(labeled))
		}
		from, err := RationalPUPLFrom(rationalLabeled, rationalUnlabeled, exact.Starts[0].Seed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(from.Labels, exact.Starts[0].Labels) || len(from.Rounds) != len(exact.Starts[0].Rounds) {
			t.Error("a start alone differs from the same start among all")
		}
	}
	if compared < 200 {
		t.Errorf("only %d starts were compared", compared)
	}
}

// compareClusterings compares clusterings of rows of which so many, the first, are labeled.
func compareClusterings(t *testing.T, got *cluster.Clustering, want *RationalClustering, labeled int) {
	t.Helper()
	start := want.Seed
	if start >= 0 {
		start += labeled
	}
	if !slices.Equal(got.NearPositive, slices.Concat(want.Labeled, want.Labels)) || got.StartRow != start ||
		got.Iterations != len(want.Rounds)-1 || got.Converged != want.Converged {
		t.Fatalf("floats %+v, exactly %+v", got, want)
	}
	for k := range want.Positive {
		near(t, "positive center", got.PositiveCenter[k], decimal(want.Positive[k]), 1e-12)
		near(t, "negative center", got.NegativeCenter[k], decimal(want.Negative[k]), 1e-12)
	}
	last := want.Rounds[len(want.Rounds)-1]
	near(t, "seeding potential", got.SeedingPotential, decimal(want.Rounds[0].Free), 1e-12)
	near(t, "potential", got.Potential, decimal(last.Free), 1e-12)
	near(t, "constrained potential", got.ConstrainedPotential, decimal(last.Constrained), 1e-12)
}

func TestFloatsOfRationals(t *testing.T) {
	rows := [][]float64{{0.75, -2}, {0.1, 0}}
	p, err := Rationals(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Floats(); !slices.EqualFunc(got, rows, slices.Equal[[]float64]) {
		t.Errorf("%v came back as %v", rows, got)
	}
}
