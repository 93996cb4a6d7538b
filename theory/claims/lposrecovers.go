package claims

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory/internal/lists"
)

// LPosRecovers returns the claim that L_Pos recovers the original distribution.
//
// As an identity it does: the debiased mean equals the mean over p⁺ for every f, and so determines p⁺. As a loss it
// does not: its minimizer over scores between two bounds uses only the bounds, and many distributions share it.
func LPosRecovers() Claim {
	return Claim{
		ID:        "lpos-recovers",
		Statement: "L_Pos is able to recover the original distribution (of the positives).",
		LaTeX: `p_x^+(x') = \frac{p(x') - \tau^- p_x^-(x')}{\tau^+},
			\qquad \operatorname{argmin}_f L_{\text{Pos}}(f) \mapsto p_x^+`,
		Source: "M. A. Nikitina, slides on distribution bias in contrastive learning, idea and artificial experiment",
		Assumptions: []string{
			"p = τ⁺p⁺ + τ⁻p⁻; scores exp s lie between e^(−1/τ) and e^(1/τ), 1 and 4 in the check",
		},
		rests: grounds{constants: []string{"share"}, mistakes: []mistake{{"swapped", "the draws of p⁻ are taken for draws of " +
			"p⁺"}}},
		check: lposRecoversFinding,
	}
}

// distributionsInSixths lists the distributions on three places, all with positive probability.
func distributionsInSixths() [][]*big.Rat {
	var all [][]*big.Rat
	for a := int64(1); a <= 4; a++ {
		for b := int64(1); a+b <= 5; b++ {
			all = append(all, []*big.Rat{big.NewRat(a, 6), big.NewRat(b, 6), big.NewRat(6-a-b, 6)})
		}
	}
	return all
}

// ratExpectation returns Σ p f.
func ratExpectation(p []*big.Rat, f []int64) *big.Rat {
	sum := new(big.Rat)
	for k, x := range p {
		sum.Add(sum, times(x, whole(f[k])))
	}
	return sum
}

func lposRecoversFinding(s *subject) Finding {
	var f Finding
	factor, swapped := s.rational("share", whole(1)), s.mistaken("swapped")
	tauPlus := big.NewRat(1, 3)
	assumed := times(factor, tauPlus)
	all := distributionsInSixths()
	indicators := [][]int64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	var scores [][]int64
	for x := range 64 {
		scores = append(scores, []int64{1 + int64(x)%4, 1 + int64(x)/4%4, 1 + int64(x)/16})
	}
	cases, recovered, extreme, minima := 0, 0, 0, 0
	shared, example := 0, ""
	for _, negative := range all {
		seen := map[string][][]*big.Rat{} // the distributions with this minimizer
		for _, positive := range all {
			drawn := negative
			if swapped {
				drawn = positive
			}
			mix := lists.Make(3, func(k int) *big.Rat { return mixture(positive[k], negative[k], tauPlus) })
			cases++
			right := true
			for k, indicator := range indicators {
				numerator, _ := printedLPos(ratExpectation(mix, indicator), ratExpectation(drawn, indicator), assumed, 2)
				right = right && over(numerator, assumed).Cmp(positive[k]) == 0
			}
			recovered += oneIf(right)
			var best *big.Rat
			var at [][]int64
			for _, score := range scores {
				numerator, denominator := printedLPos(ratExpectation(mix, score), ratExpectation(drawn, score), assumed, 2)
				ratio := over(numerator, denominator)
				switch {
				case best == nil || ratio.Cmp(best) > 0:
					best, at = ratio, [][]int64{score}
				case ratio.Cmp(best) == 0:
					at = append(at, score)
				}
			}
			if len(at) > 1 { // for p⁺ = p⁻ all scores are equally good, and at equal ratios some places
				continue
			}
			minima++
			extreme += oneIf(!slices.ContainsFunc(at[0], func(x int64) bool { return x != 1 && x != 4 }))
			key := fmt.Sprint(at[0])
			seen[key] = append(seen[key], positive)
			if example == "" && len(seen[key]) > 1 {
				example = fmt.Sprintf("p⁻ = %s, τ⁺ = 1/3, N = 2: p⁺ = %s and p⁺ = %s have the same best scores %s",
					probabilities(negative), probabilities(seen[key][0]), probabilities(positive), key)
			}
		}
		for _, alike := range seen {
			if len(alike) > 1 {
				shared += len(alike)
			}
		}
	}
	measure(&f, cases, "pairs of distributions p⁺ and p⁻ on three places, in sixths")
	measure(&f, recovered, "pairs in which (p − τ⁻p⁻)/τ⁺ is p⁺, place by place")
	measure(&f, minima, "pairs with one best choice of scores among 1 to 4")
	measure(&f, extreme, "of these with scores 1 and 4 only")
	measure(&f, shared, "of these with the scores of another p⁺")
	f.Number = exactly(shared)
	f.Counterexample = example
	f.Why = "The fraction of L_Pos depends on f through E⁺f/E⁻f alone, which is largest where f is as large as it may be at " +
		"places with p⁺/p⁻ above some threshold, and as small elsewhere: a rule, as of Neyman and Pearson, in which nothing " +
		"but the order of p⁺/p⁻ shows."
	f.Corrected = "p⁺ is determined by p, p⁻ and τ⁺; the least of L_Pos over bounded scores shows only at which places p⁺/p⁻ " +
		"is above a threshold."
	f.CorrectedLaTeX = `\operatorname{argmin}_{m \leq f \leq M} L_{\text{Pos}} = m + (M - m)\,\mathbf{1}\left\{\tfrac{p^+}{p^-} > c\right\}`
	switch {
	case recovered < cases || extreme < minima:
		f.undecide("The debiased mean is that over p⁺ in %d of %d pairs, and the best scores are extreme in %d of %d: this is "+
			"not L_Pos with its share τ⁺.",
			recovered, cases, extreme, minima)
	case shared > 0:
		f.conclude(Conditional, "As an identity p⁺ = (p − τ⁻p⁻)/τ⁺ it does, in all %d pairs, in rationals; its minimizer does "+
			"not: in %d of %d pairs another p⁺ has the same best scores.", cases, shared, minima)
	default:
		f.conclude(Holds, "The identity and the minimizers determine p⁺ in all %d pairs.", cases)
		f.Corrected, f.CorrectedLaTeX = "", ""
	}
	return f
}

// probabilities formats a distribution.
func probabilities(p []*big.Rat) string { return fmt.Sprint(lists.Map(p, (*big.Rat).RatString)) }
