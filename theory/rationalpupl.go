package theory

import (
	"fmt"
	"math/big"
	"slices"
)

// RationalClustering is [cluster.Clustering] in exact arithmetic, with the potentials of every round.
type RationalClustering struct {
	Positive, Negative []*big.Rat // the final centers

	Labels    []bool               // per unlabeled row: nearer to the positive center, or as near
	Labeled   []bool               // per labeled row the same, regardless of its assigned label
	Seed      int                  // unlabeled row where the negative center started, −1 for their mean
	Rounds    []RationalPotentials // before the first round, and after each
	Path      []RationalPoints     // the centers at these times, the positive one first
	Converged bool                 // the last round changed no label
	Tied      bool                 // a row was equally far from both centers in some round; the tie rule may matter
}

// Centers returns the positive and the negative center, in this order.
func (c *RationalClustering) Centers() RationalPoints { return RationalPoints{c.Positive, c.Negative} }

// Seeded returns the potentials before the first round.
func (c *RationalClustering) Seeded() RationalPotentials { return c.Rounds[0] }

// Settled returns the potentials after the last round.
func (c *RationalClustering) Settled() RationalPotentials { return c.Rounds[len(c.Rounds)-1] }

// RationalPotentials are two potentials of a clustering, as sums of squared distances.
type RationalPotentials struct {
	Free        *big.Rat // Definition 6: every row to the nearer center
	Constrained *big.Rat // the labeled rows assigned to the positive center
}

// RationalPUPLFrom runs [cluster.From] in exact arithmetic: Algorithm 1(B) with the negative center started at the
// unlabeled row seed. Labeled rows stay with the positive center, a tie goes to it, and a center without rows does not
// move.
func RationalPUPLFrom(labeled, unlabeled RationalPoints, seed int) (*RationalClustering, error) {
	if err := checkRationalSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	if seed < 0 || seed >= len(unlabeled) {
		return nil, fmt.Errorf("theory: seed row %d is not one of the %d unlabeled rows", seed, len(unlabeled))
	}
	return runRationalPUPL(labeled, unlabeled, unlabeled[seed], seed, true), nil
}

// RationalPUPLPseudoCode runs [cluster.PseudoCode] in exact arithmetic: the negative center starts at the mean of the
// unlabeled rows, and labeled rows go to the nearer center.
func RationalPUPLPseudoCode(labeled, unlabeled RationalPoints) (*RationalClustering, error) {
	if err := checkRationalSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	return runRationalPUPL(labeled, unlabeled, unlabeled.Mean(), -1, false), nil
}

// maxRationalRounds bounds the rounds, as in package cluster; no case feasible in exact arithmetic comes near it.
const maxRationalRounds = 1000

// runRationalPUPL runs the rounds with the negative center started at negative; fixed keeps labeled rows positive.
func runRationalPUPL(labeled, unlabeled RationalPoints, negative []*big.Rat, seed int, fixed bool) *RationalClustering {
	m, rows := len(labeled), slices.Concat(labeled, unlabeled)
	near := make([]bool, len(rows)) // at least as near to the positive center
	c := &RationalClustering{Positive: labeled.Mean(), Negative: negative, Seed: seed, Labels: near[m:], Labeled: near[:m]}
	assign := func() (changed bool) {
		for i, row := range rows {
			order := squaredRationalDistance(row, c.Positive).Cmp(squaredRationalDistance(row, c.Negative))
			c.Tied = c.Tied || order == 0
			changed = changed || near[i] != (order <= 0) && !(fixed && i < m)
			near[i] = order <= 0
		}
		c.Rounds = append(c.Rounds, c.potentials(labeled, unlabeled))
		c.Path = append(c.Path, c.Centers())
		return changed
	}
	for assign(); len(c.Rounds) <= maxRationalRounds && !c.Converged; {
		var positives, negatives RationalPoints
		for i, row := range rows {
			if near[i] || fixed && i < m {
				positives = append(positives, row)
			} else {
				negatives = append(negatives, row)
			}
		}
		if len(positives) > 0 {
			c.Positive = positives.Mean()
		}
		if len(negatives) > 0 {
			c.Negative = negatives.Mean()
		}
		c.Converged = !assign()
	}
	return c
}

func (c *RationalClustering) potentials(labeled, unlabeled RationalPoints) RationalPotentials {
	rest := unlabeled.Potential(c.Positive, c.Negative)
	return RationalPotentials{
		Free:        new(big.Rat).Add(labeled.Potential(c.Positive, c.Negative), rest),
		Constrained: new(big.Rat).Add(labeled.Potential(c.Positive), rest),
	}
}
