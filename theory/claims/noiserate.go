package claims

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// NoiseRate returns the claim that treating unlabeled examples as negatives is class-dependent label noise at the rates
// of equation (12).
//
// A case-control data set holds n_P labeled positives and n_U unlabeled examples, of which a random number K, binomial
// with n_U and π, are positive; these K are mislabeled. Equation (10) defines ξ_P as a probability, p(ỹ≠y | y=1), which
// is exactly π/(γ+π) for an example drawn at random from the data. Equation (12) prints an expectation, E(ξ_P). The
// fraction of mislabeled positives in a data set, K/(n_P+K), has a smaller expectation, since it is concave in K.
//
// The check covers a grid of n_P, n_U and π in rational arithmetic and enumerates K, without rounding. It needs no
// engine.
func NoiseRate() Claim {
	return Claim{
		ID:        "noise-rate",
		Statement: "With the unlabeled examples taken for negatives, labels are wrong at rates E(ξ_P) = π_P/(γ + π_P) and ξ_N = 0.",
		LaTeX:     `E(\xi_P) = \frac{\pi_P}{\gamma + \pi_P}, \qquad \xi_N = 0`,
		Source:    "Contrastive Positive Unlabeled Learning, appendix A.3.2, equation (12)",
		Assumptions: []string{
			"case-control: n_P labeled draws from p(x|y=1), n_U unlabeled draws from p(x), all independent (11)",
			"γ = n_P/n_U, π_P = p(y=1)",
		},
		rests: grounds{constants: []string{"pi", "gamma"}, assumptions: []string{caseControl}},
		check: func(s *subject) Finding {
			return noiseRateFinding(s, func(gamma, pi *big.Rat) *big.Rat {
				return printedNoiseRate(s.rational("gamma", gamma), s.rational("pi", pi))
			})
		},
	}
}

// printedNoiseRate returns the right side of (12).
func printedNoiseRate(gamma, pi *big.Rat) *big.Rat { return over(pi, plus(gamma, pi)) }

// correctedNoiseRate is (12) without the expectation.
const correctedNoiseRate = `\xi_P = p(\tilde y \ne y \mid y = 1) = \frac{\pi_P}{\gamma+\pi_P},\ \xi_N = 0`

// noiseRates are the noise rates of the labels of one case-control data set, in the two readings.
type noiseRates struct {
	probability *big.Rat // p(ỹ≠y | y=1) of an example drawn at random from the data
	meanShare   *big.Rat // E[K/(n_P+K)]
	negative    *big.Rat // p(ỹ≠y | y=0)
}

// caseControlRates enumerates the number K of positives among the unlabeled, and for each K the examples of the data
// set, from which one is drawn at random. It requires at least one labeled positive, and a positive probability of
// negatives.
func caseControlRates(nP, nU int64, pi *big.Rat) noiseRates {
	var drawn, wrong [2]big.Rat // per class y: P(y) and P(y, ỹ≠y) of the example drawn
	for k := range nU + 1 {
		each := binomial(nU, k, pi)
		each.Mul(each, big.NewRat(1, nP+nU))
		for i := range nP + nU {
			class, label := oneIf(i < nP+k), oneIf(i < nP) // the labeled positives first, then the unlabeled ones
			drawn[class].Add(&drawn[class], each)
			if label != class {
				wrong[class].Add(&wrong[class], each)
			}
		}
	}
	return noiseRates{
		probability: wrong[1].Quo(&wrong[1], &drawn[1]),
		meanShare:   meanShare(nP, nU, pi),
		negative:    wrong[0].Quo(&wrong[0], &drawn[0]),
	}
}

// meanShare returns E[K/(n_P+K)] with K binomial.
func meanShare(nP, nU int64, pi *big.Rat) *big.Rat {
	mean := new(big.Rat)
	for k := range nU + 1 {
		p := binomial(nU, k, pi)
		mean.Add(mean, p.Mul(p, big.NewRat(k, nP+k)))
	}
	return mean
}

// binomial returns C(n, k) π^k (1−π)^(n−k).
func binomial(n, k int64, pi *big.Rat) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
	rest := minus(whole(1), pi)
	for i := range n {
		if i < k {
			p.Mul(p, pi)
		} else {
			p.Mul(p, rest)
		}
	}
	return p
}

// noiseRateFinding compares the formula for ξ_P with both readings.
func noiseRateFinding(s *subject, formula func(gamma, pi *big.Rat) *big.Rat) Finding {
	var f Finding
	cases, asProbability, asMean := 0, 0, 0
	largest := new(big.Rat)
	for _, nP := range []int64{1, 2, 3, 5, 8} {
		for _, nU := range []int64{1, 2, 3, 5, 8, 12} {
			for tenths := int64(1); tenths <= 9; tenths++ {
				pi, gamma := big.NewRat(tenths, 10), big.NewRat(nP, nU)
				among := pi // the unlabeled
				if !s.assumes(caseControl) {
					among = over(pi, plus(whole(1), minus(whole(1), pi))) // in a single data set, half of the positives labeled
				}
				rates, printed := caseControlRates(nP, nU, among), formula(gamma, pi)
				cases++
				asProbability += oneIf(rates.probability.Cmp(printed) == 0 && rates.negative.Sign() == 0)
				asMean += oneIf(rates.meanShare.Cmp(printed) == 0)
				gap := minus(printed, rates.meanShare)
				if gap.Abs(gap).Cmp(largest) > 0 {
					largest = gap
					f.Counterexample = fmt.Sprintf("n_P = %d, n_U = %d, π = %s: formula %s, expected share %s, probability %s", nP, nU,
						pi.RatString(), printed.RatString(), rates.meanShare.RatString(), rates.probability.RatString())
				}
			}
		}
	}
	gap := decimal(largest)
	f.Number = exactly(gap)
	measure(&f, cases, "cases")
	measure(&f, asProbability, "cases equal as a probability")
	measure(&f, asMean, "cases equal as an expected share")
	measure(&f, f.Number, "largest difference to the expected share")
	f.Why = "By linearity, of the n_P + n_U·π positives expected n_U·π are unlabeled, so an example drawn at random is " +
		"mislabeled with probability π/(γ+π) given that it is positive. The share K/(n_P+K) of one data set is concave " +
		"in K, so by Jensen's inequality its expectation is smaller."
	f.detail("as the probability p(ỹ≠y | y=1) of equation (10), with p(ỹ≠y | y=0) = 0: equal in %d of %d cases", asProbability, cases)
	f.detail("as the expected share of mislabeled positives in a data set, E[K/(n_P+K)]: equal in %d of %d cases", asMean, cases)
	f.detail("%s", fadingDetail(formula))
	f.detail("%s", singleDatasetDetail(formula))

	switch {
	case asProbability < cases && asMean < cases:
		f.conclude(Fails, "The formula is the rate in neither reading: it misses the probability in %d and the expected "+
			"share in %d of %d cases.", cases-asProbability, cases-asMean, cases)
		f.Corrected = "p(ỹ≠y | y=1) = π_P/(γ + π_P), ξ_N = 0"
		f.CorrectedLaTeX = correctedNoiseRate
	case asProbability == cases && asMean == cases:
		f.conclude(Holds, "Exact in all %d cases, as a probability and as an expected share.", cases)
	case asProbability == cases:
		f.conclude(Conditional, "Exact in all %d cases where ξ_P is the probability p(ỹ≠y | y=1) that (10) defines. The "+
			"expectation of the share of mislabeled positives in a finite data set is smaller, by up to %.4f here, and "+
			"agrees only as the data grow.", cases, gap)
		f.Corrected = "ξ_P = p(ỹ≠y | y=1) = π_P/(γ + π_P), ξ_N = 0, without the expectation"
		f.CorrectedLaTeX = correctedNoiseRate
	default:
		f.conclude(Conditional, "Exact in all %d cases as an expected share, but not as the probability that (10) defines.", cases)
	}
	return f
}

// fadingDetail measures the difference to the expected fraction as the data grow at γ = 1/2 and π = 2/5. Expanding
// K/(n_P+K) to second order about its mean gives n_U times the difference the limit γπ(1−π)/(γ+π)³.
func fadingDetail(formula func(gamma, pi *big.Rat) *big.Rat) string {
	pi := big.NewRat(2, 5)
	gaps := lists.Map([]int64{2, 8, 32, 128}, func(nU int64) string {
		gap := minus(formula(big.NewRat(1, 2), pi), meanShare(nU/2, nU, pi))
		return fmt.Sprintf("%s for n_U = %d", times(gap, whole(nU)).FloatString(4), nU)
	})
	// γ = 1/2: γπ(1−π) = 3/25, (γ+π)³ = (9/10)³.
	limit := over(big.NewRat(3, 25), big.NewRat(729, 1000))
	return fmt.Sprintf("at γ = 1/2, π = 2/5 the difference to the expected share, times n_U, is %s; its limit as the data grow "+
		"is γπ(1−π)/(γ+π)³ = %s", strings.Join(gaps, ", "), limit.FloatString(4))
}

// singleDatasetDetail compares the formula with a single data set in which a fraction c of the positives is labeled.
// There the rate is 1−c by definition, and γ = πc/(1−πc).
func singleDatasetDetail(formula func(gamma, pi *big.Rat) *big.Rat) string {
	one := whole(1)
	withPopulation, withUnlabeled, cases := 0, 0, 0
	for p := int64(1); p <= 9; p++ {
		for l := int64(1); l <= 9; l++ {
			pi, c := big.NewRat(p, 10), big.NewRat(l, 10)
			labeled, rate := times(pi, c), minus(one, c)
			unlabeled := minus(one, labeled)
			gamma := over(labeled, unlabeled)
			cases++
			withPopulation += oneIf(formula(gamma, pi).Cmp(rate) == 0)
			withUnlabeled += oneIf(formula(gamma, over(times(pi, rate), unlabeled)).Cmp(rate) == 0)
		}
	}
	return fmt.Sprintf("single data set, where the rate is 1−c: equal in %d of %d cases with π the share of positives "+
		"among the unlabeled, in %d with π that of the whole data", withUnlabeled, cases, withPopulation)
}
