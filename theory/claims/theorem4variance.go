package claims

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem4Variance returns the claim that under independent views the gradient of PUCL varies no more than that of
// ssCL, in every direction, with the size of the difference.
//
// It replaces the intended conclusion of Theorem 4 that PUCL converges faster. Under independent views the expected
// gradients are equal. So PUCL's gradient has the smaller mean squared distance to any other gradient, including the
// ideal one.
func Theorem4Variance() Claim {
	return Claim{
		ID: "theorem-4-variance",
		Statement: "Cov(∇L_ssCL) − Cov(∇L_PUCL) = 2m(m−1)/((2m−1)b²) · E[r rᵀ] ⪰ 0, so that PUCL's gradient varies no more " +
			"in any direction, and its mean squared distance to ∇L*_CL is no larger.",
		LaTeX: `\mathrm{Cov}(\nabla\mathcal{L}_{\text{ssCL}}) - \mathrm{Cov}(\nabla\mathcal{L}_{\text{PUCL}}) = \frac{2m(m-1)}{(2m-1)\,b^2}\,` +
			`\mathbb{E}[\mathbf{r}\,\mathbf{r}^{\top}] \succeq 0`,
		Source: "in place of Theorem 4 in Contrastive Positive Unlabeled Learning, appendix A.5.3 on convergence",
		Assumptions: []string{
			"views are independent draws from their example's class; the m ≥ 1 labeled examples of a batch of b are draws of the positive class",
			"the gradient is that of a batch's loss with respect to an encoder's parameters, or to the points of a " +
				"population; r(z, z') = g(z, z') − E[g|z] − E[g|z'] + E[g] with g the gradient of z·z', two positives",
		},
		Proof: []string{
			"An encoder maps what is seen, so the gradient of a batch's loss is a sum over its rows, each row's share " +
				"depending on what the row shows and on the slope of the loss in that row's embedding.",
			"Let S be the labeled rows as a set, without their pairing, together with the unlabeled examples. Given S the " +
				"pairings are equally likely, since labeled rows are independent draws of one class.",
			"L_PUCL is the mean of L_ssCL over the pairings of S (theorem-2-inequality) for every choice of the parameters. " +
				"A pairing does not depend on the parameters, so the slopes average as well: ∇L_PUCL = E[∇L_ssCL | S].",
			"In a direction v: Var(v·∇L_ssCL) = Var(v·∇L_PUCL) + E[Var(v·∇L_ssCL | S)] ≥ Var(v·∇L_PUCL). For all v that is " +
				"Cov(∇L_PUCL) ⪯ Cov(∇L_ssCL), the theorem of Rao and Blackwell.",
			"The size: given S only the attraction of labeled anchors varies, of m examples among b. Hoeffding's split of s " +
				"in the proof of theorem-2-variance-repaired splits vectors as well as numbers. With g for s and r rᵀ for r² " +
				"the same lines give the factor 2m(m−1)/((2m−1)b²).",
			"E∇L_PUCL = E∇L_ssCL, by taking the expectation of ∇L_PUCL = E[∇L_ssCL | S]. For any fixed vector a, E|∇L − a|² " +
				"= |E∇L − a|² + tr Cov(∇L): the first part is the same for both, the second no larger for PUCL.",
		},
		rests: grounds{
			objectives:  []string{"ssCL", "PUCL"},
			constants:   []string{"size"},
			assumptions: []string{independentViews},
		},
		check: theorem4VarianceFinding,
	}
}

func theorem4VarianceFinding(s *subject) Finding {
	var f proven
	meters := s.meters(1, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	size := s.constant("size", 1)
	designs := withViews(append(designsOf(0.25, [][2]int{{2, 1}, {3, 0}, {1, 2}}), theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.7},
		theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.6, Scheme: theory.SingleDataset, LabelRate: 0.5}), s.assumes(independentViews))
	worst, means, least, farther, idle := 0.0, 0.0, math.Inf(1), 0, 0
	share := [2]float64{math.Inf(1), 0} // fraction of the trace that remains for PUCL, for two labeled examples
	cases := contrastCases(onSphere(randomPlanes(3, 15)), designs)
	for _, c := range cases {
		positive, _ := must.Get2(c.world.PairGradientRest(1))
		gap, traces := covarianceGap(meters, c)
		means = max(means, distance(meters, c))
		least = min(least, theory.LeastEigenvalue(gap))
		farther += oneIf(exceeds(traces[1], traces[0]+contrastTolerance))
		if c.design.Labeled > 1 {
			idle += oneIf(exceeds(contrastTolerance, traces[0]-traces[1]))
			share = [2]float64{min(share[0], traces[1]/traces[0]), max(share[1], traces[1]/traces[0])}
		}
		factor := size * Theorem2Gap(theory.PairVariance{Rest: 1}, c.design)
		for i := range gap.SymmetricDim() {
			for k := range i + 1 {
				worst = max(worst, math.Abs(gap.At(i, k)-factor*positive.At(i, k)))
			}
		}
	}
	f.zero(worst, contrastTolerance, "largest error of the size in an entry of the difference, %d cases", len(cases))
	f.zero(max(-least, 0), 1e-12, "least eigenvalue of the difference, below 0")
	f.zero(means, contrastTolerance, "largest distance between the expected gradients")
	f.none(farther, len(cases), "cases in which PUCL's gradient has the larger total variance")
	f.none(idle, len(cases), "cases with two labeled examples or more in which nothing is gained")
	measure(&f.Finding, share[0], "least trace of the covariance, PUCL over ssCL, m ≥ 2")
	measure(&f.Finding, share[1], "greatest trace of the covariance, PUCL over ssCL, m ≥ 2")
	theorem4SameViews(meters, &f)
	f.detail("for appendix A.5.3: its argument from a lower bias does not stand, since the expected gradients are the same; " +
		"what does is that steps along PUCL's gradient go the same way in expectation with less noise, which is what the " +
		"rates of stochastic gradient descent depend on")
	f.Number = exactly(share[0])
	f.Why = "PUCL's gradient is the conditional expectation of ssCL's given the labeled rows without their pairing. Expected " +
		"gradients are therefore equal, and what the pairing adds to the covariance is taken away, which no direction can " +
		"lose by."
	return f.finish("The difference of the covariances is 2m(m−1)/((2m−1)b²)·E[r rᵀ] in all %d cases, so PUCL's gradient "+
		"varies no more in any direction. With two labeled examples or more it has from %.4g to %.4g of the variance of "+
		"ssCL's.", len(cases), share[0], share[1])
}

// covarianceGap returns the difference of the covariances of the gradients of two meters' objectives, and their traces.
func covarianceGap(meters []*meter, c contrastCase) (gap *mat.SymDense, traces [2]float64) {
	first, second := must.Get(meters[0].GradientCovariance(c.world, c.design)), must.Get(meters[1].GradientCovariance(c.world, c.design))
	gap = mat.NewSymDense(first.SymmetricDim(), nil)
	for i := range gap.SymmetricDim() {
		for k := range i + 1 {
			gap.SetSym(i, k, first.At(i, k)-second.At(i, k))
		}
	}
	return gap, [2]float64{mat.Trace(first), mat.Trace(second)}
}

// distance returns the distance between the expected gradients of two meters' objectives.
func distance(meters []*meter, c contrastCase) float64 {
	return must.Get(meters[0].Gradient(c.world, c.design)).Minus(must.Get(meters[1].Gradient(c.world, c.design))).Norm()
}

// theorem4SameViews shows that the covariances are not ordered for identical views.
func theorem4SameViews(meters []*meter, f *proven) {
	c := contrastCase{theory.Population{Positive: theory.Uniform(onCircle(0), onCircle(90)), Negative: theory.Uniform(onCircle(180))},
		theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.25, SameView: theory.IdenticalViews}}
	gap, traces := covarianceGap(meters, c)
	least := theory.LeastEigenvalue(gap)
	measure(&f.Finding, least, "identical views: least eigenvalue of the difference")
	measure(&f.Finding, traces[0], "identical views: trace of ssCL's covariance")
	measure(&f.Finding, traces[1], "identical views: trace of PUCL's covariance")
	f.expect(least < -contrastTolerance, "the covariances are ordered under identical views as well (least eigenvalue %.3g), "+
		"so that independent views are not needed", least)
	f.detail("without independent views it fails: of identical views ssCL's own pairs have no gradient at all, PUCL's have; "+
		"positives at 0° and 90°, negatives at 180°, m = 2, u = 1, π = ¼, τ = 1: least eigenvalue %.4f, traces %.4f of ssCL "+
		"and %.4f of PUCL", least,
		traces[0], traces[1])
}

// onSphere scales all points to length one, so that gradients do not depend on the lengths of the points.
func onSphere(worlds []theory.Population) []theory.Population {
	for _, world := range worlds {
		for _, class := range [][]theory.Atom{world.Positive, world.Negative} {
			for _, atom := range class {
				length := mat.Norm(mat.NewVecDense(len(atom.Z), atom.Z), 2)
				for k := range atom.Z {
					atom.Z[k] /= length
				}
			}
		}
	}
	return worlds
}
