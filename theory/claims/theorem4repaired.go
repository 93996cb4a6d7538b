package claims

import (
	"fmt"
	"math"
	"math/big"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem4Repaired returns the claim on when the gradient of PUCL is less biased than that of ssCL, equally biased, or
// more. It also states why it is never farther than ssCL's from the gradient of SCL, which uses all classes.
func Theorem4Repaired() Claim {
	return Claim{
		ID: "theorem-4-repaired",
		Statement: "E∇L_PUCL − E∇L_ssCL = −κ∇μ_P with κ = ρ·m/b·(2m−2)/(2m−1). So with B = E∇L_ssCL − ∇L*_CL the bias of " +
			"PUCL's gradient is smaller than ssCL's if 2⟨B, ∇μ_P⟩ > κ|∇μ_P|² and κ > 0, larger if < and κ > 0, and equal " +
			"else. From E∇L_SCL it is never farther: E∇L_SCL − E∇L_ssCL = −C_P∇μ_P − C_N∇μ_N with C_P ≥ κ.",
		LaTeX: `\mathbb{E}[\nabla\mathcal{L}_{\text{PUCL}}] - \mathbb{E}[\nabla\mathcal{L}_{\text{ssCL}}] = -\kappa\,\nabla\mu_P,\quad \kappa = ` +
			`\rho\,\frac{m}{b}\,\frac{2m-2}{2m-1};\qquad \mathbb{E}[\nabla\mathcal{L}_{\text{SCL}}] - \mathbb{E}[\nabla\mathcal{L}_{\text{ssCL}}] ` +
			`= -C_P\,\nabla\mu_P - C_N\,\nabla\mu_N,\quad C_P \ge \kappa`,
		Source: "repairs Theorem 4 of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"the second view of an example is with probability ρ the first again, else another independent draw from its class",
			"the m labeled examples of a batch of b are draws of the positive class; u unlabeled ones are positive with probability q",
			"gradients are taken with respect to the points that the classes show, and lengths are Euclidean; every class " +
				"has points of its own",
		},
		Proof: []string{
			"The three losses share log Z, and ssCL and PUCL share the attraction of unlabeled anchors: only whom an anchor " +
				"is attracted to makes a difference.",
			"Two different examples of a class have similarity μ in expectation. The two views of one example have (1−ρ)μ + " +
				"ρ/τ, since a view and itself have 1/τ. That exceeds μ by ρ(1/τ − μ).",
			"A labeled anchor of ssCL finds its own view. In PUCL it finds 2m−1 rows, of which one is its own view: it loses " +
				"the excess in 2m−2 of 2m−1 cases. So E A_PUCL − E A_ssCL = −(m/b)·(2m−2)/(2m−1)·ρ(1/τ − μ_P) = −κ(1/τ − μ_P).",
			"A loss has −A, and 1/τ no slope: E∇L_PUCL − E∇L_ssCL = −κ∇μ_P.",
			"The bias of PUCL's gradient is B − κ∇μ_P, and |B − κ∇μ_P|² = |B|² − κ(2⟨B, ∇μ_P⟩ − κ|∇μ_P|²): smaller, equal or " +
				"larger as the bracket is positive, 0 or negative, and equal if κ = 0.",
			"κ = 0 if and only if ρ = 0, as under independent views, or m ≤ 1.",
			"SCL: in a batch with P positive examples, labeled or not, each positive anchor finds 2P−1 rows of which one is " +
				"its own view. So E∇L_SCL − E∇L_ssCL = −C_P∇μ_P − C_N∇μ_N with C_P = ρ/b·E f(P), C_N = ρ/b·E f(b−P), f(x) = " +
				"x(2x−2)/(2x−1) and f(0) = 0.",
			"f(x) = x − ½ − 1/(2(2x−1)) grows for x ≥ 1, and f(0) = f(1) = 0. P ≥ m in every batch, as labeled examples are " +
				"positive. So f(P) ≥ f(m), and C_P ≥ ρ f(m)/b = κ. Equality, for ρ > 0 and m ≥ 1, only if no unlabeled " +
				"example can be positive.",
			"∇μ_P is 0 in all points of the negatives and ∇μ_N in all of the positives, so lengths add up as squares: " +
				"|E∇L_PUCL − E∇L_SCL|² = (C_P−κ)²|∇μ_P|² + C_N²|∇μ_N|² ≤ C_P²|∇μ_P|² + C_N²|∇μ_N|² = |E∇L_ssCL − E∇L_SCL|².",
		},
		rests: grounds{
			objectives: []string{"ssCL", "PUCL", "SCL"},
			constants:  []string{"kappa", "C_P", "C_N"},
		},
		check: theorem4RepairedFinding,
	}
}

// Theorem4Supervised returns C_P and C_N, by which the expected gradients of SCL and ssCL differ: E[∇L_SCL] − E[∇L_ssCL] = −C_P∇μ_P −
// C_N∇μ_N. The design must be valid.
func Theorem4Supervised(d theory.Design) (positive, negative float64) {
	f := func(x float64) float64 { return max(x*(2*x-2)/(2*x-1), 0) }
	u, q := d.Unlabeled, 0.0
	if u > 0 {
		q = d.UnlabeledPrior()
	}
	for k := range u + 1 {
		p := decimal(new(big.Rat).SetInt(new(big.Int).Binomial(int64(u), int64(k)))) * math.Pow(q, float64(k)) * math.Pow(1-q, float64(u-k))
		positive += p * f(float64(d.Labeled+k))
		negative += p * f(float64(u-k))
	}
	scale := d.SameView / float64(d.Examples())
	return scale * positive, scale * negative
}

// onCircle returns the point of the unit circle at an angle in degrees.
func onCircle(degrees float64) []float64 {
	return []float64{math.Cos(degrees * math.Pi / 180), math.Sin(degrees * math.Pi / 180)}
}

// gradientCases returns populations of two positive points and a negative one at multiples of 45° on the unit circle.
// The batches have two labeled examples and an unlabeled one whose views coincide with probability ½ or 1.
func gradientCases() []contrastCase {
	var cases []contrastCase
	for _, second := range []float64{45, 90, 135} { // at 180° μ_P has no slope
		for negative := 0.0; negative < 360; negative += 45 {
			world := theory.Population{Positive: theory.Uniform(onCircle(0), onCircle(second)), Negative: theory.Uniform(onCircle(negative))}
			for _, prior := range []float64{0.25, 0.5} {
				for _, same := range []float64{0.5, theory.IdenticalViews} {
					cases = append(cases, contrastCase{world, theory.Design{Labeled: 2, Unlabeled: 1, Prior: prior, SameView: same}})
				}
			}
		}
	}
	return cases
}

func theorem4RepairedFinding(s *subject) Finding {
	var f proven
	proximity := pucl.Objective{Name: "similarity", Attract: pucl.OwnViews, Repel: pucl.Nothing} // of one example the loss is −s
	meters := s.meters(1, s.objective(pucl.PUCL()), s.objective(pucl.SSCL()), s.objective(pucl.SCL()), proximity)
	kappaFactor, factorP, factorN := s.constant("kappa", 1), s.constant("C_P", 1), s.constant("C_N", 1)
	cases := append(gradientCases(), contrastCases(randomPlanes(3, 14), []theory.Design{
		{Labeled: 2, Unlabeled: 1, Prior: 0.25}, {Labeled: 1, Unlabeled: 2, Prior: 0.5, SameView: 0.4},
		{Unlabeled: 3, Prior: 0.5, SameView: theory.IdenticalViews}, {Labeled: 3, Prior: 0.3, SameView: 0.7},
		{Labeled: 2, Unlabeled: 1, Prior: 0.5, SameView: 0.6, Scheme: theory.SingleDataset, LabelRate: 0.5},
	})...)
	var against tally // PUCL's bias against ssCL's
	offKappa, offSCL, wrong, farther, worst, example := 0.0, 0.0, 0, 0, 0.0, ""
	for _, c := range cases {
		g := lists.Map(meters[:3], func(m *meter) theory.PointGradient { return must.Get(m.Gradient(c.world, c.design)) })
		better, baseline, supervised := g[0], g[1], g[2]
		ideal := must.Get(theory.IdealGradient(c.world, c.design.Prior, c.design.Negatives(), 1))
		slopes := classSlopes(meters[3], c.world)
		kappa := kappaFactor * Theorem4Factor(c.design)
		cP, cN := Theorem4Supervised(c.design)
		moved, supervision := flatGradient(better.Minus(baseline)), flatGradient(supervised.Minus(baseline))
		bias, along, square := flatGradient(baseline.Minus(ideal)), 0.0, 0.0
		for i := range moved {
			offKappa = max(offKappa, math.Abs(moved[i]+kappa*slopes[0][i]))
			offSCL = max(offSCL, math.Abs(supervision[i]+factorP*cP*slopes[0][i]+factorN*cN*slopes[1][i]))
			along += bias[i] * slopes[0][i]
			square += slopes[0][i] * slopes[0][i]
		}
		lengths := [2]float64{better.Minus(ideal).Norm(), baseline.Minus(ideal).Norm()}
		before := against
		against.add(lengths[0], lengths[1])
		foretold := before
		foretold.add(-kappa*(2*along-kappa*square)/(lengths[0]+lengths[1]), 0)
		wrong += oneIf(foretold != against)
		farther += oneIf(exceeds(better.Minus(supervised).Norm(), baseline.Minus(supervised).Norm()+contrastTolerance))
		if ratio := lengths[0] / lengths[1]; lengths[1] > contrastTolerance && ratio > worst*(1+contrastTolerance) { // the first of ties
			worst = ratio
			example = fmt.Sprintf("the largest ratio: %s", theory.Case{Population: c.world, Design: c.design, Value: exactly(ratio)})
		}
	}
	f.zero(offKappa, contrastTolerance, "largest error of −κ∇μ_P over %d cases", len(cases))
	f.zero(offSCL, contrastTolerance, "largest error of −C_P∇μ_P − C_N∇μ_N")
	f.none(wrong, len(cases), "cases in which 2⟨B, ∇μ_P⟩ − κ|∇μ_P|² and κ do not tell which bias is the smaller")
	f.none(farther, len(cases), "cases in which PUCL is farther from SCL than ssCL is")
	broken, even, grid := supervisedGrid(s.rational("kappa", whole(1)), s.rational("C_P", whole(1)))
	f.none(broken, grid, "grid of m, u and q in rationals: C_P < κ, or equal where it should not be")
	f.expect(even > 0, "C_P = κ is never reached on the grid, so that it is not best possible")
	measure(&f.Finding, against.lower, "cases in which the bias of PUCL's gradient is the smaller")
	measure(&f.Finding, against.equal, "cases in which they are equal")
	measure(&f.Finding, against.larger, "cases in which it is the larger")
	measure(&f.Finding, worst, "largest ratio of the biases, PUCL over ssCL")
	f.expect(against.lower > 0 && against.equal > 0 && against.larger > 0, "smaller, equal and larger biases are not all met: %v", against)
	f.Number = exactly(worst)
	f.detail("%s", example)
	f.Why = "PUCL attracts labeled anchors to other examples in place of their own second view. Where views may coincide an " +
		"own view is nearer, by an amount whose slope is that of −μ_P. SCL does the same for all anchors of both classes, so " +
		"PUCL is on the way from ssCL to SCL, but the ideal loss lies elsewhere."
	return f.finish("PUCL's gradient differs from ssCL's by −κ∇μ_P in all %d cases. Its bias is smaller in %d, equal in %d "+
		"and larger in %d, up to %.4g times. The sign of 2⟨B, ∇μ_P⟩ − κ|∇μ_P|² decides.", len(cases), against.lower, against.equal, against.larger, worst)
}

// classSlopes returns ∇μ_P and ∇μ_N as vectors, measured with the similarity as a loss. One labeled example gives a
// pair of positives; one unlabeled example with prior 0 gives a pair of negatives.
func classSlopes(m *meter, p theory.Population) [2][]float64 {
	slope := func(d theory.Design) []float64 {
		return lists.Map(flatGradient(must.Get(m.Gradient(p, d))), func(x float64) float64 { return -x })
	}
	return [2][]float64{slope(theory.Design{Labeled: 1}), slope(theory.Design{Unlabeled: 1})}
}

// supervisedGrid compares C_P and κ, each times a factor, in rationals for ρ = 1. broken counts the cases with C_P < κ,
// or with equality though an unlabeled example can be positive and m ≥ 1. even counts the cases of equality.
func supervisedGrid(kappaFactor, supervisedFactor *big.Rat) (broken, even, cases int) {
	f := func(x int64) *big.Rat {
		if x == 0 {
			return new(big.Rat)
		}
		return big.NewRat(x*(2*x-2), 2*x-1)
	}
	for m := int64(1); m <= 6; m++ {
		for u := int64(0); u <= 6; u++ {
			for tenths := int64(0); tenths <= 10; tenths += 2 {
				supervised := new(big.Rat)
				for k := range u + 1 {
					supervised.Add(supervised, times(binomial(u, k, big.NewRat(tenths, 10)), f(m+k)))
				}
				order := times(supervisedFactor, supervised).Cmp(times(kappaFactor, f(m)))
				cases++
				broken += oneIf(order < 0 || order == 0 && u > 0 && tenths > 0)
				even += oneIf(order == 0 && m > 1)
			}
		}
	}
	return broken, even, cases
}
