package claims

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// RoundsDecrease returns the claim that the rounds after seeding never raise the potential.
//
// This is true of k-means itself. Algorithm 1(B) keeps labeled points with the positive center. Its rounds lower the
// potential that assigns them to it; the potential of Definition 6, which the theorem bounds, can rise.
func RoundsDecrease() Claim {
	return Claim{
		ID: "rounds-decrease",
		Statement: "After the initial cluster assignments, subsequent standard k-means iterations can only further decrease " +
			"the potential.",
		LaTeX:  `\phi(\mathcal{Z}_{PU}, C_{t+1}) \leq \phi(\mathcal{Z}_{PU}, C_t)`,
		Source: "Contrastive Positive Unlabeled Learning, proof of Theorem 3 (appendix A.6.2)",
		Assumptions: []string{
			"the potential is that of Definition 6; the iterations are those of Algorithm 1(B), from any seed it can draw",
		},
		rests: grounds{mistakes: []mistake{{"center", "a round of k-means moves each center to the first of its points, not " +
			"to their mean"}}},
		check: func(s *subject) Finding { return roundsFinding(s.mistaken("center")) },
	}
}

// standardRounds runs k-means on all rows from two centers until no label changes, and returns the potentials of
// Definition 6. Labels are free. If wrong is set, each center moves to the first of its rows.
func standardRounds(rows theory.RationalPoints, centers [2][]*big.Rat, wrong bool) []*big.Rat {
	var potentials []*big.Rat
	var last []bool
	for range 50 {
		potentials = append(potentials, rows.Potential(centers[0], centers[1]))
		var near []bool
		var parts [2]theory.RationalPoints
		for _, row := range rows {
			one := theory.RationalPoints{row}
			positive := one.Potential(centers[0]).Cmp(one.Potential(centers[1])) <= 0
			near = append(near, positive)
			parts[oneIf(!positive)] = append(parts[oneIf(!positive)], row)
		}
		if slices.Equal(near, last) {
			break
		}
		last = near
		for k, part := range parts {
			switch {
			case len(part) == 0:
			case wrong:
				centers[k] = part[0]
			default:
				centers[k] = part.Mean()
			}
		}
	}
	return potentials
}

// rises returns the number of increases in a list of numbers.
func rises(x []*big.Rat) int {
	n := 0
	for i := 1; i < len(x); i++ {
		n += oneIf(x[i].Cmp(x[i-1]) > 0)
	}
	return n
}

// roundsFinding runs the rounds from every start on small sets of rows on a line.
func roundsFinding(wrong bool) Finding {
	var f Finding
	starts, standard, free, constrained := 0, 0, 0, 0
	largest := new(big.Rat)
	for labeled, unlabeled := range labeledLines(2, 4, 6) {
		if _, total := theory.RationalSeedingWeights(labeled, unlabeled); total.Sign() == 0 {
			continue
		}
		rows := union(labeled, unlabeled)
		for _, start := range must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled)).Starts {
			starts++
			seed := unlabeled[start.Seed]
			standard += oneIf(rises(standardRounds(rows, [2][]*big.Rat{labeled.Mean(), seed}, wrong)) > 0)
			rise, lift := new(big.Rat), false
			for i := 1; i < len(start.Rounds); i++ {
				rise = larger(rise, minus(start.Rounds[i].Free, start.Rounds[i-1].Free))
				lift = lift || start.Rounds[i].Constrained.Cmp(start.Rounds[i-1].Constrained) > 0
			}
			free += oneIf(rise.Sign() > 0)
			constrained += oneIf(lift)
			if rise.Sign() > 0 && f.Counterexample == "" {
				f.Counterexample = fmt.Sprintf("labeled %s, unlabeled %s, negative center at %s: the potential of Definition "+
					"6 is %s after seeding and rises by %s in a round", places(labeled), places(unlabeled), seed[0].RatString(),
					start.Rounds[0].Free.RatString(), rise.RatString())
			}
			largest = larger(largest, rise)
		}
	}
	f.Number = exactly(free)
	measure(&f, starts, "starts on sets of up to 4 points on 0 … 6")
	measure(&f, standard, "starts of standard k-means in which a round raises the potential")
	measure(&f, free, "starts of Algorithm 1(B) in which a round raises the potential of Definition 6")
	measure(&f, constrained, "starts of Algorithm 1(B) in which a round raises the potential with labels kept")
	measure(&f, largest, "largest rise of Definition 6 in a round")
	f.Why = "Giving each point to the nearer center lowers the sum of squared distances, and so does moving each center to " +
		"the mean of its points. Algorithm 1(B) does both for the sum in which labeled points are charged to the positive " +
		"center, whatever is nearer; the smaller sum of Definition 6, with labeled points charged to the nearer center, is " +
		"not what its rounds lower."
	f.Corrected = "Standard k-means iterations, in which labeled points may change their cluster, lower the potential; those " +
		"of Algorithm 1(B) lower the potential in which labeled points are charged to the positive center."
	f.CorrectedLaTeX = `\sum_{\mathcal{Z}_P} \|\mathbf{z} - \mu_P\|^2 + \phi(\mathcal{Z}_U, C) \ \text{decreases}`
	switch {
	case standard+constrained > 0:
		f.undecide("A round raises the potential in %d of %d starts of k-means and the potential with labels kept in %d: the "+
			"rounds are not those of the algorithms.", standard, starts, constrained)
	case free > 0:
		f.conclude(Conditional, "True of standard k-means in all %d starts, and of the potential with labels kept; the rounds "+
			"of Algorithm 1(B) raise the potential of Definition 6 in %d, by up to %.4g.", starts, free, decimal(largest))
	default:
		f.conclude(Holds, "No round raises the potential in %d starts.", starts)
		f.Corrected, f.CorrectedLaTeX = "", ""
	}
	return f
}
