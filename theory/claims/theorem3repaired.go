package claims

import (
	"math/big"
	"math/bits"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem3Repaired returns the corrected bound for PUPL's clustering, in the spreads of the true classes, with the
// smallest possible constants for the seeding.
func Theorem3Repaired() Claim {
	return Claim{
		ID: "theorem-3-repaired",
		Statement: "E[φ] ≤ k Δ(positives) + 5 Δ(negatives) with k = 2 + 2(a−n)/(n(a−1)) − (n−1)/(a−1), after seeding and " +
			"after all rounds; so E[φ] ≤ 5 φ* where the classes are a best split. After seeding neither 5 nor, for any n " +
			"and a, k can be replaced by less.",
		LaTeX: `\mathbb{E}[\phi(\mathcal{Z}_{PU}, C_{PUPL})] \leq k\,\Delta(P) + 5\,\Delta(N) \leq 5\,\big(\Delta(P) + \Delta(N)\big),\qquad k = ` +
			`2 + \frac{2(a-n)}{n(a-1)} - \frac{n-1}{a-1}`,
		Source: "repairs Theorem 3 of Contrastive Positive Unlabeled Learning",
		Assumptions: []string{
			"a ≥ 2 positives, of which n are labeled, every choice of n of them as likely as any other; so it is under (1), given all points",
			"Algorithm 1(B): μ_P is the mean of the labeled points, the negative centre an unlabeled point drawn by squared distance from μ_P",
			"Δ(S) is the sum of squared distances of the points of S from their mean; the potential charges labeled points " +
				"to μ_P, and so is no less than that of Definition 6",
		},
		Proof: []string{
			"Let A be the positives, L the labeled and H the hidden ones among them, B the negatives, and c(x) = |x − μ_P|². " +
				"A costs at most φ(A) = Σ_A c, and a point of B at most its c.",
			"Given that the seed falls in B, it is x with probability c(x)/C, C = Σ_B c, and B costs at most Σ_y min(c(y), |x−y|²).",
			"For x, y in B with c(x) ≤ c(y) and d = |x−y|: c(y) ≤ 2c(x) + 2d². So c(x)·min(d², c(y)) ≤ c(x)d², and " +
				"c(y)·min(d², c(x)) ≤ 2c(x)·d² + 2d²·c(x): together at most 5 min(c(x), c(y)) d².",
			"Hence E[cost of B] ≤ (1/2C) Σ_{x,y} 5 min(c(x), c(y)) d², over all ordered pairs.",
			"Σ_{x,y} min(c(x), c(y)) d² = ∫ Σ_{x,y in B_t} d² dt = ∫ 2|B_t| Δ(B_t) dt with B_t the points whose c exceeds t. " +
				"Since Δ(B_t) ≤ Δ(B) and ∫ |B_t| dt = C, it is at most 2C Δ(B). So E[cost of B] ≤ 5 Δ(B). (After Makarychev, " +
				"Reddy and Shan, 2020.)",
			"The seed falls in H with probability φ(H)/(φ(H) + C), and then B costs at most C: at most φ(H) in expectation. " +
				"All together, for given labels, E[φ] ≤ φ(A) + φ(H) + 5 Δ(B) = 2φ(A) − φ(L) + 5 Δ(B).",
			"Now the labels: the mean of n of a points, drawn without replacement, has squared distance " +
				"(a−n)/(n(a−1))·Δ(A)/a from the mean of all in expectation, so E[φ(A)] = Δ(A)(1 + (a−n)/(n(a−1))); and " +
				"E[φ(L)] = (n−1)/(a−1)·Δ(A). That gives k.",
			"k ≤ 4 ≤ 5, with 4 at n = 1. A round lowers the potential that charges labeled points to μ_P, or leaves it: " +
				"first every unlabeled point takes its nearer centre, then each centre moves to the mean of its points.",
			"After seeding 5 is reached as w grows: labels and hidden positives at 0, w negatives at 1 and one at 2. Δ(A) = 0, " +
				"Δ(B) = w/(w+1), and E[φ] = 5w/(w+4).",
			"After seeding k is reached as D grows: any positives and one negative at distance D. Δ(B) = 0. The seed falls on the negative " +
				"with probability 1 − φ(H)/D² + …, and A costs φ(A); else the negative costs D² + …, which adds φ(H). So " +
				"E[φ] → φ(A) + φ(H), for any labels. From a seed on the negative the rounds leave Δ(A) of φ(A).",
		},
		rests: grounds{
			constants:   []string{"five", "k"},
			assumptions: []string{squaredDistance, uniformLabels},
		},
		check: theorem3RepairedFinding,
	}
}

func theorem3RepairedFinding(s *subject) Finding {
	var f proven
	five, k := s.rational("five", whole(1)), s.rational("k", whole(1))
	bound := func(n, a int64, positives, negatives *big.Rat) *big.Rat {
		return plus(times(k, classBound(n, a, positives, new(big.Rat))), times(five, classBound(n, a, new(big.Rat), negatives)))
	}
	small := s.checkClassBound(bound)
	f.none(small.above, small.cases, "partitions of small sets and numbers of labels: above the bound")
	f.none(small.aboveOther, small.cases, "the same: above 5 times the spread of the classes")
	measure(&f.Finding, small.nearest, "the same: largest share of the bound reached")
	lifts, starts := liftedStarts()
	f.none(lifts, starts, "starts in which the rounds raise the potential that charges labeled points to μ_P")

	for _, crowd := range []int64{8, 64, 512} {
		labeled, unlabeled := TightSeeding(1, int(crowd)).rationals()
		seeded := s.seedingPotentials(labeled, unlabeled).constrained
		limit := bound(1, 2, new(big.Rat), big.NewRat(crowd, crowd+1))
		left := minus(limit, seeded)
		measure(&f.Finding, over(seeded, big.NewRat(crowd, crowd+1)), "%d negatives at 1 and one at 2: E[φ] over Δ(negatives)", crowd)
		f.expect(left.Sign() >= 0 && left.Cmp(big.NewRat(15, crowd)) <= 0, "with %d negatives at 1 and one at 2 E[φ] is %s "+
			"short of the bound, which by the proof is from 0 to 15/%d", crowd, left.FloatString(4), crowd)
	}
	f.Number = f.Measured[len(f.Measured)-1].Value
	unreached, families := 0, 0
	nearest, settled := new(big.Rat), new(big.Rat)
	for _, x := range [][]int64{{0, 1}, {0, 0, 1}, {0, 1, 3}, {0, 1, 3, 7}, {0, 0, 0, 5, 6}} {
		positives, a := theory.RationalLine(x...), int64(len(x))
		for n := int64(1); n <= a; n++ {
			reached := s.overLabels(positives, theory.RationalLine(100_000), int(n))
			limit := bound(n, a, positives.Spread(), new(big.Rat))
			left := minus(limit, reached)
			families++
			unreached += oneIf(left.Sign() < 0 || left.Cmp(times(big.NewRat(1, 1000), limit)) > 0)
			nearest = larger(nearest, over(reached, limit))
			if n < a { // with all labeled only the spread is left, and k = 1
				settled = larger(settled, over(overChoices(positives, theory.RationalLine(100_000), int(n), settledPotential), limit))
			}
		}
	}
	f.none(unreached, families, "positives with a far negative, and numbers of labels: above the bound, or short of it by a thousandth")
	measure(&f.Finding, nearest, "the same: largest share of k Δ(positives) reached")
	measure(&f.Finding, settled, "the same with a hidden positive, after all rounds: largest share of k Δ(positives)")
	f.detail("after all rounds k is not reached in this way: %s of k Δ(positives) is left at most, with a far negative and a hidden "+
		"positive", settled.FloatString(4))
	f.Why = "Each point can always be charged to μ_P. A seed in the negatives serves its neighbours; one among the hidden " +
		"positives happens too rarely to cost more than these are worth. Evenly drawn labels put μ_P near the middle of the " +
		"positives."
	return f.finish("No case of %d exceeds k Δ(positives) + 5 Δ(negatives); after seeding the 5 is reached up to %.4g by 512 "+
		"negatives at 1 and one at 2, and every k by one far negative.", small.cases, f.Number.Value)
}

// liftedStarts runs the starts of small labeled sets and counts those in which a round raises the constrained
// potential.
func liftedStarts() (lifts, starts int) {
	for labeled, unlabeled := range labeledLines(2, 4, 4) {
		if _, total := theory.RationalSeedingWeights(labeled, unlabeled); total.Sign() == 0 {
			continue
		}
		for seed := range unlabeled {
			starts++
			run, raised := must.Get(theory.RationalPUPLFrom(labeled, unlabeled, seed)), false
			for i := 1; i < len(run.Rounds); i++ {
				raised = raised || run.Rounds[i].Constrained.Cmp(run.Rounds[i-1].Constrained) > 0
			}
			lifts += oneIf(raised)
		}
	}
	return lifts, starts
}

// overLabels returns the expected constrained potential after seeding when n of the positives are labeled: the mean
// over all choices of them, or the largest if labels are not drawn uniformly.
func (s *subject) overLabels(positives, negatives theory.RationalPoints, n int) *big.Rat {
	most := new(big.Rat)
	mean := overChoices(positives, negatives, n, func(labeled, unlabeled theory.RationalPoints) *big.Rat {
		potential := s.seedingPotentials(labeled, unlabeled).constrained
		most = larger(most, potential)
		return potential
	})
	if !s.assumes(uniformLabels) {
		return most
	}
	return mean
}

// overChoices returns the mean of a number over all choices of n labeled positives.
func overChoices(positives, negatives theory.RationalPoints, n int, of func(labeled, unlabeled theory.RationalPoints) *big.Rat) *big.Rat {
	sum, count := new(big.Rat), int64(0)
	for mask := range 1 << len(positives) {
		if bits.OnesCount(uint(mask)) == n {
			labeled, hidden := pick(positives, mask)
			sum.Add(sum, of(labeled, union(hidden, negatives)))
			count++
		}
	}
	return times(sum, big.NewRat(1, count))
}

// settledPotential returns the expected constrained potential after all rounds.
func settledPotential(labeled, unlabeled theory.RationalPoints) *big.Rat {
	expected := new(big.Rat)
	for _, start := range must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled)).Starts {
		expected.Add(expected, times(start.Probability, start.Rounds[len(start.Rounds)-1].Constrained))
	}
	return expected
}
