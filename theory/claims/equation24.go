package claims

import (
	"fmt"
	"math/big"
)

// Equation24 returns the claim that on labeled positives SCL-PU has no bias, and a variance inversely proportional to
// their number.
//
// Equation (24) sums over all labeled points, including the anchor, whose similarity with itself is 1/τ. Without it, as
// (5) prints the sum, the statement is correct. The check enumerates all draws of a class with points +1 and −1, in
// rational arithmetic.
func Equation24() Claim {
	return Claim{
		ID: "equation-24",
		Statement: "For labeled positives the mean of z_i·z_j over the labeled points has no bias for μ_P, and a variance of " +
			"order one over their number.",
		LaTeX: `\mathbb{E}_{\mathbf{x}_i}\Big[\tfrac{1}{n_{P_L}} \sum_{\mathbf{x}_j \in \mathcal{X}_{P_L}} \mathbf{z}_i \cdot ` +
			`\mathbf{z}_j\Big] - \mu_P^* = 0, \qquad \mathrm{Var} = \mathcal{O}\big(\tfrac{1}{|\mathcal{X}_{P_L}|}\big)`,
		Source: "Contrastive Positive Unlabeled Learning, equation (24) and the sentences below it (proof of Theorem 1, " +
			"appendix A.5.5)",
		Assumptions: []string{"labeled positives are independent draws from p(x|y=1)"},
		rests: grounds{
			constants:   []string{"variance", "bias"},
			assumptions: []string{"independent draws"},
		},
		check: func(s *subject) Finding { return equation24Finding(s) },
	}
}

// labeledMeans are the moments, over draws of n points that are +1 with probability p and −1 else, of the mean of z_i·z_j over
// pairs.
type labeledMeans struct{ withSelf, without, variance *big.Rat } // means with j = i and without; variance without

func measureLabeled(n int64, p *big.Rat, independent bool) labeledMeans {
	m := labeledMeans{new(big.Rat), new(big.Rat), new(big.Rat)}
	square := new(big.Rat)
	for k := range n + 1 { // k points at +1
		weight := binomial(n, k, p)
		if !independent { // all points are the same draw
			weight = []*big.Rat{minus(whole(1), p), p}[oneIf(k == n)]
			if k != 0 && k != n {
				continue
			}
		}
		sum := whole((2*k - n) * (2*k - n)) // Σ_ij z_i z_j
		m.withSelf.Add(m.withSelf, times(weight, times(sum, big.NewRat(1, n*n))))
		if n > 1 {
			mean := times(minus(sum, whole(n)), big.NewRat(1, n*(n-1)))
			m.without.Add(m.without, times(weight, mean))
			square.Add(square, times(weight, times(mean, mean)))
		}
	}
	m.variance = minus(square, times(m.without, m.without))
	return m
}

// equation24Finding compares the means with μ_P = (2p−1)² and the variance with Hoeffding's, at τ = 1.
func equation24Finding(s *subject) Finding {
	var f Finding
	independent, factor := s.assumes("independent draws"), s.rational("variance", whole(1))
	one := s.rational("bias", whole(1))
	cases, biased, unbiased, formula, order := 0, 0, 0, 0, 0
	worst := new(big.Rat)
	for n := int64(2); n <= 12; n++ {
		for tenths := int64(5); tenths <= 9; tenths++ {
			p := big.NewRat(tenths, 10)
			g := minus(times(whole(2), p), whole(1)) // the mean of a draw
			mu := times(g, g)
			m := measureLabeled(n, p, independent)
			cases++
			bias := minus(m.withSelf, mu)
			biased += oneIf(bias.Cmp(times(big.NewRat(1, n), times(one, minus(whole(1), mu)))) == 0)
			unbiased += oneIf(m.without.Cmp(mu) == 0)
			// ζ₁ = g²(1−g²), ζ₂ = (1−g²)²: 4ζ₁/n + 2ζ₂/(n(n−1)).
			rest := minus(whole(1), mu)
			hoeffding := times(factor, plus(times(big.NewRat(4, n), times(mu, rest)), times(big.NewRat(2, n*(n-1)), times(rest,
				rest))))
			formula += oneIf(m.variance.Cmp(hoeffding) == 0)
			order += oneIf(m.variance.Cmp(big.NewRat(4, n)) <= 0)
			if n == 2 && bias.Cmp(worst) > 0 {
				worst = bias
				f.Counterexample = fmt.Sprintf("two labeled points, each +1 with probability %s and −1 else, τ = 1: μ_P = %s, "+
					"the mean over all pairs (24) has, those of a point with itself included, is %s", p.RatString(),
					mu.RatString(), m.withSelf.RatString())
			}
		}
	}
	f.Number = exactly(worst)
	measure(&f, cases, "cases of 2 to 12 labeled points and a class")
	measure(&f, unbiased, "cases without bias, j ≠ i")
	measure(&f, biased, "cases with bias (1/τ − μ_P)/n, j = i included as printed")
	measure(&f, worst, "largest bias of two points, as printed")
	measure(&f, formula, "cases with variance 4ζ₁/n + 2ζ₂/(n(n−1)), j ≠ i")
	measure(&f, order, "cases with variance 4/n at most")
	f.Why = "Two different labeled points are independent draws, and E[z_i·z_j] = μ_P for each pair; a point has z_i·z_i = " +
		"1/τ with itself. By Hoeffding's split the mean over pairs has variance 4ζ₁/n + 2ζ₂/(n(n−1)), with ζ₁ what single " +
		"points bring in and ζ₂ the rest."
	f.Corrected = "With the sum over j ≠ i, as (5) has it, the mean is unbiased for μ_P with variance 4ζ₁/n + 2ζ₂/(n(n−1)); " +
		"with j = i its bias is (1/τ − μ_P)/n."
	f.CorrectedLaTeX = `\mathbb{E}\Big[\tfrac{1}{n-1} \sum_{j \neq i} \mathbf{z}_i \cdot \mathbf{z}_j\Big] = \mu_P^*, \qquad ` +
		`\mathrm{Var} = \frac{4\zeta_1}{n} + \frac{2\zeta_2}{n(n-1)}`
	switch {
	case unbiased < cases || formula < cases || order < cases:
		f.undecide("Without the anchor itself %d of %d cases are unbiased and %d have the variance of independent draws: "+
			"these are not such, or not this formula.", unbiased, cases, formula)
	case biased == cases:
		f.conclude(Conditional, "True with j ≠ i, as (5) has it, in all %d cases, with variance 4ζ₁/n + 2ζ₂/(n(n−1)). With j "+
			"= i, as (24) is printed, the bias is (1/τ − μ_P)/n, up to %.4g for two points.", cases, decimal(worst))
	default:
		f.undecide("As printed %d of %d cases have the bias (1/τ − μ_P)/n.", biased, cases)
	}
	return f
}
