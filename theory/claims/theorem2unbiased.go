package claims

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem2Unbiased returns the claim that ssCL and PUCL are unbiased estimates of the ideal loss.
//
// The proof compares attractions. Their expectations agree if the anchors have the same class mixture, which fails for
// a case-control batch with labeled examples. The log partition of a batch never has the expectation of the ideal one,
// which uses the true classes of its negatives, and more data do not help.
func Theorem2Unbiased() Claim {
	return Claim{
		ID:          "theorem-2-unbiased",
		Statement:   "L_ssCL (4) and L_PUCL (6) are unbiased estimators of L*_CL (3).",
		LaTeX:       `\mathbb{E}[\mathcal{L}_{\text{ssCL}}] = \mathbb{E}[\mathcal{L}_{\text{PUCL}}] = \mathcal{L}^*_{\text{CL}}`,
		Source:      "Contrastive Positive Unlabeled Learning, Theorem 2, proof in appendix A.5",
		Assumptions: theorem2Assumptions(),
		rests: grounds{
			objectives:  []string{"ssCL", "PUCL"},
			constants:   []string{"alpha-pi", "limit"},
			assumptions: []string{independentViews, caseControl},
		},
		check: func(s *subject) Finding { return theorem2UnbiasedFinding(s, noBias) },
	}
}

// noBias returns the bias of an unbiased estimator.
func noBias(theory.Population, theory.Design, float64) (float64, error) { return 0, nil }

// theorem2Assumptions returns the assumptions printed with Theorem 2.
func theorem2Assumptions() []string {
	return []string{
		"x_i and x_a(i) are independent draws from the same class marginal",
		"labeled examples are draws from p(x|y=1), unlabeled ones from p(x) (1)",
	}
}

// Theorem2Attraction returns the bias of the attraction of ssCL and of PUCL under independent views, (α−π)(μ_P − μ_N):
// its expectation minus that of the ideal loss. α is the fraction of positives among the anchors,
// [theory.Design.PositiveShare]. So it is unbiased if the design is case-control without labels, if all examples are
// positive, or if both classes are equally tight.
func Theorem2Attraction(p theory.Population, d theory.Design, tau float64) (bias float64, err error) {
	defer must.Catch(&err)
	mix, _ := theorem1Parts(p, d, tau)
	return mix, nil
}

// Theorem2LimitBias returns the bias of ssCL and of PUCL in the limit of large batches of the same composition: the
// bias of the log partition minus that of the attraction. Only the ratio of the sizes in the design matters.
func Theorem2LimitBias(p theory.Population, d theory.Design, tau float64) (bias float64, err error) {
	defer must.Catch(&err)
	gap := must.Get(theory.LimitPartitionGap(p, d.Prior, d.PositiveShare(), tau))
	attraction := must.Get(Theorem2Attraction(p, d, tau))
	return gap - attraction, nil
}

// theorem2UnbiasedFinding compares the claimed bias, 0 in the paper, with the bias of both objectives.
func theorem2UnbiasedFinding(s *subject, claimed biasFormula) Finding {
	var f Finding
	meters := s.meters(1, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	cases := contrastCases(randomPlanes(3, 3), designsOf(0.4, [][2]int{{0, 2}, {1, 1}, {2, 1}, {1, 2}, {2, 2}}))
	loss, attraction, unlabeledOnly, correction, least := 0, 0, 0, 0.0, math.Inf(1)
	for _, c := range cases {
		want := must.Get(claimed(c.world, c.design, 1))
		corrected := s.constant("alpha-pi", must.Get(Theorem2Attraction(c.world, c.design, 1)))
		for _, m := range meters {
			r := must.Get(m.Exact(c.world, s.drawn(c.design)))
			loss += oneIf(agree(r.Bias.Value, want))
			bias := r.AttractionBias().Value
			if agree(bias, 0) {
				attraction++
				unlabeledOnly += oneIf(c.design.Labeled == 0)
			}
			least = min(least, math.Abs(r.Bias.Value-want))
			correction = max(correction, math.Abs(bias-corrected))
		}
	}
	total := len(cases) * len(meters)
	measure(&f, loss, "cases of %d whose loss has the claimed bias", total)
	measure(&f, least, "least distance from it over the cases")
	measure(&f, attraction, "cases of %d whose attraction is unbiased", total)
	measure(&f, unlabeledOnly, "of these, cases without labeled examples")
	measure(&f, correction, "largest error of (α−π)(μ_P−μ_N) for the bias of the attraction")
	smallest := theorem2Smallest(meters, &f)
	limit, off := theorem2Batches(s, meters[1], &f)
	theorem2UnbiasedJudge(&f, loss, attraction, total, correction, smallest, limit)
	f.restOn(correction, "The bias of the attraction is not (α−π)(μ_P − μ_N), as proved of ssCL and PUCL under independent views: "+
		"the two differ by up to %.4g, so that this is another objective, or other batches.", correction)
	f.restOn(max(0, off-limitTolerance), "The bias of PUCL in growing batches tends to a number %.4g off from the limit that is proved.", off)
	return f
}

func theorem2UnbiasedJudge(f *Finding, loss, attraction, total int, correction, smallest, limit float64) {
	f.Number = exactly(smallest)
	f.Why = "Under independent views every pair that attracts, own views and pairs of labeled rows alike, is a pair of " +
		"draws of one class, so both attractions have expectation αμ_P + (1−α)μ_N; the ideal's is πμ_P + (1−π)μ_N. The " +
		"log partition is no mean: the ideal one sums over N draws of the other class, that of a batch over the rows at " +
		"hand, of which a share is of the anchor's own class. By the law of large numbers Z/2b tends to αM_P(z) + " +
		"(1−α)M_N(z) and the ideal partition over N to M_other(z), with M_y(z) = E[exp(z·z')] over draws z' of class y, " +
		"so that the gap tends to a constant which is 0 only by coincidence."
	if correction <= contrastTolerance {
		f.Corrected = "Of the attraction, under independent views: E[attraction of ssCL] = E[attraction of PUCL] = αμ_P " +
			"+ (1−α)μ_N with α the share of positives among the anchors, unbiased for anchors so mixed, and for π if " +
			"nothing is labeled in a case-control batch, π = 1 or μ_P = μ_N (or on average over the random number of " +
			"labels of a single data set); the loss's bias tends to E_{z∼α} log[αM_P(z) + (1−α)M_N(z)] − E_{(z,y)∼π} log " +
			"M_ȳ(z) − (α−π)(μ_P−μ_N), where z ∼ α is an anchor that is positive with probability α, (z, y) ∼ π one that " +
			"is so with probability π, y its class and ȳ the other one, and M_y(z) = E[exp(z·z') | z' of class y]."
		f.CorrectedLaTeX = `\mathbb{E}[A_{\text{ssCL}}] = \mathbb{E}[A_{\text{PUCL}}] = \alpha\mu_P + (1-\alpha)\mu_N,\qquad ` +
			`\mathbb{E}[\mathcal{L}] - \mathcal{L}^*_{\text{CL}} \to \mathbb{E}_{z\sim\alpha}\log[\alpha M_P(z) + ` +
			`(1-\alpha)M_N(z)] - \mathbb{E}_{(z,y)\sim\pi}\log M_{\bar y}(z) - (\alpha-\pi)(\mu_P-\mu_N)`
	}
	if loss == total {
		f.conclude(Holds, "Both losses have the claimed bias in all %d cases.", total)
		f.Counterexample = ""
		return
	}
	f.conclude(Fails, "The mean of either loss misses the ideal one by %.4f nats already for one labeled and one "+
		"unlabeled example, classes at ±1, π = ½, τ = 1, and by %.4f in large batches with as many labeled as unlabeled "+
		"examples. A batch's log partition holds rows of the anchor's own class (the attraction is unbiased in %d of %d "+
		"cases).", smallest, limit, attraction, total)
}

// theorem2Smallest measures the smallest batches of two points, against ideal losses of any N, and returns the bias of PUCL.
func theorem2Smallest(meters []*meter, f *Finding) float64 {
	d := theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}
	var results []theory.Result
	for _, m := range meters {
		for _, design := range []theory.Design{d, {Unlabeled: 2, Prior: 0.5}, {Unlabeled: 1, Prior: 0.5}} {
			r := must.Get(m.Exact(TwoPoints(), design))
			results = append(results, r)
			measure(f, r.Bias.Value, "classes at ±1, m = %d, u = %d: bias of %s", design.Labeled, design.Unlabeled, r.Objective)
		}
	}
	smallest := results[len(results)/2] // PUCL, m = u = 1
	nearest, at := math.Inf(1), 0
	for n := range 100 {
		ideal := must.Get(theory.IdealLoss(TwoPoints(), d.Prior, n, 1))
		if gap := math.Abs(smallest.Loss.Mean.Value - ideal.Loss.Value); gap < nearest {
			nearest, at = gap, n
		}
	}
	measure(f, nearest, "m = u = 1: least distance to an ideal loss with any N (at N = %d)", at)
	f.Counterexample = fmt.Sprintf("one labeled and one unlabeled example (or two unlabeled ones), positives at +1, "+
		"negatives at −1, π = 1/2, τ = 1, N = 2. The examples are of one class or of two, with probability 1/2 each: the "+
		"loss is log 3 or log(1+2e⁻²), its mean %.6f for both objectives; the ideal loss is log(1+2e⁻²) = %.6f; the bias "+
		"½ log(3/(1+2e⁻²)) = %.6f. No other N mends it: the nearest, N = %d, leaves %.4f.", smallest.Loss.Mean.Value,
		smallest.Ideal.Loss.Value, smallest.Bias.Value, at, nearest)
	f.detail("a batch of one example has nothing to contrast: both losses are 0, and so is the ideal one with N = 0; two " +
		"examples of classes that show one point each, on a line, are the smallest case there is")
	return smallest.Bias.Value
}

// theorem2Batches increases the batch: on two points, whose limit it returns with its distance from the extrapolated
// batches, and by sampling on several points. It also checks that labels within a single data set leave the fraction of
// positive anchors at π.
func theorem2Batches(s *subject, m *meter, f *Finding) (limit, off float64) {
	var biases []float64
	for _, k := range []int{1, 2, 4, 8} {
		r := must.Get(m.Exact(TwoPoints(), theory.Design{Labeled: k, Unlabeled: k, Prior: 0.5}))
		measure(f, r.Bias.Value, "classes at ±1, γ = 1, batch of %d: bias of PUCL", 2*k)
		biases = append(biases, r.Bias.Value)
	}
	limit = s.constant("limit", must.Get(Theorem2LimitBias(TwoPoints(), theory.Design{Labeled: 1, Unlabeled: 1, Prior: 0.5}, 1)))
	off = math.Abs(extrapolated(biases) - limit)
	measure(f, 2*biases[3]-biases[2], "classes at ±1, γ = 1: bias extrapolated from batches of 8 and 16, the rest fading like 1/b")
	measure(f, limit, "classes at ±1, γ = 1: bias in the limit of large batches")
	measure(f, off, "classes at ±1, γ = 1: distance of the limit from the bias extrapolated with the powers 1/b, 1/b² and 1/b³")

	world := randomPlanes(1, 3)[0]
	d := theory.Design{Labeled: 8, Unlabeled: 24, Prior: 0.4}
	r := must.Get(m.MonteCarlo(world, d, theory.Draws{Batches: 2000, Confidence: 0.99, Seed: 3}))
	worldLimit := must.Get(Theorem2LimitBias(world, d, 1))
	measure(f, r.Bias, "five points in the plane, γ = 1/3, batch of 32: bias of PUCL, sampled, 99%%")
	measure(f, worldLimit, "the same in the limit of large batches")

	// Of b examples of a single data set, each labeled with probability πc, the expected fraction of positives is π.
	mixed := new(big.Rat)
	for b := int64(1); b <= 6; b++ {
		for tenths := int64(1); tenths <= 9; tenths++ {
			pi, c := big.NewRat(tenths, 10), big.NewRat(3, 10)
			labeled := times(pi, c)
			prior := over(minus(pi, labeled), minus(whole(1), labeled))
			share := new(big.Rat)
			for k := range b + 1 {
				positives := times(plus(times(prior, whole(b-k)), whole(k)), big.NewRat(1, b))
				share.Add(share, times(positives, binomial(b, k, labeled)))
			}
			mixed = larger(mixed, share.Abs(share.Sub(share, pi)))
		}
	}
	measure(f, mixed, "single data set with a random number of labels: largest |E α − π|, in rationals")
	return limit, off
}

// limitTolerance is the largest allowed distance between the bias of batches of up to 16, extrapolated by removing the
// powers 1/b to 1/b³, and its limit.
const limitTolerance = 5e-3

// extrapolated returns the limit of numbers measured at batches of doubling size, by removing the powers 1/b, 1/b² …
// one by one (Richardson).
func extrapolated(x []float64) float64 {
	x = slices.Clone(x)
	for power := 2.0; len(x) > 1; power *= 2 {
		for i := range len(x) - 1 {
			x[i] = (power*x[i+1] - x[i]) / (power - 1)
		}
		x = x[:len(x)-1]
	}
	return x[0]
}
