package claims

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem2VarianceRepaired returns the claim on the true Δσ of Theorem 2, and on its dependence on the numbers of
// labeled and unlabeled examples.
func Theorem2VarianceRepaired() Claim {
	return Claim{
		ID: "theorem-2-variance-repaired",
		Statement: "Δσ = 2m(m−1)/((2m−1)b²) · ζ₂ with ζ₂ = Var(s) − 2 Var(E[s|z]) of s = z·z' for two positives. Where ζ₂ > 0 " +
			"it grows with γ at a fixed number of examples, and at a fixed number m ≥ 2 of labeled ones; at a fixed number u ≥ 2 of " +
			"unlabeled ones it grows up to m = u + 1 and falls from there.",
		LaTeX: `\Delta_\sigma = \frac{2m(m-1)}{(2m-1)\,b^2}\,\zeta_2,\qquad \zeta_2 = \mathrm{Var}(s) - 2\,\mathrm{Var}(\mathbb{E}[s\mid ` +
			`z]),\qquad \arg\max_m \Delta_\sigma(m, u) = u+1 \quad (u \ge 2)`,
		Source: "repairs the size of Δσ in the proof of Theorem 2 of Contrastive Positive Unlabeled Learning, and its growth with γ",
		Assumptions: []string{
			"views are independent draws from their example's class; the m ≥ 1 labeled examples of a batch of b = m + u are " +
				"draws of the positive class",
		},
		Proof: []string{
			"L_PUCL = E[L_ssCL | S] with S the rows without their pairing (theorem-2-inequality), so Δσ = E[Var(L_ssCL | " +
				"S)], to which only the attraction of labeled anchors adds: m of b examples, both of whose rows have the " +
				"similarity of the pair.",
			"So Δσ = (m/b)² · [Var(mean over m separate pairs) − Var(mean over all pairs of the 2m rows)], where given S the " +
				"first has the second for its mean.",
			"Split s − μ = (g(z)−μ) + (g(z')−μ) + r(z, z') with g(z) = E[s|z] (Hoeffding). The three parts are uncorrelated, " +
				"E[r|z] = 0, and with ζ₁ = Var(g), ζ₂ = Var(r): Var(s) = 2ζ₁ + ζ₂.",
			"Separate pairs are independent: their mean has variance (2ζ₁ + ζ₂)/m.",
			"All pairs: the g-parts sum to (1/m) Σ (g(z_i)−μ) over the 2m rows, of variance 2ζ₁/m. The r of different pairs " +
				"are uncorrelated, even where they share a row, since E[r|z] = 0; there are m(2m−1) pairs: ζ₂/(m(2m−1)).",
			"The difference is ζ₂/m · (1 − 1/(2m−1)) = ζ₂/m · (2m−2)/(2m−1). Times (m/b)² that is 2m(m−1)/((2m−1)b²)·ζ₂.",
			"Fixed b: 2m(m−1)/(2m−1) = m − ½ − 1/(2(2m−1)) grows with m, and so with γ.",
			"Fixed m ≥ 2: b falls as γ = m/u grows, and the factor grows. For m = 1 it is 0.",
			"Fixed u: with c = m + u the factor at m+1 is the larger one if and only if (m+1)(2m−1)c² > (m−1)(2m+1)(c+1)², " +
				"that is D = 2mc² − (2m+1)(m−1)(2c+1) > 0. D grows with c, since its slope is 4mc − 2(2m+1)(m−1) = 4mu + 2m " +
				"+ 2.",
			"At u = m, c = 2m: D = 2m² + 5m + 1 > 0. At u = m−1, c = 2m−1: D = −2m² + 5m − 1, which is negative for m ≥ 3. " +
				"So from m ≥ 3 labeled examples one more helps if and only if u ≥ m: the factor grows up to m = u + 1 and " +
				"falls from there. For m ≤ 2 D > 0 as soon as u ≥ 1, so with u = 1 the most is at m = 3, and with u = 0 at m " +
				"= 2.",
		},
		rests: grounds{
			objectives:  []string{"ssCL", "PUCL"},
			constants:   []string{"size", "peak"},
			assumptions: []string{independentViews},
		},
		check: theorem2VarianceRepairedFinding,
	}
}

func theorem2VarianceRepairedFinding(s *subject) Finding {
	var f proven
	size := s.constant("size", 1)
	meters := s.meters(1, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	designs := withViews(designsOf(0.4, [][2]int{{1, 1}, {2, 1}, {3, 1}, {2, 2}}), s.assumes(independentViews))
	worst, between := 0.0, 0.0
	cases := contrastCases(randomPlanes(4, 13), designs)
	for _, c := range cases {
		v, _ := must.Get2(c.world.PairVariance(1))
		attraction, loss := varianceGaps(meters, c)
		worst = farther(worst, loss-size*Theorem2Gap(v, c.design))
		between = farther(between, loss-attraction)
	}
	f.zero(math.Abs(worst), contrastTolerance, "largest error of the size for Δσ of the loss over %d cases", len(cases))
	f.zero(math.Abs(between), contrastTolerance, "largest difference between Δσ of the loss and of its attraction")

	off, tried := pairSizes(s.rational("size", whole(1)))
	f.none(off, tried, "classes and numbers of labels whose pairs do not have the size, in rationals")

	const most = 40
	fixedTotal, fixedLabeled, wrongPeak, peaks := 0, 0, 0, 0
	for u := int64(0); u <= most; u++ {
		for m := int64(1); m <= most; m++ {
			fixedTotal += oneIf(u > 0 && gapShare(m+1, u-1).Cmp(gapShare(m, u)) <= 0)
			fixedLabeled += oneIf(u > 0 && m > 1 && gapShare(m, u-1).Cmp(gapShare(m, u)) <= 0)
		}
		if u < 2 {
			continue
		}
		peaks++
		peak, falls := whole(1), true
		for m := int64(1); m <= 2*most; m++ {
			if gapShare(m+1, u).Cmp(gapShare(m, u)) > 0 {
				peak, falls = whole(m+1), falls && peak.Cmp(whole(m)) == 0 // no increase after a decrease
			}
		}
		wrongPeak += oneIf(!falls || peak.Cmp(s.rational("peak", whole(u+1))) != 0)
	}
	f.none(fixedTotal, most*most, "steps of m by one at fixed b at which the size does not grow")
	f.none(fixedLabeled, most*(most-1), "steps of u by one at fixed m, downwards, at which the size does not grow")
	f.none(wrongPeak, peaks, "numbers u ≥ 2 of unlabeled examples at which the size does not peak at m = u + 1")
	small := [2]int64{}
	for u := range small {
		for m := int64(1); m <= most; m++ {
			if gapShare(m, int64(u)).Cmp(gapShare(max(small[u], 1), int64(u))) > 0 {
				small[u] = m
			}
		}
	}
	f.expect(small == [2]int64{2, 3}, "with 0 and 1 unlabeled examples the size peaks at m = %v, where it is 2 and 3 by the proof", small)
	f.Number = exactly(gapShare(2, 1))
	f.Why = "Δσ is what pairing the labeled rows at random adds to the variance. Hoeffding's split says how much of a pair's " +
		"variance belongs to its single points, and is not averaged away by more pairs of the same points, and how much to " +
		"the pair."
	return f.finish("Δσ is 2m(m−1)/((2m−1)b²)·ζ₂ in all %d cases, %.4f·ζ₂ with two labeled examples and an unlabeled one. It "+
		"grows with γ at fixed b and at fixed m, and peaks at m = u + 1 at fixed u ≥ 2.", len(cases), f.Number.Value)
}

// pairSizes checks, in rationals, the variance of the mean over m separate pairs of draws minus that over all pairs of
// the 2m draws. It compares it with (2m−2)/((2m−1)m)·ζ₂, times size, for random symmetric similarities of up to three
// points and m up to 3.
func pairSizes(size *big.Rat) (off, tried int) {
	rng := rand.New(rand.NewPCG(13, 0x9c1a))
	for _, shape := range [][2]int{{2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}} {
		points, m := shape[0], int64(shape[1])
		kernel := lists.Table(points, points, func(int, int) *big.Rat { return big.NewRat(rng.Int64N(19)-9, 9) })
		weights, total := make([]*big.Rat, points), int64(0)
		parts := lists.Make(points, func(int) int64 { return 1 + rng.Int64N(5) })
		for i, part := range parts {
			total += part
			for j := range i {
				kernel[i][j] = kernel[j][i]
			}
		}
		for i, part := range parts {
			weights[i] = big.NewRat(part, total)
		}
		separate, all := pairMeans(kernel, weights, int(m))
		want := times(size, times(big.NewRat(2*m-2, (2*m-1)*m), pairRest(kernel, weights)))
		tried++
		off += oneIf(minus(separate, all).Cmp(want) != 0)
	}
	return off, tried
}

// pairRest returns ζ₂ = Var(s) − 2 Var(E[s|z]).
func pairRest(kernel [][]*big.Rat, weights []*big.Rat) *big.Rat {
	mean, square, given := new(big.Rat), new(big.Rat), new(big.Rat)
	for i, p := range weights {
		row := new(big.Rat)
		for j, q := range weights {
			row.Add(row, times(q, kernel[i][j]))
			square.Add(square, times(times(p, q), times(kernel[i][j], kernel[i][j])))
		}
		mean.Add(mean, times(p, row))
		given.Add(given, times(p, times(row, row)))
	}
	// E s² − μ² − 2(E g² − μ²)
	return plus(minus(square, times(whole(2), given)), times(mean, mean))
}

// pairMeans enumerates all draws of 2m points and returns the variance of the mean similarity over the pairs of draws i
// and i+m, and over all pairs.
func pairMeans(kernel [][]*big.Rat, weights []*big.Rat, m int) (separate, all *big.Rat) {
	var first, second [2]big.Rat // moments of both means
	drawn := make([]int, 2*m)
	var draw func(at int, p *big.Rat)
	draw = func(at int, p *big.Rat) {
		if at < len(drawn) {
			for i, w := range weights {
				drawn[at] = i
				draw(at+1, times(p, w))
			}
			return
		}
		own, sum := new(big.Rat), new(big.Rat)
		for j := range drawn {
			for i := range j {
				sum.Add(sum, kernel[drawn[i]][drawn[j]])
			}
			if j >= m {
				own.Add(own, kernel[drawn[j-m]][drawn[j]])
			}
		}
		for k, x := range []*big.Rat{times(own, big.NewRat(1, int64(m))), times(sum, big.NewRat(1, int64(m*(2*m-1))))} {
			first[k].Add(&first[k], times(p, x))
			second[k].Add(&second[k], times(p, times(x, x)))
		}
	}
	draw(0, whole(1))
	variance := func(k int) *big.Rat { return minus(&second[k], times(&first[k], &first[k])) }
	return variance(0), variance(1)
}
