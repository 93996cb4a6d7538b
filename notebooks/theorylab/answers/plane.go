package answers

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/bits"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/claims"
)

// Plane is a set of points with whole coordinates, of which some positive ones are labeled.
type Plane struct {
	Labeled  [][2]int64 `json:"labeled"`
	Hidden   [][2]int64 `json:"hidden"` // positives without a label
	Negative [][2]int64 `json:"negative"`
}

// mostRows is the largest number of points, so that all splits can be tried quickly.
const mostRows = 10

// Fraction is a rational number with its nearest float64.
type Fraction struct {
	Value float64 `json:"value"`
	Exact string  `json:"exact"` // "65/2"
}

// Potentials has the potentials of theory.RationalPotentials.
type Potentials struct {
	Free        Fraction `json:"free"`        // Definition 6: every point assigned to the nearer center
	Constrained Fraction `json:"constrained"` // labeled points assigned to the positive center
}

// Seeding is the answer to "seeding".
type Seeding struct {
	// Starts are the possible starts of the negative center, in the order of hidden and negative points.
	Starts  []Start    `json:"starts"`
	Seeded  Potentials `json:"seeded"`  // expected right after seeding
	Settled Potentials `json:"settled"` // expected after the last round
	Optimal Fraction   `json:"optimal"` // φ*, the minimum over two centers
	Ratio   *Fraction  `json:"ratio"`   // E[φ]/φ* after seeding, nil where φ* is 0

	PlusPlus Fraction `json:"plus_plus"` // expected after k-means++ seeding of two centers on the same points

	Printed         Fraction `json:"printed"`           // 16 φ*
	PrintedPlusPlus Fraction `json:"printed_plus_plus"` // 21.55 φ*

	// The corrected bound: averaged over all choices of the same number of labels among the positives, E[φ] ≤
	// kΔ(positives) + 5Δ(negatives). The average is nil if for some choice all unlabeled points equal the mean of the
	// labeled ones.
	Average *Fraction `json:"average"` // of the constrained potential after seeding
	Choices int       `json:"choices"` // of labels
	Factor  Fraction  `json:"factor"`  // k
	Bound   Fraction  `json:"bound"`
}

// Start is one unlabeled point as the start of the negative center, with the rounds from there.
type Start struct {
	Point       int      `json:"point"` // index among the hidden points and then the negative ones
	Probability Fraction `json:"probability"`
	Rounds      []Round  `json:"rounds"` // first as seeded, last as settled
	Tied        bool     `json:"tied"`   // in some round a point was equidistant from both centers
}

// Round is the state of a clustering.
type Round struct {
	Positive []float64 `json:"positive"` // center
	Negative []float64 `json:"negative"`
	// Near marks labeled, hidden, negative points that are nearer to the positive center, or equidistant.
	Near       []bool     `json:"near"`
	Potentials Potentials `json:"potentials"`
}

func (p Plane) validate() error {
	n := len(p.Labeled) + len(p.Hidden) + len(p.Negative)
	switch {
	case len(p.Labeled) == 0:
		return errors.New("the positive center starts at the mean of the labeled points; label one")
	case len(p.Hidden)+len(p.Negative) == 0:
		return errors.New("the negative center starts at an unlabeled point; add one")
	case n > mostRows:
		return fmt.Errorf("%d points; there may be %d at most, so that all ways to split them are tried at once", n, mostRows)
	}
	return nil
}

func seeding(p Plane) (*Seeding, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	labeled, hidden, negative := rational(p.Labeled), rational(p.Hidden), rational(p.Negative)
	unlabeled := join(hidden, negative)
	all := join(labeled, unlabeled)
	found, err := theory.EnumerateRationalSeeding(labeled, unlabeled)
	if err != nil {
		return nil, err
	}
	plusPlus, err := theory.RationalKMeansPlusPlus(all)
	if err != nil {
		return nil, err
	}
	seeded, settled := found.Expected()
	s := &Seeding{
		Seeded: potentials(seeded), Settled: potentials(settled), Optimal: fraction(found.Optimal), PlusPlus: fraction(plusPlus),
		Printed:         fraction(times(big.NewRat(16, 1), found.Optimal)),
		PrintedPlusPlus: fraction(times(big.NewRat(2155, 100), found.Optimal)),
	}
	if found.Optimal.Sign() > 0 {
		ratio := fraction(new(big.Rat).Quo(seeded.Free, found.Optimal))
		s.Ratio = &ratio
	}
	for _, start := range found.Starts {
		s.Starts = append(s.Starts, Start{start.Seed, fraction(start.Probability), rounds(start, all), start.Tied})
	}
	positives := join(labeled, hidden)
	factor := claims.Theorem3Factor(int64(len(labeled)), int64(len(positives)))
	bound := times(factor, positives.Spread())
	bound.Add(bound, times(big.NewRat(5, 1), negative.Spread()))
	s.Factor, s.Bound = fraction(factor), fraction(bound)
	average, choices := averageOverLabels(positives, negative, len(labeled))
	if average != nil {
		f := fraction(average)
		s.Average = &f
	}
	s.Choices = choices
	return s, nil
}

// rounds lists the rounds of a run. A tie goes to the positive center.
func rounds(start theory.RationalStart, all theory.RationalPoints) []Round {
	list := make([]Round, len(start.Rounds))
	for i, centers := range start.Path {
		places := centers.Floats()
		list[i] = Round{Positive: places[0], Negative: places[1], Potentials: potentials(start.Rounds[i])}
		for _, row := range all {
			one := theory.RationalPoints{row}
			list[i].Near = append(list[i].Near, one.Potential(centers[0]).Cmp(one.Potential(centers[1])) <= 0)
		}
	}
	return list
}

// averageOverLabels returns the expected constrained potential after seeding, averaged over all choices of n labels
// among the positives, and their number. The average is nil if some choice leaves no point to draw.
func averageOverLabels(positives, negative theory.RationalPoints, n int) (average *big.Rat, choices int) {
	sum, defined := new(big.Rat), true
	for labeled, hidden := range splits(positives, n) {
		choices++
		unlabeled := join(hidden, negative)
		weights, total := theory.RationalSeedingWeights(labeled, unlabeled)
		if total.Sign() == 0 {
			defined = false
			continue
		}
		center := labeled.Mean()
		mean := new(big.Rat) // of the unlabeled points' costs, times total
		for i, weight := range weights {
			mean.Add(mean, times(weight, unlabeled.Potential(center, unlabeled[i])))
		}
		sum.Add(sum, labeled.Potential(center)).Add(sum, mean.Quo(mean, total))
	}
	if !defined {
		return nil, choices
	}
	return sum.Mul(sum, big.NewRat(1, int64(choices))), choices
}

// splits yields all choices of n points, with the remaining points.
func splits(points theory.RationalPoints, n int) iter.Seq2[theory.RationalPoints, theory.RationalPoints] {
	return func(yield func(taken, left theory.RationalPoints) bool) {
		for mask := range uint(1) << len(points) {
			if bits.OnesCount(mask) != n {
				continue
			}
			var parts [2]theory.RationalPoints
			for i, row := range points {
				part := 1 - mask>>i&1
				parts[part] = append(parts[part], row)
			}
			if !yield(parts[0], parts[1]) {
				return
			}
		}
	}
}

// rational returns points with whole coordinates as fractions.
func rational(points [][2]int64) theory.RationalPoints {
	rows := make(theory.RationalPoints, len(points))
	for i, p := range points {
		rows[i] = []*big.Rat{big.NewRat(p[0], 1), big.NewRat(p[1], 1)}
	}
	return rows
}

// join returns the points of both in a new list.
func join(a, b theory.RationalPoints) theory.RationalPoints {
	return append(append(theory.RationalPoints{}, a...), b...)
}

func times(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }

func fraction(x *big.Rat) Fraction {
	value, _ := x.Float64()
	return Fraction{value, x.RatString()}
}

func potentials(p theory.RationalPotentials) Potentials {
	return Potentials{fraction(p.Free), fraction(p.Constrained)}
}
