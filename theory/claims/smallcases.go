package claims

import (
	"iter"
	"math/big"
	"slices"
	"strings"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
)

// multisets yields every way to place least to most rows on the places 0 … places−1, the fewest rows first, as sorted
// place numbers in a slice that is reused.
func multisets(least, most, places int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var fill func(x []int, i, from int) bool
		fill = func(x []int, i, from int) bool {
			if i == len(x) {
				return yield(x)
			}
			for x[i] = from; x[i] < places; x[i]++ {
				if !fill(x, i+1, x[i]) {
					return false
				}
			}
			return true
		}
		for n := least; n <= most; n++ {
			if !fill(make([]int, n), 0, 0) {
				return
			}
		}
	}
}

// pick splits the rows into those whose bit is set in mask and the others.
func pick(rows theory.RationalPoints, mask int) (chosen, rest theory.RationalPoints) {
	for i, row := range rows {
		if mask>>i&1 == 1 {
			chosen = append(chosen, row)
		} else {
			rest = append(rest, row)
		}
	}
	return chosen, rest
}

// labelings yields every labeling of at least one row but not all of them.
func labelings(rows theory.RationalPoints) iter.Seq2[theory.RationalPoints, theory.RationalPoints] {
	return func(yield func(labeled, unlabeled theory.RationalPoints) bool) {
		for mask := 1; mask < 1<<len(rows)-1; mask++ {
			if !yield(pick(rows, mask)) {
				return
			}
		}
	}
}

// labeledLines yields every labeling of every choice of least to most rows on the integers from 0 to longest, including
// a row at 0. It starts with the fewest rows, and among these with the smallest range.
func labeledLines(least, most, longest int) iter.Seq2[theory.RationalPoints, theory.RationalPoints] {
	return func(yield func(labeled, unlabeled theory.RationalPoints) bool) {
		for n := least; n <= most; n++ {
			for reach := range longest + 1 {
				for x := range multisets(n, n, reach+1) {
					if x[0] != 0 || x[n-1] != reach {
						continue
					}
					for labeled, unlabeled := range labelings(onLine(x)) {
						if !yield(labeled, unlabeled) {
							return
						}
					}
				}
			}
		}
	}
}

// onLine returns rows at whole numbers of a line.
func onLine(x []int) theory.RationalPoints {
	return lists.Map(x, func(v int) []*big.Rat { return []*big.Rat{whole(int64(v))} })
}

// seeded are the expected potentials right after Algorithm 1(B) has drawn its negative center: Definition 6, the
// potential with labeled rows assigned to the positive center, and the potential of the unlabeled rows alone.
type seeded struct{ free, constrained, unlabeled *big.Rat }

// seedingPotentials returns the expected potentials. If all unlabeled rows lie on the positive center, every draw has
// the same result.
func seedingPotentials(labeled, unlabeled theory.RationalPoints) seeded {
	center := labeled.Mean()
	weights, total := theory.RationalSeedingWeights(labeled, unlabeled)
	own := labeled.Potential(center)
	if total.Sign() == 0 {
		return seeded{own, own, total}
	}
	free, rest := new(big.Rat), new(big.Rat)
	for i, w := range weights {
		if w.Sign() > 0 {
			p := over(w, total)
			free.Add(free, times(p, labeled.Potential(center, unlabeled[i])))
			rest.Add(rest, times(p, unlabeled.Potential(center, unlabeled[i])))
		}
	}
	return seeded{plus(free, rest), plus(own, rest), rest}
}

// union returns the rows of both sets, the labeled ones first.
func union(labeled, unlabeled theory.RationalPoints) theory.RationalPoints {
	return slices.Concat(labeled, unlabeled)
}

// squaredDistance is the assumption that the negative center is drawn by its squared distance from the positive one.
const squaredDistance = "squared distance"

// seedingPotentials is the function of that name; if the assumption is dropped, the draw is uniform.
func (s *subject) seedingPotentials(labeled, unlabeled theory.RationalPoints) seeded {
	if s.assumes(squaredDistance) {
		return once(s, "seeding: "+places(labeled)+places(unlabeled), func() seeded { return seedingPotentials(labeled, unlabeled) })
	}
	center, share := labeled.Mean(), big.NewRat(1, int64(len(unlabeled)))
	free, rest := new(big.Rat), new(big.Rat)
	for _, seed := range unlabeled {
		free.Add(free, times(share, labeled.Potential(center, seed)))
		rest.Add(rest, times(share, unlabeled.Potential(center, seed)))
	}
	return seeded{plus(free, rest), plus(labeled.Potential(center), rest), rest}
}

func plus(x, y *big.Rat) *big.Rat  { return new(big.Rat).Add(x, y) }
func times(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func minus(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func over(x, y *big.Rat) *big.Rat  { return new(big.Rat).Quo(x, y) }
func whole(x int64) *big.Rat       { return big.NewRat(x, 1) }

// decimal returns the float64 nearest to x.
func decimal(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// larger returns the larger of x and y, x if they are equal.
func larger(x, y *big.Rat) *big.Rat {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
}

// places formats rows: "{0, 1, 1}" on a line, else "{(0, 1), (2, 2)}".
func places(rows theory.RationalPoints) string {
	return "{" + strings.Join(lists.Map(rows, func(row []*big.Rat) string {
		text := strings.Join(lists.Map(row, (*big.Rat).RatString), ", ")
		if len(row) > 1 {
			return "(" + text + ")"
		}
		return text
	}), ", ") + "}"
}
