package claims

import (
	"fmt"
	"math"
	"math/big"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// SCLConsistent returns the claim that supervised contrastive learning (14) is a consistent estimator of the ideal loss
// (3).
//
// This is true of the attraction. The log partition of (14) includes all rows of the batch, also those of the anchor's
// class, which the ideal loss excludes; the difference tends to a constant.
func SCLConsistent() Claim {
	return Claim{
		ID:        "scl-consistent",
		Statement: "L_SCL (14), all samples labeled, is a consistent estimator of the ideal objective L*_CL (3).",
		LaTeX:     `\mathcal{L}_{\text{SCL}} \xrightarrow{\ P\ } \mathcal{L}^*_{\text{CL}} \quad (b \to \infty)`,
		Source:    "Contrastive Positive Unlabeled Learning, appendix A.5.2, below equation (14)",
		Assumptions: []string{"samples are independent draws from p(x, y), all labeled; views are independent draws of their " +
			"class; N = 2b − 2"},
		rests: grounds{objectives: []string{"SCL"}, assumptions: []string{"independent " +
			"views"}, constants: []string{"limit"}},
		check: sclConsistentFinding,
	}
}

// viewsOf returns the probability of identical views for a check.
func viewsOf(s *subject) float64 {
	if s.assumes("independent views") {
		return theory.IndependentViews
	}
	return theory.IdenticalViews
}

// sclConsistentFinding compares the limit of the bias with the bias of growing batches.
func sclConsistentFinding(s *subject) Finding {
	var f Finding
	o, same := s.objective(pucl.SCL()), viewsOf(s)
	m := s.meters(1, o)[0]
	unbiased, cases := 0, 0
	for _, world := range randomPlanes(3, 7) {
		for b := 2; b <= 3; b++ {
			r := must.Get(m.Exact(world, theory.Design{Unlabeled: b, Prior: 0.4, SameView: same}))
			cases++
			unbiased += oneIf(agree(r.AttractionBias().Value, 0))
		}
	}
	measure(&f, unbiased, "cases of %d whose attraction is unbiased", cases)
	var bias, variance []float64
	for b := 4; b <= 32; b *= 2 {
		r := must.Get(m.Exact(TwoPoints(), theory.Design{Unlabeled: b, Prior: 0.5, SameView: same}))
		measure(&f, r.Bias.Value, "classes at ±1, batch of %d: bias of the loss", b)
		measure(&f, r.Loss.Variance.Value, "classes at ±1, batch of %d: variance of the loss", b)
		bias, variance = append(bias, r.Bias.Value), append(variance, r.Loss.Variance.Value)
	}
	limit := s.constant("limit", must.Get(theory.LimitPartitionGap(TwoPoints(), 0.5, 0.5, 1)))
	extrapolated := (8*bias[3] - 6*bias[2] + bias[1]) / 3 // without its parts in 1/b and 1/b²
	measure(&f, extrapolated, "classes at ±1: bias extrapolated from batches of 8, 16 and 32, without parts in 1/b and 1/b²")
	measure(&f, limit, "classes at ±1: bias in the limit of large batches")
	f.Number = exactly(limit)
	f.Why = "The variance of the batch's means fades. The attraction averages pairs of one class, so that it has expectation " +
		"πμ_P + (1−π)μ_N. But Z over 2b tends to πM_P + (1−π)M_N, with M_y(z) = E[exp(z·z')] over draws z' of class y, and " +
		"the sum of (3) over N to M of the other class alone."
	f.Corrected = "The attraction of (14) is a consistent estimator of that of (3); the loss tends to L*_CL + E_z log[πM_P(z) " +
		"+ (1−π)M_N(z)] − E_(z,y) log M_ȳ(z)."
	f.CorrectedLaTeX = `\mathcal{L}_{\text{SCL}} - \mathcal{L}^*_{\text{CL}} \to \mathbb{E}_{z}\log[\pi M_P(z) + (1-\pi) M_N(z)] - ` +
		`\mathbb{E}_{(z,y)} \log M_{\bar y}(z)`
	f.Counterexample = fmt.Sprintf("positives at +1, negatives at −1, π = ½, τ = 1: the bias is %.6f for a batch of 4 and "+
		"%.6f for one of 32, its limit log cosh 1 + 1 = %.6f", bias[0], bias[3], 1+math.Log(math.Cosh(1)))
	fading := fades(variance[1], variance[3])
	switch {
	case unbiased < cases || !fading || exceeds(math.Abs(extrapolated-limit), 5e-3):
		f.undecide("The attraction is unbiased in %d of %d cases, and the bias tends to %.4f where %.4f was expected: this is "+
			"not (14) under independent views, or not its limit.", unbiased, cases, extrapolated, limit)
	case exceeds(math.Abs(extrapolated), 5e-3):
		f.conclude(Fails, "The attraction is unbiased in all %d cases, but the bias of the loss tends to %.4f nats as the "+
			"batch grows (classes at ±1, π = ½, τ = 1). Its log partition holds rows of the anchor's class.", cases, limit)
	default:
		f.conclude(Holds, "Bias and variance fade as the batch grows; the bias tends to %.2g.", extrapolated)
		f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	}
	return f
}

// SCLVariance returns the claim that SCL varies less than ssCL.
//
// With independent views it is the mean of ssCL over the pairings of the rows of a class, so it does, by a known
// amount. With equal views it does not.
func SCLVariance() Claim {
	return Claim{
		ID: "scl-variance",
		Statement: "L_SCL (14), whose attraction is averaged over all samples of the anchor's class, has a lower variance " +
			"than L_ssCL (4).",
		LaTeX:       `\mathrm{Var}(\mathcal{L}_{\text{SCL}}) \leq \mathrm{Var}(\mathcal{L}_{\text{ssCL}})`,
		Source:      "Contrastive Positive Unlabeled Learning, appendix A.5.2, below equation (14)",
		Assumptions: []string{"samples are independent draws from p(x, y), all labeled; what the views are is not said"},
		rests: grounds{
			objectives: []string{"SCL", "ssCL"}, assumptions: []string{"independent views"}, constants: []string{"gap"},
		},
		check: sclVarianceFinding,
	}
}

// SCLGap returns Var(L_ssCL) − Var(L_SCL) under independent views: the sum of Theorem2Gap over both classes, averaged
// over their random sizes.
func SCLGap(p theory.Population, b int, prior, tau float64) (gap float64, err error) {
	defer must.Catch(&err)
	positive, negative := must.Get2(p.PairVariance(tau))
	for k := range b + 1 {
		size := func(m int) theory.Design { return theory.Design{Labeled: m, Unlabeled: b - m, Prior: prior} }
		weight := decimal(binomial(int64(b), int64(k), new(big.Rat).SetFloat64(prior)))
		gap += weight * (Theorem2Gap(positive, size(k)) + Theorem2Gap(negative, size(b-k)))
	}
	return gap, nil
}

func sclVarianceFinding(s *subject) Finding {
	var f Finding
	scl, ssCL := s.objective(pucl.SCL()), s.objective(pucl.SSCL())
	same, factor := viewsOf(s), s.constant("gap", 1)
	meters := s.meters(1, ssCL, scl)
	cases, negative, off, largest := 0, 0, 0.0, 0.0
	for _, world := range randomPlanes(3, 8) {
		for b := 2; b <= 3; b++ {
			_, gap := varianceGaps(meters, contrastCase{world, theory.Design{Unlabeled: b, Prior: 0.4, SameView: same}})
			cases++
			negative += oneIf(gap < 0)
			off = farther(off, gap-factor*must.Get(SCLGap(world, b, 0.4, 1)))
			largest = max(largest, gap)
		}
	}
	_, equal := varianceGaps(meters, contrastCase{TwoSigns(), theory.Design{Unlabeled: 3, Prior: 0.5,
		SameView: theory.IdenticalViews}})
	off = math.Abs(off)
	measure(&f, cases, "cases with independent views")
	measure(&f, negative, "cases in which SCL varies more")
	measure(&f, largest, "largest Var(ssCL) − Var(SCL)")
	measure(&f, off, "largest error of the formula for it")
	measure(&f, equal, "signs, batch of 3, identical views: Var(ssCL) − Var(SCL)")
	f.Number = exactly(equal)
	f.Why = "Given the classes, the rows of a class are independent draws, and which are views of one sample does not matter " +
		"to log Z; the mean of (4) over all pairings within the classes is (14). By Rao and Blackwell the variance falls, by " +
		"Theorem2Gap for each class. If the two views are equal, the attraction of (4) is 1/τ throughout and does not vary, " +
		"while that of (14) does."
	f.Corrected = "With independent views Var(L_ssCL) − Var(L_SCL) = E Σ_y 2k_y(k_y−1)/((2k_y−1)b²)·ζ₂(y) ≥ 0, with k_y " +
		"samples of class y in a batch of b."
	f.CorrectedLaTeX = `\mathrm{Var}(\mathcal{L}_{\text{ssCL}}) - \mathrm{Var}(\mathcal{L}_{\text{SCL}}) = \mathbb{E} \sum_y \frac{2 k_y ` +
		`(k_y - 1)}{(2 k_y - 1)\, b^2}\, \zeta_2(y)`
	switch {
	case exceeds(off, contrastTolerance) || negative > 0:
		f.undecide("Var(ssCL) − Var(SCL) is up to %.4g off the formula, negative in %d of %d cases: these are not independent "+
			"views, or not the formula.",
			off, negative, cases)
	case equal < 0:
		f.conclude(Conditional, "With independent views it varies less in all %d cases, by the corrected size of Theorem 2 "+
			"over both classes; with identical views, which are not excluded, Var(ssCL) − Var(SCL) is %.4f (signs, batch of "+
			"3).", cases, equal)
	default:
		f.conclude(Holds, "It varies less in all %d cases, and with identical views.", cases)
		f.Corrected, f.CorrectedLaTeX = "", ""
	}
	return f
}
