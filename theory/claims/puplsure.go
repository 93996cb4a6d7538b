package claims

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUPLAlmostSurely returns the claim that PUPL finds the correct pseudo-labels with probability one if the classes are
// separate clusters.
//
// One of its two centers is drawn at random, and with some probability from the unlabeled positives. If many of them
// lie together, away from the labeled ones, that center stays there. The check enumerates all small sets of two
// separate groups, and includes a large group.
func PUPLAlmostSurely() Claim {
	return Claim{
		ID: "pupl-almost-surely",
		Statement: "Over an (almost) linearly separable feature space, where the classes form separate clusters, PUPL " +
			"identifies the correct pseudo-labels almost surely.",
		LaTeX:  `P(\tilde{y}_i = y_i\ \ \forall i) = 1`,
		Source: "Contrastive Positive Unlabeled Learning, appendix A.6 (summary), captions of Figures 12 and 14",
		Assumptions: []string{"the classes are separate clusters: closer within than across; probability is over the draw of " +
			"the center; the factor that the summary allows in brackets is of the potential (theorem-3), not of the labels"},
		rests: grounds{
			constants: []string{"D^2"},
			mistakes: []mistake{{"classes", "labels are judged with the classes exchanged"}, {"1.2 D^2", "the bound has 1.2 D² in " +
				"place of D²"}},
		},
		check: func(s *subject) Finding {
			factor := s.rational("D^2", whole(1))
			if s.mistaken("1.2 D^2") {
				factor = big.NewRat(6, 5)
			}
			return almostSurelyFinding(s.mistaken("classes"), factor)
		},
	}
}

// rightLabels returns the probability that Algorithm 1(B) assigns the true labels to the unlabeled rows.
func rightLabels(labeled, unlabeled theory.RationalPoints, truth []bool) *big.Rat {
	p := new(big.Rat)
	for _, start := range must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled)).Starts {
		if slices.Equal(start.Labels, truth) {
			p.Add(p, start.Probability)
		}
	}
	return p
}

// almostSurelyFinding counts separated sets on which the labels can be wrong. Separated are groups A = {0 … a} and B =
// {a+d …} in which all distances within a group are smaller than the smallest distance between them.
//
// The bound is checked on these sets, on sets that attain it, and off the line with several labels; D² is multiplied by
// factor.
func almostSurelyFinding(exchanged bool, factor *big.Rat) Finding {
	var f Finding
	var bound sureBound
	sets, sure, never := 0, 0, 0
	least := whole(1)
	visit := func(labeled, hidden, others theory.RationalPoints) {
		unlabeled := union(hidden, others)
		truth := make([]bool, len(unlabeled))
		for i := range truth {
			truth[i] = (i < len(hidden)) != exchanged
		}
		p := rightLabels(labeled, unlabeled, truth)
		sets++
		sure += oneIf(p.Cmp(whole(1)) == 0)
		never += oneIf(p.Sign() == 0)
		bound.visit(labeled, hidden, others, p, factor)
		if p.Cmp(least) < 0 {
			least = p
		}
		if p.Cmp(whole(1)) < 0 && f.Counterexample == "" {
			f.Counterexample = fmt.Sprintf("labeled %s, unlabeled positives %s, unlabeled negatives %s: the labels are right "+
				"with probability %s",
				places(labeled), places(hidden), places(others), p.RatString())
		}
	}
	for width := int64(0); width <= 2; width++ {
		for gap := width + 1; gap <= 6; gap++ {
			for n := 1; n <= 3; n++ {
				for heavy := range 7 {
					hidden := append(onLine(slices.Repeat([]int{int(width)}, heavy)), onLine([]int{0})[:oneIf(n == 3)]...)
					others := theory.RationalPoints{{whole(width + gap)}}
					if n >= 2 {
						others = append(others, []*big.Rat{whole(2*width + gap)})
					}
					visit(onLine([]int{0}), hidden, others)
				}
			}
		}
	}
	for _, set := range sureBoundSets() {
		labeled, hidden, others := set[0], set[1], set[2]
		truth := lists.Make(len(hidden)+len(others), func(i int) bool { return (i < len(hidden)) != exchanged })
		bound.visit(labeled, hidden, others, rightLabels(labeled, union(hidden, others), truth), factor)
	}
	f.Number = exactly(least)
	measure(&f, sets, "sets of two groups, closer within than across")
	measure(&f, sure, "sets with the right labels for certain")
	measure(&f, never, "sets that never get the right labels")
	measure(&f, least, "least probability of the right labels")
	measure(&f, bound.sets, "sets with D > 2δ, on the line and off it")
	measure(&f, bound.below, "of these below the bound")
	measure(&f, bound.reached, "of these at the bound, below 1")
	measure(&f, bound.nearer, "of these with a negative nearer than D to the labeled mean")
	f.Why = "The center is drawn by squared distance, so that it falls on unlabeled positives with positive probability " +
		"unless all of them lie on the labeled mean; where they outweigh the negatives in their cluster it stays with them. " +
		"With δ the width of a group, D the gap and f the share of negatives among the unlabeled, every start in the " +
		"negatives gives the right labels if D > 2δ, since each point is within δ of the mean of any of its group and farther " +
		"than that from the other's. Let v be the mean squared distance of the labeled points from their mean μ. The mean squared " +
		"distance of a point z from the labeled points is |z − μ|² + v, so that |z − μ|² is D² − v or more for a negative and δ² − v " +
		"or less for an unlabeled positive. Since D > δ, (D² − v)/(δ² − v) is D²/δ² or more, and a start in the negatives has " +
		"probability f·D²/(f·D² + (1−f)·δ²) at least. One labeled point at 0, a hidden one at −2 and a negative at 5 reach it: 25/29."
	f.Corrected = "If D > 2δ, PUPL labels all points right with probability f·D²/(f·D² + (1−f)·δ²) at least, which tends to " +
		"1 as the clusters move apart."
	f.CorrectedLaTeX = `D > 2\delta \ \Rightarrow\ P(\tilde{y} = y) \geq \frac{f D^2}{f D^2 + (1-f)\,\delta^2}`
	switch {
	case sure == 0:
		f.undecide("No set gets the right labels for certain, not even where the hidden positives lie on the labeled one: the " +
			"labels are not held against the classes.")
	case bound.below > 0 || bound.reached == 0:
		f.undecide("The bound that should hold instead is missed in %d sets of %d and reached in %d.", bound.below, bound.sets,
			bound.reached)
	case sure == sets:
		f.conclude(Holds, "The right labels come for certain in all %d sets.", sets)
		f.Corrected, f.CorrectedLaTeX = "", ""
	default:
		f.conclude(Fails, "Of %d sets of two separate groups %d get the right labels for certain and %d with a probability "+
			"that falls to %.4f.",
			sets, sure, sets-sure, decimal(least))
	}
	return f
}

// sureBound counts sets to which the bound on the probability of the right labels applies.
type sureBound struct{ sets, below, reached, nearer int }

// visit compares the probability p of the correct labels with the bound f·D²/(f·D² + (1−f)·δ²), D² times factor. D is
// the smallest distance between the classes and δ the largest within one. Sets with D ≤ 2δ are skipped.
func (b *sureBound) visit(labeled, hidden, others theory.RationalPoints, p, factor *big.Rat) {
	within, across := new(big.Rat), (*big.Rat)(nil)
	positives := union(labeled, hidden)
	for _, class := range []theory.RationalPoints{positives, others} {
		for i := range class {
			for j := range i {
				within = larger(within, class[i:i+1].Potential(class[j]))
			}
		}
	}
	for i := range others {
		if d := others[i:i+1].Potential(positives[0], positives[1:]...); across == nil || d.Cmp(across) < 0 {
			across = d
		}
	}
	if across.Cmp(times(whole(4), within)) <= 0 {
		return
	}
	b.sets++
	share := big.NewRat(int64(len(others)), int64(len(hidden)+len(others)))
	far, near := times(share, times(factor, across)), times(minus(whole(1), share), within)
	limit := over(far, plus(far, near))
	b.below += oneIf(p.Cmp(limit) < 0)
	b.reached += oneIf(p.Cmp(limit) == 0 && near.Sign() > 0)
	center := labeled.Mean()
	b.nearer += oneIf(slices.ContainsFunc(others, func(z []*big.Rat) bool {
		return theory.RationalPoints{z}.Potential(center).Cmp(across) < 0
	}))
}

// sureBoundSets returns sets of labeled points, unlabeled positives and negatives: sets on a line that attain the
// bound, and sets in the plane with two or three labels, drawn with a fixed seed.
func sureBoundSets() [][3]theory.RationalPoints {
	var sets [][3]theory.RationalPoints
	for width := 1; width <= 2; width++ {
		for gap := 2*width + 1; gap <= 6; gap++ {
			for heavy := 1; heavy <= 3; heavy++ {
				sets = append(sets, [3]theory.RationalPoints{onLine([]int{0}), onLine(slices.Repeat([]int{-width}, heavy)), onLine([]int{gap})})
			}
		}
	}
	rng := rand.New(rand.NewPCG(9, 2))
	group := func(n, right int) theory.RationalPoints {
		return lists.Table(n, 2, func(_, k int) *big.Rat { return whole(int64((1-k)*right) + rng.Int64N(5) - 2) })
	}
	for range 400 {
		sets = append(sets, [3]theory.RationalPoints{group(2+rng.IntN(2), 0), group(1+rng.IntN(2), 0), group(1+rng.IntN(2), 10)})
	}
	return sets
}

// PUPLLinear returns the claim that a linear classifier can learn pseudo-labels by the nearest center.
//
// Nearest centers divide the space by a hyperplane. But labeled points keep label 1 on either side, and are training
// data.
func PUPLLinear() Claim {
	return Claim{
		ID: "pupl-linear",
		Statement: "Pseudo-labels by the nearest center allow to learn a linear decision boundary on all pairs (z_i, ỹ_i), " +
			"z_i in Z_PU: they are linearly separable.",
		LaTeX:       `\{(\mathbf{z}_i, \tilde{y}_i) : \mathbf{z}_i \in \mathcal{Z}_{PU}\} \ \text{linearly separable}`,
		Source:      "Contrastive Positive Unlabeled Learning, section 2.3, below the rule of pseudo-labels; Definition 5",
		Assumptions: []string{"labels are those of Algorithm 1(B) when its rounds have come to rest; labeled points have ỹ = 1"},
		rests: grounds{mistakes: []mistake{{"seed labels", "the unlabeled points are labeled at random, not by the " +
			"nearest center"}}},
		check: func(s *subject) Finding { return puplLinearFinding(s.mistaken("seed labels")) },
	}
}

// separableOnLine reports whether a threshold separates rows of the line by their labels.
func separableOnLine(rows theory.RationalPoints, positive []bool) bool {
	side := func(low, high bool) bool { // every row labeled low lies below every row labeled high
		for i, x := range rows {
			for j, y := range rows {
				if positive[i] == low && positive[j] == high && x[0].Cmp(y[0]) >= 0 {
					return false
				}
			}
		}
		return true
	}
	return side(false, true) || side(true, false)
}

// puplLinearFinding enumerates all outcomes on small sets of rows on a line.
func puplLinearFinding(shuffled bool) Finding {
	var f Finding
	runs, unlabeledOnly, withLabeled, allNear, nearSeparable := 0, 0, 0, 0, 0
	for labeled, unlabeled := range labeledLines(3, 4, 6) {
		if _, total := theory.RationalSeedingWeights(labeled, unlabeled); total.Sign() == 0 {
			continue
		}
		rows := union(labeled, unlabeled)
		for _, start := range must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled)).Starts {
			labels := slices.Clone(start.Labels)
			if shuffled {
				slices.Reverse(labels)
			}
			all := append(slices.Repeat([]bool{true}, len(labeled)), labels...)
			runs++
			unlabeledOnly += oneIf(!separableOnLine(unlabeled, labels))
			separable := separableOnLine(rows, all)
			withLabeled += oneIf(!separable)
			if !slices.Contains(start.Labeled, false) {
				allNear++
				nearSeparable += oneIf(separable)
			}
			if !separable && f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("labeled %s, unlabeled %s, negative center started at %s: the unlabeled get "+
					"%s, and no threshold parts them from the labeled", places(labeled), places(unlabeled),
					unlabeled[start.Seed][0].RatString(), signs(labels))
			}
		}
	}
	f.Number = exactly(withLabeled)
	measure(&f, runs, "outcomes on sets of 3 and 4 points on 0 … 6")
	measure(&f, unlabeledOnly, "outcomes whose unlabeled points are not separable")
	measure(&f, withLabeled, "outcomes whose points, labeled ones with label 1, are not separable")
	measure(&f, allNear, "outcomes with every labeled point nearer to the positive center")
	measure(&f, nearSeparable, "of these separable")
	f.Why = "The points nearer to one of two centers lie on one side of the hyperplane half-way between them. A labeled point " +
		"on the other side keeps label 1 among points of label 0."
	f.Corrected = "The pseudo-labels of the unlabeled points are linearly separable, and with the labeled points where all of " +
		"these are nearer to the positive center."
	switch {
	case unlabeledOnly > 0 || nearSeparable < allNear:
		f.undecide("The labels measured are not those of the nearest center: the unlabeled points are not separable in %d of "+
			"%d outcomes.",
			unlabeledOnly, runs)
	case withLabeled > 0:
		f.conclude(Conditional, "The unlabeled points are separable in all %d outcomes; with the labeled points, whose "+
			"label is 1, %d are not, all with a labeled point nearer to the negative center.", runs, withLabeled)
	default:
		f.conclude(Holds, "All %d outcomes are separable.", runs)
		f.Corrected = ""
	}
	return f
}
