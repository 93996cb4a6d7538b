package theory

import (
	"fmt"
	"math/big"
)

// RationalClustering is [pucl.Clustering] in exact arithmetic, with the potentials of every round.
type RationalClustering struct {
	Positive, Negative []*big.Rat // the centres where the labels came to rest

	Labels    []bool               // per unlabeled row: nearer to the positive centre, or as near
	Labeled   []bool               // per labeled row the same, whatever label it was given
	Seed      int                  // unlabeled row where the negative centre started, −1 for the mean of them all
	Rounds    []RationalPotentials // before the first round, and after each
	Converged bool                 // the last round changed no label
	Tied      bool                 // in some round a row was equally far from both centres, so that another rule could differ
}

// Centers returns the positive and the negative center, in this order.
func (c *RationalClustering) Centers() RationalPoints { return RationalPoints{c.Positive, c.Negative} }

// Seeded returns the potentials before the first round.
func (c *RationalClustering) Seeded() RationalPotentials { return c.Rounds[0] }

// Settled returns the potentials after the last round.
func (c *RationalClustering) Settled() RationalPotentials { return c.Rounds[len(c.Rounds)-1] }

// RationalPotentials are the two sums of squared distances that a clustering can be judged by.
type RationalPotentials struct {
	Free        *big.Rat // Definition 6: every row to the nearer centre
	Constrained *big.Rat // the labeled rows charged to the positive centre
}

func newRationalPotentials() RationalPotentials {
	return RationalPotentials{new(big.Rat), new(big.Rat)}
}

// add adds p times other.
func (r RationalPotentials) add(p *big.Rat, other RationalPotentials) {
	r.Free.Add(r.Free, new(big.Rat).Mul(p, other.Free))
	r.Constrained.Add(r.Constrained, new(big.Rat).Mul(p, other.Constrained))
}

// RationalPUPLFrom is [cluster.From] in exact arithmetic: Algorithm 1(B) with the negative centre started at the unlabeled
// row seed. Labeled rows stay with the positive centre, a tie goes to it, a centre without rows stays where it is.
func RationalPUPLFrom(labeled, unlabeled RationalPoints, seed int) (*RationalClustering, error) {
	if err := checkRationalSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	if seed < 0 || seed >= len(unlabeled) {
		return nil, fmt.Errorf("theory: seed row %d is not one of the %d unlabeled rows", seed, len(unlabeled))
	}
	c := startRationalClustering(labeled.Mean(), unlabeled[seed], seed)
	c.run(labeled, unlabeled, true)
	return c, nil
}

// RationalPUPLPseudoCode is [cluster.PseudoCode] in exact arithmetic: the negative centre starts at the mean of the
// unlabeled rows, and labeled rows go to whichever centre is nearer.
func RationalPUPLPseudoCode(labeled, unlabeled RationalPoints) (*RationalClustering, error) {
	if err := checkRationalSets(labeled, unlabeled); err != nil {
		return nil, err
	}
	c := startRationalClustering(labeled.Mean(), unlabeled.Mean(), -1)
	c.run(labeled, unlabeled, false)
	return c, nil
}

func startRationalClustering(positive, negative []*big.Rat, seed int) *RationalClustering {
	return &RationalClustering{Positive: positive, Negative: negative, Seed: seed}
}

// maxRationalRounds bounds the rounds, as in package pucl; no case within reach of exact arithmetic comes near it.
const maxRationalRounds = 1000

func (c *RationalClustering) run(labeled, unlabeled RationalPoints, fixed bool) {
	c.Labels, c.Labeled = make([]bool, len(unlabeled)), make([]bool, len(labeled))
	assign := func() (changed bool) {
		a, b := c.nearest(labeled, c.Labeled), c.nearest(unlabeled, c.Labels)
		return a && !fixed || b
	}
	assign()
	c.Rounds = append(c.Rounds, c.potentials(labeled, unlabeled))
	for len(c.Rounds) <= maxRationalRounds && !c.Converged {
		var parts [2]RationalPoints
		for i, row := range labeled {
			parts[side(fixed || c.Labeled[i])] = append(parts[side(fixed || c.Labeled[i])], row)
		}
		for i, row := range unlabeled {
			parts[side(c.Labels[i])] = append(parts[side(c.Labels[i])], row)
		}
		if len(parts[0]) > 0 {
			c.Positive = parts[0].Mean()
		}
		if len(parts[1]) > 0 {
			c.Negative = parts[1].Mean()
		}
		c.Converged = !assign()
		c.Rounds = append(c.Rounds, c.potentials(labeled, unlabeled))
	}
}

// side is 0 for the positive part and 1 for the negative one.
func side(positive bool) int {
	if positive {
		return 0
	}
	return 1
}

// nearest writes into positive whether each row is at least as near to the positive centre, and reports whether anything
// changed.
func (c *RationalClustering) nearest(rows RationalPoints, positive []bool) (changed bool) {
	for i, row := range rows {
		order := squaredRationalDistance(row, c.Positive).Cmp(squaredRationalDistance(row, c.Negative))
		c.Tied = c.Tied || order == 0
		changed = changed || positive[i] != (order <= 0)
		positive[i] = order <= 0
	}
	return changed
}

func (c *RationalClustering) potentials(labeled, unlabeled RationalPoints) RationalPotentials {
	rest := unlabeled.Potential(c.Positive, c.Negative)
	return RationalPotentials{
		Free:        new(big.Rat).Add(labeled.Potential(c.Positive, c.Negative), rest),
		Constrained: new(big.Rat).Add(labeled.Potential(c.Positive), rest),
	}
}
