package claims

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// LPosMutualInformationRepaired returns the claim on a tight bound of the information between an example and its class
// from L̃_Pos.
func LPosMutualInformationRepaired() Claim {
	return Claim{
		ID: "lpos-mi-repaired",
		Statement: "I(x, c) ≥ H(c) − L̃_Pos − E_x log Σ_c q(c|x), c the class of x and q(c|x) = E_c/(E_c + N_c E_c') for any " +
			"N_c > 0, with equality if and only if q(·|x), rescaled to add up to 1, is p(·|x). With N_c = τ⁻/τ⁺ the sum is " +
			"1, and H(c) − L̃_Pos → I(x, c) as τ → 0, in every population of finitely many points, no two in one direction.",
		LaTeX: `I(x, c) \ge H(c) - \tilde{\mathcal{L}}_{Pos} - \mathbb{E}_x \log \sum_c q(c|x),\qquad q(c|x) = \frac{E_c}{E_c + N_c E_{c'}};` +
			`\qquad N_c = \frac{\tau^-}{\tau^+}:\quad \lim_{\tau \to 0}\left(H(c) - \tilde{\mathcal{L}}_{Pos}\right) = I(x, c)`,
		Source: "repairs the theorem of the slides by M. A. Nikitina on distribution bias in contrastive learning",
		Assumptions: []string{
			"E_c and E_c' are the means of e^s at x over the class c and over the other class, and L̃_Pos = −E log q(c|x) " +
				"over x with its class, the population form with true means and τ⁺ the share of each anchor's own class",
			"H(c) is the entropy of the class, log 2 if balanced; similarities are finite",
			"for the limit: s = cos/τ",
		},
		Proof: []string{
			"E − τ⁻E⁻ = τ⁺E⁺ and E + (Nτ⁺ − τ⁻)E⁻ = τ⁺(E⁺ + N E⁻), so that L̃_Pos at x is −log q(c|x) with c the class of x.",
			"r(c|x) = q(c|x)/Σ_c q(c|x) is a distribution of c given x. −E log r(c|x) = L̃_Pos + E_x log Σ_c q(c|x).",
			"Gibbs: −E log r(c|x) = H(c|x) + E_x KL(p(·|x) ‖ r(·|x)) ≥ H(c|x), equal only if r is p.",
			"H(c|x) = H(c) − I(x, c). So I(x, c) = H(c) − L̃_Pos − E_x log Σ_c q(c|x) + E_x KL(p(·|x) ‖ r(·|x)): the " +
				"divergence is all that is lost.",
			"N_c = τ⁻/τ⁺ = p(c')/p(c): q(c|x) = p(c)E_c/(p(c)E_c + p(c')E_c'), and the two add up to 1.",
			"N_c = N for both classes: with t = E_c/E_c' the sum is t/(t+N) + 1/(1+Nt) = (Nt² + 2t + N)/(Nt² + (N²+1)t + N), " +
				"at most 1 for N ≥ 1. So H(c) − L̃_Pos is a bound then, too, and a weaker one.",
			"As τ → 0: of all points z the term with cos(x, z) = 1, z = x, outgrows the others, E_c·e^(−1/τ) → p(x|c). So q(c|x) → " +
				"p(c)p(x|c)/p(x) = p(c|x), and the divergence goes to 0.",
		},
		rests: grounds{
			constants:   []string{"entropy", "loss", "weight"},
			assumptions: []string{ownShare},
		},
		check: lposMIRepairedFinding,
	}
}

// LPosBound returns H(c) − L̃_Pos − E_x log Σ_c q(c|x), a lower bound of the information between an example and its
// class for similarities at temperature tau: q(c|x) = E_c/(E_c + N_c E_c'). N_c is the weight of a class with
// probability share, such as (1−share)/share. The class prior must lie strictly between 0 and 1.
func LPosBound(p theory.Population, prior, tau float64, weight func(share float64) float64) (bound float64, err error) {
	defer must.Catch(&err)
	if !(prior > 0 && prior < 1) {
		must.Fail("claims: class prior π = %g; L_Pos needs both classes, so it must lie between 0 and 1", prior)
	}
	w := world{p, prior}
	loss, normalizer := lposParts(w, tau, weight)
	return newMICase(w, tau).entropy - loss - normalizer, nil
}

// lposParts returns L̃_Pos and E_x log Σ_c q(c|x).
func lposParts(w world, tau float64, weight func(share float64) float64) (loss, normalizer float64) {
	loss = w.meanOver(tau, func(a theory.Anchor) float64 { return LPosPopulation(a, weight(a.TauPlus)) })
	normalizer = w.meanOver(tau, func(a theory.Anchor) float64 {
		own, other := theory.MeanExp(a.Own), theory.MeanExp(a.Other)
		return math.Log(own/(own+weight(a.TauPlus)*other) + other/(other+weight(1-a.TauPlus)*own))
	})
	return loss, normalizer
}

func lposMIRepairedFinding(s *subject) Finding {
	var f proven
	entropy, lossFactor, weightFactor := s.constant("entropy", 1), s.constant("loss", 1), s.constant("weight", 1)
	swapped := !s.assumes(ownShare)
	balancing := func(share float64) float64 {
		if swapped {
			share = 1 - share
		}
		return weightFactor * (1 - share) / share
	}
	slackOf := func(c miCase, tau float64, weight func(float64) float64) (slack, plain float64) {
		loss, normalizer := lposParts(c.w, tau, weight)
		plain = c.c[0].information - (entropy*c.entropy - lossFactor*loss)
		return plain + normalizer, plain
	}
	rng := rand.New(rand.NewPCG(18, 0x1905))
	var cases []miCase
	for range 40 {
		cases = append(cases, newMICase(randomWorld(rng, 1+rng.IntN(3), 1+rng.IntN(3)), 1))
	}
	circle := lists.Make(6, func(i int) []float64 { return onCircle(60 * float64(i)) }) // cosines of ½ and less
	for range 12 {
		class := func() []theory.Atom {
			p := normalized(lists.Make(4, func(int) float64 { return 0.1 + rng.Float64() }))
			from := rng.Perm(len(circle))
			return lists.Make(4, func(i int) theory.Atom { return theory.Atom{Z: circle[from[i]], P: p[i]} })
		}
		cases = append(cases, newMICase(world{theory.Population{Positive: class(), Negative: class()}, 0.1 + 0.8*rng.Float64()}, 1))
	}
	cases = append(cases, newMICase(onePoint(), 1), newMICase(world{TwoPoints(), 0.5}, 1))

	broken, brokenPlain, count, sum := 0, 0, 0, 0.0 // sum is the largest |E_x log Σ q|
	for _, c := range cases {
		for _, tau := range []float64{1, 0.5, 0.2} {
			slack, plain := slackOf(c, tau, balancing)
			sum = max(sum, math.Abs(slack-plain))
			count++
			broken += oneIf(exceeds(-slack, miSlack))
			for _, n := range []float64{0.3, 1, 4, 16} {
				slack, plain := slackOf(c, tau, func(float64) float64 { return n })
				count++
				broken += oneIf(exceeds(-slack, miSlack))
				brokenPlain += oneIf(n >= 1 && exceeds(-plain, miSlack))
			}
		}
	}
	f.none(broken, count, "worlds, temperatures and weights that break the bound")
	f.none(brokenPlain, count, "the same, fixed N ≥ 1: break H(c) − L̃_Pos")
	f.zero(sum, miSlack, "largest |E_x log Σ_c q(c|x)| with N_c = τ⁻/τ⁺")
	var at [4]float64 // largest slack with N_c = τ⁻/τ⁺ where the points are 60° apart, as τ falls
	for k, tau := range []float64{1, 0.25, 1 / 16.0, 1 / 64.0} {
		for _, c := range cases[40:] {
			slack, _ := slackOf(c, tau, balancing)
			at[k] = farther(at[k], slack)
		}
		measure(&f.Finding, at[k], "points 60° apart or more, N_c = τ⁻/τ⁺: largest I − bound at τ = %g", tau)
	}
	f.zero(math.Abs(at[3]), miSlack, "the same at τ = 1/64, of either sign")
	drawn, tried := lposDrawn(cases[:40], 1)
	f.none(drawn, tried, "worlds and N that break H(c) − L_Pos + J − (e^(2/τ)−1)²/(8(N+1)), means of N draws")
	f.detail("of means of N draws of the other class, the N-pair loss L: E log X ≥ log E X − Var X/(2 min X²) makes L̃_Pos ≤ "+
		"L − J + (e^(2/τ)−1)²/(8(N+1)), J being Jensen's gap, so that I ≥ H(c) − L + J − (e^(2/τ)−1)²/(8(N+1)) for N ≥ 1: "+
		"broken in %d of %d cases", drawn, tried)
	f.Number = exactly(math.Abs(at[1]))
	f.Why = "L̃_Pos is the cross-entropy of guessing the class of x from how near x lies to either class. No guess does " +
		"better than the class's entropy given x. The printed bound counts log(N+2) places where there are two classes."
	return f.finish("Not violated in %d cases. With N_c = τ⁻/τ⁺ and points at least 60° apart H(c) − L̃_Pos is %.2g nats "+
		"below the information at τ = 1/4 and meets it to rounding at τ = 1/64.", count, f.Number.Value)
}

// lposDrawn compares H(c) − L + J − (e^(2/τ)−1)²/(8(N+1)) with the information, L being the N-pair loss with N draws of
// the other class.
func lposDrawn(cases []miCase, tau float64) (broken, tried int) {
	for _, c := range cases {
		jensen := must.Get(JensenGap(c.w.Population, c.w.prior, tau))
		for _, n := range []int{1, 4, 16} {
			loss := must.Get(theory.IdealLoss(c.w.Population, c.w.prior, n, tau)).Loss.Value
			cost := math.Pow(math.Exp(2/tau)-1, 2) / (8 * float64(n+1))
			tried++
			broken += oneIf(exceeds(c.entropy-loss+jensen-cost, c.c[0].information+miSlack))
		}
	}
	return broken, tried
}
