package claims

import (
	"math/big"
	"slices"

	"github.com/puclab/puclab/theory"
)

// eachMultiset visits every way to put n rows on the places 0 … places−1, as sorted place numbers, which the visitor must
// not keep.
func eachMultiset(n, places int, visit func([]int)) {
	x := make([]int, n)
	var fill func(i, from int)
	fill = func(i, from int) {
		if i == n {
			visit(x)
			return
		}
		for v := from; v < places; v++ {
			x[i] = v
			fill(i+1, v)
		}
	}
	fill(0, 0)
}

// pick parts the rows in those whose bit is set in mask and the others.
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

// eachLabeledLine visits every choice of n rows on the integers 0 … reach of a line, at least one at 0 and one at reach, and
// every way to label some but not all of them.
func eachLabeledLine(n int, reach int64, visit func(labeled, unlabeled theory.RationalPoints) error) error {
	var err error
	eachMultiset(n, int(reach)+1, func(x []int) {
		if err != nil || x[0] != 0 || x[n-1] != int(reach) {
			return
		}
		rows := make(theory.RationalPoints, n)
		for i, v := range x {
			rows[i] = []*big.Rat{big.NewRat(int64(v), 1)}
		}
		for mask := 1; mask < 1<<n-1 && err == nil; mask++ {
			err = visit(pick(rows, mask))
		}
	})
	return err
}

// seedingPotentials are the expected potentials right after Algorithm 1(B) has drawn its negative centre. Where all unlabeled
// rows lie on the positive centre, whichever is drawn adds nothing.
func seedingPotentials(labeled, unlabeled theory.RationalPoints) (free, constrained *big.Rat) {
	centre := labeled.Mean()
	weights, total := theory.RationalSeedingWeights(labeled, unlabeled)
	own := labeled.Potential(centre)
	if total.Sign() == 0 {
		return own, own
	}
	free, constrained = new(big.Rat), new(big.Rat)
	for i, w := range weights {
		if w.Sign() == 0 {
			continue
		}
		rest := unlabeled.Potential(centre, unlabeled[i])
		free.Add(free, times(w, plus(labeled.Potential(centre, unlabeled[i]), rest)))
		constrained.Add(constrained, times(w, plus(own, rest)))
	}
	return free.Quo(free, total), constrained.Quo(constrained, total)
}

// union is the rows of both sets, the labeled ones first.
func union(labeled, unlabeled theory.RationalPoints) theory.RationalPoints {
	return slices.Concat(labeled, unlabeled)
}

func plus(x, y *big.Rat) *big.Rat  { return new(big.Rat).Add(x, y) }
func times(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func over(x, y *big.Rat) *big.Rat  { return new(big.Rat).Quo(x, y) }
func whole(x int64) *big.Rat       { return big.NewRat(x, 1) }

// decimal is the float64 nearest to x.
func decimal(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// places writes rows down: "{0, 1, 1}" on a line, "{(0, 1), (2, 2)}" else.
func places(rows theory.RationalPoints) string {
	text := "{"
	for i, row := range rows {
		if i > 0 {
			text += ", "
		}
		if len(row) > 1 {
			text += "("
		}
		for k, x := range row {
			if k > 0 {
				text += ", "
			}
			text += x.RatString()
		}
		if len(row) > 1 {
			text += ")"
		}
	}
	return text + "}"
}
