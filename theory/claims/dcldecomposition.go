package claims

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// DCLDecomposition returns the claim behind debiased contrastive learning: the mean over true negatives is the mean
// over all data minus the contribution of the anchor's own class.
//
// The check compares both sides in rational arithmetic and runs [pucl.DCL] on a batch that shows its population in
// proportion. It also measures the conditions of use of the identity: one τ⁺ for all anchors, means of few draws, the
// floor, and the logarithm.
func DCLDecomposition() Claim {
	return Claim{
		ID: "dcl-decomposition",
		Statement: "The mean of e^s over true negatives is (E_{x⁻~p} e^s − τ⁺ E_{v~p⁺} e^s)/τ⁻, made of draws of all " +
			"data and of the anchor's class.",
		LaTeX: `\mathbb{E}_{x^- \sim p^-} e^{f(x)^T f(x^-)} = \frac{1}{\tau^-}\left(\mathbb{E}_{x^- \sim p}\, e^{f(x)^T ` +
			`f(x^-)} - \tau^+\, \mathbb{E}_{v \sim p^+} e^{f(x)^T f(v)}\right)`,
		Source: "Chuang et al., Debiased Contrastive Learning (2020), objective with Q, τ⁺ and τ⁻; Contrastive Positive " +
			"Unlabeled Learning, appendix A.5.4",
		Assumptions: []string{
			"p = τ⁺p⁺ + τ⁻p⁻ with τ⁻ = 1 − τ⁺ > 0; whose class τ⁺ is the probability of is not printed with the objective",
			"expectations, not means of draws",
		},
		rests: grounds{
			objectives: []string{"DCL", "ssCL"}, constants: []string{"tau+", "1/tau-"}, assumptions: []string{ownShare},
		},
		check: func(s *subject) Finding {
			return dclDecompositionFinding(s, func(all, own, tauPlus *big.Rat) *big.Rat {
				mean := printedNegativeMean(all, times(s.rational("tau+", whole(1)), own), tauPlus)
				return times(s.rational("1/tau-", whole(1)), mean)
			})
		},
	}
}

// negativeMean estimates E_{p⁻} e^s from the means over all data and over the own class.
type negativeMean func(all, own, tauPlus *big.Rat) *big.Rat

// printedNegativeMean returns (E_p − τ⁺E_{p⁺})/τ⁻.
func printedNegativeMean(all, own, tauPlus *big.Rat) *big.Rat {
	return over(minus(all, times(tauPlus, own)), minus(whole(1), tauPlus))
}

// inFloat evaluates the formula on float64, rounded once.
func (m negativeMean) inFloat(all, own, tauPlus float64) float64 {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	return decimal(m(rat(all), rat(own), rat(tauPlus)))
}

const dclCases = 2000

// dclDecompositionFinding compares a formula with the mean over true negatives.
func dclDecompositionFinding(s *subject, formula negativeMean) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(6, 0x1905))
	var tally identityTally
	negative := 0
	for range dclCases {
		own, other, tauPlus := ratMean(rng, false), ratMean(rng, false), big.NewRat(1+rng.Int64N(19), 20)
		all := mixture(own, other, tauPlus)
		holds := tally.add(s.share(tauPlus), func(assumed *big.Rat) bool { return formula(all, own, assumed).Cmp(other) == 0 })
		if !holds && f.Counterexample == "" {
			f.Counterexample = fmt.Sprintf("E over p⁺ = %s, E over p⁻ = %s, τ⁺ = %s: the formula gives %s", own.RatString(),
				other.RatString(), tauPlus.RatString(), formula(all, own, tauPlus).RatString())
		}
		negative += oneIf(formula(all, own, minus(whole(1), tauPlus)).Sign() <= 0) // with the other class's probability
	}
	tally.measure(&f)
	measure(&f, negative, "cases where the latter is not positive")
	one := dclOneShare(formula)
	measure(&f, one, "π = 0.1, one τ⁺ = π: loss of negative anchors less the true one")
	off := dclInProportion(s)
	if exceeds(math.Abs(off), contrastTolerance) {
		must.Fail("pucl.DCL on a batch in proportion is %g off from the loss with true negatives", off)
	}
	measure(&f, off, "pucl.DCL on a batch in proportion less the loss with true negatives")
	f.detail("one τ⁺ for all anchors, as the objective and the λ of the paper's appendix have it: anchors of the other "+
		"class get the wrong share. The sides differ in %d of %d cases, in %d of the %d with balanced classes, and in %d "+
		"the formula is not positive; so one τ⁺ serves balanced classes only", dclCases-tally.other, dclCases,
		tally.balanced-tally.balancedOther, tally.balanced, negative)
	f.detail("example: positives at +1, negatives at +1 and −1 with probability ½ each, π = τ⁺ = 0.1, e^(1/τ) = 2, Q = "+
		"1: the loss of negative anchors is off by %.4f", one)
	dclEstimateDetails(&f, formula)
	dclRewritingDetail(s, &f)
	f.Why = "Expectations are linear in the distribution: E_p = τ⁺E_{p⁺} + τ⁻E_{p⁻}, solved for the last. The same holds " +
		"of means of independent draws in expectation. A floor or a logarithm around is not linear."
	switch {
	case tally.own == dclCases && tally.other == dclCases:
		f.conclude(Holds, "The two sides differ in %.0f of %d random cases in rational arithmetic, whatever class τ⁺ is the share of.",
			f.Number.Value, dclCases)
		return f
	case tally.own == dclCases:
		f.conclude(Conditional, "If τ⁺ is the share of the anchor's own class, which is not printed, the two sides differ in %.0f of %d "+
			"random cases in rational arithmetic. One τ⁺ for all anchors is right for balanced classes only.", f.Number.Value, dclCases)
		f.Corrected = "E over p⁻ = (E over p − τ⁺ E over p⁺)/τ⁻ with τ⁺ the probability of the anchor's own class: π for a positive anchor, " +
			"1 − π for a negative one"
		f.CorrectedLaTeX = `\mathbb{E}_{x^- \sim p_x^-} e^{s} = \frac{1}{\tau_x^-}\left(\mathbb{E}_{p}\, e^{s} - \tau_x^+\, ` +
			`\mathbb{E}_{p_x^+} e^{s}\right), \qquad \tau_x^+ = p(y = y_x)`
		return f
	}
	f.conclude(Fails, "The two sides differ in %.0f of %d random cases in rational arithmetic.", f.Number.Value, dclCases)
	return f
}

// dclOneShare returns the error in the loss of the negative anchors if all anchors use τ⁺ = π.
func dclOneShare(formula negativeMean) float64 {
	const pi = 0.1
	off, share := 0.0, 0.0
	for _, a := range must.Get(theory.Anchors(theory.Population{Positive: onAxis(1), Negative: onAxis(0.5)}, pi, halfTau)) {
		if a.Positive {
			continue
		}
		wrong := formula.inFloat(theory.MeanExp(a.All()), theory.MeanExp(a.Own), pi)
		off += a.P * (contrastLoss(a, wrong) - contrastLoss(a, theory.MeanExp(a.Other)))
		share += a.P
	}
	return off / share
}

// dclInProportion runs DCL on a batch whose first anchor has its population in exact proportion. The positives are at
// (1, 0), the negatives at (0, 1) and (−1, 0) with probability ½ each. π = ½, so two of four rows are at (1, 0). It
// returns the anchor's loss minus the loss with the true mean over negatives.
func dclInProportion(s *subject) float64 {
	const tau = 0.5
	positive, up, left := []float64{1, 0}, []float64{0, 1}, []float64{-1, 0}
	batch := [][]float64{positive, positive, up, positive, positive, left} // three first views, then three second views
	losses := must.Get(
		theory.AnchorLosses(s.eng, s.objective(pucl.DCL(pucl.DCLConfig{TauPlus: 0.5})), [][][]float64{batch}, make([]bool, 3), nil, tau))
	anchors := must.Get(
		theory.Anchors(theory.Population{Positive: theory.Uniform(positive), Negative: theory.Uniform(up, left)}, 0.5, tau))
	own := anchors[0].Own[0].S
	return losses[0][0] - math.Log1p(4*theory.MeanExp(anchors[0].Other)*math.Exp(-own))
}

// dclEstimateDetails measures the effect of sample means in place of the expectations: without the floor, with it, and
// inside a logarithm.
func dclEstimateDetails(f *Finding, formula negativeMean) {
	const n, m = 4, 2
	rng := rand.New(rand.NewPCG(7, 0x1905))
	worlds := []world{{LPosCounterexample(), 0.5}}
	for range 6 {
		worlds = append(worlds, randomWorld(rng, 1+rng.IntN(2), 1+rng.IntN(2)))
	}
	plainBias, leastFloored, lowest, cut := 0.0, math.Inf(1), math.Inf(1), 0
	asView := 0.0        // of the first population: effect of v at the anchor's own point
	var first [3]float64 // of the first population: floored bias, probability of no logarithm, floored log bias
	anchorsSeen := 0
	for i, w := range worlds {
		tau := 1.0
		if i == 0 {
			tau = halfTau
		}
		floor := math.Exp(-1 / tau)
		for _, a := range must.Get(theory.Anchors(w.Population, w.prior, tau)) {
			anchorsSeen++
			truth := theory.MeanExp(a.Other)
			lowest = min(lowest, truth/floor)
			// The formula is linear in all and own, so three of its values determine it.
			base := formula.inFloat(0, 0, a.TauPlus)
			byAll, byOwn := formula.inFloat(1, 0, a.TauPlus)-base, formula.inFloat(0, 1, a.TauPlus)-base
			estimate := func(all, own float64) float64 { return base + byAll*all + byOwn*own }
			plain := expectEstimate(a, n, m, estimate)
			floored := expectEstimate(a, n, m, func(all, own float64) float64 { return max(estimate(all, own), floor) })
			plainBias = max(plainBias, math.Abs(plain-truth))
			leastFloored = min(leastFloored, floored-truth)
			cut += oneIf(exceeds(floored-truth, miSlack))
			if i > 0 {
				continue
			}
			none := expectEstimate(a, n, m, func(all, own float64) float64 { return float64(oneIf(estimate(all, own) <= 0)) })
			logged := expectEstimate(a, n, m, func(all, own float64) float64 { return math.Log(max(estimate(all, own), floor)) })
			asView += a.P * (estimate(theory.MeanExp(a.All()), math.Exp(1/tau)) - truth)
			first[0] += a.P * (floored - truth)
			first[1] += a.P * none
			first[2] += a.P * (logged - math.Log(truth))
		}
	}
	measure(f, plainBias, "means of 4 and 2 draws: largest bias without the floor")
	measure(f, leastFloored, "means of 4 and 2 draws: least bias with the floor")
	measure(f, anchorsSeen, "anchors")
	measure(f, cut, "anchors whose estimate the floor biases")
	measure(f, lowest, "least ratio of the true mean to the floor")
	measure(f, asView, "first world: bias if v is always at the anchor's point")
	measure(f, first[0], "first world: bias with the floor")
	measure(f, first[1], "first world: chance of an estimate that is not positive")
	measure(f, first[2], "first world: bias of the logarithm with the floor")
	f.detail("means of 4 draws of all data and 2 of the own class: without the floor the estimate has no bias (%.1g at most "+
		"over %d anchors). The floor e^(−1/τ) never cuts the true mean, which is %.4g of it or more, but it cuts estimates, "+
		"and so biases them upwards for %d anchors. With positives at +1 and −1, negatives at +1, π = ½ and e^(1/τ) = 2: "+
		"estimates that are not positive, and have no logarithm, come with probability %.4f; the floor biases the estimate by "+
		"%+.4f and its logarithm by %+.4f", plainBias, anchorsSeen, lowest, cut, first[1], first[0], first[2])
	f.detail("views of the anchor in place of draws v of its class: if they always show the anchor's own point, the "+
		"formula is off by %+.4f there", asView)
}

// dclRewritingDetail compares the paper's second line for ssCL in A.5.4 with (4): inside the logarithm it has z·z
// instead of exp z·z.
func dclRewritingDetail(on *subject, f *Finding) {
	point := []float64{1}
	losses := must.Get(theory.AnchorLosses(on.eng, on.objective(pucl.SSCL()), [][][]float64{{point, point, point, point}}, make([]bool, 2), nil, 0.5))
	const s = 2.0 // cos/τ of equal points at τ = ½
	printed := math.Log(s+2*math.Exp(s)) - s
	measure(f, losses[0][0], "two examples at one point, τ = ½: ssCL")
	measure(f, printed, "two examples at one point, τ = ½: the same with z·z for exp z·z")
	f.detail("the paper's appendix A.5.4 writes ssCL a second time, with z_i·z_a(i) in place of its exponential inside "+
		"the logarithm: a misprint, %.4f in place of %.4f where four rows show one point and τ = ½", printed, losses[0][0])
}
