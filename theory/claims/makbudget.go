package claims

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
)

// MAKBudget returns the claim that the greedy heuristic of open-world sampling returns a set within its budget K.
//
// Its loop runs while |s∖s⁰| ≤ K, one iteration more than the budget allows. Its argmax is over all candidates,
// including the chosen ones, so that with K candidates or fewer it never ends.
func MAKBudget() Claim {
	return Claim{
		ID: "mak-budget",
		Statement: "Algorithm 1 solves max over s¹ with |s¹| ≤ K greedily: the set s¹ = s∖s⁰ that it returns has K samples at " +
			"most.",
		LaTeX: `\textbf{while}\ |s \setminus s^0| \leq K \ \Rightarrow\ |s^1| \leq K`,
		Source: "Improving Contrastive Learning on Imbalanced Seed Data via Open-World Sampling (slides), Algorithm 1 and " +
			"the objective above it",
		Assumptions: []string{
			"candidates are samples outside s⁰ at different places; there are C of them, and ties go to the first",
		},
		rests: grounds{mistakes: []mistake{{"nearest", "the nearest candidate is taken, not the farthest"}}},
		check: func(s *subject) Finding {
			return makFinding(s.mistaken("nearest"), func(chosen, budget int) bool { return chosen <= budget })
		},
	}
}

// greedyCenters runs the loop on candidates with the given seed set while goesOn(number chosen) is true, and returns
// the candidates in the order chosen. ended is false if the loop does not end, because the chosen row is already in the
// set.
func greedyCenters(candidates, seeds theory.RationalPoints, nearest bool, goesOn func(chosen int) bool) (order []int, ended bool) {
	set := slices.Clone(seeds)
	for goesOn(len(order)) {
		best, at := new(big.Rat), -1
		for i := range candidates {
			d := candidates[i:i+1].Potential(set[0], set[1:]...)
			if better := d.Cmp(best); at < 0 || !nearest && better > 0 || nearest && better < 0 && !slices.Contains(order, i) {
				best, at = d, i
			}
		}
		if slices.Contains(order, at) {
			return order, false
		}
		order = append(order, at)
		set = append(set, candidates[at])
	}
	return order, true
}

// makFinding runs the loop as printed, and with < instead of ≤, on points of a line.
func makFinding(nearest bool, printed func(chosen, budget int) bool) Finding {
	var f Finding
	runs, over, endless, strict, strictEndless, kCenter, radius := 0, 0, 0, 0, 0, 0, 0
	seeds := theory.RationalLine(0)
	for c := 1; c <= 6; c++ {
		candidates := theory.RationalLine([]int64{9, 2, 7, 4, 12, 5}[:c]...)
		for budget := 1; budget <= c; budget++ {
			runs++
			order, ended := greedyCenters(candidates, seeds, nearest, func(chosen int) bool { return printed(chosen, budget) })
			over += oneIf(ended && len(order) == budget+1)
			endless += oneIf(!ended && len(order) == c && c == budget)
			if ended && len(order) > budget && f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("s⁰ = %s, candidates %s, K = %d: %d are returned", places(seeds),
					places(candidates), budget, len(order))
			}
			exact, ends := greedyCenters(candidates, seeds, nearest, func(chosen int) bool { return chosen < budget })
			strict += oneIf(ends && len(exact) == budget)
			strictEndless += oneIf(!ends)
			if covered := makRadius(candidates, seeds, exact); covered.Cmp(times(whole(4), bestRadius(candidates, seeds,
				budget))) <= 0 {
				radius++ // squared distances: twice the radius is four times
			}
			kCenter++
		}
	}
	f.Number = exactly(over)
	measure(&f, runs, "runs: sets of 1 to 6 candidates, K up to their number")
	measure(&f, over, "runs that return K + 1 samples")
	measure(&f, endless, "runs with K candidates, which do not end")
	measure(&f, strict, "runs of the loop with < K that return K samples")
	measure(&f, radius, "runs of the loop with < K whose radius is at most twice the least of K centers")
	f.Why = "The test is passed with K samples chosen, and one more is added. The argmax goes over S', not S'∖s as in " +
		"k-Center-Greedy; once all candidates are in s their distance to s is 0, and s stays as it is."
	f.Corrected = "With while |s∖s⁰| < K, as the repeat until of k-Center-Greedy has it, s¹ has K samples for any C ≥ K."
	f.CorrectedLaTeX = `\textbf{while}\ |s \setminus s^0| < K`
	switch {
	case strict < runs || radius < kCenter:
		f.undecide("With < K the loop returns K samples in %d of %d runs and covers the candidates within twice the least "+
			"radius in %d: it is not the greedy choice of centers.", strict, runs, radius)
	case over+endless == 0:
		f.conclude(Holds, "It returns K samples at most in all %d runs.", runs)
		f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	default:
		f.conclude(Conditional, "True with < K in the loop, as k-Center-Greedy has it, and at least K candidates. With ≤ K the loop "+
			"returns K + 1 samples in %d of %d runs, and does not end in the other %d, where there are no more than K candidates.",
			over, runs, endless)
	}
	return f
}

// makRadius returns the largest squared distance of a candidate to the seeds and the candidates chosen.
func makRadius(candidates, seeds theory.RationalPoints, chosen []int) *big.Rat {
	set, radius := slices.Clone(seeds), new(big.Rat)
	for _, i := range chosen {
		set = append(set, candidates[i])
	}
	for i := range candidates {
		radius = larger(radius, candidates[i:i+1].Potential(set[0], set[1:]...))
	}
	return radius
}

// bestRadius returns the smallest radius of any such number of chosen candidates.
func bestRadius(candidates, seeds theory.RationalPoints, count int) *big.Rat {
	var best *big.Rat
	for x := range multisets(count, count, len(candidates)) {
		if r := makRadius(candidates, seeds, x); best == nil || r.Cmp(best) < 0 {
			best = r
		}
	}
	return best
}
