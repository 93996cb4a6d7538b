package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUDebiasedError returns the claim on the cost of [pucl.PUDebiased]'s small bias: the error of its loss on a batch
// against the ideal one, compared with PUCL, and the best mixture of the two.
func PUDebiasedError() Claim {
	return Claim{
		ID: "pu-debiased-error",
		Statement: "As the batch grows with shares m/b and u/b, the mean squared error against L*_CL is v/b + O(1/b²) for " +
			"PU-debiased and B² + (v′ + 2Bc′)/b + O(1/b²) for PUCL, with B and c′ limit and rate of PUCL's bias, and v and " +
			"v′ limits of b times the variances. So where B ≠ 0, PU-debiased is nearer from about b* = (v − v′ − 2Bc′)/B² " +
			"examples on; and of all mixtures w·PUCL + (1−w)·PU-debiased that with w = k/b + O(1/b²) is nearest, k = (v − " +
			"v″ − Bc)/B², v″ being the limit of b times the covariance and c the rate of PU-debiased's bias.",
		LaTeX: `\mathbb{E}\left(\mathcal{L} - \mathcal{L}^*_{\text{CL}}\right)^2 = \frac{v}{b} + O\!\left(\frac{1}{b^2}\right),\qquad ` +
			`\mathbb{E}\left(\mathcal{L}_{\text{PUCL}} - \mathcal{L}^*_{\text{CL}}\right)^2 = B^2 + \frac{v' + 2Bc'}{b} + O\!\left(\frac{1}{b^2}\right)`,
		Source: ofThisLibrary + "pucl.PUDebiased and PUCL against equation (3) of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"those of pu-debiased-bias, with M_N > e^(−1/τ) at every positive",
		},
		Proof: []string{
			"A loss is a smooth function of means over the labeled examples and over the unlabeled ones. To first order it " +
				"is linear in them: its limit plus 1/m Σ (h(x) − E h) over the labeled plus 1/u Σ (k(x) − E k) over the " +
				"unlabeled examples, with an error of variance O(1/b²).",
			"So b·Var tends to (b/m)·Var h + (b/u)·Var k, and b times the covariance of two losses to (b/m)·Cov(h, h′) + " +
				"(b/u)·Cov(k, k′).",
			"PU-debiased: a labeled row w, as an anchor, adds π log(M_N(w)/M_P(w)); as one that p holds, " +
				"−π²/(1−π)·E_P[e^(z·w)/M_N(z)] + (1−π)E_N[e^(z·w)/M_P(z)], what p does to f₋ at positives falling out. h " +
				"is the mean over the two views.",
			"An unlabeled row w adds log M_P(w) as an anchor, and π/(1−π)·E_P[e^(z·w)/M_N(z)] as one that u holds. k is " +
				"the mean over the two views, less their similarity.",
			"PUCL: with M = αM_P + (1−α)M_N, every row w adds D(w) = log M(w) + E[e^(z·w)/M(z)] over the anchors z, with " +
				"the weight of its kind, m/b or u/b; a labeled one less 2E_P[z·w], an unlabeled example less the " +
				"similarity of its views.",
			"A mean squared error is variance plus squared bias: 0 + c/b for PU-debiased, B + c′/b for PUCL, c′ being " +
				"theory.LimitPartitionRate, since the attraction's bias is the same in all batches.",
			"The error of a mixture is quadratic in w, least at (S − C)/(S + S′ − 2C) for the mean squared errors S of " +
				"PU-debiased and S′ of PUCL and the mean product C of their errors; b·S → v, b·C → v″ + Bc and S′ → B².",
		},
		rests: grounds{
			objectives:  []string{"PU-debiased", "PUCL"},
			constants:   []string{"v of PU-debiased", "v of PUCL", "v of both", "B", "k", "b*"},
			assumptions: []string{independentViews, caseControl, trueClassPrior},
		},
		check: puDebiasedErrorFinding,
	}
}

// errorRates are the predicted rates of a case. The mean squared error is v/b for PU-debiased and square + plain/b for
// PUCL. The mean product of their errors is both/b, and the weight of PUCL in the best mixture is k/b.
type errorRates struct{ v, square, plain, both, k float64 }

// crossing returns the approximate number of examples from which PU-debiased is nearer to the ideal loss than PUCL.
func (r errorRates) crossing() float64 { return (r.v - r.plain) / r.square }

// errorRates predicts the rates, with constants that may be mutated.
func (s *subject) errorRates(c contrastCase) errorRates {
	x, y := spreads(c.world, c.design, 1)
	v := s.constant("v of PU-debiased", covarianceRate(c.world, c.design, x, x))
	plain := s.constant("v of PUCL", covarianceRate(c.world, c.design, y, y))
	bias, rate := s.constant("B", plainLimit(c)), must.Get(theory.LimitPartitionRate(c.world, c.design, 1))
	own, _ := debiasedRates(c.world, c.design, 1)
	both := s.constant("v of both", covarianceRate(c.world, c.design, x, y)) + bias*own
	return errorRates{v, bias * bias, plain + 2*bias*rate, both, s.constant("k", (v-both)/(bias*bias))}
}

func puDebiasedErrorFinding(s *subject) Finding {
	var f proven
	wrong, losses, gradients, batches, crossed := 0, 0, 0, 0, 0
	for i, c := range debiasedCases() {
		want := s.errorRates(c.contrastCase)
		nearer := s.constant("b*", want.crossing())
		var debiased, plain, both, share [3]float64
		for k := range debiased {
			d := c.design
			d.Labeled, d.Unlabeled = d.Labeled<<k, d.Unlabeled<<k
			b, e := float64(d.Examples()), s.squaredErrors(c.world, s.drawn(d))
			debiased[k], plain[k], both[k], share[k] = b*e.debiased, b*(e.plain-want.square), b*e.both, b*e.share()
			batches++
			losses += oneIf(e.debiased < e.plain)
			gradients += oneIf(e.debiasedGradient < e.plainGradient)
			wrong += oneIf((e.debiased < e.plain) != (b > nearer))
			for _, m := range []struct {
				what  string
				value float64
			}{
				{"mean squared error of the loss of PU-debiased", e.debiased}, {"mean squared error of the loss of PUCL", e.plain},
				{"weight of PUCL in the best mixture", e.share()},
				{"mean squared error of the gradient of PU-debiased", e.debiasedGradient}, {"mean squared error of the " +
					"gradient of PUCL", e.plainGradient},
			} {
				measure(&f.Finding, m.value, "%s, b = %d: %s", c.name, d.Examples(), m.what)
			}
		}
		measure(&f.Finding, want.v, "%s: v", c.name)
		measure(&f.Finding, nearer, "%s: b*", c.name)
		f.zero(math.Abs(toInfinity(debiased)/want.v-1), 0.008, "%s: relative error of v, extrapolated from three batches", c.name)
		f.zero(math.Abs(toInfinity(plain)-want.plain), 5e-4, "%s: error of v′ + 2Bc′, extrapolated from three batches", c.name)
		f.zero(math.Abs(toInfinity(both)-want.both), 5e-4, "%s: error of v″ + Bc, extrapolated from three batches", c.name)
		star := (toInfinity(debiased) - toInfinity(plain)) / want.square
		f.zero(math.Abs(star/nearer-1), 0.008, "%s: relative error of b*, from the extrapolated errors", c.name)
		if nearer > 8*float64(c.design.Examples()) { // b* has an error of O(1), which is large for few examples
			at := countedCrossing(c.contrastCase, int(0.9*nearer), int(1.1*nearer))
			measure(&f.Finding, at, "%s: examples at which the errors, counted exactly, are equal", c.name)
			f.zero(math.Abs(at/nearer-1), 0.02, "%s: relative error of b* at this crossing", c.name)
			crossed++
		}
		measure(&f.Finding, want.k, "%s: k", c.name)
		// In batches of fewer than k examples the best weight of PUCL is far from k/b. So k is compared with its
		// limits, after the comparison of B² above, and with the best weights as well if these are close.
		k := (toInfinity(debiased) - toInfinity(both)) / want.square
		f.zero(math.Abs(k/want.k-1), 0.008, "%s: relative error of k, from the extrapolated errors", c.name)
		if want.k < float64(4*c.design.Examples()) {
			f.zero(math.Abs(toInfinity(share)/want.k-1), 0.008, "%s: relative error of k, extrapolated from three batches", c.name)
		}
		if i == 0 {
			f.Number = exactly(nearer)
		}
	}
	f.expect(crossed > 0, "b* was compared with the crossing of the errors in no case")
	f.none(wrong, batches, "batches in which the loss that is nearer to the ideal one is not the one that b* says")
	measure(&f.Finding, gradients, "batches in which the gradient of PU-debiased has the smaller mean squared error")
	f.detail("the gradient of PU-debiased is nearer to the ideal one than PUCL's in %d of the %d batches, its loss in %d",
		gradients, batches, losses)
	s.crossings(&f)
	f.Why = "What is biased stays away however large the batch; what is not comes near, as fast as its variance falls. " +
		"PU-debiased varies more, since it takes " +
		"differences of means; so it is for batches above b*, and in smaller ones it is PUCL that has the smaller error."
	return f.finish("The limits agree with the derived ones in all %d cases. For classes at cosine 0.6, π = 0.3, γ = 1/3, τ = 1, "+
		"PU-debiased is nearer to the ideal loss from about "+
		"%.3g examples on. If PUCL has little bias, as with positives between two negatives, it is nearer from %.3g on.",
		len(debiasedCases()), f.Number.Value,
		s.errorRates(debiasedCases()[2].contrastCase).crossing())
}

// crossings lists b* for several label fractions and priors.
func (s *subject) crossings(f *proven) {
	c := debiasedCases()[0]
	for _, prior := range []float64{0.1, 0.3, 0.5, 0.7} {
		for _, size := range [][2]int{{1, 3}, {1, 1}, {3, 1}} {
			c.design = theory.Design{Labeled: size[0], Unlabeled: size[1], Prior: prior}
			measure(&f.Finding, s.errorRates(c.contrastCase).crossing(), "%s, π = %g, γ = %d/%d: b*", c.name, prior, size[0], size[1])
		}
	}
}

// squaredErrors are the mean squared errors of the two losses, the mean product of their errors, and the gradients'
// mean squared errors.
type squaredErrors struct{ plain, debiased, both, plainGradient, debiasedGradient float64 }

// share returns the weight of PUCL in the best mixture.
func (e squaredErrors) share() float64 {
	return (e.debiased - e.both) / (e.plain + e.debiased - 2*e.both)
}

// squaredErrors measures the errors of PUCL and PU-debiased at temperature 1.
func (s *subject) squaredErrors(p theory.Population, d theory.Design) squaredErrors {
	objectives := []pucl.Objective{s.objective(pucl.PUCL()), s.debiased(s.told(d.Prior))}
	m := once(s, "errors of "+s.key(objectives[0])+" and "+s.key(objectives[1]), func() *theory.ErrorMeter {
		return must.Get(theory.NewErrorMeter(s.eng, objectives, 1))
	})
	return once(s, fmt.Sprintf("errors by %p of %v, %v", m, p, d), func() squaredErrors {
		loss, gradient := must.Get2(m.SquaredErrors(p, d))
		return squaredErrors{loss.At(0, 0), loss.At(1, 1), loss.At(0, 1), gradient.At(0, 0), gradient.At(1, 1)}
	})
}
