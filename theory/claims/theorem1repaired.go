package claims

import (
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem1Repaired returns the corrected version of Theorem 1: the bias of SCL-PU's attraction in a finite batch, the
// bias of the whole loss in large ones, and its rate of convergence.
func Theorem1Repaired() Claim {
	return Claim{
		ID: "theorem-1-repaired",
		Statement: "The attraction of L_SCL-PU (5) misses that of L*_CL (3) by (α−π)(μ_P−μ_N) + " +
			"u/b·(2u−2)/(2u−1)·q(1−q)[2μ_PN − (μ_P+μ_N)]; the bias of the loss is that of the log partition minus this, and " +
			"tends to E log(αM_P+(1−α)M_N) − E log M_other − (α−π)(μ_P−μ_N) − u/b·q(1−q)[2μ_PN − (μ_P+μ_N)] with an error " +
			"c/b + O(1/b²) as the batch grows.",
		LaTeX: `\mathbb{E}[\mathcal{L}_{\text{SCL-PU}}] - \mathcal{L}^*_{\text{CL}} = \mathbb{E}\log\left(\alpha M_P + (1-\alpha)M_N\right) - ` +
			`\mathbb{E}\log M_{\text{other}} - (\alpha-\pi_p)(\mu_P-\mu_N) - \frac{q(1-q)}{1+\gamma}\left[2\mu_{PN} - (\mu_P+\mu_N)\right] + ` +
			`\frac{c}{b} + O\!\left(\frac{1}{b^2}\right)`,
		Source: "repairs Theorem 1 of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"labeled examples are draws of the positive class, unlabeled ones are positive with probability q, all " +
				"independent; case-control, where q = π, or a single data set",
			"views are independent draws from their example's class",
			"m labeled and u unlabeled examples, b = m + u; α = (m + uq)/b is the share of positives among the anchors",
			"for the limit: the shares m/b and u/b stay as they are while b grows; M_y(z) = E exp(z·z') over draws z' of " +
				"class y, and N = 2b − 2 in (3)",
		},
		Proof: []string{
			"A loss is log partition − attraction, so its bias is the bias of the one minus that of the other.",
			"A labeled anchor is attracted to 2m−1 other labeled rows. Each is a draw of the positive class that is " +
				"independent of the anchor: in expectation it finds μ_P.",
			"An unlabeled anchor is attracted to 2u−1 rows. One is its own other view, of its own class: qμ_P + (1−q)μ_N in expectation.",
			"The other 2u−2 show examples whose class is drawn anew: q²μ_P + 2q(1−q)μ_PN + (1−q)²μ_N, which is qμ_P + " +
				"(1−q)μ_N + q(1−q)[2μ_PN − (μ_P+μ_N)].",
			"So an unlabeled anchor finds qμ_P + (1−q)μ_N + (2u−2)/(2u−1)·q(1−q)[2μ_PN − (μ_P+μ_N)].",
			"Weigh with the shares m/b and u/b. Without the bracket this is αμ_P + (1−α)μ_N, which exceeds πμ_P + (1−π)μ_N, " +
				"the attraction of (3), by (α−π)(μ_P−μ_N). That is the first formula, exact in every batch.",
			"The log partition: given the anchor z, Z is a sum of 2b−1 numbers between e^(−1/τ) and e^(1/τ), of which only " +
				"the two views of one example depend on each other. So Z/2b has expectation αM_P(z) + (1−α)M_N(z) + O(1/b) " +
				"and variance O(1/b).",
			"Hence Z/2b → M(z) = αM_P(z) + (1−α)M_N(z), and E log(Z/2b) → E log M(z), since the logarithm is continuous and " +
				"bounded there; anchors are positive with probability α. In (3) the partition over 2b tends to M_other(z) in " +
				"the same way, anchors being positive with probability π.",
			"With (2u−2)/(2u−1) → 1 this is the limit.",
			"The rate: write Z = 2bM(1+x). Then E x = δ/(2bM) and Var x = V/(2bM²) + O(1/b²), and E x³ and E x⁴ are " +
				"O(1/b²). So E log(1+x) = E x − E x²/2 + O(1/b²): theory.LimitPartitionRate lists δ and V. Last, " +
				"(2u−2)/(2u−1) = 1 − 1/(2u) + O(1/b²), which adds q(1−q)[2μ_PN − (μ_P+μ_N)]/2 to c.",
		},
		rests: grounds{
			objectives:  []string{"SCL-PU"},
			constants:   []string{"anchors", "bracket", "limit", "rate"},
			assumptions: []string{independentViews},
		},
		check: theorem1RepairedFinding,
	}
}

// Theorem1Limit returns the bias of SCL-PU's loss in large batches, under independent views: it is limit + rate/b +
// O(1/b²) for b examples, with the proportions of the design.
func Theorem1Limit(p theory.Population, d theory.Design, tau float64) (limit, rate float64, err error) {
	defer must.Catch(&err)
	must.Do(d.Validate())
	positive, negative, between := must.Get3(p.Proximity(tau))
	limit = must.Get(theory.LimitPartitionGap(p, d.Prior, d.PositiveShare(), tau)) - (d.PositiveShare()-d.Prior)*(positive-negative)
	rate = must.Get(theory.LimitPartitionRate(p, d, tau))
	if d.Unlabeled > 0 {
		q := d.UnlabeledPrior()
		bracket := q * (1 - q) * (2*between - positive - negative)
		limit -= float64(d.Unlabeled) / float64(d.Examples()) * bracket
		rate += bracket / 2
	}
	return limit, rate, nil
}

func theorem1RepairedFinding(s *subject) Finding {
	var f proven
	m := s.meters(1, s.objective(pucl.SCLPU()))[0]
	independent := s.assumes(independentViews)
	anchors, bracket := s.constant("anchors", 1), s.constant("bracket", 1)
	designs := append(designsOf(0.3, [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 3}}),
		theory.Design{Labeled: 1, Unlabeled: 2, Prior: 0.5, Scheme: theory.SingleDataset, LabelRate: 0.4},
		theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.4, Scheme: theory.SingleDataset, LabelRate: 0.7})
	attraction, loss := 0.0, 0.0
	cases := contrastCases(randomPlanes(4, 11), withViews(designs, independent))
	for _, c := range cases {
		r := must.Get(m.Exact(c.world, c.design))
		mix, group := theorem1Parts(c.world, c.design, 1)
		formula := anchors*mix + bracket*group
		attraction = farther(attraction, r.AttractionBias().Value-formula)
		loss = farther(loss, r.Bias.Value-(r.PartitionBias().Value-formula))
	}
	f.zero(math.Abs(attraction), contrastTolerance, "largest error of the formula for the attraction over %d cases", len(cases))
	f.zero(math.Abs(loss), contrastTolerance, "largest error of the log partition's bias less the formula for the loss")

	printed := 0.0
	right, left, up := []float64{1, 0}, []float64{-1, 0}, []float64{0.6, 0.8}
	for _, c := range []struct {
		name string
		contrastCase
	}{
		{"classes at ±1, γ = 1", contrastCase{theory.Population{Positive: theory.Uniform(right), Negative: theory.Uniform(left)},
			theory.Design{Labeled: 4, Unlabeled: 4, Prior: 0.5}}},
		{"classes at cosine 0.6, γ = 1/3", contrastCase{theory.Population{Positive: theory.Uniform(right), Negative: theory.Uniform(up)},
			theory.Design{Labeled: 2, Unlabeled: 6, Prior: 0.3}}},
		{"positives at cosine 0.6, γ = 1", contrastCase{theory.Population{Positive: theory.Uniform(right, up), Negative: theory.Uniform(left)},
			theory.Design{Labeled: 2, Unlabeled: 2, Prior: 0.4}}},
	} {
		limit, rate := must.Get2(Theorem1Limit(c.world, c.design, 1))
		limit, rate = s.constant("limit", limit), s.constant("rate", rate)
		var off [3]float64 // b times the difference to the limit, at three sizes
		for k, d := range withViews([]theory.Design{c.design, c.design, c.design}, independent) {
			d.Labeled, d.Unlabeled = d.Labeled<<k, d.Unlabeled<<k
			bias := must.Get(m.Exact(c.world, d)).Bias.Value
			off[k] = (bias - limit) * float64(d.Examples())
			measure(&f.Finding, bias, "%s: bias of the loss, b = %d", c.name, d.Examples())
		}
		measure(&f.Finding, limit, "%s: bias of the loss as the batch grows without limit", c.name)
		measure(&f.Finding, rate, "%s: c", c.name)
		f.zero(math.Abs(toInfinity(off)/rate-1), 0.004, "%s: relative error of c, extrapolated from these batches", c.name)
		if f.Number == (theory.Number{}) { // the first case shows it
			f.Number, printed = exactly(limit), must.Get(Theorem1Printed(c.world, c.design, 1))
		}
	}
	f.Why = "A loss is log partition − attraction. The attraction is a mean over pairs whose classes are known or drawn " +
		"anew, so its bias is a formula in every batch. The log partition is a logarithm of a mean over the batch, and tends " +
		"to the logarithm of that mean's expectation; what is left is of the order 1/b."
	return f.finish("The attraction's formula is exact in all %d cases. The bias of the loss tends to %.4f nats with classes "+
		"at ±1, π = ½, γ = 1 and τ = 1, like 1/b, and not to the printed %.4g.", len(cases), f.Number.Value, printed)
}

// toInfinity extrapolates a quantity at b, 2b and 4b examples, which is a series in 1/b, to infinite batches.
func toInfinity(at [3]float64) float64 { return (8*at[2] - 6*at[1] + at[0]) / 3 }

// withViews returns the designs with independent views, or with identical ones.
func withViews(designs []theory.Design, independent bool) []theory.Design {
	same := make([]theory.Design, len(designs))
	for i, d := range designs {
		if same[i] = d; !independent {
			same[i].SameView = theory.IdenticalViews
		}
	}
	return same
}
