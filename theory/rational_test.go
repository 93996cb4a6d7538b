package theory

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/theory/internal/lists"
)

// decimal returns the float64 nearest to x.
func decimal(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// equalRat fails if got is not the fraction want.
func equalRat(t *testing.T, what string, got, want *big.Rat) {
	t.Helper()
	expect.That(t, got != nil && got.Cmp(want) == 0, "%s = %v, want %v", what, got, want)
}

// Points 0, 1, 1 and 7: mean 9/4; squared distances to 1 and 6: 1 + 0 + 0 + 1; best split {0, 1, 1} with mean ⅔.
func TestRationalPointsByHand(t *testing.T) {
	p := RationalLine(0, 1, 1, 7)
	equalRat(t, "mean", p.Mean()[0], big.NewRat(9, 4))
	equalRat(t, "potential", p.Potential(RationalLine(1)[0], RationalLine(6)[0]), big.NewRat(2, 1))
	// Σx² − (Σx)²/4 = 51 − 81/4
	equalRat(t, "spread", p.Spread(), big.NewRat(123, 4))
	best, first := expect.Must2(p.BestSplit())(t)
	equalRat(t, "best split", best, big.NewRat(2, 3))
	expect.That(t, slices.Equal(first, []bool{true, true, true, false}), "split %v", first)
	expect.That(t, RationalPoints(nil).Mean() == nil && RationalPoints(nil).Spread().Sign() == 0,
		"no points have no mean, and spread 0")
	// The argument must not change.
	equalRat(t, "first point", p[0][0], new(big.Rat))
	equalRat(t, "last point", p[3][0], big.NewRat(7, 1))
}

// Scaled points have scaled means and potentials, whether or not sums of their squares fit an int64.
func TestRationalPointsInOtherUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	scaled := func(p RationalPoints, unit *big.Rat) RationalPoints {
		return lists.Map(p, func(row []*big.Rat) []*big.Rat {
			return lists.Map(row, func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, unit) })
		})
	}
	for range 20 {
		p := lists.Table(5, 2, func(int, int) *big.Rat { return big.NewRat(rng.Int64N(40)-20, 1+rng.Int64N(6)) })
		for _, unit := range []*big.Rat{big.NewRat(1, 7), big.NewRat(1<<40, 1), big.NewRat(1, 1<<40), big.NewRat(1<<40, 3)} {
			q, square := scaled(p, unit), new(big.Rat).Mul(unit, unit)
			_, fits := wholesOf(q)
			expect.That(t, fits == (unit.Denom().Int64() == 7), "in units of %s they are small: %v", unit, fits)
			equalRat(t, "mean", RationalPoints(q).Mean()[1], new(big.Rat).Mul(unit, RationalPoints(p).Mean()[1]))
			equalRat(t, "potential", RationalPoints(q[:3]).Potential(q[3], q[4]),
				new(big.Rat).Mul(square, RationalPoints(p[:3]).Potential(p[3], p[4])))
			equalRat(t, "distance", squaredRationalDistance(q[0], q[1]), new(big.Rat).Mul(square, squaredRationalDistance(p[0], p[1])))
		}
	}
	// The largest sum that is computed in an int64, and the first one beyond.
	for _, x := range []int64{maxWhole, maxWhole + 1} {
		far := RationalLine(slices.Repeat([]int64{x}, maxWholeCount-1)...)
		want := new(big.Rat).SetInt64(2 * x)
		want.Mul(want, want).Mul(want, big.NewRat(maxWholeCount-1, 1))
		equalRat(t, "far points", far.Potential(RationalLine(-x)[0]), want)
	}
}

// Coordinates in floats are fractions with a power of two as denominator; many rows at few places are supported.
func TestRationals(t *testing.T) {
	p := expect.Must(Rationals([][]float64{{0.75, -2}, {0.1, 0}}))(t)
	equalRat(t, "¾", p[0][0], big.NewRat(3, 4))
	if tenth := big.NewRat(1, 10); p[1][0].Cmp(tenth) == 0 || decimal(p[1][0]) != 0.1 {
		t.Errorf("0.1 came as %v; the float nearest to it is not the fraction", p[1][0])
	}
	if back := p.Floats(); !slices.EqualFunc(back, [][]float64{{0.75, -2}, {0.1, 0}}, slices.Equal[[]float64]) {
		t.Errorf("back as floats: %v", back)
	}
	wantError(t, "NaN", expect.Err(Rationals([][]float64{{1}, {math.NaN()}})), "NaN", "row 1")
	wantError(t, "infinity", expect.Err(Rationals([][]float64{{math.Inf(1)}})), "Inf", "finite")
	wantError(t, "nothing", expect.Err(Rationals(nil)), "at least one row")

	many := make([]int64, 3000)
	for i := range many {
		many[i] = int64(i % 3)
	}
	best, _ := expect.Must2(RationalLine(many...).BestSplit())(t)
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
	wantError(t, "ragged", expect.Err(EnumerateRationalSeeding(one, ragged)), "unlabeled rows", "row 1 has 0")
	wantError(t, "nothing labeled", expect.Err(EnumerateRationalSeeding(nil, one)), "labeled rows")
	_, err = EnumerateRationalSeeding(one, RationalPoints{{nil}})
	wantError(t, "nil", err, "coordinate 0 of row 0 is nil")
	_, err = EnumerateRationalSeeding(one, RationalPoints{{big.NewRat(1, 1), big.NewRat(1, 1)}})
	wantError(t, "dimension", err, "1 coordinates", "2")
	wantError(t, "collapsed", expect.Err(EnumerateRationalSeeding(one, one)), "nothing to draw")
	wantError(t, "seed", expect.Err(RationalPUPLFrom(one, one, 1)), "seed row 1")
	wantError(t, "nothing unlabeled", expect.Err(RationalPUPLFrom(one, nil, 0)), "unlabeled rows")
	wantError(t, "pseudo code, nothing labeled", expect.Err(RationalPUPLPseudoCode(nil, one)), "labeled rows")
	wantError(t, "k-means++ without points", expect.Err(RationalKMeansPlusPlus(nil)), "points")
}

// Labeled 0; unlabeled 0, 1 and 3, as in TestSeedingByHand: E = (1·4 + 9·1)/10, best split {0, 0, 1} with ⅔.
func TestRationalSeedingByHand(t *testing.T) {
	s := expect.Must(EnumerateRationalSeeding(RationalLine(0), RationalLine(0, 1, 3)))(t)
	seeded, settled := s.Expected()
	equalRat(t, "expected", seeded.Free, big.NewRat(13, 10))
	equalRat(t, "optimal", s.Optimal, big.NewRat(2, 3))
	// From 1: {0, 0} and {1, 3} with means 0 and 2. The row 1 is at distance 1 from both, a tie, so it goes to the
	// positive center, and {0, 0, 1} and {3} remain. The start at 3 gives the same at once.
	equalRat(t, "settled", settled.Free, big.NewRat(2, 3))
	expect.That(t, s.Starts[0].Tied && !s.Starts[1].Tied && s.Starts[0].Seed == 1, "starts %+v", s.Starts)
}

// k-means++ on 0, 0 and 1: from 0 the second center is 1, from 1 it is 0, and the potential is 0. On 0, 1 and 3: from 0
// the weights are 1 and 9 with potentials 4 and 1. From 1: 1 and 4 with 4 and 1. From 3: 9 and 4 with 1 and 1.
func TestRationalKMeansPlusPlusByHand(t *testing.T) {
	zero := expect.Must(RationalKMeansPlusPlus(RationalLine(0, 0, 1)))(t)
	equalRat(t, "two places", zero, new(big.Rat))
	got := expect.Must(RationalKMeansPlusPlus(RationalLine(0, 1, 3)))(t)
	want := new(big.Rat).Add(big.NewRat(13, 10), big.NewRat(8, 5))
	want.Add(want, big.NewRat(1, 1))
	equalRat(t, "three places", got, want.Mul(want, big.NewRat(1, 3)))
	// 0 twice, 1 and 3: from a 0 as before, 13/10; from 1, weights 2·1 and 4 with potentials 4 and 2; from 3, weights
	// 2·9 and 4 with 1 and 2.
	got = expect.Must(RationalKMeansPlusPlus(RationalLine(0, 0, 1, 3)))(t)
	want = new(big.Rat).Add(big.NewRat(26, 10), big.NewRat(16, 6))
	want.Add(want, big.NewRat(26, 22))
	equalRat(t, "four rows at three places", got, want.Mul(want, big.NewRat(1, 4)))
	same := expect.Must(RationalKMeansPlusPlus(RationalLine(5, 5)))(t)
	equalRat(t, "one place", same, new(big.Rat))
}

// Random whole numbers in the plane: the exact results must equal those of the float64 algorithms used in training.
// After a tie, rounding can send a row either way, so such cases are excluded from the comparison of labels.
func TestRationalsAgreeWithFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	compared := 0
	for range 60 {
		draw := func(n int) ([][]float64, RationalPoints) {
			rows := make([][]float64, n)
			for i := range rows {
				rows[i] = []float64{float64(rng.IntN(30)), float64(rng.IntN(30))}
			}
			p := expect.Must(Rationals(rows))(t)
			return rows, p
		}
		labeled, rationalLabeled := draw(1 + rng.IntN(4))
		unlabeled, rationalUnlabeled := draw(2 + rng.IntN(6))
		x, mask := stack(labeled, unlabeled)
		floats := expect.Must(enumerateFloats(x, mask))(t)
		exact := expect.Must(EnumerateRationalSeeding(rationalLabeled, rationalUnlabeled))(t)
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
		free := expect.Must(cluster.PseudoCode(x, mask))(t)
		exactFree := expect.Must(RationalPUPLPseudoCode(rationalLabeled, rationalUnlabeled))(t)
		if !exactFree.Tied {
			compareClusterings(t, free, exactFree, len(labeled))
		}
		from := expect.Must(RationalPUPLFrom(rationalLabeled, rationalUnlabeled, exact.Starts[0].Seed))(t)
		expect.That(t, slices.Equal(from.Labels, exact.Starts[0].Labels) &&
			len(from.Rounds) == len(exact.Starts[0].Rounds), "a start alone differs from the same start among all")
	}
	expect.That(t, compared >= 200, "only %d starts were compared", compared)
}

// compareClusterings compares clusterings of rows, the first labeled of which are labeled.
func compareClusterings(t *testing.T, got *cluster.Clustering, want *RationalClustering, labeled int) {
	t.Helper()
	start := want.Seed
	if start >= 0 {
		start += labeled
	}
	expect.Require(t, slices.Equal(got.NearPositive, slices.Concat(want.Labeled, want.Labels)) &&
		got.StartRow == start && got.Iterations == len(want.Rounds)-1 && got.Converged == want.Converged,
		"floats %+v, exactly %+v", got, want)
	for k := range want.Positive {
		near(t, "positive center", got.PositiveCenter[k], decimal(want.Positive[k]), 1e-12)
		near(t, "negative center", got.NegativeCenter[k], decimal(want.Negative[k]), 1e-12)
	}
	last := want.Rounds[len(want.Rounds)-1]
	near(t, "seeding potential", got.SeedingPotential, decimal(want.Rounds[0].Free), 1e-12)
	near(t, "potential", got.Potential, decimal(last.Free), 1e-12)
	near(t, "constrained potential", got.ConstrainedPotential, decimal(last.Constrained), 1e-12)
}

// Labeled 0 and 3, unlabeled 0 and 1, started at the unlabeled 0, so that μ_P = 3/2. The unlabeled 1 joins the
// positives and moves μ_P away from 3, while Definition 6 still charges the labeled 0 to μ_N = 0.
func TestARoundCanRaiseDefinition6(t *testing.T) {
	c := expect.Must(RationalPUPLFrom(RationalLine(0, 3), RationalLine(0, 1), 0))(t)
	// Definition 6 before: 0 to μ_N 0, 3 to μ_P 9/4, unlabeled 0 and ¼. Afterwards μ_P = 4/3: 0, 25/9, 0 and 1/9.
	// With the labeled rows charged to μ_P: 9/4 + 9/4 + ¼ before, 16/9 + 25/9 + 1/9 after.
	want := []RationalPotentials{{big.NewRat(5, 2), big.NewRat(19, 4)}, {big.NewRat(26, 9), big.NewRat(14, 3)}}
	expect.Require(t, len(c.Rounds) == len(want) && c.Converged, "%d rounds, converged %v", len(c.Rounds), c.Converged)
	for i, round := range c.Rounds {
		equalRat(t, "Definition 6", round.Free, want[i].Free)
		equalRat(t, "constrained", round.Constrained, want[i].Constrained)
	}
	for i, want := range [][2]*big.Rat{{big.NewRat(3, 2), new(big.Rat)}, {big.NewRat(4, 3), new(big.Rat)}} {
		equalRat(t, "μ_P on the path", c.Path[i][0][0], want[0])
		equalRat(t, "μ_N on the path", c.Path[i][1][0], want[1])
	}
	equalRat(t, "after seeding", c.Seeded().Free, want[0].Free)
	equalRat(t, "at rest", c.Settled().Free, want[1].Free)
	equalRat(t, "μ_P", c.Positive[0], big.NewRat(4, 3))
	equalRat(t, "μ_N, the second center", c.Centers()[1][0], new(big.Rat))
	expect.That(t, slices.Equal(c.Labels, []bool{false, true}) && slices.Equal(c.Labeled, []bool{false, true}) &&
		!c.Tied, "labels %v, labeled %v, tied %v", c.Labels, c.Labeled, c.Tied)
}
