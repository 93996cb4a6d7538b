package claims

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

// Theorem2Monotone returns the claim that the gain in variance grows with γ, the ratio of labeled to unlabeled
// examples.
//
// The theorem does not state which quantity is fixed while γ grows. Its proof fixes the number of unlabeled examples,
// where the gain first grows, then falls: if nearly everything is labeled, both variances are small. At a fixed total
// number of examples it does grow.
func Theorem2Monotone() Claim {
	return Claim{
		ID:        "theorem-2-monotone",
		Statement: "Δσ(γ₁) ≥ Δσ(γ₂) for all γ₁ ≥ γ₂ ≥ 0, where Δσ = Var(L_ssCL) − Var(L_PUCL) and γ = n_P/n_U.",
		LaTeX:     `\Delta_\sigma(\gamma_1) \ge \Delta_\sigma(\gamma_2) \quad \forall\, \gamma_1 \ge \gamma_2 \ge 0`,
		Source:    "Contrastive Positive Unlabeled Learning, Theorem 2, proof in appendix A.5",
		Assumptions: append(theorem2Assumptions(), "the proof holds the number |X_U| of unlabeled examples fixed while γ "+
			"grows; the theorem does not say what is fixed"),
		rests: grounds{
			objectives:  []string{"ssCL", "PUCL"},
			constants:   []string{"2m(m-1)/((2m-1)b^2)"},
			assumptions: []string{independentViews, caseControl},
			unneeded:    []unneeded{{caseControl, "Δσ does not depend on how the unlabeled examples are mixed"}},
		},
		check: func(s *subject) Finding {
			return theorem2MonotoneFinding(s, func(m, u int64) *big.Rat { return s.rational("2m(m-1)/((2m-1)b^2)", gapShare(m, u)) })
		},
	}
}

// monotoneReadings are the ways in which γ can grow between two batches of m₁, u₁ and m₂, u₂ examples.
var monotoneReadings = []struct {
	name   string
	allows func(m1, u1, m2, u2 int64) bool
}{
	{"a fixed number of unlabeled examples", func(_, u1, _, u2 int64) bool { return u1 == u2 }},
	{"a fixed number of examples in all", func(m1, u1, m2, u2 int64) bool { return m1+u1 == m2+u2 }},
	{"a fixed number of labeled examples", func(m1, _, m2, _ int64) bool { return m1 == m2 }},
	{"any numbers", func(_, _, _, _ int64) bool { return true }},
}

// shareFormula is a formula for Δσ/ζ₂ of m labeled and u unlabeled examples, like gapShare.
type shareFormula func(m, u int64) *big.Rat

// fallingPair is two batches, the second with γ no larger and Δσ larger than the first.
type fallingPair struct{ m1, u1, m2, u2 int64 }

// searchMonotone enumerates all pairs of batches of up to most examples, u ≥ 1. It returns the number of pairs that a
// reading allows, the number that break the claim, and the smallest of these (of several, the one with the largest
// fall), nil if there is none.
func searchMonotone(share shareFormula, most int64,
	allows func(m1, u1, m2, u2 int64) bool) (pairs, broken int, smallest *fallingPair) {

	size := func(p fallingPair) int64 { return max(p.m1+p.u1, p.m2+p.u2) }
	largest, gap := new(big.Rat), map[[2]int64]*big.Rat{}
	var batches [][2]int64 // m and u
	for u := int64(1); u <= most; u++ {
		for m := int64(0); m+u <= most; m++ {
			batches = append(batches, [2]int64{m, u})
			gap[[2]int64{m, u}] = share(m, u)
		}
	}
	for _, first := range batches {
		for _, second := range batches {
			p := fallingPair{first[0], first[1], second[0], second[1]}
			if first == second || p.m1*p.u2 < p.m2*p.u1 || !allows(p.m1, p.u1, p.m2, p.u2) {
				continue
			}
			pairs++
			fall := minus(gap[second], gap[first])
			if fall.Sign() <= 0 {
				continue
			}
			broken++
			if smallest == nil || size(p) < size(*smallest) || size(p) == size(*smallest) && fall.Cmp(largest) > 0 {
				smallest, largest = &p, fall
			}
		}
	}
	return pairs, broken, smallest
}

// theorem2MonotoneFinding searches the formula, after comparing it with the losses.
func theorem2MonotoneFinding(s *subject, share shareFormula) Finding {
	f := searchedMonotone(share)
	wrong := theorem2MonotoneMeasured(s, share, &f)
	if exceeds(wrong, contrastTolerance) {
		f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
		f.Number = exactly(wrong)
		f.conclude(Undecided, "The formula that was searched misses the measured Δσ by up to %.4g, so that the search "+
			"tells nothing.", wrong)
	}
	return f
}

// searchedMonotone returns the finding on Δσ/ζ₂ as given by the formula.
func searchedMonotone(share shareFormula) Finding {
	const most = 20
	var f Finding
	broken := make([]int, len(monotoneReadings))
	var smallest *fallingPair
	var holding []string
	for k, reading := range monotoneReadings {
		pairs, failed, pair := searchMonotone(share, most, reading.allows)
		broken[k] = failed
		measure(&f, failed, "pairs of %d with γ₁ ≥ γ₂ and Δσ(γ₁) < Δσ(γ₂), %s", pairs, reading.name)
		if failed == 0 {
			holding = append(holding, reading.name)
		}
		if smallest == nil {
			smallest = pair
		}
	}
	measure(&f, randomLabelsFalling(share, 8), "falls of E Δσ as the rate of labels grows from 0.1 to 0.9, batches of 2 to 8, in rationals")
	drop := new(big.Rat)
	if smallest != nil {
		first, second := share(smallest.m1, smallest.u1), share(smallest.m2, smallest.u2)
		drop.Sub(first, second)
		f.Counterexample = fmt.Sprintf("m = %d, u = %d (γ₂ = %s) against m = %d, u = %d (γ₁ = %s), each class showing +1 "+
			"or −1 with probability 1/2, views independent, τ = 1, ζ₂ = 1: Δσ = %s = %s falls to %s = %s, by %s",
			smallest.m2, smallest.u2, ratioText(smallest.m2, smallest.u2), smallest.m1, smallest.u1,
			ratioText(smallest.m1, smallest.u1), second.RatString(), second.FloatString(5), first.RatString(),
			first.FloatString(5), new(big.Rat).Neg(drop).RatString())
	}
	change := decimal(drop)
	f.Number = exactly(change)
	f.Why = "Δσ = 2m(m−1)/((2m−1)b²)·ζ₂ under independent views (theorem-2-variance). At fixed b the factor grows with " +
		"m: 2m(m−1)/(2m−1) = (m−½) − 1/(2(2m−1)). At fixed u b = m + u grows along, and for large m the factor is about " +
		"m/(m+u)², which falls beyond m = u. A number of labels drawn at random in a batch of fixed size changes " +
		"nothing: both losses have the same mean given it, so Δσ is the mean of a growing function of it."
	f.detail("the paper's experiments vary γ in both ways: case-control with n_U fixed, a single data set with n_P + n_U " +
		"fixed (appendix A.5, figures 5 and 6)")
	f.detail("with identical views Δσ does not grow at a fixed number of examples either, see the numbers measured")
	f.detail("searched in rationals: all pairs of batches of up to %d examples with at least one unlabeled", most)
	if broken[1] == 0 {
		f.Corrected = "Under independent views Δσ = 2m(m−1)/((2m−1)b²)·ζ₂ grows with the number m of labeled among a " +
			"fixed number b of examples; at a fixed number u of unlabeled ones it grows only until a little beyond m = u " +
			"and then falls towards 0."
		f.CorrectedLaTeX = `\Delta_\sigma = \frac{2m(m-1)}{(2m-1)\,b^2}\,\zeta_2 \ \text{ grows with } m \text{ at fixed } b = m+u;\quad \Delta_\sigma \to 0 \text{ as } m \to \infty \text{ at fixed } u`
	}
	first := max(0, slices.IndexFunc(broken, func(n int) bool { return n > 0 }))
	switch {
	case len(holding) == len(monotoneReadings):
		f.conclude(Holds, "Δσ grows with γ in every reading, over all batches tried.")
		f.Corrected, f.CorrectedLaTeX = "", ""
	case broken[0] > 0 && len(holding) > 0:
		f.conclude(Fails, "Δσ falls for %s, the case of the proof: it changes by %.4f from γ = %s to %s (signs, independent "+
			"views). It grows with γ for %s.", monotoneReadings[0].name, change, ratioText(smallest.m2, smallest.u2),
			ratioText(smallest.m1, smallest.u1), strings.Join(holding, " and for "))
	case len(holding) > 0:
		f.conclude(Conditional, "Δσ grows with γ only for %s; for %s, which the theorem does not exclude, it changes by %.4f from γ = %s to %s (signs, "+
			"independent views).", strings.Join(holding, " and "), monotoneReadings[first].name,
			change, ratioText(smallest.m2, smallest.u2), ratioText(smallest.m1, smallest.u1))
	default:
		f.conclude(Fails, "Δσ does not grow with γ in any reading; it changes by %.4f in the smallest case.", change)
	}
	return f
}

// randomLabelsFalling counts how often the mean of the formula over a binomial number of labels, at a fixed number b ≤
// most of examples, falls while the label rate grows in tenths.
func randomLabelsFalling(share shareFormula, most int64) int {
	falls := 0
	for b := int64(2); b <= most; b++ {
		var last *big.Rat
		for tenths := int64(1); tenths <= 9; tenths++ {
			mean := new(big.Rat)
			for m := range b + 1 {
				mean.Add(mean, times(binomial(b, m, big.NewRat(tenths, 10)), share(m, b-m)))
			}
			falls += oneIf(last != nil && mean.Cmp(last) < 0)
			last = mean
		}
	}
	return falls
}

// ratioText returns γ = m/u as a fraction.
func ratioText(m, u int64) string { return big.NewRat(m, u).RatString() }

// theorem2MonotoneMeasured measures Δσ on batches of signs, at one unlabeled example and at five examples in all, and
// returns the largest error of the formula; then it measures with identical views.
func theorem2MonotoneMeasured(s *subject, share shareFormula, f *Finding) (wrong float64) {
	meters := s.meters(1, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	for _, shape := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 4}, {2, 3}, {3, 2}} {
		d := theory.Design{Labeled: shape[0], Unlabeled: shape[1], Prior: 0.5}
		_, loss := varianceGaps(meters, contrastCase{TwoSigns(), s.drawn(d)})
		want := decimal(share(int64(d.Labeled), int64(d.Unlabeled)))
		wrong = max(wrong, math.Abs(loss-want))
		measure(f, loss, "signs, m = %d, u = %d: Δσ of the loss", d.Labeled, d.Unlabeled)
	}
	measure(f, wrong, "largest difference of these to the formula searched")
	for _, shape := range [][2]int{{1, 4}, {2, 3}, {3, 2}, {4, 1}} {
		d := theory.Design{Labeled: shape[0], Unlabeled: shape[1], Prior: 0.5, SameView: theory.IdenticalViews}
		attraction, loss := varianceGaps(meters, contrastCase{TwoSigns(), d})
		measure(f, attraction, "identical views, m = %d, u = %d: Δσ of the attraction", d.Labeled, d.Unlabeled)
		measure(f, loss, "identical views, m = %d, u = %d: Δσ of the loss", d.Labeled, d.Unlabeled)
	}
	return wrong
}
