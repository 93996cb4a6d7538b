package claims

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// DCLLimitRepaired returns the claim on the limit of the loss of debiased contrastive learning as the negatives
// increase at a fixed number of positives, and on its distance from the loss with expectations.
func DCLLimitRepaired() Claim {
	return Claim{
		ID: "dcl-limit-repaired",
		Statement: "As N → ∞ with M fixed, L^{N,M} tends to the loss with the mean over M positives still random, which is L " +
			"− w/M + O(1/M²), w = E[Q²(τ⁺)² Var(e^v)/(2(τ⁻)²(e^s⁺ + Q E e^s⁻)²)], where the mean over negatives lies above " +
			"the floor. So N → ∞ is not enough, from some M on, unless s(x, ·) is constant on p⁺.",
		LaTeX: `\lim_{N \to \infty} L^{N,M}_{Neg} = \tilde{L}_{Neg} - \frac{1}{M}\,\mathbb{E}\left[\frac{Q^2 (\tau^+)^2\, \mathrm{Var}\,` +
			`e^{s(x,v)}}{2 (\tau^-)^2 \left(e^{s(x,x^+)} + Q\, \mathbb{E}\, e^{s(x,x^-)}\right)^2}\right] + O\!\left(\frac{1}{M^2}\right)`,
		Source: ofThisLibrary + "repairs dcl-limit, the limit N → ∞ of the empirical loss of Chuang et al., Debiased Contrastive Learning (2020)",
		Assumptions: []string{
			"N draws u of all data, M draws v of the anchor's class, x⁺ another draw of it, all independent given the anchor; weight Q fixed",
			"g = max{(mean e^u − τ⁺ mean e^v)/τ⁻, e^(−1/τ)} with τ⁺ the probability of the anchor's own class, and E e^s⁻ ≥ " +
				"e^(−1/τ) + ε over the other class at every anchor, for some ε > 0",
		},
		Proof: []string{
			"As N → ∞ mean e^u → E e^u, so g → max{(E e^u − τ⁺ mean e^v)/τ⁻, e^(−1/τ)}; everything is continuous and " +
				"bounded, and the loss tends to its expectation over the M draws v.",
			"Without the floor g has expectation E⁻ = E e^s⁻ (dcl-decomposition) and variance (τ⁺/τ⁻)² Var(e^v)/M.",
			"E⁻ lies above the floor by ε, so g meets the floor only if the mean of M bounded draws is off by a fixed amount: a " +
				"probability that falls exponentially with M (Hoeffding), and plays no part in what follows.",
			"h(g) = log(1 + Q g e^(−s⁺)) has the second derivative −Q²/(e^s⁺ + Q g)². With x = g − E⁻, E x = 0, E x² = " +
				"O(1/M), E x³ and E x⁴ = O(1/M²): E h(g) = h(E⁻) − E x² · Q²/(2(e^s⁺ + Q E⁻)²) + O(1/M²).",
			"The mean over anchors and x⁺ is L − w/M + O(1/M²). w = 0 only if e^v is constant for every anchor; else the limit " +
				"is below L from some M on.",
			"Before that the floor, which lifts g, can make up for it: the limit can be above L, or L itself.",
		},
		rests: grounds{constants: []string{"w"}, assumptions: []string{ownShare}},
		check: dclLimitRepairedFinding,
	}
}

func dclLimitRepairedFinding(s *subject) Finding {
	var f proven
	right, up := []float64{1, 0}, []float64{0, 1}
	worlds := []world{{theory.Population{Positive: theory.Uniform(right, up), Negative: theory.Uniform(right)}, 0.5}}
	rng := rand.New(rand.NewPCG(19, 0x1905))
	for tried := 0; len(worlds) < 8 && tried < 1000; tried++ {
		if w := randomWorld(rng, 2, 2); aboveFloor(w, halfTau) {
			worlds = append(worlds, w)
		}
	}
	own, factor := s.assumes(ownShare), s.constant("w", 1)
	estimate := func(all, mean, tauPlus float64) float64 {
		if !own {
			tauPlus = 1 - tauPlus
		}
		return debiasedMean(all, mean, tauPlus)
	}
	left := func(w world, m int) float64 {
		return dclLimitDifference(w, dclSchedule{m: always(m), q: weightOne}, halfTau, estimate)
	}
	worst, still := 0.0, 0
	for i, w := range worlds {
		rate := factor * dclRate(w, halfTau)
		off := [3]float64{}
		for k := range off {
			m := 64 << k
			off[k] = left(w, m) * float64(m)
		}
		worst = farther(worst, toInfinity(off)+rate)
		still += oneIf(!exceeds(math.Abs(left(w, 1)), contrastTolerance))
		if i == 0 {
			f.Number = exactly(left(w, 1))
			measure(&f.Finding, left(w, 1), "positives at (1, 0) and (0, 1), negatives at (1, 0), π = ½, e^(1/τ) = 2, Q = 1: left at M = 1")
			measure(&f.Finding, left(w, 256), "the same: left at M = 256")
			measure(&f.Finding, rate, "the same: w")
		}
	}
	f.zero(math.Abs(worst), 1e-7, "largest error of w in %d worlds, extrapolated from M = 64, 128 and 256", len(worlds))
	f.none(still, len(worlds), "worlds in which nothing is left at M = 1")
	even := dclEvenPrior()
	balanced := world{dclFloored(), even}
	measure(&f.Finding, even, "positives at (1, 0) and (−1, 0), negatives at (0, 1), e^(1/τ) = 2, Q = 1: π at which nothing is left at M = 1")
	measure(&f.Finding, left(balanced, 1), "the same: left at M = 1")
	measure(&f.Finding, left(balanced, 64), "the same: left at M = 64")
	f.detail("a few positives can be enough by chance: with positives at (1, 0) and (−1, 0), negatives at (0, 1), e^(1/τ) = 2, Q = "+
		"1 and π = %.6f the floor lifts the loss at M = 1 by as much as Jensen's inequality lowers it", even)
	f.Why = "The mean over all data becomes certain as N grows; the mean over positives does not, and the logarithm of a " +
		"random number is less than that of its mean. More positives, not more negatives, close this gap."
	return f.finish("The difference as N → ∞ is −w/M + O(1/M²) in all %d worlds, not 0. With positives at (1, 0) and (0, "+
		"1), negatives at (1, 0), π = ½, e^(1/τ) = 2 and Q = 1 it is %.4f nats at M = 1.", len(worlds), f.Number.Value)
}

// dclFloored is a population whose means over negatives lie above the floor at temperature halfTau, while the estimate
// from one positive can reach the floor.
func dclFloored() theory.Population {
	return theory.Population{Positive: theory.Uniform([]float64{1, 0}, []float64{-1, 0}), Negative: theory.Uniform([]float64{0, 1})}
}

// dclEvenPrior returns, by bisection, the class prior at which the limit of that population for N → ∞ with M = 1 equals
// the loss with expectations. Below it the floor is not reached and the limit is smaller; above it the limit is larger.
func dclEvenPrior() float64 {
	low, high := 0.1, 0.9
	for range 60 {
		middle := (low + high) / 2
		if must.Get(DCLOnePositiveGap(dclFloored(), middle, halfTau, 1)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// dclRate returns w of a population at Q = 1.
func dclRate(w world, tau float64) float64 {
	return w.meanOver(tau, func(a theory.Anchor) float64 {
		other, odds := theory.MeanExp(a.Other), a.TauPlus/(1-a.TauPlus)
		return theory.Mean(a.Own, func(s float64) float64 {
			return odds * odds * varianceOfExp(a.Own) / (2 * math.Pow(math.Exp(s)+other, 2))
		})
	})
}

// varianceOfExp returns Var(e^s).
func varianceOfExp(of []theory.Encounter) float64 {
	mean := theory.MeanExp(of)
	return theory.Mean(of, func(s float64) float64 { return math.Pow(math.Exp(s)-mean, 2) })
}

// aboveFloor reports whether at every anchor the mean over negatives lies above the floor by eight standard deviations of the estimate
// from 64 positives and all data.
func aboveFloor(w world, tau float64) bool {
	below := w.meanOver(tau, func(a theory.Anchor) float64 {
		spread := a.TauPlus / (1 - a.TauPlus) * math.Sqrt(varianceOfExp(a.Own)/64)
		return float64(oneIf(!exceeds(theory.MeanExp(a.Other), math.Exp(-1/tau)+8*spread)))
	})
	return below == 0
}
