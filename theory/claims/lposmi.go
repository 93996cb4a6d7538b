package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// LPosMutualInformation returns the claim that the DebiasedPos loss bounds mutual information from below.
//
// The statement leaves three choices open. c is the class of x, or its positive. The outer expectation is over x with
// its own c, over x and c independent, or over x for one fixed c. The third choice is the empirical means in the loss.
// The check tries all twelve combinations on random populations and on the smallest one, in which they all agree and
// the bound exceeds the information. It needs no engine.
func LPosMutualInformation() Claim {
	return Claim{
		ID:        "lpos-mi",
		Statement: "I(x, c) ≥ E_{x~p} log((N+2) p(x|c)/p(x)) − L_Pos, a lower bound that L_Pos maximises.",
		LaTeX:     `I(x, c) \ge \mathbb{E}_{x \sim p} \log\left((N+2)\frac{p(x|c)}{p(x)}\right) - \mathcal{L}^{N}_{Pos}`,
		Source:    "M. A. Nikitina, slides on distribution bias in contrastive learning, theorem",
		Assumptions: []string{
			"I(x, c) = Σ p(x, c) log p(x|c)/p(x)",
			"L_Pos = E[−log (P − τ⁻P⁻)/(P + (Nτ⁺ − τ⁻)P⁻)] over anchors x ~ p, N draws of p⁻ and a draw of p⁺; P and P⁻ " +
				"are the means of e^s over p and p⁻, or estimates of them",
		},
		rests: grounds{
			constants: []string{"N+2", "H(c)"},
			unneeded:  []unneeded{{"N+2", "N+1 does not mend the bound either, and where all x are one point none above N+1 can"}},
		},
		check: func(s *subject) Finding {
			return lposMIFinding(s, func(term float64, n int, _ float64) float64 {
				return math.Log(s.constant("N+2", float64(n)+2)) + term
			})
		},
	}
}

// lposBound is the claimed bound plus the loss, as a function of the term E log p(x|c)/p(x), the number n of negatives,
// and the entropy of the class.
type lposBound func(term float64, n int, entropy float64) float64

// miCase is one population with all inputs of the readings.
type miCase struct {
	w       world
	tau     float64
	entropy float64      // of the class
	c       [2]miPartner // the class of x, and a positive of x
}

// miPartner is a meaning of c.
type miPartner struct {
	information float64
	terms       [3]float64 // E log p(x|c)/p(x), by reading of the expectation
}

var miExpectations = [3]string{"x with its c", "x and c apart", "x with c fixed"}

// partner computes the terms of a joint distribution of x and c. A term may be −Inf, if p(x|c) = 0 for some x; then the
// bound is vacuous. For fixed c it is the largest over c, since the statement is about every c.
func partner(j theory.Joint) miPartner {
	px, pc := j.Marginals()
	ratio := j.LogRatio()
	fixed := make([]float64, len(pc))
	apart := 0.0
	largest := math.Inf(-1)
	for c := range pc {
		if pc[c] == 0 {
			continue
		}
		for x := range px {
			if px[x] > 0 {
				fixed[c] += px[x] * ratio[x][c]
			}
		}
		apart += pc[c] * fixed[c]
		largest = max(largest, fixed[c])
	}
	information := j.MutualInformation()
	return miPartner{information, [3]float64{information, apart, largest}}
}

func newMICase(w world, tau float64) miCase {
	c := miCase{w: w, tau: tau}
	class, _ := must.Get2(theory.ClassJoint(w.Population, w.prior))
	views, _ := must.Get2(theory.ViewsJoint(w.Population, w.prior, theory.IndependentViews))
	_, pc := class.Marginals()
	for _, p := range pc {
		c.entropy -= p * math.Log(p)
	}
	c.c = [2]miPartner{partner(class), partner(views)}
	return c
}

// lposLosses are the two readings of the loss: with true means, and with the P of the draws, τ⁺e^s⁺ + τ⁻P⁻ with P⁻ the
// mean of the N draws. The latter is the N-pair loss with negatives from p⁻, and so the ideal loss.
var lposLosses = []struct {
	name string
	of   func(c miCase, n int) float64
}{
	{"true means", func(c miCase, n int) float64 {
		return c.w.meanOver(c.tau, func(a theory.Anchor) float64 { return LPosPopulation(a, float64(n)) })
	}},
	{"means of the draws", func(c miCase, n int) float64 {
		return must.Get(theory.IdealLoss(c.w.Population, c.w.prior, n, c.tau)).Loss.Value
	}},
}

// onePoint returns the smallest population: both classes have the same point, so that there is no information.
func onePoint() world { return world{theory.Population{Positive: onAxis(1), Negative: onAxis(1)}, 0.5} }

// LPosBounds holds the printed and the corrected bound for one population, with c the class of x.
type LPosBounds struct {
	Information float64 // I(x, c)
	Loss        float64 // L̃_Pos, with true means
	Printed     float64 // E log((N+2) p(x|c)/p(x)) − L̃_Pos over x with its class, so log(N+2) + I − L̃_Pos
	Corrected   float64 // H(c) − L̃_Pos with the entropy of the class
}

// LPosInformation computes the bounds of a population with class prior, strictly between 0 and 1, for similarities at
// temperature tau and N = negatives.
func LPosInformation(p theory.Population, prior, tau float64, negatives int) (bounds LPosBounds, err error) {
	defer must.Catch(&err)
	if !(prior > 0 && prior < 1) {
		return LPosBounds{}, fmt.Errorf("claims: class prior π = %g; L_Pos needs both classes, so it must lie between 0 "+
			"and 1", prior)
	}
	if negatives < 1 {
		return LPosBounds{}, fmt.Errorf("claims: %d negatives; L_Pos needs at least one", negatives)
	}
	c := newMICase(world{p, prior}, tau)
	loss := lposLosses[0].of(c, negatives)
	information := c.c[0].information
	return LPosBounds{information, loss, math.Log(float64(negatives)+2) + information - loss, c.entropy - loss}, nil
}

// lposMIFinding compares a bound with the information.
func lposMIFinding(s *subject, bound lposBound) Finding {
	var f Finding
	var cases []miCase
	add := func(w world, tau float64) { cases = append(cases, newMICase(w, tau)) }
	add(onePoint(), 1)
	add(world{TwoPoints(), 0.5}, 1)
	add(world{theory.Population{Positive: onAxis(0.75), Negative: onAxis(0.25)}, 0.5}, 0.1)
	rng := rand.New(rand.NewPCG(5, 0x1905))
	for range 60 {
		add(randomWorld(rng, 1+rng.IntN(3), 1+rng.IntN(3)), 0.2+rng.Float64())
		// Both classes on the same points, so that p(x|c) is never 0.
		both := theory.Population{Positive: onAxis(0.1 + 0.8*rng.Float64()), Negative: onAxis(0.1 + 0.8*rng.Float64())}
		add(world{both, 0.2 + 0.6*rng.Float64()}, 0.2+rng.Float64())
	}

	negatives := []int{1, 2, 4, 8, 16}
	readings, holding, tried := 0, 0, 0
	smallest := math.Inf(1) // least excess of the bound over the readings, in the one-point population with N = 1
	largest := math.Inf(-1)
	for which, of := range []string{"class", "positive"} {
		for k, expectation := range miExpectations {
			for _, loss := range lposLosses {
				readings++
				name := fmt.Sprintf("c the %s, expectation over %s, %s", of, expectation, loss.name)
				broken, count := 0, 0
				for i, c := range cases {
					p := c.c[which]
					for _, n := range negatives {
						count++
						excess := bound(p.terms[k], n, c.entropy) - loss.of(c, n) - p.information
						broken += oneIf(exceeds(excess, miSlack))
						largest = max(largest, excess)
						if i == 0 && n == 1 {
							smallest = min(smallest, excess)
						}
					}
				}
				tried += count
				holding += oneIf(broken == 0)
				measure(&f, broken, "%s: cases that break the bound", name)
				f.detail("%s: broken in %d of %d cases", name, broken, count)
			}
		}
	}
	corrected, slack := lposCorrected(s, cases, negatives)
	f.Number = exactly(smallest)
	measure(&f, readings, "readings")
	measure(&f, holding, "readings never broken")
	measure(&f, smallest, "one point, N = 1: bound − I, least over the readings")
	measure(&f, largest, "largest bound − I")
	measure(&f, corrected, "cases that break the corrected bound")
	measure(&f, slack, "least I − corrected bound")
	// The population of opposite points.
	information := cases[1].c[0].information
	f.detail("N+1 in place of N+2 does not mend it: x with its class, classes at +1 and −1, τ = 1, N = 1: the bound is log 2 + "+
		"log 2 − log(1 + e⁻²) = %.4f, I = log 2 = %.4f", math.Log(2)+information-lposLosses[0].of(cases[1], 1), information)
	f.Why = "With the expectation over x and its own c the first term is log(N+2) + I, so that the statement says L_Pos " +
		"≥ log(N+2), while scores under which anchors are nearer to their own class have L_Pos < log(N+1). With x and c " +
		"apart the term is log(N+2) less a divergence, and scores that tell nothing, whose loss is log(N+1), are enough " +
		"where that is 0. What holds: let c be the class of x, and q(c|x) = E_c/(E_c + N·E_c') with the means of e^s " +
		"over both classes. For N ≥ 1 the two q(c|x) add up to at most 1, so that L̃_Pos = −E log q(c|x) ≥ H(c|x) by " +
		"Gibbs' inequality, and H(c|x) = H(c) − I(x, c)."
	switch {
	case holding == readings:
		f.conclude(Holds, "Not broken in %d cases over %d readings; in the smallest world the bound exceeds the "+
			"information by %.4f nats.", tried, readings, smallest)
		return f
	case holding > 0:
		f.conclude(Conditional, "Never broken in %d of %d readings; in the smallest world the bound exceeds the "+
			"information by %.4f nats or more.", holding, readings, smallest)
	default:
		f.conclude(Fails, "Broken in each of %d readings of the expectation, of c and of the loss; if all x are one "+
			"point, I = 0 and the bound at N = 1 is %.4f nats.", readings, smallest)
	}
	if smallest > miSlack {
		f.Counterexample = fmt.Sprintf("both classes show one and the same point, π = ½, N = 1: I(x, c) = 0, p(x|c)/p(x) = 1 "+
			"and L_Pos = log 2 for every f and in every reading, so that the bound exceeds the information by %.6f", smallest)
	}
	f.Corrected = "I(x, c) ≥ H(c) − L̃_Pos for c the class of x, L̃_Pos with true means, N ≥ 1 and τ⁺ the probability of " +
		"each anchor's own class, where H(c) is the entropy of the class, log 2 if balanced"
	f.CorrectedLaTeX = `I(x, c) \ge H(c) - \tilde{\mathcal{L}}^{N}_{Pos}, \qquad N \ge 1, \quad \tau^+ \text{ the probability of each anchor's own class}`
	f.restOn(float64(corrected), "H(c) − L̃_Pos lies above the information in %d cases, though it is proved not to.", corrected)
	f.restOn(max(0, slack), "H(c) − L̃_Pos comes no nearer to the information than %.4g in any case, though it is proved to be "+
		"reached.", slack)
	return f
}

// lposCorrected compares H(c) − L̃_Pos with I(x, c).
func lposCorrected(s *subject, cases []miCase, negatives []int) (broken int, slack float64) {
	slack = math.Inf(1)
	for _, c := range cases {
		for _, n := range negatives {
			here := c.c[0].information - (s.constant("H(c)", c.entropy) - lposLosses[0].of(c, n))
			slack = min(slack, here)
			broken += oneIf(exceeds(-here, miSlack))
		}
	}
	return broken, slack
}
