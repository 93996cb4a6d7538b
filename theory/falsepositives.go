package theory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// FalsePositives is a distribution of positives and negatives over finitely many places with false positives: an
// observed positive is drawn from p⁺ with probability 1−ρ, and from p⁻, the negatives, with probability ρ.
type FalsePositives struct {
	Positive []float64 // p⁺, the probability of each place; sums to 1
	Negative []float64 // p⁻; above 0 everywhere
	Rate     float64   // ρ, from 0 to below 1
}

// Validate returns an error if w is invalid.
func (w FalsePositives) Validate() error {
	if len(w.Positive) == 0 || len(w.Positive) != len(w.Negative) {
		return fmt.Errorf("theory: p⁺ of %d places and p⁻ of %d; both must name the same places, at least one", len(w.Positive), len(w.Negative))
	}
	for k := range w.Positive {
		if !(w.Positive[k] >= 0) || !(w.Negative[k] > 0) {
			return fmt.Errorf("theory: place %d has p⁺ = %g and p⁻ = %g; the first must not be negative and the second be positive",
				k, w.Positive[k], w.Negative[k])
		}
	}
	for name, p := range map[string][]float64{"p⁺": w.Positive, "p⁻": w.Negative} {
		if sum := floats.Sum(p); !(math.Abs(sum-1) <= 1e-9) {
			return fmt.Errorf("theory: the probabilities of %s sum to %g, and must sum to 1", name, sum)
		}
	}
	if !(w.Rate >= 0 && w.Rate < 1) {
		return fmt.Errorf("theory: a share of %g false positives; it must lie from 0 to below 1", w.Rate)
	}
	return nil
}

// Observed returns p̂⁺ = (1−ρ)p⁺ + ρp⁻, the distribution of observed positives.
func (w FalsePositives) Observed() []float64 {
	return lists.Make(len(w.Positive), func(k int) float64 { return (1-w.Rate)*w.Positive[k] + w.Rate*w.Negative[k] })
}

// Without returns (p − ρp⁻)/(1−ρ), which recovers p⁺ from [FalsePositives.Observed]: the identity behind L_Pos.
// Negative entries become 0, and the rest is scaled to sum to 1.
func (w FalsePositives) Without(p []float64) []float64 {
	out := lists.Make(len(p), func(k int) float64 { return max(0, p[k]-w.Rate*w.Negative[k]) })
	floats.Scale(1/floats.Sum(out), out)
	return out
}

// PositiveMass is the formula for the mass of a positive from its own score h = exp s and the mean h̄⁻ of scores over
// p⁻.
type PositiveMass int

// The masses. In each case L = E[−log g/(g + N h̄⁻)] over observed positives.
const (
	AsObserved PositiveMass = iota // g = h: the N-pair loss, with the mean of its negatives
	Subtracted                     // g = (h − ρh̄⁻)/(1−ρ): L_Pos with the observed positive in place of the mixture
	Mixed                          // g = (1−ρ)h + ρh̄⁻: L_Pos over all rows of a batch, with the τ⁺ of pucl.TauPlusForRate
)

// Recovered returns the distribution over places implied by the scores that minimize the loss with n negatives:
// p⁻_k·h_k, scaled to sum to 1. For the scores of InfoNCE this is p⁺. The loss is convex in the masses g at a given
// mean, so that there is one minimum:
//
//	g_k² + N g_k = λ p̂⁺_k/p⁻_k,   Σ p⁻_k g_k = 1,
//
// and h follows from g. As N grows g tends to p̂⁺/p⁻ for every mass. The recovered distribution then tends to p̂⁺ for
// observed, to p⁺ for mixed, and to (1−ρ)²p⁺ + (1−(1−ρ)²)p⁻ for subtracted, which is farther from p⁺ than p̂⁺.
func (w FalsePositives) Recovered(mass PositiveMass, n float64) (q []float64, err error) {
	defer must.Catch(&err)
	must.Do(w.Validate())
	if !(n > 0) {
		must.Fail("theory: N = %g negatives; there must be some", n)
	}
	observed := w.Observed()
	ratio := lists.Make(len(observed), func(k int) float64 { return observed[k] / w.Negative[k] })
	masses := func(lambda float64) []float64 {
		return lists.Map(ratio, func(r float64) float64 { return 2 * lambda * r / (n + math.Sqrt(n*n+4*lambda*r)) })
	}
	// The mean of g grows with λ: from 0 to beyond 1, since the largest λ makes the mass of every place with a positive
	// at least 1/p⁻.
	low, high := 0.0, 1.0
	for floats.Dot(masses(high), w.Negative) < 1 {
		high *= 2
	}
	for range 200 {
		if middle := (low + high) / 2; floats.Dot(masses(middle), w.Negative) < 1 {
			low = middle
		} else {
			high = middle
		}
	}
	g := masses(high)
	q = lists.Make(len(g), func(k int) float64 {
		h := g[k]
		switch mass {
		case AsObserved:
		case Subtracted:
			h = (1-w.Rate)*g[k] + w.Rate
		case Mixed:
			h = max(0, (g[k]-w.Rate)/(1-w.Rate))
		default:
			must.Fail("theory: there is no mass %d; take AsObserved, Subtracted or Mixed", mass)
		}
		return w.Negative[k] * h
	})
	floats.Scale(1/floats.Sum(q), q)
	return q, nil
}

// ThresholdRule returns the distribution implied by the scores h from 1 to most that minimize L_Pos with its
// expectations inside the logarithm, printed as L̃_Pos in the slides. The minimizer is the largest score at the places
// where p⁺/p⁻ exceeds some threshold and the smallest elsewhere, regardless of other properties of p⁺. It is the same
// for every ρ.
func (w FalsePositives) ThresholdRule(most float64) (q []float64, err error) {
	defer must.Catch(&err)
	must.Do(w.Validate())
	if !(most > 1) {
		must.Fail("theory: scores from 1 to %g; the largest must be above the smallest", most)
	}
	places := lists.Make(len(w.Positive), func(k int) int { return k })
	slices.SortStableFunc(places, func(a, b int) int {
		switch x, y := w.Positive[a]*w.Negative[b], w.Positive[b]*w.Negative[a]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	positive, negative, best, count := 1.0, 1.0, 1.0, 0
	for i, k := range places {
		positive, negative = positive+(most-1)*w.Positive[k], negative+(most-1)*w.Negative[k]
		if ratio := positive / negative; ratio > best {
			best, count = ratio, i+1
		}
	}
	q = slices.Clone(w.Negative)
	for _, k := range places[:count] {
		q[k] *= most
	}
	floats.Scale(1/floats.Sum(q), q)
	return q, nil
}

// TotalVariation returns ½ Σ|p − q|: 0 for equal distributions, 1 for distributions with disjoint supports.
func TotalVariation(p, q []float64) (float64, error) {
	if len(p) != len(q) || len(p) == 0 {
		return math.NaN(), errors.New("theory: total variation takes two distributions over the same places, at least one")
	}
	return floats.Distance(p, q, 1) / 2, nil
}
