package claims

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Lemma2 returns the claim that the mean of a random subset of the positives, as their center, costs in expectation 1 +
// (n_P − n_L)/(n_L(n_P − 1)) times the optimum.
//
// It is the variance of a mean of draws without replacement. The check enumerates all subsets of many sets of points in
// rational arithmetic and needs no engine.
func Lemma2() Claim {
	return Claim{
		ID: "lemma-2",
		Statement: "If Z_PL is a uniformly random subset of n_L of the n_P points of Z_P and μ its mean, E[φ(Z_P, μ)] = " +
			"(1 + (n_P − n_L)/(n_L(n_P − 1))) φ*(Z_P, μ*).",
		LaTeX: `\mathbb{E}\left[\phi(\mathcal{Z}_P, \mu)\right] = \left(1 + \frac{n_P - n_{P_L}}{n_{P_L}(n_P - ` +
			`1)}\right) \phi^*(\mathcal{Z}_P, \mu^*)`,
		Source: "Contrastive Positive Unlabeled Learning, Lemma 2 (appendix A.6.1), proof in A.6.3",
		Assumptions: []string{
			"Z_PL is drawn uniformly from all subsets of Z_P with n_L points",
			"μ* is the optimal centre of Z_P, and φ*(Z_P, μ*) its potential",
		},
		rests: grounds{constants: []string{"1", "(n_P-n_L)/(n_L(n_P-1))"}, assumptions: []string{"uniform subset"}},
		check: func(s *subject) Finding {
			return lemma2Finding(s, func(nP, nL int64) *big.Rat {
				factor := printedCentroidFactor(nP, nL)
				if factor == nil {
					return nil
				}
				one := whole(1)
				return plus(s.rational("1", one), s.rational("(n_P-n_L)/(n_L(n_P-1))", minus(factor, one)))
			})
		},
	}
}

// printedCentroidFactor returns the factor of the lemma; nil for n_P = 1, where it is 0/0.
func printedCentroidFactor(nP, nL int64) *big.Rat {
	if nP == 1 {
		return nil
	}
	return plus(whole(1), big.NewRat(nP-nL, nL*(nP-1)))
}

// CentroidCost is the cost of using the mean of a few labeled positives instead of the mean of all.
type CentroidCost struct {
	Subsets    *big.Rat // E[φ(Z_P, μ)] over all subsets of the points of the given size
	Draws      *big.Rat // the same over independent draws with replacement
	Unlabeled  *big.Rat // E[Σ over the points outside the subset of |z − μ*|²], over the same subsets
	Best       *big.Rat // φ*(Z_P, μ*)
	NumSubsets int
}

// MeasureCentroid enumerates all subsets of n of the points, and all draws of n with replacement. There may be up to 10
// points, and n from 1 to their number.
func MeasureCentroid(points theory.RationalPoints, n int) (cost CentroidCost, err error) {
	return measureCentroid(points, n, true)
}

// measureCentroid is MeasureCentroid. If uniform is false, the subset always contains the first point.
func measureCentroid(points theory.RationalPoints, n int, uniform bool) (cost CentroidCost, err error) {
	defer must.Catch(&err)
	must.Do(points.Validate())
	if len(points) > 10 || n < 1 || n > len(points) {
		return CentroidCost{}, fmt.Errorf("claims: subsets of %d of %d points; there may be 1 to 10 points, and 1 to all "+
			"of them in a subset", n, len(points))
	}
	best := points.Mean()
	c := CentroidCost{Subsets: new(big.Rat), Draws: new(big.Rat), Unlabeled: new(big.Rat), Best: points.Spread()}
	for mask := 1; mask < 1<<len(points); mask++ {
		if bits.OnesCount(uint(mask)) != n || !uniform && mask&1 == 0 {
			continue
		}
		labeled, rest := pick(points, mask)
		c.NumSubsets++
		c.Subsets.Add(c.Subsets, points.Potential(labeled.Mean()))
		c.Unlabeled.Add(c.Unlabeled, rest.Potential(best))
	}
	share := big.NewRat(1, int64(c.NumSubsets))
	c.Subsets.Mul(c.Subsets, share)
	c.Unlabeled.Mul(c.Unlabeled, share)
	c.drawn(points, n)
	return c, nil
}

// drawn sets Draws, by enumerating all draws as multisets with their multinomial weights.
func (c *CentroidCost) drawn(points theory.RationalPoints, n int) {
	all := new(big.Int).Exp(big.NewInt(int64(len(points))), big.NewInt(int64(n)), nil)
	for x := range multisets(n, n, len(points)) {
		ways := new(big.Int).MulRange(1, int64(n))
		drawn := make(theory.RationalPoints, n)
		for i, j := range x {
			drawn[i] = points[j]
			run := int64(1) // length of the current run of equal points
			for k := i; k > 0 && x[k-1] == j; k-- {
				run++
			}
			ways.Quo(ways, big.NewInt(run))
		}
		c.Draws.Add(c.Draws, times(new(big.Rat).SetFrac(ways, all), points.Potential(drawn.Mean())))
	}
}

// lemma2Finding compares the factor with sets of 1 to 6 points on a line and in space.
func lemma2Finding(s *subject, factor func(nP, nL int64) *big.Rat) Finding {
	var f Finding
	var cases, equal, undefined, literal, drawnEqual, subsets int
	largest := new(big.Rat) // largest difference, as a fraction of φ*
	rng := rand.New(rand.NewPCG(2, 2))
	for set := range 60 {
		nP := 1 + set%6
		var points theory.RationalPoints = lists.Table(nP, 1+set%3, func(int, int) *big.Rat {
			return big.NewRat(rng.Int64N(21)-10, 1+rng.Int64N(3))
		})
		for nL := 1; nL <= nP; nL++ {
			cost := must.Get(measureCentroid(points, nL, s.assumes("uniform subset")))
			subsets += cost.NumSubsets
			printed := factor(int64(nP), int64(nL))
			if printed == nil {
				undefined++
				continue
			}
			cases++
			right := times(printed, cost.Best)
			if cost.Subsets.Cmp(right) == 0 {
				equal++
			} else {
				if cost.Best.Sign() > 0 {
					gap := over(minus(cost.Subsets, right), cost.Best)
					largest = larger(largest, gap.Abs(gap))
				}
				if f.Counterexample == "" {
					f.Counterexample = fmt.Sprintf("points %s, n_L = %d: expected potential %s, right side %s",
						places(points), nL, cost.Subsets.RatString(), right.RatString())
				}
			}
			literal += oneIf(cost.Subsets.Cmp(times(printed, cost.Unlabeled)) == 0)
			drawnEqual += oneIf(cost.Draws.Cmp(times(plus(whole(1), big.NewRat(1, int64(nL))), cost.Best)) == 0)
		}
	}
	if drawnEqual != cases {
		must.Fail("the factor 1 + 1/n_L for independent draws fails in %d of %d cases", cases-drawnEqual, cases)
	}
	checkIndependentPositives()
	f.Number = exactly(decimal(largest))
	measure(&f, cases, "cases of a set of points and n_L")
	measure(&f, equal, "equal")
	measure(&f, f.Number, "largest difference, as a share of φ*")
	measure(&f, subsets, "subsets enumerated")
	measure(&f, undefined, "cases with n_P = 1, where the factor is 0/0")
	measure(&f, literal, "equal where the sum in φ* goes over Z_PU's unlabeled positives, as its index is printed")
	measure(&f, drawnEqual, "equal to (1 + 1/n_L) φ* where the labeled are independent draws from the points")
	ends := theory.RationalLine(-1, 1).Spread() // |−1 − μ*|² + |1 − μ*|²
	measure(&f, times(big.NewRat(1, 2), ends), "points −1 and 1, n_L = 1: E|μ − μ*|²")
	measure(&f, times(printedCentroidFactor(2, 1), ends), "points −1 and 1, n_L = 1: what the last line of the proof has for it")
	f.Why = "φ(Z_P, μ) = φ* + n_P |μ − μ*|², and the mean of n_L draws without replacement has variance (n_P − " +
		"n_L)/(n_L(n_P − 1)) times φ*/n_P: in E|Σ_L z|² a pair of different points counts with probability n_L(n_L − " +
		"1)/(n_P(n_P − 1)), a point with n_L/n_P. For n_P = 1 both sides are 0 and the factor is not defined."
	f.detail("two misprints: φ*(Z_P, μ*) is written as a sum over Z_{P_U}, and must go over Z_P, as " +
		"Definition 6 says; and the last line of the proof equates E|μ − μ*|² with the lemma's right side, having left " +
		"out to multiply by n_P and to add φ*")
	f.detail("the lemma says that a random subset implies data as in (1); what is true is that (1) implies a random " +
		"subset, if Z_P is all positives of the data, labeled and not: given the points, each n_L of them are as likely " +
		"to be the labeled ones")
	f.detail("where Z_P is a set apart from which the labeled points are drawn independently, with replacement, the " +
		"factor is 1 + 1/n_L; where they are independent of Z_P and both come from one class, E[φ] = n_P(1 + 1/n_L) σ² " +
		"against E[φ*] = (n_P − 1) σ²")
	switch {
	case equal == cases && literal == cases:
		f.conclude(Holds, "Exact in all %d cases with at least two positives (largest difference %.4g), every subset counted.",
			cases, f.Number.Value)
	case equal == cases:
		f.conclude(Conditional, "Exact in all %d cases with at least two positives (largest difference %.4g), every subset "+
			"counted, if φ* is the sum over Z_P of Definition 6. With the printed sum over Z_{P_U} it is equal in %d.",
			cases, f.Number.Value, literal)
		f.Corrected = "E[φ(Z_P, μ)] = (1 + (n_P − n_L)/(n_L(n_P − 1))) φ*(Z_P, μ*), φ* being the sum over Z_P"
	default:
		f.conclude(Fails, "It misses the expectation in %d of %d cases, by up to %.4g times φ*.", cases-equal, cases,
			f.Number.Value)
		f.Corrected = "E[φ(Z_P, μ)] = (1 + (n_P − n_L)/(n_L(n_P − 1))) φ*(Z_P, μ*)"
	}
	return f
}

// checkIndependentPositives checks the details for labeled points that are independent of Z_P. For a class of −1 and 1
// with equal probability (σ² = 1), over all samples, E[φ] = n_P(1 + 1/n_L) and E[φ*] = n_P − 1.
func checkIndependentPositives() {
	sample := func(n, bits int) theory.RationalPoints {
		return theory.RationalLine(lists.Make(n, func(i int) int64 { return int64(bits>>i&1)*2 - 1 })...)
	}
	for nP := 1; nP <= 4; nP++ {
		for nL := 1; nL <= 4; nL++ {
			cost, best := new(big.Rat), new(big.Rat)
			share := big.NewRat(1, 1<<(nP+nL))
			for bits := range 1 << (nP + nL) {
				points, labeled := sample(nP, bits), sample(nL, bits>>nP)
				cost.Add(cost, times(share, points.Potential(labeled.Mean())))
				best.Add(best, times(share, points.Spread()))
			}
			want := plus(whole(int64(nP)), big.NewRat(int64(nP), int64(nL)))
			if cost.Cmp(want) != 0 || best.Cmp(whole(int64(nP-1))) != 0 {
				must.Fail("independent labels, n_P = %d, n_L = %d: E[φ] = %s, E[φ*] = %s; %s and %d were "+
					"expected", nP, nL, cost.RatString(), best.RatString(), want.RatString(), nP-1)
			}
		}
	}
}
