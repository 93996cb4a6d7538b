package claims

import (
	"fmt"
	"math/big"
	"math/rand/v2"
)

// LPosIdentity returns the claim behind DebiasedPos: solving p = τ⁺p⁺ + τ⁻p⁻ for p⁺ turns the loss with draws of the
// anchor's class into one that needs only draws of all data and of the other class.
//
// The check compares the two fractions in rational arithmetic, on random distributions over two to four points per
// class with random positive scores in place of exp s, without rounding. It needs no engine.
func LPosIdentity() Claim {
	return Claim{
		ID: "lpos-identity",
		Statement: "With p⁺ = (p − τ⁻p⁻)/τ⁺ the loss −log E⁺/(E⁺ + N·E⁻), E⁺ and E⁻ being the means of f(x, ·) over p⁺ " +
			"and p⁻ and E that over p, is −log (E − τ⁻E⁻)/(E + (Nτ⁺ − τ⁻)E⁻).",
		LaTeX: `-\log\frac{\mathbb{E}_{p}f - \tau^-\,\mathbb{E}_{p^-}f}{\mathbb{E}_{p}f + (N\tau^+ - ` +
			`\tau^-)\,\mathbb{E}_{p^-}f} = -\log\frac{\mathbb{E}_{p^+}f}{\mathbb{E}_{p^+}f + N\,\mathbb{E}_{p^-}f}`,
		Source: "M. A. Nikitina, slides on distribution bias in contrastive learning, DebiasedPos",
		Assumptions: []string{
			"p = τ⁺p⁺ + τ⁻p⁻ for the anchor at hand, τ⁺ and τ⁻ being the probabilities of its class and of the other",
			"f is positive, so exp of the similarity (the slides print it without exp)",
		},
		rests: grounds{constants: []string{"tau-", "N tau+ - tau-"}, assumptions: []string{ownShare}},
		check: func(s *subject) Finding {
			return lposIdentityFinding(s, func(all, other, tauPlus *big.Rat, n int64) (numerator, denominator *big.Rat) {
				above, _ := printedLPos(all, times(s.rational("tau-", whole(1)), other), tauPlus, n)
				_, below := printedLPos(all, times(s.rational("N tau+ - tau-", whole(1)), other), tauPlus, n)
				return above, below
			})
		},
	}
}

// lposFraction is a fraction inside the logarithm, computed from the means over p and p⁻.
type lposFraction func(all, other, tauPlus *big.Rat, n int64) (numerator, denominator *big.Rat)

// printedLPos returns the fraction of the slides.
func printedLPos(all, other, tauPlus *big.Rat, n int64) (numerator, denominator *big.Rat) {
	tauMinus := minus(whole(1), tauPlus)
	return minus(all, times(tauMinus, other)), plus(times(minus(times(whole(n), tauPlus), tauMinus), other), all)
}

// identityTally counts random cases in which an identity holds: with the probability τ⁺ of the anchor's own class, and
// with that of the other class, as if all anchors had one τ⁺.
type identityTally struct{ cases, own, other, balanced, balancedOther int }

// add counts a case: holds reports whether the identity holds with assumed in place of τ⁺. add reports whether it holds
// for τ⁺ itself.
func (t *identityTally) add(tauPlus *big.Rat, holds func(assumed *big.Rat) bool) bool {
	wrong := minus(whole(1), tauPlus)
	own, other, balanced := holds(tauPlus), holds(wrong), wrong.Cmp(tauPlus) == 0
	t.cases, t.own, t.other = t.cases+1, t.own+oneIf(own), t.other+oneIf(other)
	t.balanced, t.balancedOther = t.balanced+oneIf(balanced), t.balancedOther+oneIf(balanced && other)
	return own
}

// measure adds the number of cases in which the identity fails to the finding; for τ⁺ that is the finding's Number.
func (t identityTally) measure(f *Finding) {
	f.Number = exactly(t.cases - t.own)
	measure(f, t.cases, "cases")
	measure(f, t.cases-t.own, "cases that differ, τ⁺ that of the anchor's class")
	measure(f, t.cases-t.other, "cases that differ, τ⁺ that of the other class")
	measure(f, t.balanced-t.balancedOther, "of these with balanced classes")
}

const lposCases = 2000

// ratMean draws a distribution over two to four points with random scores and returns the mean score. If signed is not
// set, all scores are positive.
func ratMean(rng *rand.Rand, signed bool) *big.Rat {
	mean, total := new(big.Rat), int64(0)
	for range 2 + rng.IntN(3) {
		weight, score := 1+rng.Int64N(9), big.NewRat(1+rng.Int64N(40), 1+rng.Int64N(12))
		if signed && rng.IntN(2) == 0 {
			score.Neg(score)
		}
		total += weight
		mean.Add(mean, score.Mul(score, big.NewRat(weight, 1)))
	}
	return mean.Mul(mean, big.NewRat(1, total))
}

// mixture returns τ⁺·own + (1−τ⁺)·other.
func mixture(own, other, tauPlus *big.Rat) *big.Rat {
	return plus(times(tauPlus, own), times(minus(whole(1), tauPlus), other))
}

// lposEqual reports whether the fraction with τ⁺ = assumed, in place of tauPlus, is own/(own + n·other), and whether it
// has a logarithm.
func lposEqual(f lposFraction, own, other, tauPlus, assumed *big.Rat, n int64) (equal, defined bool) {
	numerator, denominator := f(mixture(own, other, tauPlus), other, assumed, n)
	below := plus(times(whole(n), other), own)
	return times(numerator, below).Cmp(times(denominator, own)) == 0, below.Sign() > 0 && own.Sign() > 0
}

// lposIdentityFinding compares a fraction with the one with p⁺.
func lposIdentityFinding(s *subject, fraction lposFraction) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(1, 0x1905))
	var tally identityTally
	signedEqual, undefined := 0, 0
	for range lposCases {
		own, other := ratMean(rng, false), ratMean(rng, false)
		tauPlus, n := big.NewRat(1+rng.Int64N(19), 20), 1+rng.Int64N(12)
		holds := tally.add(s.share(tauPlus), func(assumed *big.Rat) bool {
			same, _ := lposEqual(fraction, own, other, tauPlus, assumed, n)
			return same
		})
		if !holds && f.Counterexample == "" {
			f.Counterexample = fmt.Sprintf("E⁺ = %s, E⁻ = %s, τ⁺ = %s, N = %d", own.RatString(), other.RatString(),
				tauPlus.RatString(), n)
		}
		same, defined := lposEqual(fraction, ratMean(rng, true), ratMean(rng, true), tauPlus, tauPlus, n)
		signedEqual += oneIf(same)
		undefined += oneIf(!defined)
	}
	tally.measure(&f)
	measure(&f, lposCases-signedEqual, "cases that differ with scores of either sign")
	measure(&f, undefined, "cases without a logarithm there")
	measure(&f, lposUndefined(), "chance of a numerator that is not positive, one draw for each mean")
	f.Why = "Put E = τ⁺E⁺ + τ⁻E⁻ in: the numerator is τ⁺E⁺, the denominator τ⁺E⁺ + Nτ⁺E⁻, and τ⁺ cancels. Nothing is " +
		"asked of f but that the logarithm exists."
	f.detail("one τ⁺ for all anchors, so that the anchors of one class are told the share of the other: the fractions "+
		"differ in %d of %d cases, and in %d of the %d of them with balanced classes", lposCases-tally.other, lposCases,
		tally.balanced-tally.balancedOther, tally.balanced)
	f.detail("f without exp, which may be negative: the fractions differ in %d of %d cases, but %d of them have no "+
		"logarithm", lposCases-signedEqual, lposCases, undefined)
	f.detail("the slides print the outer expectation over x⁻ ~ p⁻, a letter that is bound inside; it is read as over anchors x ~ p here")
	f.detail("the identity is one of expectations: with one draw for each mean the numerator need not be positive; it is "+
		"not with probability %.4g at τ⁺ = ½ where both classes show +1 and −1 with probability ½ and exp s is 2 and ½. "+
		"pucl.DebiasedPos has a floor for that", lposUndefined())
	if tally.own == lposCases {
		f.conclude(Holds, "The two fractions differ in %.0f of %d random cases in rational arithmetic, with τ⁺ the share "+
			"of the anchor's own class.", f.Number.Value, lposCases)
		return f
	}
	f.conclude(Fails, "The two fractions differ in %.0f of %d random cases in rational arithmetic.", f.Number.Value, lposCases)
	return f
}

// lposUndefined returns the probability that exp s − τ⁻ exp s⁻ ≤ 0 for single draws s of all data and s⁻ of the other
// class, at τ⁺ = ½. Both exponentials are 2 or ½ with equal probability.
func lposUndefined() float64 {
	not := 0.0
	for _, all := range []float64{2, 0.5} {
		for _, other := range []float64{2, 0.5} {
			if all-other/2 <= 0 {
				not += 0.25
			}
		}
	}
	return not
}
