package claims

import (
	"fmt"
	"math"
	"math/big"

	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory/internal/must"
)

// Lemma1 returns the claim that no robust estimator can guarantee a bounded error of the risk if γ ≤ 2π_P − 1.
//
// The proof compares the fraction of mislabeled examples, π/(1+γ), with the breakdown point ½ of estimators for
// arbitrary corruption. In the lemma's problem, the labels are wrong at given rates, and those of negatives never. uPU
// uses these rates: it is unbiased with an error that vanishes as the data grow, on either side of the threshold. If
// the prior were unknown, the risk could not be estimated on either side.
//
// The check enumerates data sets and runs package pucl's uPU on them, so it needs an engine; fractions of labels and
// pairs of populations are compared in rational arithmetic.
func Lemma1() Claim {
	return Claim{
		ID: "lemma-1",
		Statement: "With labels wrong at rates E(ξ_P) = π_P/(γ + π_P) and ξ_N = 0, no robust estimator can guarantee a " +
			"bounded risk estimate, |R̂(θ) − R(θ*)| ≤ ε, if γ ≤ 2π_P − 1.",
		LaTeX: `\gamma \leq 2\pi_P - 1 \ \Rightarrow\ \text{no robust estimator guarantees}\ \left\| ` +
			`\hat{\mathcal{R}}(\theta) - \mathcal{R}(\theta^*) \right\|_2 \leq \epsilon`,
		Source: "Contrastive Positive Unlabeled Learning, Lemma 1 and Definition 1 (appendix A.3.2)",
		Assumptions: []string{
			"data as in (11): n_P labeled draws from p(x|y=1), n_U draws from p(x) taken for negatives; γ = n_P/n_U",
			"the noise rates of (12) are part of the problem, so that γ and ξ_P give π_P = γξ_P/(1 − ξ_P)",
			"no further distributional assumption",
		},
		rests: grounds{
			constants:   []string{"pi^2/n_P", "1/(4n_U)", "2pi-1"},
			assumptions: []string{"known prior"},
			mistakes:    []mistake{{"upu of pn", "the estimate is the supervised risk, with the unlabeled examples for negatives"}},
		},
		check: func(s *subject) Finding {
			return lemma1Finding(s, func(prior float64) risk.Risk {
				known, wrong := s.assumes("known prior"), s.mistaken("upu of pn")
				if wrong {
					return risk.PN(risk.SigmoidLoss)
				}
				if !known {
					prior = 0.5
				}
				return risk.UPU(prior, risk.SigmoidLoss)
			})
		},
	}
}

// LemmaOneWorld returns the classifier for the check of [Lemma1]: by the sign of the logit it is correct for three
// quarters of the positives and half of the negatives.
func LemmaOneWorld(labeled, unlabeled int) RiskWorld {
	return RiskWorld{
		Positive: []LogitAtom{{2, 0.75}, {-1, 0.25}},
		Negative: []LogitAtom{{-2, 0.5}, {1, 0.5}},
		Labeled:  labeled, Unlabeled: unlabeled,
	}
}

// riskBound returns the largest mean squared error of uPU with a loss between 0 and 1, over all populations and
// classifiers: π²/n_P + 1/(4 n_U).
func (s *subject) riskBound(prior float64, nP, nU int) float64 {
	return s.constant("pi^2/n_P", prior*prior/float64(nP)) + s.constant("1/(4n_U)", 1/(4*float64(nU)))
}

// coinWorld returns the classifier with the largest variance of the estimate: confident, and correct for one half of
// either class.
func coinWorld(labeled, unlabeled int) RiskWorld {
	coin := []LogitAtom{{40, 0.5}, {-40, 0.5}}
	return RiskWorld{Positive: coin, Negative: coin, Labeled: labeled, Unlabeled: unlabeled}
}

// lemma1Errors is [RiskWorld.Measure] of the subject's estimate, measured once.
func (s *subject) lemma1Errors(w RiskWorld, estimate func(prior float64) risk.Risk, priors []float64) []RiskErrors {
	return once(s, fmt.Sprintf("lemma-1: %v at %v, %s%s", w, priors, s.plant.assumption, s.plant.mistake), func() []RiskErrors {
		return must.Get(w.Measure(s.eng, estimate, priors...))
	})
}

// lemma1Finding determines whether the estimate has a guarantee below the threshold.
func lemma1Finding(s *subject, estimate func(prior float64) risk.Risk) Finding {
	var f Finding
	priors := []float64{0.1, 0.3, 0.5, 0.6, 0.75, 0.9, 0.95}
	var sides [2]struct { // above the threshold, and at it or below
		cases                   int
		bias, largest, variance float64
	}
	flat, off := 0.0, 0.0 // error of the estimate ½, and deviation of the measured variance from uPU's formula
	for _, size := range []struct{ nP, nU int }{{1, 1}, {1, 2}, {1, 4}, {2, 2}} {
		for _, m := range s.lemma1Errors(LemmaOneWorld(size.nP, size.nU), estimate, priors) {
			side := &sides[oneIf(float64(size.nP)/float64(size.nU) <= 2*m.Prior-1)]
			side.cases++
			side.bias = max(side.bias, math.Abs(m.Mean-m.Risk))
			side.largest = max(side.largest, m.Largest)
			side.variance = max(side.variance, m.Variance/s.riskBound(m.Prior, size.nP, size.nU))
			flat = max(flat, math.Abs(0.5-m.Risk))
			off = max(off, math.Abs(m.Variance-m.Formula), math.Abs(m.Total-1))
		}
	}
	reached := 0.0 // distance from 1 of the fraction of the bound that coinWorld attains
	for _, m := range s.lemma1Errors(coinWorld(2, 2), estimate, priors) {
		reached = farther(reached, m.Variance/s.riskBound(m.Prior, 2, 2)-1)
	}
	labels := s.lemma1Shares()
	pairs := lemma1Pairs()
	if pairs.different > 0 || labels.broken > 0 {
		must.Fail("%d pairs of populations are not alike, %d rates do not give the prior back", pairs.different, labels.broken)
	}

	nP, nU, prior := 1000, 2000, 0.9
	rms := math.Sqrt(s.riskBound(prior, nP, nU))
	below := sides[1]
	for k, name := range [][2]string{{"γ ≤ 2π − 1", "cases of π, n_P and n_U"}, {"γ > 2π − 1", "cases"}} {
		side := sides[1-k]
		measure(&f, side.cases, "%s: %s", name[0], name[1])
		measure(&f, side.bias, "%s: largest |bias| of the estimate", name[0])
		measure(&f, side.largest, "%s: largest error over all data sets", name[0])
		measure(&f, side.variance, "%s: largest variance, as a share of π²/n_P + 1/(4n_U)", name[0])
	}
	measure(&f, flat, "largest error of the constant estimate ½")
	measure(&f, off, "largest difference of the variance from uPU's formula")
	measure(&f, reached, "a coin for a classifier: largest difference of the variance's share of π²/n_P + 1/(4n_U) from 1")
	measure(&f, rms, "n_P = 1000, n_U = 2000, π = 0.9: root of π²/n_P + 1/(4n_U)")
	measure(&f, labels.share, "cases in which the expected share of wrong labels is π/(1+γ)")
	measure(&f, labels.threshold, "cases in which that share is ½ or more exactly if γ ≤ 2π − 1")
	measure(&f, labels.cases, "cases of π and γ")
	measure(&f, labels.mostWrong, "cases above the threshold with more than half of the positives mislabeled")
	measure(&f, labels.fewWrong, "cases below it with half of the positives mislabeled or fewer")
	measure(&f, pairs.below, "pairs of populations with the same data and different risks, γ ≤ 2π − 1 for both")
	measure(&f, pairs.above, "the same, γ > 2π − 1 for both")
	measure(&f, pairs.gapBelow, "largest difference of the risks of a pair below the threshold")
	measure(&f, pairs.gapAbove, "largest difference of the risks of a pair above it")

	f.Corrected = "If π is known, uPU with a loss between 0 and 1 is unbiased with E|R̂ − R|² ≤ π²/n_P + 1/(4n_U) at " +
		"every γ > 0; if π is not known, then at every γ there are populations with the same p(x|y=1) and p(x) whose " +
		"risks differ by |π − π'|, so that no estimator can guarantee an error below half of that."
	f.CorrectedLaTeX = `\pi\ \text{known:}\quad \mathbb{E}\,|\hat{R}_{pu} - R|^2 \leq \frac{\pi^2}{n_P} + \frac{1}{4 ` +
		`n_U}\ \ \forall \gamma > 0; \qquad \pi\ \text{unknown:}\quad \inf_{\hat{R}} \sup_{\pi} |\hat{R} - R| \geq ` +
		`\tfrac{1}{2} |\pi - \pi'|\ \ \forall \gamma > 0`
	f.Why = "Half of the data wrong breaks an estimator that must stand any corruption. Here the wrong labels are positives " +
		"drawn like the labeled ones, at a known rate, and can be accounted for: p(x) = π p(x|y=1) + (1−π) p(x|y=0), so " +
		"E[R_U⁻] − π E[R_P⁻] = (1−π) E[ℓ(−t)|y=0], and uPU has expectation R. Its variance is π² Var(ℓ(t) − ℓ(−t)|y=1)/n_P + " +
		"Var(ℓ(−t))/n_U, where a number in [−1, 1] has variance 1 at most and one in [0, 1] has ¼. Known rates are a known " +
		"prior: π = γξ_P/(1−ξ_P). Without π: let every positive show x = +, and a share q of all examples; then any π up to q " +
		"fits, with a share (q−π)/(1−π) of the negatives showing +. The data are distributed alike at every n_P and n_U, but " +
		"the rule x = + ⇒ positive errs with probability q − π. The threshold separates nothing in either case."
	f.detail("the proof's arithmetic: the expected share of wrong labels is π/(1+γ) in %d, and ½ or more exactly if γ ≤ 2π − 1 "+
		"in %d, of %d cases; what does not apply is the breakdown point", labels.share, labels.threshold, labels.cases)
	f.detail("with a bounded loss every estimate has bounded error, even the constant ½; with an unbounded one uPU stays " +
		"unbiased, and its error needs second moments of the loss")
	f.detail("within the positives half of the labels are wrong or more exactly if π ≥ γ, which is another threshold: %s", labels.example)
	f.detail("if π counts as unknown, the statement is true for small ε, but just as true above the threshold: %s", pairs.example)
	f.detail("π²/n_P + 1/(4n_U) cannot be lowered: a classifier that is sure, and right about one half of either class, reaches it")
	f.detail("the lemma writes the estimate at θ and the risk at θ*; both are taken at one classifier here")
	guaranteed := float64(nP)/float64(nU) <= 2*prior-1 &&
		below.cases > 0 && below.bias <= 1e-12 && below.variance <= 1+1e-12 && off <= 1e-12
	f.Number = exactly(rms)
	if guaranteed {
		f.conclude(Fails, "With the stated rates, which give π, uPU is unbiased below the threshold too. For every classifier its "+
			"root-mean-square error with a loss in [0, 1] is at most %.4f at π = %g, n_P = %d, n_U = %d, though γ = %g ≤ "+
			"2π − 1 = %g.", rms, prior, nP, nU, float64(nP)/float64(nU), 2*prior-1)
		// A case that a reader can verify: one logit for each class.
		world := RiskWorld{Positive: []LogitAtom{{1, 1}}, Negative: []LogitAtom{{-1, 1}}, Labeled: 1, Unlabeled: 2}
		m := must.Get(world.Measure(s.eng, estimate, 0.9))[0]
		f.Counterexample = fmt.Sprintf("n_P = 1, n_U = 2, π = 0.9, so γ = 0.5 ≤ 0.8; positives with logit 1, negatives with −1, "+
			"sigmoid loss: the risk is %.6f, uPU's mean over all data sets %.6f, its variance %.6f, its largest error %.6f",
			m.Risk, m.Mean, m.Variance, m.Largest)
	} else {
		f.Number = exactly(below.bias)
		f.conclude(Undecided, "This estimate guarantees nothing below the threshold, with a bias of up to %.4f, but one "+
			"estimate that fails does not show that all do.", below.bias)
		f.Corrected, f.CorrectedLaTeX = "", ""
	}
	f.restOn(reached, "A classifier that tosses a coin has a variance that is off by %.4g times from the bound π²/n_P + 1/(4n_U), which "+
		"is said to be the least one.", reached)
	return f
}

// lemma1Labels are counts over a grid of n_P, n_U and π.
type lemma1Labels struct {
	cases, share, threshold, mostWrong, fewWrong, broken int
	example                                              string
}

// lemma1Shares computes the fraction of wrong labels, over all and among the positives.
func (s *subject) lemma1Shares() lemma1Labels {
	var l lemma1Labels
	half, one := big.NewRat(1, 2), whole(1)
	for tenths := int64(6); tenths <= 9; tenths++ { // at the threshold, half of the labels are wrong
		pi := big.NewRat(tenths, 10)
		threshold := s.rational("2pi-1", minus(times(whole(2), pi), one))
		l.broken += oneIf(over(pi, plus(one, threshold)).Cmp(half) != 0)
	}
	for _, nP := range []int64{1, 2, 3, 5} {
		for _, nU := range []int64{1, 2, 3, 5} {
			for tenths := int64(1); tenths <= 9; tenths++ {
				pi, gamma := big.NewRat(tenths, 10), big.NewRat(nP, nU)
				l.cases++
				share := new(big.Rat) // expected fraction of wrong labels, over the number k of unlabeled positives
				for k := range nU + 1 {
					share.Add(share, times(binomial(nU, k, pi), big.NewRat(k, nP+nU)))
				}
				l.share += oneIf(share.Cmp(over(pi, plus(one, gamma))) == 0)
				below := gamma.Cmp(minus(times(whole(2), pi), one)) <= 0
				l.threshold += oneIf(below == (share.Cmp(half) >= 0))
				rate := printedNoiseRate(gamma, pi)
				switch {
				case !below && rate.Cmp(half) > 0:
					l.mostWrong++
					if l.example == "" {
						l.example = fmt.Sprintf("at γ = %s, π = %s, above the lemma's threshold, %s of the positives are "+
							"mislabeled", gamma.RatString(), pi.RatString(), rate.RatString())
					}
				case below && rate.Cmp(half) <= 0:
					l.fewWrong++
				}
				l.broken += oneIf(over(times(gamma, rate), minus(one, rate)).Cmp(pi) != 0)
			}
		}
	}
	return l
}

// lemma1PairCounts are counts of pairs of populations that no data can distinguish.
type lemma1PairCounts struct {
	below, above, different int
	gapBelow, gapAbove      *big.Rat
	example                 string
}

// lemma1Pairs enumerates pairs of priors π' < π up to a fraction q of examples with the feature +, and γ. All positives
// have +; the fraction of negatives with + is such that the total is q. The risk is the probability that the rule "+ is
// positive" errs.
func lemma1Pairs() lemma1PairCounts {
	c := lemma1PairCounts{gapBelow: new(big.Rat), gapAbove: new(big.Rat)}
	one := whole(1)
	for _, gamma := range []*big.Rat{big.NewRat(1, 10), big.NewRat(1, 2), whole(1), whole(2)} {
		for q := int64(2); q <= 10; q++ {
			share := big.NewRat(q, 10)
			population := func(tenths int64) (prior, plusShare, risk *big.Rat, below bool) {
				prior = big.NewRat(tenths, 10)
				rest := minus(one, prior)
				negative := over(minus(share, prior), rest)    // p(+ | y=0)
				plusShare = plus(prior, times(rest, negative)) // p(+), with p(+ | y=1) = 1
				return prior, plusShare, times(rest, negative), gamma.Cmp(minus(times(whole(2), prior), one)) <= 0
			}
			for high := int64(2); high <= min(q, 9); high++ {
				for low := int64(1); low < high; low++ {
					prior, seen, risk, below := population(high)
					otherPrior, otherSeen, otherRisk, otherBelow := population(low)
					gap := minus(otherRisk, risk)
					if seen.Cmp(otherSeen) != 0 || gap.Cmp(minus(prior, otherPrior)) != 0 {
						c.different++
						continue
					}
					switch {
					case below && otherBelow:
						c.below++
						c.gapBelow = larger(c.gapBelow, gap)
					case !below && !otherBelow:
						c.above++
						if gap.Cmp(c.gapAbove) > 0 {
							c.gapAbove = gap
							c.example = fmt.Sprintf("all positives and %s of all examples show +; π = %s and π = %s give "+
								"the same data at γ = %s, and risks %s and %s of taking + for positive", share.RatString(),
								prior.RatString(), otherPrior.RatString(), gamma.RatString(), risk.RatString(),
								otherRisk.RatString())
						}
					}
				}
			}
		}
	}
	return c
}
