package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem4 returns the claim that the gradient of PUCL is less biased than that of ssCL.
//
// The check follows the wording: it compares expected gradients with respect to the points of a population by their
// distance to the gradient of the ideal loss (3). Under the assumption of Theorem 2 the two expected losses are the
// same function of the points, so the biases are equal; without it either may be larger. The proof compares single
// terms of gradients in equations (17), (20) and (21); the check covers those as well.
func Theorem4() Claim {
	return Claim{
		ID:        "theorem-4",
		Statement: "The gradient of L_PUCL (6) has lower bias than that of L_ssCL (4) with respect to L* (3).",
		LaTeX: `\left\|\mathbb{E}[\nabla\mathcal{L}_{\text{PUCL}}] - \nabla\mathcal{L}^*_{\text{CL}}\right\| < ` +
			`\left\|\mathbb{E}[\nabla\mathcal{L}_{\text{ssCL}}] - \nabla\mathcal{L}^*_{\text{CL}}\right\|`,
		Source: "Contrastive Positive Unlabeled Learning, Theorem 4 in appendix A.5.3, with equations (15) to (21)",
		Assumptions: []string{
			"none is printed with the theorem; independent views, as in Theorem 2, and views that coincide are both tried",
			"bias is taken as the distance between the expected gradient and that of (3) as a loss, N = 2b − 2, in the " +
				"points of the population",
		},
		rests: grounds{
			objectives:  []string{"PUCL", "ssCL", "SCL"},
			constants:   []string{"kappa"},
			assumptions: []string{independentViews, caseControl},
			unneeded: []unneeded{{caseControl, "only the attraction of labeled anchors differs, so that −κ∇μ_P and what follows of " +
				"it are the same however the unlabeled examples are mixed"}},
		},
		check: func(s *subject) Finding {
			f := theorem4Finding(s, s.objective(pucl.PUCL()), s.objective(pucl.SSCL()))
			theorem4Equations(s, &f)
			return f
		},
	}
}

// flatGradient returns g as one vector.
func flatGradient(g theory.PointGradient) []float64 {
	return slices.Concat(slices.Concat(g.Positive, g.Negative)...)
}

// tally counts comparisons of two biases.
type tally struct{ lower, equal, larger int }

func (t *tally) add(first, second float64) {
	switch {
	case math.IsNaN(first - second):
		must.Fail("the gradient biases are %g and %g, which cannot be compared", first, second)
	case agree(first, second):
		t.equal++
	case first < second:
		t.lower++
	default:
		t.larger++
	}
}

func (t tally) total() int { return t.lower + t.equal + t.larger }

// gradientStudy holds the counts of theorem4Finding.
type gradientStudy struct {
	on *subject

	independent, coinciding tally // against the ideal loss, by kind of views
	supervised              tally // against SCL, all cases
	slope                   float64
	smaller                 float64 // distance of the gradients in cases where they are equal though views coincide
	criterion               int     // cases where 2⟨B, ∇μ_P⟩ > κ|∇μ_P|² does not predict which is larger
	worst                   float64
	counterexample          string
}

func theorem4Finding(on *subject, better, baseline pucl.Objective) Finding {
	var f Finding
	// The pair's own similarity as a loss; for a single labeled example its mean is −μ_P.
	proximity := pucl.Objective{Name: "similarity", Attract: pucl.OwnViews, Repel: pucl.Nothing}
	meters := on.meters(1, better, baseline, on.objective(pucl.SCL()), proximity)
	s := gradientStudy{on: on}
	for _, c := range contrastCases(onSphere(randomPlanes(3, 5)), []theory.Design{
		{Labeled: 2, Unlabeled: 1, Prior: 0.25},
		{Labeled: 2, Unlabeled: 1, Prior: 0.7},
		{Labeled: 1, Unlabeled: 2, Prior: 0.5},
	}) {
		s.add(meters, c)
	}
	for _, c := range gradientCases() {
		s.add(meters, c)
	}
	s.smaller = theorem4Smaller(meters, &f)
	theorem4Judge(&f, s)
	f.restOn(max(s.slope, s.smaller), "The expected gradients do not differ by −κ∇μ_P, as proved of PUCL and ssCL: they are up to %.4g "+
		"off, so that these are other objectives, or other batches.", max(s.slope, s.smaller))
	return f
}

// add measures a case; the meters are those of the two objectives, of SCL and of the similarity.
func (s *gradientStudy) add(meters []*meter, c contrastCase) {
	d := c.design
	drawn := d
	if d.SameView == theory.IndependentViews {
		drawn = s.on.drawn(d)
	}
	better, baseline := must.Get(meters[0].Gradient(c.world, drawn)), must.Get(meters[1].Gradient(c.world, drawn))
	supervised := must.Get(meters[2].Gradient(c.world, drawn))
	ideal := must.Get(theory.IdealGradient(c.world, d.Prior, d.Negatives(), 1))
	biasBetter, biasBaseline := better.Minus(ideal).Norm(), baseline.Minus(ideal).Norm()
	s.supervised.add(better.Minus(supervised).Norm(), baseline.Minus(supervised).Norm())
	if d.SameView == theory.IndependentViews {
		s.independent.add(biasBetter, biasBaseline)
	} else {
		s.coinciding.add(biasBetter, biasBaseline)
	}
	if ratio := biasBetter / biasBaseline; biasBaseline > contrastTolerance && ratio > s.worst*(1+contrastTolerance) { // the first of ties
		s.worst = ratio
		s.counterexample = fmt.Sprintf("m = %d, u = %d, %s of the unit circle, π = %g, τ = 1, views identical with probability %g: the bias "+
			"of PUCL's gradient is %.6f, that of ssCL's %.6f", d.Labeled, d.Unlabeled, pointsText(c.world), d.Prior,
			d.SameView, biasBetter, biasBaseline)
	}

	// E∇PUCL − E∇ssCL = −κ∇μ_P, and its effect on the lengths of the biases.
	slope := must.Get(meters[3].Gradient(c.world, theory.Design{Labeled: 1}))
	kappa := s.on.constant("kappa", Theorem4Factor(d))
	bias, moved := flatGradient(baseline.Minus(ideal)), flatGradient(better.Minus(baseline))
	along, square := 0.0, 0.0
	for i, x := range flatGradient(slope) { // x is −∂μ_P
		s.slope = max(s.slope, math.Abs(moved[i]-kappa*x))
		along -= bias[i] * x
		square += x * x
	}
	gain := kappa * (2*along - kappa*square) // |B|² − |B − κ∇μ_P|²
	s.criterion += oneIf(!agree(gain, biasBaseline*biasBaseline-biasBetter*biasBetter))
}

// Theorem4Factor returns κ = ρ · m/b · (2m−2)/(2m−1), by which the expected gradients of PUCL and ssCL differ: E[∇L_PUCL] −
// E[∇L_ssCL] = −κ∇μ_P.
func Theorem4Factor(d theory.Design) float64 {
	if d.Labeled == 0 {
		return 0
	}
	m := float64(d.Labeled)
	return d.SameView * m / float64(d.Examples()) * (2*m - 2) / (2*m - 1)
}

// pointsText lists the points of a population on the unit circle whose classes are uniform: "positives at 0° and 135°, negatives at …".
func pointsText(p theory.Population) string {
	list := func(atoms []theory.Atom) string {
		return strings.Join(lists.Map(atoms, func(a theory.Atom) string {
			return fmt.Sprintf("%.4g°", math.Mod(math.Atan2(a.Z[1], a.Z[0])*180/math.Pi+360, 360))
		}), " and ")
	}
	return fmt.Sprintf("positives at %s, negatives at %s", list(p.Positive), list(p.Negative))
}

// theorem4Smaller checks that the two gradients are equal in smaller cases: one labeled example, or positives with one
// point. It returns the largest distance between the two.
func theorem4Smaller(meters []*meter, f *Finding) (largest float64) {
	for _, smaller := range []struct {
		name string
		contrastCase
	}{
		{"one labeled example", contrastCase{
			theory.Population{Positive: theory.Uniform(onCircle(0), onCircle(135)), Negative: theory.Uniform(onCircle(45))},
			theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.25, SameView: theory.IdenticalViews}}},
		{"positives at one point", contrastCase{
			theory.Population{Positive: theory.Uniform(onCircle(0)), Negative: theory.Uniform(onCircle(45))},
			theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.25, SameView: theory.IdenticalViews}}},
	} {
		better := must.Get(meters[0].Gradient(smaller.world, smaller.design))
		distance := better.Minus(must.Get(meters[1].Gradient(smaller.world, smaller.design))).Norm()
		largest = max(largest, distance)
		measure(f, distance, "%s: distance between the two expected gradients", smaller.name)
	}
	f.detail("with one labeled example PUCL is ssCL, and with positives at one point μ_P has no slope; so, with at least " +
		"one unlabeled example in the batch, two labeled ones, two positive points and a negative one, in the plane, are " +
		"the smallest case in which the gradients differ")
	return largest
}

func theorem4Judge(f *Finding, s gradientStudy) {
	count := func(t tally, name string) {
		measure(f, t.lower, "%s: cases of %d in which PUCL is nearer than ssCL", name, t.total())
		measure(f, t.equal, "%s: as near", name)
		measure(f, t.larger, "%s: farther", name)
	}
	count(s.independent, "from the ideal gradient, independent views")
	count(s.coinciding, "from the ideal gradient, views that coincide or may")
	count(s.supervised, "from the gradient of SCL, all")
	measure(f, s.slope, "largest error of −κ∇μ_P for the difference of the expected gradients")
	measure(f, s.criterion, "cases in which |B|² − |B − κ∇μ_P|² is not the difference of the squared biases")
	measure(f, s.worst, "largest ratio of the biases, PUCL over ssCL")
	f.detail("the proof's last sentence speaks of the fully supervised counterpart: from the expected gradient of SCL "+
		"PUCL is nearer than ssCL in %d of %d cases, as near in %d and farther in %d, in the points of the population; "+
		"of an encoder's weights, which many points share, lengths need not order alike", s.supervised.lower,
		s.supervised.total(), s.supervised.equal, s.supervised.larger)
	f.Number = exactly(s.worst)
	f.Why = "Only the attraction of labeled anchors differs. Under independent views every pair that attracts one is a " +
		"pair of draws of the positive class, so both expected losses are one function of the points, and so are their " +
		"gradients. Where the second view is the first with probability ρ, ssCL's own pairs have mean (1−ρ)μ_P + ρ/τ, of " +
		"PUCL's 2m−1 pairs only one has, the others μ_P: the expected losses differ by κ(1/τ − μ_P) with κ = " +
		"ρ·m/b·(2m−2)/(2m−1), the gradients by −κ∇μ_P. With B the bias of ssCL that of PUCL is B − κ∇μ_P, for κ > 0 " +
		"shorter if and only if 2⟨B, ∇μ_P⟩ > κ|∇μ_P|². The gradient of SCL differs from ssCL's by −C_P∇μ_P − C_N∇μ_N " +
		"with C_P ≥ κ and disjoint points, which is why PUCL is never farther from that one than ssCL."
	if s.slope <= contrastTolerance && s.criterion == 0 && s.smaller <= contrastTolerance {
		f.Corrected = "E[∇L_PUCL] − E[∇L_ssCL] = −κ∇μ_P with κ = ρ · m/b · (2m−2)/(2m−1), ρ the probability that the " +
			"second view is the first: where κ = 0 (independent views, or m ≤ 1) the two biases are equal; else PUCL's " +
			"is the lower if and only if 2⟨B, ∇μ_P⟩ > κ|∇μ_P|², B = E[∇L_ssCL] − ∇L*."
		f.CorrectedLaTeX = `\mathbb{E}[\nabla\mathcal{L}_{\text{PUCL}}] - \mathbb{E}[\nabla\mathcal{L}_{\text{ssCL}}] = -\kappa\,\nabla\mu_P,\qquad \kappa = \rho\,\frac{m}{b}\,\frac{2m-2}{2m-1}`
	}
	all := s.independent
	all.lower += s.coinciding.lower
	all.equal += s.coinciding.equal
	all.larger += s.coinciding.larger
	switch {
	case all.lower == all.total():
		f.conclude(Holds, "The bias is lower in all %d cases, %.4g times the other at most.", all.total(), s.worst)
	case all.larger == 0 && all.lower > 0:
		f.conclude(Conditional, "The bias is never larger, but in %d of %d cases it is no lower either (%d of %d with "+
			"independent views); the largest ratio is %.4g.", all.equal, all.total(), s.independent.equal,
			s.independent.total(), s.worst)
	default:
		f.Counterexample = s.counterexample
		f.conclude(Fails, "Under independent views the biases are equal in %d of %d cases; with views that coincide or "+
			"may PUCL's is larger in %d of %d cases, up to %.4g times ssCL's.", s.independent.equal, s.independent.total(),
			s.coinciding.larger, s.coinciding.total(), s.worst)
	}
}
