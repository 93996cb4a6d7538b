package claims

import (
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUDebiasedPrior returns the claim on [pucl.PUDebiased] with a class prior that differs from the population's.
func PUDebiasedPrior() Claim {
	return Claim{
		ID: "pu-debiased-prior",
		Statement: "Told ω in place of π, the bias of PU-debiased tends to E_P[ω·log(g/M_P) + π·log(M_P/M_N)] as the batch " +
			"grows, with g = max{M_N + (π−ω)/(1−ω)·(M_P − M_N), e^(−1/τ)}. That is −k·(ω − π) + O((ω − π)²) with k = " +
			"E_P[log(M_P/M_N) + π/(1−π)·(M_P/M_N − 1)], where M_N > e^(−1/τ): linear in the error of the prior.",
		LaTeX: `\lim_{b \to \infty} \mathbb{E}[\mathcal{L}_\omega] - \mathcal{L}^*_{\text{CL}} = -(\omega - \pi)\,\mathbb{E}_P\left[\log\frac{M_P}{M_N} + ` +
			`\frac{\pi}{1-\pi}\left(\frac{M_P}{M_N} - 1\right)\right] + O\!\left((\omega-\pi)^2\right)`,
		Source: ofThisLibrary + "pucl.PUDebiased against equation (3) of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"those of pu-debiased-bias, but that the loss is told ω, 0 ≤ ω < 1",
		},
		Proof: []string{
			"As the batch grows, p tends to M_P and u to πM_P + (1−π)M_N, so (u − ωp)/(1−ω) to M_N + (π−ω)/(1−ω)·(M_P − " +
				"M_N), and g to what is stated.",
			"At labeled anchors f₊ − f₋ tends to log(g/M_P), the anchor's own view falling out; with the weight ω that is " +
				"ωE_P log(g/M_P).",
			"Unlabeled anchors give log N + πE_P log M_P + (1−π)E_N log M_P less the attraction of (3), whatever ω is.",
			"(3) tends to log N + πE_P log M_N + (1−π)E_N log M_P less the same attraction. The difference is the limit.",
			"At ω = π g = M_N and the limit is 0. Its derivative there is E_P log(M_N/M_P) + πE_P[g′/M_N], with g′ = −(M_P " +
				"− M_N)/(1−π).",
		},
		rests: grounds{
			objectives:  []string{"PU-debiased"},
			constants:   []string{"limit", "k"},
			assumptions: []string{independentViews, caseControl},
		},
		check: puDebiasedPriorFinding,
	}
}

func puDebiasedPriorFinding(s *subject) Finding {
	var f proven
	limits, slopes := s.constant("limit", 1), s.constant("k", 1)
	worst, cases := 0.0, 0
	m, d := s.meters(1, s.debiased(0.4))[0], theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.3}
	for _, p := range randomPlanes(4, 22) {
		worst = max(worst, math.Abs(must.Get(m.Exact(p, s.drawn(d))).Loss.Mean.Value-must.Get(DebiasedMean(p, d, 0.4, 1))))
	}
	f.zero(worst, contrastTolerance, "told 0.4 in place of 0.3: largest difference between the loss in all batches and what "+
		"is counted")
	for i, w := range countedCases() {
		prior := w.design.Prior
		at := func(told float64) (limit float64) {
			left := s.debiasedLeft(w.contrastCase, told, 1)
			limit, _ = debiasedPriorLimit(w.world, prior, told, 1)
			f.zero(math.Abs(toInfinity(left)-limits*limit), 2e-4, "%s, told %.4g in place of %g: error of the limit of the "+
				"bias", w.name, told, prior)
			cases++
			return toInfinity(left)
		}
		const step = 0.02
		measured := (at(prior+step) - at(prior-step)) / (2 * step)
		_, slope := debiasedPriorLimit(w.world, prior, prior, 1)
		measure(&f.Finding, -slope, "%s: k", w.name)
		f.zero(math.Abs(measured/(slopes*slope)-1), 0.01, "%s: relative error of k, from priors ±0.02", w.name)
		half, double := at(prior/2), at(1.5*prior)
		measure(&f.Finding, half, "%s, told half of it: bias as the batch grows without limit", w.name)
		measure(&f.Finding, double, "%s, told half as much again: bias as the batch grows without limit", w.name)
		if i == 0 {
			f.Number = exactly(-slope)
		}
	}
	f.Why = "Both corrections use the prior, once each: the share of positives among the anchors and among the negatives. " +
		"An error of either stays, in " +
		"proportion, however large the batch."
	return f.finish("The limit of the bias is the formula's in all %d cases, and linear in a small error of the prior: "+
		"classes at cosine 0.6, π = 0.3, τ = 1, "+
		"minus %.4f times the error.", cases, f.Number.Value)
}
