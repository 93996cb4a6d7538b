package claims

import (
	"fmt"
	"math"
	"math/big"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// SphereRadius returns the claim that the similarity of (3) is the inner product of vectors on a sphere of radius 1/τ.
//
// Vectors of length r have the inner product r² cos, and the similarity is cos/τ: the radius is 1/√τ. The check
// compares in rational arithmetic, on unit vectors with rational coordinates, and compares the similarity with the one
// used in training.
func SphereRadius() Claim {
	return Claim{
		ID:        "sphere-radius",
		Statement: "The loss projects representations onto the sphere of radius 1/τ: z_i·z_j of (3) is the inner product there.",
		LaTeX: `\mathcal{S}_1^{k-1} = \{\mathbf{z} \in \mathbb{R}^k : \|\mathbf{z}\| = \tfrac{1}{\tau}\}, \qquad \mathbf{z}_i ` +
			`\cdot \mathbf{z}_j = \frac{1}{\tau} \frac{\mathbf{z}_i^T \mathbf{z}_j}{\|\mathbf{z}_i\| \|\mathbf{z}_j\|}`,
		Source:      "Contrastive Positive Unlabeled Learning, section 2.2, below equation (3)",
		Assumptions: []string{"no representation is 0; the temperature is positive"},
		rests: grounds{
			constants: []string{"squared radius"},
			mistakes:  []mistake{{"raw rows", "inner products of rows that are not scaled to the sphere"}},
		},
		check: func(s *subject) Finding {
			return sphereFinding(s, func(tau *big.Rat) *big.Rat { return over(whole(1), times(tau, tau)) })
		},
	}
}

// rationalDirections are unit vectors of the plane with rational coordinates.
func rationalDirections() theory.RationalPoints {
	var all theory.RationalPoints
	for _, t := range [][2]int64{{0, 1}, {1, 3}, {1, 2}, {2, 3}, {1, 1}, {3, 2}, {5, 2}, {-1, 2}, {-3, 1}} {
		// The second intersection of the circle with the chord through (−1, 0) of slope t.
		slope := big.NewRat(t[0], t[1])
		square := times(slope, slope)
		below := plus(whole(1), square)
		all = append(all, []*big.Rat{over(minus(whole(1), square), below), over(times(whole(2), slope), below)})
	}
	return all
}

func rationalInner(x, y []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for k := range x {
		sum.Add(sum, times(x[k], y[k]))
	}
	return sum
}

// measurePairs returns the values of a term of package pucl on single pairs of rows, each a batch of one example with
// two views.
func measurePairs(eng *engine.Engine, term pucl.Term, pairs [][][]float64, tau float64) []float64 {
	o := pucl.Objective{Name: "pair", Attract: pucl.Nothing, Repel: term}
	losses := must.Get(theory.AnchorLosses(eng, o, pairs, []bool{false}, nil, tau))
	return lists.Map(losses, func(rows []float64) float64 { return rows[0] })
}

// eachRationalPair lists all pairs of different rows, as fractions and as numbers.
func eachRationalPair(points theory.RationalPoints) (pairs [][2][]*big.Rat, floats [][][]float64) {
	rows := points.Floats()
	for i := range points {
		for j := range i {
			pairs = append(pairs, [2][]*big.Rat{points[i], points[j]})
			floats = append(floats, [][]float64{rows[i], rows[j]})
		}
	}
	return pairs, floats
}

// sphereFinding compares a squared radius, as a function of τ, with the similarity.
func sphereFinding(s *subject, squaredRadius func(tau *big.Rat) *big.Rat) Finding {
	var f Finding
	lengths := []*big.Rat{whole(1), whole(1)}
	if s.mistaken("raw rows") {
		lengths = []*big.Rat{whole(2), whole(3)}
	}
	factor := s.rational("squared radius", whole(1))
	pairs, floats := eachRationalPair(rationalDirections())
	cases, agreeing, corrected, atOne, off, ratio := 0, 0, 0, 0, 0.0, 0.0
	for _, tau := range []*big.Rat{big.NewRat(1, 10), big.NewRat(1, 2), whole(1), whole(2)} {
		library := measurePairs(s.eng, pucl.OwnViews, floats, decimal(tau))
		for k, pair := range pairs {
			inner := times(times(lengths[0], lengths[1]), rationalInner(pair[0], pair[1])) // of rows that should have length 1
			similarity := over(rationalInner(pair[0], pair[1]), tau)
			off = max(off, math.Abs(decimal(similarity)-library[k]))
			printed := times(squaredRadius(tau), inner)
			cases++
			equal := printed.Cmp(similarity) == 0
			agreeing += oneIf(equal)
			atOne += oneIf(equal && tau.Cmp(whole(1)) == 0)
			corrected += oneIf(times(over(factor, tau), inner).Cmp(similarity) == 0)
			if decimal(tau) == 0.5 && similarity.Sign() != 0 && ratio == 0 {
				ratio = decimal(over(printed, similarity))
				f.Counterexample = fmt.Sprintf("τ = 1/2, the directions %s: the similarity is %s, the inner product on the "+
					"sphere %s", places(theory.RationalPoints{pair[0], pair[1]}), similarity.RatString(), printed.RatString())
			}
		}
	}
	measure(&f, cases, "pairs of directions and temperatures")
	measure(&f, agreeing, "equal, radius as printed")
	measure(&f, atOne, "of these with τ = 1")
	measure(&f, corrected, "equal, squared radius 1/τ")
	measure(&f, off, "largest difference to the similarity that package pucl trains with")
	f.Number = exactly(ratio)
	f.Why = "Vectors of length r have the inner product r² cos(z_i, z_j); it is cos(z_i, z_j)/τ if r² = 1/τ."
	f.Corrected = "The loss projects onto the sphere of radius 1/√τ."
	f.CorrectedLaTeX = `\mathcal{S} = \{\mathbf{z} : \|\mathbf{z}\| = \tfrac{1}{\sqrt{\tau}}\}`
	switch {
	case exceeds(off, contrastTolerance):
		f.undecide("The similarity compared is not that of package pucl: they differ by up to %.4g.", off)
	case corrected < cases:
		f.undecide("The sphere that should hold instead gives the similarity in %d of %d cases only.", corrected, cases)
	case agreeing == cases:
		f.conclude(Holds, "The inner product is the similarity in all %d cases.", cases)
		f.Corrected, f.CorrectedLaTeX, f.Counterexample = "", "", ""
	default:
		f.conclude(Conditional, "True with radius 1/√τ, as the operator · printed with it has it, in all %d cases. With radius 1/τ "+
			"in %d, %d of them at τ = 1, and at τ = ½ the inner products are %.4g times the similarity.", cases, agreeing, atOne,
			ratio)
	}
	return f
}

// InnerProductDistance returns the claim that for normalized representations the inner product is equivalent to a
// distance: it orders pairs in the reverse order of the distance, and |u − v|² = 2 − 2u·v.
func InnerProductDistance() Claim {
	return Claim{
		ID:          "inner-product",
		Statement:   "Representations being normalized, their inner product is equivalent to a distance: |u − v|² = 2 − 2u·v.",
		LaTeX:       `\|u\| = \|v\| = 1 \ \Rightarrow\ \|u - v\|^2 = 2 - 2\,u \cdot v`,
		Source:      "Introduction to contrastive learning (in Chinese), section on the InfoNCE loss",
		Assumptions: []string{"the representations are normalized to length one"},
		rests:       grounds{constants: []string{"slope", "intercept"}, assumptions: []string{"normalized rows"}},
		check: func(s *subject) Finding {
			slope, intercept := s.rational("slope", whole(2)), s.rational("intercept", whole(2))
			return innerProductFinding(s, func(inner *big.Rat) *big.Rat { return minus(intercept, times(slope, inner)) })
		},
	}
}

// innerProductFinding compares a formula for the squared distance by the inner product with both, and compares the
// orders.
func innerProductFinding(s *subject, distance func(inner *big.Rat) *big.Rat) Finding {
	var f Finding
	directions := rationalDirections()
	stretched := lists.Make(len(directions), func(i int) []*big.Rat { // rows of lengths 1 to 4
		return lists.Map(directions[i], func(x *big.Rat) *big.Rat { return times(whole(int64(1+i%4)), x) })
	})
	rows := directions
	if !s.assumes("normalized rows") {
		rows = stretched
	}
	pairs, floats := eachRationalPair(rows)
	squared := func(b *pucl.Block) *Node {
		d := pucl.SquaredDistance(b)
		return ReduceSum(Where(b.OwnView, d, ZerosLike(d)), -1)
	}
	library := measurePairs(s.eng, squared, floats, 0.5)
	equal, off := 0, 0.0
	for k, pair := range pairs {
		d := theory.RationalPoints{pair[0]}.Potential(pair[1])
		equal += oneIf(d.Cmp(distance(rationalInner(pair[0], pair[1]))) == 0)
		off = max(off, math.Abs(decimal(d)-library[k]))
	}
	triples, turned := reversedOrder(rows)
	_, wild := reversedOrder(stretched)
	measure(&f, len(pairs), "pairs of normalized rows")
	measure(&f, equal, "pairs with the distance that the formula gives")
	measure(&f, off, "largest difference to the squared distance of package pucl")
	measure(&f, triples, "comparisons of two rows seen from a third")
	measure(&f, turned, "comparisons in which the larger inner product is not the smaller distance")
	measure(&f, wild, "the same without normalizing, rows of lengths 1 to 4")
	f.Number = exactly(float64(turned))
	f.Why = "|u − v|² = |u|² + |v|² − 2u·v, in which the lengths are constant. Without normalizing, a long row is near to " +
		"everything by its inner products and far by its distances."
	switch {
	case exceeds(off, contrastTolerance):
		f.undecide("The distance compared is not that of package pucl on unit rows: they differ by up to %.4g.", off)
	case equal < len(pairs) || turned > 0:
		f.undecide("The distance is not the formula's in %d of %d pairs, and the order not reversed in %d of %d comparisons: "+
			"these are not normalized rows, or not this formula.", len(pairs)-equal, len(pairs), turned, triples)
	default:
		f.conclude(Holds, "The order is reversed in all %d comparisons, and the distance is the formula's in all %d pairs, in "+
			"rationals; without normalizing the order differs in %d.", triples, len(pairs), wild)
	}
	return f
}

// reversedOrder returns the number of triples of rows u, v and w. not is the number in which the order of v and w by
// inner product with u is not the reverse of their order by distance from u.
func reversedOrder(rows theory.RationalPoints) (triples, not int) {
	for i, u := range rows {
		for j, v := range rows {
			for k, w := range rows[:j] {
				if i == j || i == k {
					continue
				}
				triples++
				near := theory.RationalPoints{u}.Potential(v).Cmp(theory.RationalPoints{u}.Potential(w))
				not += oneIf(rationalInner(u, v).Cmp(rationalInner(u, w)) != -near)
			}
		}
	}
	return triples, not
}
