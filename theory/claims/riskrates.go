package claims

import (
	"math"

	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PriorError returns the claim that an error ε of the class prior biases the risk estimate by the order of ε.
//
// For uPU it is exact: the bias is ε·E[ℓ(t) − ℓ(−t)|y=1]. nnPU, the other estimator of the sentence, is biased already
// at ε = 0.
func PriorError() Claim {
	return Claim{
		ID: "prior-error",
		Statement: "An error |π̂ − π| ≤ ε of the class prior introduces a bias of order ε in the estimate of the risk (uPU, " +
			"nnPU).",
		LaTeX:  `|\hat\pi_p - \pi_p| \leq \epsilon \ \Rightarrow\ |\mathbb{E}[\hat{R}_{pu}] - R| = \mathcal{O}(\epsilon)`,
		Source: "Contrastive Positive Unlabeled Learning, section 1 (knowledge of class prior) and appendix A.3.3",
		Assumptions: []string{
			"data as in (1); one classifier, whose logits are finite; the loss of the classifier's margin is fixed",
		},
		rests: grounds{constants: []string{"slope"}, mistakes: []mistake{{"pn", "the estimate is PN's, which takes unlabeled " +
			"for negative"}}},
		check: priorErrorFinding,
	}
}

func priorErrorFinding(s *subject) Finding {
	var f Finding
	estimate := func(error float64, loss risk.MarginLoss) func(float64) risk.Risk {
		wrong := s.mistaken("pn")
		return func(prior float64) risk.Risk {
			if wrong {
				return risk.PN(loss)
			}
			return risk.UPU(prior+error, loss)
		}
	}
	factor := s.constant("slope", 1)
	priors := []float64{0.3, 0.5, 0.7}
	world := LemmaOneWorld(1, 2)
	slope, logit := 0.0, 0.0
	for _, a := range world.Positive {
		slope += a.P * (1 - 2/(1+math.Exp(-a.Logit))) // ℓ(t) − ℓ(−t) of the sigmoid loss
		logit += a.P * a.Logit
	}
	cases, off := 0, 0.0
	for _, e := range []float64{-0.2, 0.1} {
		for _, m := range must.Get(world.Measure(s.eng, estimate(e, risk.SigmoidLoss), priors...)) {
			cases++
			off = farther(off, m.Mean-m.Risk-factor*slope*e)
		}
	}
	unbounded := world
	unbounded.Loss = risk.LogisticLoss
	logistic := must.Get(unbounded.Measure(s.eng, estimate(0.1, risk.LogisticLoss), priors...))
	offLogistic := math.Abs(logistic[0].Mean - logistic[0].Risk + factor*0.1*logit)
	clipped := must.Get(world.Measure(s.eng, func(prior float64) risk.Risk { return risk.NNPU(prior, risk.SigmoidLoss) }, priors...))
	nnPU, added := 0.0, 0.0 // bias at ε = 0, and the largest change by ε, over |ε|
	for _, m := range clipped {
		nnPU = farther(nnPU, m.Mean-m.Risk)
	}
	for _, e := range []float64{-0.2, 0.1} {
		for k, m := range must.Get(world.Measure(s.eng, func(prior float64) risk.Risk { return risk.NNPU(prior+e, risk.SigmoidLoss) }, priors...)) {
			added = max(added, math.Abs((m.Mean-clipped[k].Mean)/e))
		}
	}
	off = max(math.Abs(off), offLogistic)
	measure(&f, cases, "cases of π and ε")
	measure(&f, slope, "bias of uPU over ε, sigmoid loss")
	measure(&f, -logit, "bias of uPU over ε, cross-entropy: minus the mean logit of the positives")
	measure(&f, off, "largest error of ε·E[ℓ(t) − ℓ(−t)|y=1] for the bias")
	measure(&f, nnPU, "bias of nnPU with the true prior, farthest from 0")
	measure(&f, added, "most that ε adds to the bias of nnPU, over |ε|")
	f.Number = exactly(nnPU)
	f.Why = "The estimate is linear in π̂: π̂(R_P⁺ − R_P⁻) + R_U⁻, which is unbiased at π̂ = π. So the bias is ε·E[ℓ(t) − " +
		"ℓ(−t)|y=1], at most ε in size for a loss between 0 and 1; for cross-entropy it is −ε·E[t|y=1], with no bound over " +
		"classifiers. Clipping at 0 adds what is cut off, whatever ε is; what ε adds to that lies between " +
		"ε·(R_P⁺ − R_P⁻) and ε·R_P⁺ on every data set, at most ε in size for such a loss."
	f.Corrected = "The bias of uPU is ε·E[ℓ(t) − ℓ(−t)|y=1]; that of nnPU has a part that does not fade with ε, only with " +
		"more data, and one of at most ε for a loss between 0 and 1."
	f.CorrectedLaTeX = `\mathbb{E}[\hat{R}_{pu}] - R = \epsilon\,\mathbb{E}[\ell(t) - \ell(-t) \mid y = 1]`
	if exceeds(added, 1) {
		f.undecide("An error ε of the prior adds up to %.4g ε to the bias of nnPU, where ε is the most: this is not nnPU's.", added)
		return f
	}
	if exceeds(off, 1e-12) {
		f.undecide("The bias measured is up to %.4g off ε·E[ℓ(t) − ℓ(−t)|y=1]: this is not uPU's, or not the formula.", off)
		return f
	}
	f.conclude(Conditional, "True of uPU, with bias ε·E[ℓ(t) − ℓ(−t)|y=1] in all %d cases. nnPU is off by %+.4f with ε "+
		"= 0 already (one labeled and two unlabeled examples), to which ε adds %.4g |ε| at most here.", cases, nnPU, added)
	return f
}

// LabelVariance returns the claim that the variance of the risk estimate is of the order of one over the number of
// labels.
//
// It has a second part, of the order of one over the number of unlabeled examples. At a fixed ratio γ the claim is
// correct. With more labels alone the variance stays above the second part. A γ that is small because of many unlabeled
// examples does no harm.
func LabelVariance() Claim {
	return Claim{
		ID:        "label-variance",
		Statement: "The variance of the risk estimate scales as O(1/n_P), so that it is large when γ is small.",
		LaTeX:     `\mathrm{Var}(\hat{R}_{pu}) = \mathcal{O}\left(\tfrac{1}{n_P}\right)`,
		Source:    "Contrastive Positive Unlabeled Learning, section 1 (limited supervision) and appendix A.3.3",
		Assumptions: []string{
			"uPU with the true prior on data as in (1); what the number of unlabeled examples does is not said",
		},
		rests: grounds{constants: []string{"labeled part", "unlabeled part"}, mistakes: []mistake{{"pn", "the estimate is PN's, which takes " +
			"unlabeled for negative"}}},
		check: labelVarianceFinding,
	}
}

func labelVarianceFinding(s *subject) Finding {
	var f Finding
	const prior = 0.5
	wrong, factor := s.mistaken("pn"), s.constant("unlabeled part", 1)
	estimate := func(prior float64) risk.Risk {
		if wrong {
			return risk.PN(risk.SigmoidLoss)
		}
		return risk.UPU(prior, risk.SigmoidLoss)
	}
	sizes := [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 4}}
	variance := lists.Map(sizes, func(size [2]int) float64 {
		m := must.Get(LemmaOneWorld(size[0], size[1]).Measure(s.eng, estimate, prior))[0]
		measure(&f, m.Variance, "n_P = %d, n_U = %d: variance", size[0], size[1])
		return m.Variance
	})
	// Var = a/n_P + c/n_U: a and c come from two sizes, and must be correct for all.
	labeled := s.constant("labeled part", 1) * 2 * (variance[0] - variance[1])
	unlabeled := factor * 2 * (variance[0] - variance[2])
	off := 0.0
	for k, size := range sizes {
		off = farther(off, variance[k]-labeled/float64(size[0])-unlabeled/float64(size[1]))
	}
	off = math.Abs(off)
	measure(&f, labeled, "a, the part that falls with n_P")
	measure(&f, unlabeled, "c, the part that falls with n_U")
	measure(&f, off, "largest error of a/n_P + c/n_U")
	f.Number = exactly(unlabeled)
	f.Why = "Labeled and unlabeled means are independent: the variance is π²Var(ℓ(t) − ℓ(−t)|y=1)/n_P + Var(ℓ(−t))/n_U. If " +
		"n_U ≥ n_P/γ₀ it is at most (a + γ₀c)/n_P."
	f.Corrected = "Var(R̂) = a/n_P + c/n_U, with a and c that depend on π and the classifier; it is O(1/n_P) where γ = " +
		"n_P/n_U stays bounded."
	f.CorrectedLaTeX = `\mathrm{Var}(\hat{R}_{pu}) = \frac{\pi^2\,\mathrm{Var}(\ell(t) - \ell(-t) \mid y=1)}{n_P} + ` +
		`\frac{\mathrm{Var}(\ell(-t))}{n_U}`
	f.detail("one labeled example: the variance falls from %.4f to %.4f as n_U goes from 1 to 4, and γ from 1 to ¼",
		variance[0], variance[4])
	if exceeds(off, 1e-12) || !(labeled > 0 && unlabeled > 0) {
		f.undecide("The variances measured are up to %.4g off a/n_P + c/n_U with a = %.4g: this is not uPU's, or not its "+
			"parts.", off, labeled)
		return f
	}
	f.conclude(Conditional, "The variance is %.4f/n_P + %.4f/n_U in all %d sizes: O(1/n_P) while γ = n_P/n_U stays bounded. "+
		"More labels alone leave %.4f/n_U, and a smaller γ by more unlabeled examples lowers it.", labeled, unlabeled,
		len(sizes), unlabeled)
	return f
}
