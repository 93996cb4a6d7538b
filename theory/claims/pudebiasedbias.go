package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUDebiasedBias returns the claim that the bias of [pucl.PUDebiased] vanishes as the batch grows, with its rate, and
// that the biases of ssCL, PUCL, SCL-PU and DCL in general do not.
func PUDebiasedBias() Claim {
	return Claim{
		ID: "pu-debiased-bias",
		Statement: "Told π, PU-debiased has the expectation L*_CL + c/b + O(1/b²) as the batch grows with shares m/b and " +
			"u/b, with c = π/4·E_P[V_N/M_N² − (b/u·V_U + b/m·π²V_P)/((1−π)M_N)²] − (1−π)/4·u/m·E_N[V_P/M_P²] ≤ 0, where " +
			"M_N > e^(−1/τ) at every positive. Where M_N = e^(−1/τ) for some, it is L*_CL + a/√b + O(1/b) with a = " +
			"π·E_P[1{M_N = e^(−1/τ)}·σ/M_N]/√(2π°) ≥ 0, π° = 3.14…, σ² = (b/u·V_U + b/m·π²V_P)/(2(1−π)²). ssCL, PUCL, " +
			"SCL-PU and DCL with τ⁺ = π in general tend elsewhere.",
		LaTeX: `\mathbb{E}[\mathcal{L}] - \mathcal{L}^*_{\text{CL}} = \frac{1}{b}\left(\frac{\pi}{4}\mathbb{E}_P\left[\frac{V_N}{M_N^2} - ` +
			`\frac{\frac{b}{u} V_U + \frac{b}{m}\pi^2 V_P}{(1-\pi)^2 M_N^2}\right] - \frac{1-\pi}{4}\,\frac{u}{m}\,\mathbb{E}_N\left[` +
			`\frac{V_P}{M_P^2}\right]\right) + O\!\left(\frac{1}{b^2}\right)`,
		Source: ofThisLibrary + "pucl.PUDebiased against equation (3) of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"case-control: m ≥ 2 labeled examples are draws of the positive class, u of the population, all independent; b " +
				"= m + u; the loss is told the true π < 1",
			"views are independent draws from their example's class",
			"M_y(z) and V_y(z) are mean and variance of exp(z·z') over draws z' of class y, and V_U = πV_P + (1−π)V_N + " +
				"2π(1−π)(M_P − M_N)²",
		},
		Proof: []string{
			"Given an anchor z, its own view and N = 2b − 2: f₊ = log(e^s + N·g) − s and f₋ = log(e^s + N·p) − s. p is a " +
				"mean of 2m (at a labeled anchor 2m − 2) independent exp(z·z') with mean M_P and variance V_P; u a mean " +
				"over u pairs of rows of one class each, with mean πM_P + (1−π)M_N and variance V_U/2u.",
			"So (u − πp)/(1−π) has the mean M_N and the variance σ²/b + O(1/b²); it is what g is above the floor.",
			"Above the floor by a fixed amount, it meets the floor with a probability that falls exponentially with b " +
				"(Hoeffding), which plays no part in what follows.",
			"E log(X + N(M + ε)) = log N + log M + E X/(NM) − Var(ε)/(2M²) + O(1/b²), for ε with mean 0, bounded, E ε³ and " +
				"E ε⁴ O(1/b²).",
			"A positive labeled anchor adds π(f₊ − f₋), an unlabeled one f₋, which in expectation is πE_P f₋ + (1−π)E_N " +
				"f₋. The f₋ of positives cancel but for 2m − 2 rows in place of 2m, O(1/b²). What is left is πE_P f₊ + " +
				"(1−π)E_N f₋.",
			"In (3) a positive anchor has N draws of the negatives for the denominator, and a negative one N of the " +
				"positives: by the same line log N + log M + E X/(NM) − V/(2NM²). The log M and the terms with X, the " +
				"anchor's own view, are those of the loss. So is the attraction.",
			"What is left is −πE_P[σ²/(2bM_N²)] + πE_P[V_N/(4bM_N²)] − (1−π)E_N[V_P/M_P²]·(1/4m − 1/4b), which is c/b.",
			"c ≤ 0: V_U ≥ (1−π)V_N and b/u ≥ 1, so the first bracket is at most V_N(1 − 1/(1−π))/M_N² ≤ 0.",
			"On the floor: √b·(g − M_N) is the positive part of what tends to a normal draw with variance σ² and mean 0, " +
				"whose positive part has the mean σ/√(2π°). The logarithm adds 1/M_N times that, and terms of 1/b. M_N ≥ " +
				"e^(−1/τ) always, so nothing lies below.",
			"The other losses: an anchor's partition over N tends to αM_P + (1−α)M_N, with α = (m + uπ)/b, not to M_other " +
				"(theory.LimitPartitionGap); their attraction has the limits of theorem-1-repaired, ssCL's and PUCL's " +
				"without the bracket. DCL's one positive stays random.",
		},
		rests: grounds{
			objectives:  []string{"PU-debiased", "PUCL", "DCL"},
			constants:   []string{"c", "a", "limits"},
			assumptions: []string{independentViews, caseControl, trueClassPrior},
		},
		check: puDebiasedBiasFinding,
	}
}

func puDebiasedBiasFinding(s *subject) Finding {
	var f proven
	s.debiasedCounts(&f)
	c, a := s.constant("c", 1), s.constant("a", 1)
	for _, w := range countedCases() {
		rate, _ := debiasedRates(w.world, w.design, 1)
		left := s.debiasedLeft(w.contrastCase, s.told(w.design.Prior), 1)
		b := float64(w.design.Examples())
		off := [3]float64{b * left[0], 2 * b * left[1], 4 * b * left[2]}
		measure(&f.Finding, left[2], "%s: bias, b = %d", w.name, 4*w.design.Examples())
		measure(&f.Finding, rate, "%s: c", w.name)
		if f.Number == (theory.Number{}) { // the first case shows it
			f.Number = exactly(left[2])
		}
		f.expect(rate < 0, "%s: c = %.4g is above 0", w.name, rate)
		f.zero(math.Abs(toInfinity(off)/(c*rate)-1), 0.004, "%s: relative error of c, extrapolated from three batches", w.name)
	}
	floored := contrastCase{TwoPoints(), theory.Design{Labeled: 128, Unlabeled: 128, Prior: 0.3}}
	_, root := debiasedRates(floored.world, floored.design, 1)
	left := s.debiasedLeft(floored, s.told(0.3), 2) // b, 4b and 16b, so that 1/√b halves
	b := math.Sqrt(float64(floored.design.Examples()))
	measure(&f.Finding, left[2], "classes at ±1, where g lies on its floor: bias, b = %d", 16*floored.design.Examples())
	measure(&f.Finding, root, "the same: a")
	f.zero(math.Abs(toInfinity([3]float64{b * left[0], 2 * b * left[1], 4 * b * left[2]})/(a*root)-1), 0.008,
		"the same: relative error of a, extrapolated from three batches")
	s.debiasedOthers(&f)
	first := countedCases()[0]
	f.Why = "Anchors are corrected as uPU corrects a risk, which is unbiased; negatives by a difference of two means, which " +
		"is unbiased too. Only the " +
		"logarithm bends, by the variance of what is in it, which falls like 1/b; and the floor, where the truth lies on " +
		"it, like 1/√b."
	return f.finish("The bias of PU-debiased decreases like c/b with the derived c in all %d worlds, and like 1/√b on "+
		"its floor. For classes at cosine 0.6, π = "+
		"0.3, γ = 1/3, τ = 1 it is %.4f nats in batches of %d. PUCL's tends to %.4f.", len(countedCases()), f.Number.Value, 4*first.design.Examples(),
		plainLimit(first.contrastCase))
}

// debiasedCase is a population with a design, and a name.
type debiasedCase struct {
	name string
	contrastCase
}

// debiasedCases are populations in which the means over negatives lie above the floor, with designs whose batches can
// be enumerated at four times their size.
func debiasedCases() []debiasedCase {
	right, up, slant := []float64{1, 0}, []float64{0, 1}, []float64{0.6, 0.8}
	of := func(name string, positive, negative []theory.Atom, m, u int) debiasedCase {
		design := theory.Design{Labeled: m, Unlabeled: u, Prior: 0.3}
		return debiasedCase{name, contrastCase{theory.Population{Positive: positive, Negative: negative}, design}}
	}
	return []debiasedCase{
		of("classes at cosine 0.6", theory.Uniform(right), theory.Uniform(slant), 2, 6),
		of("negatives between two positives", theory.Uniform(right, up), theory.Uniform(slant), 2, 2),
		of("positives between two negatives", theory.Uniform(slant), theory.Uniform(right, up), 2, 2),
	}
}

// countedCases are these cases in batches three times as large. Four times that size can be counted, though not
// enumerated.
func countedCases() []debiasedCase {
	return lists.Map(debiasedCases(), func(c debiasedCase) debiasedCase {
		c.design.Labeled, c.design.Unlabeled = 3*c.design.Labeled, 3*c.design.Unlabeled
		return c
	})
}

// debiasedLeft returns the bias of PU-debiased with prior = told in a case's batches and in batches with all numbers
// doubled doublings times, and twice as often.
func (s *subject) debiasedLeft(c contrastCase, told float64, doublings int) (left [3]float64) {
	for k := range left {
		d := c.design
		d.Labeled, d.Unlabeled = d.Labeled<<(k*doublings), d.Unlabeled<<(k*doublings)
		left[k] = once(s, fmt.Sprint("PU-debiased told ", told, c.world, d), func() float64 {
			ideal := must.Get(theory.IdealLoss(c.world, d.Prior, d.Negatives(), 1))
			return must.Get(DebiasedMean(c.world, d, told, 1)) - ideal.Loss.Value
		})
	}
	return left
}

// debiasedCounts compares the counted values with those of the objective itself.
func (s *subject) debiasedCounts(f *proven) {
	worst, cases := 0.0, 0
	for _, d := range designsOf(0.3, [][2]int{{3, 1}, {2, 2}}) {
		told := s.told(d.Prior)
		m := s.meters(1, s.debiased(told))[0]
		for _, p := range randomPlanes(3, 21) {
			worst = max(worst, math.Abs(must.Get(m.Exact(p, s.drawn(d))).Loss.Mean.Value-must.Get(DebiasedMean(p, d, told, 1))))
			cases++
		}
	}
	f.zero(worst, contrastTolerance, "largest difference between the loss in all batches and what is counted, %d cases", cases)
}

// debiasedOthers measures the limits of other losses in the first case.
func (s *subject) debiasedOthers(f *proven) {
	c := debiasedCases()[0]
	prior, factor := c.design.Prior, s.constant("limits", 1)
	for _, other := range []struct {
		objective pucl.Objective
		limit     float64
	}{
		{pucl.PUCL(), plainLimit(c.contrastCase)},
		{pucl.DCL(pucl.DCLConfig{TauPlus: prior}), dclBatchLimit(c.world, prior, c.design.PositiveShare())},
	} {
		o := s.objective(other.objective)
		name := o.Name
		o.Name = fmt.Sprintf("%s, π = %g", name, prior)
		m := s.meters(1, o)[0]
		var left [2]float64
		for k := range left {
			d := c.design
			d.Labeled, d.Unlabeled = d.Labeled<<(k+1), d.Unlabeled<<(k+1)
			left[k] = must.Get(m.Exact(c.world, s.drawn(d))).Bias.Value
		}
		measure(&f.Finding, other.limit, "%s, %s: bias as the batch grows without limit", c.name, name)
		f.zero(math.Abs((2*left[1]-left[0])/(factor*other.limit)-1), 0.008, "%s, %s: relative error of that, extrapolated "+
			"from two batches", c.name, name)
	}
}

// plainLimit returns the limit of the bias of ssCL and PUCL.
func plainLimit(c contrastCase) float64 {
	positive, negative, _ := must.Get3(c.world.Proximity(1))
	gap := must.Get(theory.LimitPartitionGap(c.world, c.design.Prior, c.design.PositiveShare(), 1))
	return gap - (c.design.PositiveShare()-c.design.Prior)*(positive-negative)
}

// dclBatchLimit returns the limit of the bias of DCL with τ⁺ = π, in batches with the given fraction of positives.
func dclBatchLimit(p theory.Population, prior, share float64) float64 {
	loss := world{p, share}.meanOver(1, func(a theory.Anchor) float64 {
		all := theory.MeanExp(a.All())
		return theory.Mean(a.Own, func(own float64) float64 {
			return math.Log(max((all-prior*math.Exp(own))/(1-prior), math.Exp(-1))) - own
		})
	})
	return loss - world{p, prior}.meanOver(1, func(a theory.Anchor) float64 {
		return math.Log(theory.MeanExp(a.Other)) - theory.Mean(a.Own, func(own float64) float64 { return own })
	})
}
