package theory

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory/internal/lists"
)

// RationalPoints are points [n][k] with rational coordinates, so that means, squared distances and potentials of
// clusterings are exact. All rows must have the same length k, which [Rationals] and [RationalLine] guarantee and
// [RationalPoints.Validate] checks. No method changes its arguments.
type RationalPoints [][]*big.Rat

// Rationals converts rows exactly: every finite float64 is a fraction. NaN, infinity, no rows and rows of different
// length are errors.
func Rationals(rows [][]float64) (RationalPoints, error) {
	points := make(RationalPoints, len(rows))
	for i, row := range rows {
		for _, x := range row {
			fraction := new(big.Rat).SetFloat64(x)
			if fraction == nil {
				return nil, fmt.Errorf("theory: entry %g in row %d is no fraction; all entries must be finite", x, i)
			}
			points[i] = append(points[i], fraction)
		}
	}
	return points, points.Validate()
}

// Floats returns the coordinates rounded to float64.
func (p RationalPoints) Floats() [][]float64 {
	nearest := func(x *big.Rat) float64 {
		f, _ := x.Float64()
		return f
	}
	return lists.Map(p, func(row []*big.Rat) []float64 { return lists.Map(row, nearest) })
}

// RationalLine returns points on a line.
func RationalLine(x ...int64) RationalPoints {
	return lists.Map(x, func(v int64) []*big.Rat { return []*big.Rat{big.NewRat(v, 1)} })
}

// Mean returns the mean of the rows, nil if there are none.
func (p RationalPoints) Mean() []*big.Rat {
	if len(p) == 0 {
		return nil
	}
	mean, share := make([]*big.Rat, len(p[0])), big.NewRat(1, int64(len(p)))
	if w, ok := wholesOf(p); ok {
		for k := range mean {
			sum := int64(0)
			for _, row := range w.x {
				sum += row[k]
			}
			mean[k] = big.NewRat(sum, w.denominator*int64(len(p)))
		}
		return mean
	}
	for k := range mean {
		mean[k] = new(big.Rat)
		for _, row := range p {
			mean[k].Add(mean[k], row[k])
		}
		mean[k].Mul(mean[k], share)
	}
	return mean
}

// Potential returns the sum over the rows of the squared distance to the nearest of the centers (Definition 6), 0 without rows.
func (p RationalPoints) Potential(center []*big.Rat, others ...[]*big.Rat) *big.Rat {
	if w, ok := wholesOf(slices.Concat(p, RationalPoints{center}, others)); ok {
		return w.potential(len(p))
	}
	sum := new(big.Rat)
	for _, row := range p {
		nearest := squaredRationalDistance(row, center)
		for _, other := range others {
			nearest = lesser(nearest, squaredRationalDistance(row, other))
		}
		sum.Add(sum, nearest)
	}
	return sum
}

// lesser returns the smaller of x and y, x if they are equal.
func lesser(x, y *big.Rat) *big.Rat {
	if y.Cmp(x) < 0 {
		return y
	}
	return x
}

// Spread returns the smallest potential with one center, the sum of squared distances to the mean; 0 without rows.
func (p RationalPoints) Spread() *big.Rat {
	if len(p) == 0 {
		return new(big.Rat)
	}
	return p.Potential(p.Mean())
}

// maxSplitPoints bounds the number of places for the enumeration of splits: 2^19 of them.
const maxSplitPoints = 20

// BestSplit returns the smallest potential with two centers (φ* of Definition 7), and a split that attains it: true for
// the rows in the part of the first row. It enumerates the splits of the places of the rows, at most 20. Separating
// coincident rows never reduces the potential, since each can go to the center nearer to their common place.
func (p RationalPoints) BestSplit() (*big.Rat, []bool, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	place, places := p.places()
	if len(places) > maxSplitPoints {
		return nil, nil, fmt.Errorf("theory: rows at %d places have too many two-way splits to try them all; at most %d places "+
			"are", len(places), maxSplitPoints)
	}
	var best *big.Rat
	var bestSplit int
	for split := range 1 << (len(places) - 1) { // a bit is set for the places of the second part; place 0 is in the first
		split <<= 1
		potential := new(big.Rat)
		for part := range 2 {
			var members RationalPoints
			for i, row := range p {
				if split>>place[i]&1 == part {
					members = append(members, row)
				}
			}
			potential.Add(potential, members.Spread())
		}
		if best == nil || potential.Cmp(best) < 0 {
			best, bestSplit = potential, split
		}
	}
	return best, lists.Map(place, func(j int) bool { return bestSplit>>j&1 == 0 }), nil
}

// places numbers the places where rows lie, in the order of their first row; places[j] lists the rows at place j.
func (p RationalPoints) places() (place []int, places [][]int) {
	known := map[string]int{}
	place = make([]int, len(p))
	for i, row := range p {
		key := strings.Join(lists.Map(row, (*big.Rat).RatString), " ")
		j, ok := known[key]
		if !ok {
			j = len(places)
			known[key] = j
			places = append(places, nil)
		}
		place[i] = j
		places[j] = append(places[j], i)
	}
	return place, places
}

// Validate returns an error if p has no rows, rows of different length, or a missing coordinate.
func (p RationalPoints) Validate() error { return p.check("points") }

// check returns an error for no rows, rows of different length, and coordinates that are missing.
func (p RationalPoints) check(what string) error {
	if len(p) == 0 {
		return fmt.Errorf("theory: no %s; at least one row is needed", what)
	}
	for i, row := range p {
		if len(row) != len(p[0]) || len(row) == 0 {
			return fmt.Errorf("theory: %s: row %d has %d coordinates, row 0 has %d; all need the same number, at least one",
				what, i, len(row), len(p[0]))
		}
		for k, x := range row {
			if x == nil {
				return fmt.Errorf("theory: %s: coordinate %d of row %d is nil; give every coordinate a number", what, k, i)
			}
		}
	}
	return nil
}

func squaredRationalDistance(x, y []*big.Rat) *big.Rat {
	if w, ok := wholesOf(RationalPoints{x, y}); ok {
		return w.squared(w.distance(0, 1))
	}
	sum, d := new(big.Rat), new(big.Rat)
	for k := range x {
		d.Sub(x[k], y[k])
		sum.Add(sum, d.Mul(d, d))
	}
	return sum
}
