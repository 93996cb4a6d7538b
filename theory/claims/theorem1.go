package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem1 returns the claim that the bias of SCL-PU, equation (5), against the ideal loss has a closed form in the
// proximities of the classes.
//
// The proof treats only the attraction, as a reward. For it the result is correct, for large batches and for an ideal
// loss with the batch's anchors. The difference between the losses has the opposite sign, since attraction is
// subtracted in a loss. It also contains a difference between log partitions, which the proof cancels. The check
// measures each step.
func Theorem1() Claim {
	return Claim{
		ID:        "theorem-1",
		Statement: "L_SCL-PU (5) is a biased estimator of L*_CL (3): E[L_SCL-PU] − L*_CL = π(1−π)/(1+γ) · [2μ_PN − (μ_P + μ_N)].",
		LaTeX:     `\mathbb{E}[\mathcal{L}_{\text{SCL-PU}}] - \mathcal{L}^*_{\text{CL}} = \frac{\pi_p(1-\pi_p)}{1+\gamma}\left[2\tilde\mu_{PN} - (\mu^*_P + \mu^*_N)\right]`,
		Source:    "Contrastive Positive Unlabeled Learning, Theorem 1, proof in appendix A.5",
		Assumptions: []string{
			"case-control: labeled examples from p(x|y=1), unlabeled ones from p(x), all independent (1)",
			"γ = n_P/n_U, π = p(y=1); μ_P, μ_N, μ_PN are the means of z·z' over two positives, two negatives, one of each",
			"views are independent draws from their example's class; said with Theorem 2, needed here for 𝕌∖i to be " +
				"draws from p(x)",
		},
		rests: grounds{
			objectives:  []string{"SCL-PU"},
			constants:   []string{"pi(1-pi)/(1+gamma)", "alpha-pi", "(2u-2)/(2u-1)"},
			assumptions: []string{independentViews, caseControl},
			unneeded: []unneeded{{"pi(1-pi)/(1+gamma)", "the ratio of the bias to the formula is not the same in all cases, " +
				"so that no factor in front would mend it"}},
		},
		check: func(s *subject) Finding {
			return theorem1Finding(s, func(p theory.Population, d theory.Design, tau float64) (float64, error) {
				bias, err := Theorem1Printed(p, d, tau)
				return s.constant("pi(1-pi)/(1+gamma)", bias), err
			})
		},
	}
}

// Theorem1Printed returns the right side of Theorem 1, with γ = m/u and π the prior of the population. It is 0 without
// unlabeled examples, where γ is infinite.
func Theorem1Printed(p theory.Population, d theory.Design, tau float64) (bias float64, err error) {
	defer must.Catch(&err)
	positive, negative, between := must.Get3(p.Proximity(tau))
	unlabeled := float64(d.Unlabeled) / float64(d.Examples()) // 1/(1+γ)
	return d.Prior * (1 - d.Prior) * unlabeled * (2*between - positive - negative), nil
}

// Theorem1Attraction returns the corrected formula of Theorem 1 for the attraction of SCL-PU under independent views:
// its expectation minus that of the ideal loss,
//
//	(α−π)(μ_P − μ_N) + u/b · (2u−2)/(2u−1) · q(1−q)[2μ_PN − (μ_P + μ_N)],
//
// with q the prior of the unlabeled examples and α = (m + uq)/b the fraction of positives among the anchors. The first
// part arises because the batch has more positives than the population; it vanishes if the ideal loss draws its anchors
// with prior α. In the loss the whole expression has the opposite sign.
func Theorem1Attraction(p theory.Population, d theory.Design, tau float64) (bias float64, err error) {
	defer must.Catch(&err)
	mix, group := theorem1Parts(p, d, tau)
	return mix + group, nil
}

// theorem1Parts returns the two parts of Theorem1Attraction.
func theorem1Parts(p theory.Population, d theory.Design, tau float64) (mix, group float64) {
	positive, negative, between := must.Get3(p.Proximity(tau))
	mix = (d.PositiveShare() - d.Prior) * (positive - negative)
	if d.Unlabeled > 0 {
		u, q := float64(d.Unlabeled), d.UnlabeledPrior()
		group = u / float64(d.Examples()) * (2*u - 2) / (2*u - 1) * q * (1 - q) * (2*between - positive - negative)
	}
	return mix, group
}

// biasFormula is a formula for a bias on a population, like Theorem1Printed.
type biasFormula func(p theory.Population, d theory.Design, tau float64) (float64, error)

// theorem1Readings are the possible meanings of the left side of Theorem 1.
var theorem1Readings = []struct {
	name string
	of   func(r theory.Result, anchors float64) float64 // anchors is the ideal attraction for the batch's own anchors
}{
	{"(5) a loss and (3) a reward, as printed", func(r theory.Result, _ float64) float64 {
		return r.Loss.Mean.Value + r.Ideal.Loss.Value
	}},
	{"both losses", func(r theory.Result, _ float64) float64 { return r.Bias.Value }},
	{"both rewards", func(r theory.Result, _ float64) float64 { return -r.Bias.Value }},
	{"attractions alone", func(r theory.Result, _ float64) float64 { return r.AttractionBias().Value }},
	{"attractions alone, ideal anchors mixed as in the batch", func(r theory.Result, anchors float64) float64 {
		return r.Attraction.Mean.Value - anchors
	}},
}

func theorem1Finding(s *subject, formula biasFormula) Finding {
	var f Finding
	m := s.meters(1, s.objective(pucl.SCLPU()))[0]
	cases := contrastCases(randomPlanes(4, 1), designsOf(0.3, [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}}))
	agreeing := make([]int, len(theorem1Readings))
	large, ofLarge := 0, 0 // cases of u > 1 that agree after the factor for finite batches is removed
	correction := 0.0      // largest error of the corrected formula
	leastRatio, mostRatio := math.Inf(1), math.Inf(-1)
	for _, c := range cases {
		r := must.Get(m.Exact(c.world, s.drawn(c.design)))
		printed := must.Get(formula(c.world, c.design, 1))
		mix, group := theorem1Parts(c.world, c.design, 1)
		mix, group = s.constant("alpha-pi", mix), s.constant("(2u-2)/(2u-1)", group)
		leastRatio, mostRatio = min(leastRatio, r.Bias.Value/printed), max(mostRatio, r.Bias.Value/printed)
		for k, reading := range theorem1Readings {
			agreeing[k] += oneIf(agree(reading.of(r, r.Ideal.Attraction.Value+mix), printed))
		}
		attraction := r.AttractionBias().Value
		correction = max(correction, math.Abs(attraction-mix-group))
		if c.design.Unlabeled > 1 {
			ofLarge++
			large += oneIf(agree(asInLargeBatch(attraction-mix, c.design), printed))
		}
	}
	for k, reading := range theorem1Readings {
		measure(&f, agreeing[k], "cases of %d that agree: %s", len(cases), reading.name)
	}
	measure(&f, large, "cases of %d that agree: the same, times (2u−1)/(2u−2)", ofLarge)
	measure(&f, correction, "largest error of the corrected formula for the attraction")
	measure(&f, leastRatio, "bias of the loss over the printed formula: least")
	measure(&f, mostRatio, "bias of the loss over the printed formula: largest")

	smallest := theorem1Smallest(m, formula, &f)
	theorem1Batches(m, formula, &f)
	theorem1SingleDataset(m, formula, &f)
	theorem1Judge(&f, agreeing, len(cases), large == ofLarge, smallest, correction)
	f.restOn(correction, "The bias of the attraction is not what is proved of SCL-PU's under independent views: the two differ by "+
		"up to %.4g, so that this is another objective, or other batches.", correction)
	return f
}

// asInLargeBatch removes the factor (2u−2)/(2u−1) of a finite batch from a bias; u > 1.
func asInLargeBatch(bias float64, d theory.Design) float64 {
	u := float64(d.Unlabeled)
	return bias * (2*u - 1) / (2*u - 2)
}

// theorem1Judge sets the verdict from the number of agreeing cases in each reading; large reports whether the formula
// is the bias of the attraction in large batches.
func theorem1Judge(f *Finding, agreeing []int, cases int, large bool, smallest theorem1Case, correction float64) {
	f.Number = exactly(smallest.bias)
	f.Why = "A labeled anchor is attracted to draws of its class, without bias. An unlabeled anchor is attracted to 2u−1 " +
		"rows: its own other view, of its class, and 2u−2 rows of other examples, positive with probability q; averaging " +
		"over the anchor's class gives q²μ_P + 2q(1−q)μ_PN + (1−q)²μ_N for these, less than qμ_P + (1−q)μ_N by " +
		"q(1−q)[μ_P + μ_N − 2μ_PN]. Multiply by the share u/b = 1/(1+γ) of unlabeled anchors; then compare anchors mixed " +
		"α : 1−α with the ideal π : 1−π. A loss is log partition − attraction, so that the attraction's difference " +
		"counts negatively, and log Z of a batch, whose rows include the anchor's own class, does not have the " +
		"expectation that log Z has in (3), where all N rows besides the positive are of the other class."
	if correction <= contrastTolerance {
		f.Corrected = "Of the attraction, under independent views: E[attraction of (5)] − [πμ_P + (1−π)μ_N] = (α−π)(μ_P − μ_N) " +
			"+ 1/(1+γ) · (2u−2)/(2u−1) · q(1−q)[2μ_PN − (μ_P + μ_N)], with u unlabeled examples in the batch, q the prior " +
			"among them and α = (γ+q)/(1+γ); the loss's bias is E log Z of the batch − E log Z of (3), minus this."
		f.CorrectedLaTeX = `\mathbb{E}[A_{\text{SCL-PU}}] - [\pi\mu_P + (1-\pi)\mu_N] = (\alpha-\pi)(\mu_P-\mu_N) + \frac{1}{1+\gamma}\,\frac{2u-2}{2u-1}\,q(1-q)\left[2\mu_{PN} - (\mu_P+\mu_N)\right]`
	}
	f.Counterexample = smallest.text
	switch k := slices.Index(agreeing[:3], cases); k {
	case 0:
		f.conclude(Holds, "The formula is the difference in all %d cases.", cases)
		f.Counterexample = ""
	case 1, 2:
		f.conclude(Conditional, "The formula is the difference in all %d cases if (5) and (3) are taken as %s.", cases,
			theorem1Readings[k].name)
		f.Counterexample = ""
	default:
		reason := "The formula is no difference between the two, not even between their attractions"
		if large {
			reason = "The formula is the difference of the attractions alone, counted as rewards, in large batches, with " +
				"the ideal anchors mixed as in the batch"
		}
		f.conclude(Fails, "The bias is %.4f nats where the formula gives %+.4f (one labeled and one unlabeled example, "+
			"classes at ±1, π = ½, τ = 1). %s.", smallest.bias, smallest.printed, reason)
	}
}

// The single cases that Theorem1 measures besides random populations.

// theorem1Case is the smallest case with a labeled and an unlabeled example.
type theorem1Case struct {
	bias, printed float64
	text          string
}

// theorem1Smallest measures one labeled and one unlabeled example of classes at ±1. It also checks that batches of one
// example, where both losses are 0, carry no information.
func theorem1Smallest(m *meter, formula biasFormula, f *Finding) theorem1Case {
	p, d := TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	r := must.Get(m.Exact(p, d))
	printed := must.Get(formula(p, d, 1))
	attraction := r.AttractionBias().Value
	partition := r.PartitionBias().Value
	measure(f, r.Bias.Value, "smallest batch: bias of the loss")
	measure(f, printed, "smallest batch: printed formula")
	measure(f, attraction, "smallest batch: bias of the attraction")
	measure(f, partition, "smallest batch: bias of the log partition")
	measure(f, r.Loss.Mean.Value+r.Ideal.Loss.Value, "smallest batch: (5) as a loss minus (3) as the printed reward")
	alone := must.Get(m.Exact(p, theory.Design{Unlabeled: 1, Prior: 0.5}))
	if loss, ideal := alone.Loss.Mean.Value, alone.Ideal.Loss.Value; !agree(loss, 0) || !agree(ideal, 0) {
		must.Fail("claims: a batch of one example has loss %g and ideal loss %g; without negatives both must be 0", loss, ideal)
	}
	f.detail("a batch of one example has no negatives: its loss is 0, and so is the ideal loss, whose N is 0; so two examples " +
		"are the least that a contrastive loss can be asked about, and one point a class and one dimension cannot be undercut")
	return theorem1Case{r.Bias.Value, printed, fmt.Sprintf("m = 1 labeled and u = 1 unlabeled example, positives at +1, "+
		"negatives at −1, π = 1/2, τ = 1 (γ = 1, N = 2, μ_P = μ_N = 1, μ_PN = −1). The unlabeled example is positive or "+
		"negative with probability 1/2: the loss is log 3 or log(1+2e⁻²), its mean %.6f; the ideal loss is log(1+2e⁻²) = "+
		"%.6f; the difference ½ log(3/(1+2e⁻²)) = %.6f, all of it from the log partition (the attraction's is %g). The "+
		"formula: %g.", r.Loss.Mean.Value, r.Ideal.Loss.Value, r.Bias.Value, attraction, printed)}
}

// theorem1Batches increases the batch at γ = 1, with classes at ±1, for which the printed formula is constant.
func theorem1Batches(m *meter, formula biasFormula, f *Finding) {
	for _, u := range []int{2, 4, 8} {
		r := must.Get(m.Exact(TwoPoints(), theory.Design{Labeled: u, Unlabeled: u, Prior: 0.5}))
		measure(f, r.AttractionBias().Value, "classes at ±1, m = u = %d: bias of the attraction", u)
		measure(f, r.Bias.Value, "classes at ±1, m = u = %d: bias of the loss", u)
	}
	const many = 1_000_000
	large := theory.Design{Labeled: many, Unlabeled: many, Prior: 0.5}
	gap := must.Get(theory.LimitPartitionGap(TwoPoints(), 0.5, large.PositiveShare(), 1))
	attraction := must.Get(Theorem1Attraction(TwoPoints(), large, 1))
	printed := must.Get(formula(TwoPoints(), large, 1))
	measure(f, attraction, "classes at ±1, m = u = 1 000 000: bias of the attraction, by the corrected formula")
	measure(f, printed, "classes at ±1, γ = 1: printed formula")
	measure(f, gap-attraction, "classes at ±1, γ = 1: bias of the loss as the batch grows without limit")
}

// theorem1SingleDataset evaluates the formula on a single data set, with either prior.
func theorem1SingleDataset(m *meter, formula biasFormula, f *Finding) {
	cases, correction := contrastCases(randomPlanes(4, 2), []theory.Design{
		{Labeled: 1, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.4},
		{Labeled: 2, Unlabeled: 2, Prior: 0.4, Scheme: theory.SingleDataset, LabelRate: 0.7},
	}), 0.0
	withPopulation, withUnlabeled := 0, 0
	for _, c := range cases {
		r := must.Get(m.Exact(c.world, c.design))
		mix, group := theorem1Parts(c.world, c.design, 1)
		attraction := r.AttractionBias().Value
		correction = max(correction, math.Abs(attraction-mix-group))
		// The interpretation most favorable to the formula: attractions, the batch's anchors, large batches.
		favored := asInLargeBatch(attraction-mix, c.design)
		printed := must.Get(formula(c.world, c.design, 1))
		unlabeled := c.design
		unlabeled.Scheme, unlabeled.LabelRate, unlabeled.Prior = theory.CaseControl, 0, c.design.UnlabeledPrior()
		other := must.Get(formula(c.world, unlabeled, 1))
		withPopulation += oneIf(agree(favored, printed))
		withUnlabeled += oneIf(agree(favored, other))
	}
	measure(f, withPopulation, "single data set, large-batch attraction: cases of %d that agree with π of the population", len(cases))
	measure(f, withUnlabeled, "single data set, large-batch attraction: cases of %d that agree with π(1−c)/(1−πc) for π", len(cases))
	measure(f, correction, "single data set: largest error of the corrected formula")
}
