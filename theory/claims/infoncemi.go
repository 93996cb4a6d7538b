package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// InfoNCEMutualInformation returns the claim that lowering the InfoNCE loss raises a lower bound of mutual information.
//
// The bound behind it is I(x, y) ≥ log(N+1) − L with N negatives drawn independently from p(y). The check compares it
// with the exact information of random joint distributions, for perfect to meaningless critics. It also checks the
// bound for negatives from another distribution q, where log(N+1) − L stays below I(x, y) + KL(p(y)‖q).
//
// The batch form, whose 2b−2 negatives are pairs of views of the same example, is measured as well: their dependence
// invalidates the bound log(2b−1) − L, though only slightly. That part runs [pucl.SSCL] on the engine.
func InfoNCEMutualInformation() Claim {
	return Claim{
		ID: "infonce-mi",
		Statement: "Reducing the InfoNCE loss raises a lower bound of the mutual information (log(N+1) − L in the work " +
			"that is cited for it).",
		LaTeX:  `I(x, y) \ge \log(N+1) - \mathcal{L}_{\text{InfoNCE}}`,
		Source: "Introduction to contrastive learning (in Chinese), section on the InfoNCE loss, after van den Oord et al. (2018)",
		Assumptions: []string{
			"(x, y) is a positive pair; neither the distribution of the N negatives nor that they are independent is printed: independent " +
				"draws from the marginal p(y), as in the proof that is cited, are tried, and others",
		},
		rests: grounds{
			objectives: []string{"ssCL"}, constants: []string{"N+1"},
			assumptions: []string{"negatives from p(y)", "independent negatives"},
			unneeded: []unneeded{{"infonce-mi:n+1-down", "a smaller number makes a weaker bound, which holds as well; N+1 is the " +
				"largest, since the bound comes as near to the information as one likes"}},
		},
		check: func(s *subject) Finding {
			f := infoNCEFinding(s, func(n int) float64 { return math.Log(s.constant("N+1", float64(n)+1)) })
			infoNCEBatchDetails(s, &f)
			return f
		},
	}
}

// InfoNCEBatch returns the bound of [pucl.SSCL] at temperature tau on a batch of b examples that are +1 or −1 with
// equal probability, with identical views. information is the mutual information of the views, log 2, and bound is
// log(2b−1) minus the expected loss. For b ≥ 5 and a small tau the bound exceeds the information.
func InfoNCEBatch(eng *engine.Engine, b int, tau float64) (information, bound float64, err error) {
	defer must.Catch(&err)
	information, bound = infoNCEBatch(&subject{eng: eng}, b, tau)
	return information, bound, nil
}

func infoNCEBatch(s *subject, b int, tau float64) (information, bound float64) {
	p := TwoPoints()
	joint, _ := must.Get2(theory.ViewsJoint(p, 0.5, theory.IdenticalViews))
	d := theory.Design{Unlabeled: b, Prior: 0.5, SameView: theory.IdenticalViews}
	r := must.Get(theory.Exact(s.eng, s.objective(pucl.SSCL()), p, d, tau))
	return joint.MutualInformation(), math.Log(float64(2*b-1)) - r.Loss.Mean.Value
}

// randomJoint draws a joint distribution; sharpness makes some entries far larger than others.
func randomJoint(rng *rand.Rand, rows, columns int, sharpness float64) theory.Joint {
	p := lists.Make(rows*columns, func(int) float64 { return math.Exp(sharpness * rng.NormFloat64()) })
	return slices.Collect(slices.Chunk(normalized(p), columns))
}

// critics returns scores for a joint distribution: the density ratio, which is optimal for negatives from noise, too
// flat, too sharp and wrong versions of it, and random scores.
func critics(rng *rand.Rand, j theory.Joint, noise []float64) map[string][][]float64 {
	px, _ := j.Marginals()
	table := func(f func(x, y int) float64) [][]float64 { return lists.Table(len(j), len(j[0]), f) }
	best := func(x, y int) float64 { return math.Log(j[x][y]) - math.Log(px[x]) - math.Log(noise[y]) }
	return map[string][][]float64{
		"best":     table(best),
		"flat":     table(func(x, y int) float64 { return best(x, y) / 2 }),
		"sharp":    table(func(x, y int) float64 { return 3 * best(x, y) }),
		"reversed": table(func(x, y int) float64 { return -best(x, y) }),
		"constant": table(func(int, int) float64 { return 0 }),
		"random":   table(func(int, int) float64 { return 2 * rng.NormFloat64() }),
	}
}

// divergence returns KL(p‖q).
func divergence(p, q []float64) float64 {
	sum := 0.0
	for i := range p {
		if p[i] > 0 {
			sum += p[i] * math.Log(p[i]/q[i])
		}
	}
	return sum
}

// infoNCEFinding compares offset(N) − L with the information.
func infoNCEFinding(s *subject, offset func(n int) float64) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(3, 0x1905))
	cases, broken, brokenNoise, overNoise := 0, 0, 0, 0
	least, most := math.Inf(1), math.Inf(-1) // slack with negatives from p(y), and excess over I with others
	logN := 0
	for range 60 {
		j := randomJoint(rng, 2+rng.IntN(3), 2+rng.IntN(2), 0.3+2*rng.Float64())
		information := j.MutualInformation()
		_, py := j.Marginals()
		other := normalized(lists.Make(len(py), func(int) float64 { return 0.02 + rng.Float64() })) // a noise distribution of its own
		apart := divergence(py, other)
		drawn := py
		if !s.assumes("negatives from p(y)") {
			drawn = other
		}
		for k, noise := range [][]float64{drawn, other} {
			scores := critics(rng, j, noise)
			for _, name := range []string{"best", "flat", "sharp", "reversed", "constant", "random"} {
				for _, n := range []int{1, 2, 3, 5, 8, 16} {
					loss := must.Get(theory.CriticLoss(j, scores[name], n, noise))
					bound := offset(n) - loss
					if k == 1 {
						brokenNoise += oneIf(exceeds(bound, information+apart+miSlack))
						overNoise += oneIf(exceeds(bound, information+miSlack))
						most = max(most, bound-information)
						continue
					}
					cases++
					logN += oneIf(exceeds(math.Log(float64(n))-loss, information+miSlack))
					slack := information - bound
					if slack < least && slack < -miSlack {
						f.Counterexample = fmt.Sprintf("p(x, y) = %.4g, critic %s, N = %d: I = %.6f, L = %.6f", j, name, n, information, loss)
					}
					least = min(least, slack)
					broken += oneIf(exceeds(bound, information+miSlack))
				}
			}
		}
	}
	f.Number = exactly(least)
	measure(&f, cases, "cases: joint distribution, critic, N")
	measure(&f, broken, "cases that break the bound, negatives from p(y)")
	measure(&f, least, "least I − bound, negatives from p(y)")
	measure(&f, logN, "cases that break log N − L ≤ I")
	measure(&f, overNoise, "cases that break bound ≤ I, negatives from another q")
	measure(&f, most, "largest bound − I, negatives from another q")
	measure(&f, brokenNoise, "cases that break bound ≤ I + KL(p(y)‖q), negatives from q")
	f.detail("%s", infoNCETightening(offset))
	f.detail("negatives from a distribution q other than p(y): above I in %d of %d cases, by up to %.4f; above I + "+
		"KL(p(y)‖q) in %d. The divergence does not depend on the encoder, so that reducing the loss still raises a lower "+
		"bound of I, log(N+1) − KL(p(y)‖q) − L", overNoise, cases, most, brokenNoise)
	f.detail("log N in place of log(N+1), which is weaker: broken in %d of %d cases", logN, cases)
	f.Why = "Let one of N+1 places, drawn at random, hold y and the others draws of p(y). The loss is the cross-entropy " +
		"of guessing the place from x and the values, so at least log(N+1) − I(place; x, values). The values alone tell " +
		"nothing of the place, being independent draws of p(y) wherever y is; x and (place, values) share I(x, y), since " +
		"x depends on them only through the value at the place; so I(place; x, values) ≤ I(x, y). With negatives from q, " +
		"the expectation of log p(x, y)/(p(x)q(y)) takes the place of I(x, y), which is I(x, y) + KL(p(y)‖q). In a batch " +
		"the values are not independent."
	switch {
	case broken > 0:
		f.conclude(Fails, "The bound lies above the mutual information in %d of %d cases, by up to %.4f nats.", broken,
			cases, -least)
		f.Corrected = "I(x, y) ≥ log(N+1) − L with independent negatives from p(y)"
	case brokenNoise > 0:
		f.conclude(Conditional, "Never broken in %d cases with independent negatives from p(y), where it comes as near "+
			"as %.2g nats; broken in %d with negatives from another distribution.", cases, least, brokenNoise)
	default:
		f.conclude(Conditional, "Not broken in any of %d cases if the negatives are independent draws from p(y), which is not printed. The "+
			"nearest case is %.2g nats below the information. Negatives from another q cost KL(p(y)‖q).", cases, least)
		f.Corrected = "I(x, y) ≥ log(N+1) − L with independent negatives from p(y); with independent negatives from q, I(x, y) ≥ log(N+1) − " +
			"KL(p(y)‖q) − L"
		f.CorrectedLaTeX = `I(x, y) \ge \log(N+1) - \mathrm{KL}(p(y)\,\|\,q) - \mathcal{L}_{\text{InfoNCE}}, \qquad y_1, \dots, y_N ` +
			`\sim q \text{ independently}`
	}
	return f
}

// infoNCETightening measures the bound of the best critic on one joint distribution as the number of negatives grows.
func infoNCETightening(offset func(n int) float64) string {
	j := theory.Joint{{0.4, 0.1}, {0.1, 0.4}}
	text := "p(x, y) = 0.4 on the diagonal and 0.1 off it, the best critic: the bound is"
	for _, n := range []int{1, 4, 16, 64, 256} {
		loss := must.Get(theory.CriticLoss(j, j.LogRatio(), n, nil))
		text += fmt.Sprintf(" %.6f for N = %d,", offset(n)-loss, n)
	}
	return fmt.Sprintf("%s I = %.6f", text, j.MutualInformation())
}
