package claims

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// LPosLimitRepaired returns the claim on the limit of the N-pair loss minus L̃_Pos, the side from which it converges,
// and its rate.
func LPosLimitRepaired() Claim {
	return Claim{
		ID: "lpos-limit-repaired",
		Statement: "For every N ≥ 1 the N-pair loss exceeds L̃_Pos by no more than J = E_x[log E e^s⁺ − E s⁺], and by J − " +
			"v/N + O(1/N²) with v = E_x[Var(e^s⁻)/(2(E e^s⁻)²)]. J ≥ 0 is Jensen's gap, 0 only where s(x, ·) is constant on " +
			"p⁺.",
		LaTeX: `\mathcal{L}^{N}_{N\text{-}pair} - \tilde{\mathcal{L}}^{N}_{Pos} = \mathbb{E}_x\left[\log \mathbb{E}_{x^+} e^{s(x,x^+)} - ` +
			`\mathbb{E}_{x^+} s(x,x^+)\right] - \frac{1}{2N}\,\mathbb{E}_x\!\left[\frac{\mathrm{Var}\,e^{s(x,x^-)}}{(\mathbb{E}\,` +
			`e^{s(x,x^-)})^2}\right] + O\!\left(\frac{1}{N^2}\right)`,
		Source: "repairs the lemma of the slides by M. A. Nikitina on distribution bias in contrastive learning",
		Assumptions: []string{
			"anchors x ~ p, x⁺ ~ p⁺ and N negatives from p⁻, independent given x; p = τ⁺p⁺ + τ⁻p⁻ with τ⁺ the share of x's own class",
			"similarities are bounded, as cosines over τ are",
		},
		Proof: []string{
			"Let E⁺ and E⁻ be the means of e^s over p⁺ and p⁻ at the anchor x, and E = τ⁺E⁺ + τ⁻E⁻. Then E − τ⁻E⁻ = τ⁺E⁺ and " +
				"E + (Nτ⁺ − τ⁻)E⁻ = τ⁺(E⁺ + N E⁻): at x L̃_Pos is log(E⁺ + N E⁻) − log E⁺.",
			"At x the N-pair loss is E log X − E s⁺ with X = e^s⁺ + Σ_k e^s_k, and E X = E⁺ + N E⁻.",
			"So the difference is [log E⁺ − E s⁺] + [E log X − log E X]: the first is J at x, and does not know of N.",
			"The logarithm is concave, so E log X ≤ log E X (Jensen): the difference never exceeds J. Likewise E s⁺ = E log " +
				"e^s⁺ ≤ log E⁺: J ≥ 0, with equality only if e^s⁺ is constant.",
			"X is a sum of N + 1 independent numbers between e^(−1/τ) and e^(1/τ). Write X = (1+y) E X: E y = 0, E y² = Var " +
				"X/(E X)², E y³ and E y⁴ are O(1/N²). So E log(1+y) = −Var X/(2(E X)²) + O(1/N²).",
			"Var X = N Var(e^s⁻) + O(1) and E X = N E⁻ + O(1): −Var(e^s⁻)/(2N(E⁻)²) + O(1/N²). The mean over x is −v/N.",
		},
		rests: grounds{
			constants:   []string{"J", "v"},
			assumptions: []string{"negatives of the other class", ownShare},
		},
		check: lposLimitRepairedFinding,
	}
}

func lposLimitRepairedFinding(s *subject) Finding {
	var f proven
	factor, rate := s.constant("J", 1), s.constant("v", 1)
	other, swapped := s.assumes("negatives of the other class"), !s.assumes(ownShare)
	difference := func(w world, tau float64, n int) float64 {
		reading := nPairReadings[0]
		if !other {
			reading = nPairReadings[1] // negatives from all data
		}
		gap, _ := lposGap(reading, w, tau, n, func(a theory.Anchor, n float64) float64 {
			if swapped {
				all, other := theory.MeanExp(a.All()), theory.MeanExp(a.Other)
				return math.Log(all+(n*(1-a.TauPlus)-a.TauPlus)*other) - math.Log(all-a.TauPlus*other)
			}
			return LPosPopulation(a, n)
		})
		return gap
	}
	worlds := []world{{LPosCounterexample(), 0.5}, {theory.Population{Positive: onAxis(0.5), Negative: onAxis(0.3)}, 0.4}}
	rng := rand.New(rand.NewPCG(17, 0x1905))
	for range 8 {
		worlds = append(worlds, randomWorld(rng, 1+rng.IntN(2), 2))
	}
	tau := func(i int) float64 {
		if i < 2 {
			return halfTau
		}
		return 1
	}
	jensen := make([]float64, len(worlds))
	above, cases := 0, 0
	for i, w := range worlds {
		jensen[i] = factor * must.Get(JensenGap(w.Population, w.prior, tau(i)))
		f.expect(jensen[i] >= 0, "J is %.3g in a world, and not at least 0", jensen[i])
		for n := 1; n <= 32; n *= 2 {
			above += oneIf(exceeds(difference(w, tau(i), n), jensen[i]+contrastTolerance))
			cases++
		}
	}
	f.none(above, cases, "worlds and N at which the N-pair loss exceeds L̃_Pos by more than J")
	if above > 0 {
		return f.finish("")
	}
	offRate, left := 0.0, 0.0
	for i, w := range worlds {
		v := rate * w.meanOver(tau(i), func(a theory.Anchor) float64 {
			mean := theory.MeanExp(a.Other)
			return theory.Mean(a.Other, func(s float64) float64 { return math.Pow(math.Exp(s)/mean-1, 2) }) / 2
		})
		var off [3]float64 // N times the difference to J, at three N
		for k := range off {
			n := 64 << k
			here := jensen[i] - difference(w, tau(i), n)
			off[k] = here * float64(n)
			left = max(left, math.Abs(here))
		}
		offRate = max(offRate, math.Abs(toInfinity(off)-v))
	}
	f.Number = exactly(jensen[0])
	measure(&f.Finding, jensen[0], "positives at ±1, negatives at +1, π = ½, e^(1/τ) = 2: J")
	measure(&f.Finding, difference(worlds[0], halfTau, 256), "the same: difference at N = 256")
	f.zero(offRate, 1e-4, "largest error of v, extrapolated from N = 64, 128 and 256")
	measure(&f.Finding, left, "largest distance from J at N = 64 to 256")
	f.Why = "The N-pair loss takes the mean over positives outside of the logarithm, L̃_Pos inside: what lies between the " +
		"two has nothing to do with the negatives, and more of them do not take it away."
	return f.finish("The difference stays below Jensen's gap J in all %d cases of %d worlds and reaches it like 1/N; "+
		"positives at ±1, negatives at +1, π = ½, e^(1/τ) = 2: J = ½ log(5/4) = %.4f.", cases, len(worlds), f.Number.Value)
}
