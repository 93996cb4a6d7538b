package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// DCLLimit returns the claim that the loss of debiased contrastive learning with N draws of all data and M of the
// anchor's class tends to the one with expectations.
//
// The paper states only that the empirical form estimates the objective, without a limit. The claim is about N → ∞, as
// in a larger batch. The check counts all draws exactly. It also compares [pucl.DCL] in batches of growing size, where
// M = 1 and v is x⁺ itself, with the ideal loss.
func DCLLimit() Claim {
	return Claim{
		ID: "dcl-limit",
		Statement: "As N → ∞, the empirical loss with N unlabeled and M positive samples tends to the debiased objective " +
			"with expectations.",
		LaTeX: `L^{N,M}_{Neg} \rightarrow \mathbb{E}_{x \sim p;\, x^+ \sim p^+}\left[-\log\frac{e^{f(x)^T ` +
			`f(x^+)}}{e^{f(x)^T f(x^+)} + \frac{Q}{\tau^-}\left(\mathbb{E}_{x^- \sim p}[e^{f(x)^T f(x^-)}] - ` +
			`\tau^+\,\mathbb{E}_{v \sim p^+}[e^{f(x)^T f(v)}]\right)}\right]`,
		Source: ofThisLibrary + "a limit of L_Neg, as Chuang et al., Debiased Contrastive Learning (2020), and the slides by " +
			"M. A. Nikitina estimate the objective with Q, τ⁺ and τ⁻",
		Assumptions: []string{
			"N draws u of all data, M draws v of the anchor's class, x⁺ another draw of it, all independent given the anchor",
			"g = max{(mean e^u − τ⁺ mean e^v)/τ⁻, e^(−1/τ)} stands for the expectation in the denominator",
			"nothing is said of M; the paper has the two views of an image, so M = 1",
		},
		rests: grounds{
			objectives: []string{"DCL"}, constants: []string{"tau+", "floor"}, assumptions: []string{ownShare},
			unneeded: []unneeded{{"dcl-limit:floor-down", "any floor that is not above the least true mean does; a higher one " +
				"does not, so that e^(−1/τ) is the highest"}},
		},
		check: func(s *subject) Finding {
			factor := s.constant("tau+", 1)
			f := dclLimitFinding(s, func(all, own, tauPlus float64) float64 { return debiasedMean(all, factor*own, tauPlus) })
			dclBatchDetail(s, &f)
			return f
		},
	}
}

// dclLimitFinding compares the loss with an estimate of the mean over negatives with the loss with expectations.
func dclLimitFinding(on *subject, estimate negativeEstimate) Finding {
	var f Finding
	example := world{LPosCounterexample(), 0.5}
	// In the second population the negatives have the largest distance from the positives, so that the true mean is the
	// floor.
	worlds := []world{example, {TwoPoints(), 0.3}, {LPosCounterexample(), 0.3}}
	rng := rand.New(rand.NewPCG(8, 0x1905))
	for range 6 {
		w := randomWorld(rng, 1+rng.IntN(2), 1)
		w.prior = 0.3 + 0.4*rng.Float64() // for a small τ⁻ the limit needs more draws than can be counted
		worlds = append(worlds, w)
	}
	temperature := func(i int) float64 {
		if i < 3 {
			return halfTau
		}
		return 1
	}
	lift := math.Log(on.constant("floor", 1))
	told := func(s dclSchedule) dclSchedule {
		s.lift, s.one = lift, s.one || !on.assumes(ownShare)
		return s
	}
	stays := 0
	for _, s := range lists.Map(dclFixed, told) {
		open, largest := 0, 0.0
		for i, w := range worlds {
			left := dclLimitDifference(w, s, temperature(i), estimate)
			open += oneIf(exceeds(math.Abs(left), miSlack))
			largest = farther(largest, left)
		}
		stays += open
		at := dclOff(example, s, 256, halfTau, estimate, asItIs)
		limit := dclLimitDifference(example, s, halfTau, estimate)
		if f.Counterexample == "" && exceeds(math.Abs(limit), miSlack) {
			f.Number = exactly(limit)
			f.Counterexample = fmt.Sprintf("positives at +1 and −1 with probability ½ each, negatives at +1, π = ½, "+
				"e^(1/τ) = 2, %s: at N = 256 the losses differ by %.6f, in the limit by %.6f", s.name, at, limit)
		}
		measure(&f, open, "%s: worlds with a difference in the limit N → ∞", s.name)
		measure(&f, largest, "%s: largest difference in the limit", s.name)
		measure(&f, at, "%s: difference in the counterexample, N = 256", s.name)
		measure(&f, limit, "%s: difference in the counterexample, N → ∞", s.name)
		f.detail("%s: something is left in the limit N → ∞ in %d of %d worlds, up to %.4f nats", s.name, open, len(worlds),
			math.Abs(largest))
	}
	grows := 0
	for k, s := range lists.Map(dclGrowing, told) {
		open, stays, largest, left := 0, 0, 0.0, 0.0
		for i, w := range worlds {
			n := 256
			if len(w.Positive)+len(w.Negative) > 2 && i >= 3 {
				n = 64
			}
			before := dclOff(w, s, n/4, temperature(i), estimate, math.Abs)
			after := dclOff(w, s, n, temperature(i), estimate, math.Abs)
			off := dclExpectedOff(w, s, temperature(i), estimate)
			open += oneIf(!fades(before, after))
			stays += oneIf(!fades(before, after) || exceeds(off, miSlack))
			largest, left = max(largest, after), max(left, off)
		}
		if !dclGrowing[k].one {
			grows += stays
		}
		at := dclOff(example, s, 256, halfTau, estimate, asItIs)
		measure(&f, open, "%s: worlds where the mean size of the difference does not fade", s.name)
		measure(&f, largest, "%s: largest mean size at the last N", s.name)
		measure(&f, left, "%s: largest mean size with expectations for the means", s.name)
		measure(&f, at, "%s: difference in the counterexample, N = 256", s.name)
		f.detail("%s: the mean size of the difference fades in %d of %d worlds", s.name, len(worlds)-open, len(worlds))
	}
	dclRateDetail(&f)
	dclSmallerDetail(&f, rng)
	dclBoundDetail(&f, rng)
	f.Why = "For N → ∞ the mean over u tends to its expectation, and so does the mean over v for M → ∞; g and the " +
		"logarithm are continuous and bounded, so the losses meet, and the floor does not matter, since it never exceeds " +
		"the true mean. With M fixed the mean over v stays random: the loss tends to its expectation over v, which " +
		"differs by Jensen's inequality (log is concave: downwards) and by the floor (upwards), unless s(x, ·) is " +
		"constant on p⁺ or the two happen to be equal. Every anchor must be told the share of its own class, else another objective is estimated."
	switch {
	case stays == 0 && grows == 0:
		f.conclude(Holds, "Nothing is left of the difference in the limit in any of %d worlds, whatever M (%.2g nats).",
			len(worlds), f.Number.Value)
		return f
	case grows == 0:
		f.conclude(Conditional, "The estimate converges only if M → ∞ as well and each anchor uses the share of its "+
			"own class. With M = 1, as in the paper, %.4f nats are left in the counterexample as N → ∞.", f.Number.Value)
	default:
		f.conclude(Fails, "The difference stays even with M = N, in %d cases of world and weight; with M = 1 %.4f nats "+
			"are left in the counterexample as N → ∞.", grows, f.Number.Value)
	}
	f.Corrected = "L^{N,M} → L as N → ∞ and M → ∞, with τ⁺ the probability of each anchor's own class"
	f.CorrectedLaTeX = `L^{N,M}_{Neg} \rightarrow \tilde{L}_{Neg} \quad (N \to \infty,\ M \to \infty)`
	return f
}

// dclRateDetail measures the exponent of N = M with which the difference vanishes. One population has no opposite
// points. In the other the negatives are opposite to the positives, so that the true mean is the floor.
func dclRateDetail(f *Finding) {
	right, up := []float64{1, 0}, []float64{0, 1}
	worlds := []world{
		{theory.Population{Positive: theory.Uniform(right, up), Negative: theory.Uniform(right)}, 0.5},
		{TwoPoints(), 0.5},
	}
	names := []string{"true mean above the floor", "true mean at the floor"}
	for k, w := range worlds {
		gap := func(n int) float64 { return must.Get(DCLGap(w.Population, w.prior, halfTau, n, n, 1)) }
		power := math.Log(gap(64)/gap(256)) / math.Log(4)
		measure(f, power, "%s: power of 1/N, from N = M = 64 to 256", names[k])
		f.detail("%s: from N = M = 64 to 256 the difference fades like N^(−%.2f)", names[k], power)
	}
}

// dclSmallerDetail searches for a nonzero limit with M = 1 in populations smaller than the counterexample.
func dclSmallerDetail(f *Finding, rng *rand.Rand) {
	largest := 0.0
	for range 50 {
		w := randomWorld(rng, 1, 1)
		gap := must.Get(DCLOnePositiveGap(w.Population, w.prior, 1, 1))
		largest = max(largest, math.Abs(gap))
	}
	measure(f, largest, "one point a class, M = 1: largest difference in the limit of 50 worlds")
	f.detail("one point a class, M = 1: v is not random, and in 50 worlds at most %.1g is left in the limit; so three "+
		"atoms are the fewest", largest)
}

// dclBoundDetail compares the difference with the bound of Chuang et al., Theorem 3, at unit temperature and balanced
// classes: e^{3/2}/τ⁻·√(π/2N) + e^{3/2}τ⁺/τ⁻·√(π/2M), with Q = N.
func dclBoundDetail(f *Finding, rng *rand.Rand) {
	largest, broken, cases := 0.0, 0, 0
	for i := range 12 {
		w := randomWorld(rng, 1+rng.IntN(2), 1+rng.IntN(2))
		if i == 0 {
			w.Population = LPosCounterexample()
		}
		for _, n := range []int{1, 4, 16} {
			for _, m := range []int{1, 4, 16} {
				gap := must.Get(DCLGap(w.Population, 0.5, 1, n, m, float64(n)))
				bound := math.Exp(1.5) * (2*math.Sqrt(math.Pi/2/float64(n)) + math.Sqrt(math.Pi/2/float64(m)))
				cases++
				broken += oneIf(exceeds(math.Abs(gap), bound))
				largest = max(largest, math.Abs(gap)/bound)
			}
		}
	}
	measure(f, cases, "bound of Chuang et al., Theorem 3: cases")
	measure(f, broken, "cases that break it")
	measure(f, largest, "largest share of it that is used")
	f.detail("the bound e^{3/2}/τ⁻·√(π/2N) + e^{3/2}τ⁺/τ⁻·√(π/2M) of Chuang et al. (2020), Theorem 3, at τ = 1, Q = N "+
		"and balanced classes: broken in %d of %d cases; at most %.2g of it is used", broken, cases, largest)
}

// dclBatchDetail compares pucl.DCL on whole batches, N = 2b−2 rows in pairs of views, M = 1 and v = x⁺, with the ideal
// loss.
func dclBatchDetail(s *subject, f *Finding) {
	w := world{LPosCounterexample(), 0.5}
	m := s.meters(halfTau, s.objective(pucl.DCL(pucl.DCLConfig{TauPlus: 0.5})))[0]
	text := "pucl.DCL with τ⁺ = π = ½ in a batch of b examples less the ideal loss (3):"
	for _, b := range []int{2, 4, 32} {
		d := theory.Design{Unlabeled: b, Prior: w.prior}
		var r theory.Result
		if b <= 4 {
			r = must.Get(m.Exact(w.Population, d))
		} else {
			r = must.Get(m.MonteCarlo(w.Population, d, theory.Draws{Batches: 4000, Seed: 1}))
		}
		measure(f, r.Bias, "pucl.DCL less the ideal loss, b = %d", b)
		text += fmt.Sprintf(" %s for b = %d,", r.Bias, b)
	}
	// In the limit, with Q = N, only the logarithms of the means over negatives remain.
	limit := w.meanOver(halfTau, func(a theory.Anchor) float64 {
		all := theory.MeanExp(a.All())
		return theory.Mean(a.Own, func(v float64) float64 {
			return math.Log(max((all-a.TauPlus*math.Exp(v))/(1-a.TauPlus), math.Exp(-1/halfTau)))
		}) - math.Log(theory.MeanExp(a.Other))
	})
	measure(f, limit, "pucl.DCL less the ideal loss, b → ∞")
	f.detail("%s and %.6g as b → ∞: one positive an anchor does not become more by larger batches", text, limit)
}
