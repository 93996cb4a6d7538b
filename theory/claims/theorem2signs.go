package claims

import (
	"fmt"
	"math/big"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// The numbers of Theorem2Variance that come from classes showing signs, ±1.

// theorem2TwoSigns finds Δσ of two labeled examples and an unlabeled one that show signs at random: in rationals by going
// over the signs for the attraction, and by the meters for the loss.
func theorem2TwoSigns(meters []*theory.Meter, formula gapFormula, f *Finding) signGap {
	c := contrastCase{TwoSigns(), theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}}
	v, _ := must.Get2(c.world.PairVariance(1))
	attraction, loss := varianceGaps(meters, c)
	printed := formula(v, c.design, 2)
	separate, all := signVariances(2)
	gap := minus(separate, all)
	gap.Mul(gap, big.NewRat(4, 9)) // the labeled anchors are 2/3 of all
	exact := decimal(gap)
	if !agree(loss, exact) || gap.Sign() <= 0 {
		must.Fail("claims: Δσ of two signs is %g by the meters and %s in rationals", loss, gap.RatString())
	}
	one := must.Get(theory.CountBatches(c.world, c.design, theory.Symmetry{Examples: true, Views: true, Classes: true}))
	measure(f, loss, "signs, m = 2, u = 1: Δσ of the loss (%.0f batches)", one)
	measure(f, attraction, "signs, m = 2, u = 1: Δσ of the attraction")
	measure(f, printed, "signs, m = 2, u = 1: printed formula with n_PL = 2")
	f.detail("with m ≤ 1 PUCL is ssCL and Δσ = 0, as the formula says for n_PL = m = 1; so two labeled examples are the " +
		"fewest, and two points the fewest that vary")
	return signGap{gap, printed, fmt.Sprintf("m = 2 labeled and u = 1 unlabeled example, each class showing +1 or −1 "+
		"with probability 1/2, views independent, τ = 1: s = z·z' = ±1, Var(s) = 1, Var(E[s|z]) = 0. The mean over the "+
		"two own pairs has variance %s, over all six pairs of the four rows %s, and labeled anchors are 2/3 of all: Δσ = "+
		"4/9 · (%s − %s) = %s. The formula with n_PL = 2: %g.", separate.RatString(), all.RatString(), separate.RatString(),
		all.RatString(), gap.RatString(), printed)}
}

// signVariances goes over all 2^2m signs of the labeled rows and returns the variance of the mean product over the m own
// pairs, and over all pairs.
func signVariances(m int) (separate, all *big.Rat) {
	variance := func(pairs [][2]int) *big.Rat {
		first, second, each := new(big.Rat), new(big.Rat), big.NewRat(1, 1<<(2*m))
		for draw := range 1 << (2 * m) {
			sum := int64(0)
			for _, pair := range pairs {
				sum += int64(1-2*(draw>>pair[0]&1)) * int64(1-2*(draw>>pair[1]&1))
			}
			x := big.NewRat(sum, int64(len(pairs)))
			first.Add(first, times(each, x))
			second.Add(second, times(each, x.Mul(x, x)))
		}
		return second.Sub(second, first.Mul(first, first))
	}
	var ownPairs, allPairs [][2]int
	for j := range 2 * m {
		for i := range j {
			allPairs = append(allPairs, [2]int{i, j})
			if j == i+m {
				ownPairs = append(ownPairs, [2]int{i, j})
			}
		}
	}
	return variance(ownPairs), variance(allPairs)
}

// theorem2FlatPairs shows that the formula can be too large by any factor: positives that show −1 only rarely.
func theorem2FlatPairs(f *Finding, formula gapFormula) {
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}
	for _, rare := range []float64{0.1, 0.01} {
		p := TwoSigns()
		p.Positive = []theory.Atom{{Z: []float64{1}, P: 1 - rare}, {Z: []float64{-1}, P: rare}}
		v, _ := must.Get2(p.PairVariance(1))
		measure(f, formula(v, d, 2)/Theorem2Gap(v, d), "positives at −1 with probability %g: formula over Δσ", rare)
	}
}

// theorem2OneAnchor measures the variance of a single labeled anchor's attraction, the reading that comes nearest to the
// proof: its own pair against the mean of its 2m−1 pairs.
func theorem2OneAnchor(eng *engine.Engine, f *Finding, formula gapFormula) {
	first := func(term pucl.Term) pucl.Term { // n times the first row's, so that the mean over anchors is the first row's
		return func(b *pucl.Block) *Node {
			values := term(b)
			n := values.Shape().Dim(-1)
			row := Iota(values.Graph(), shapes.Make(values.DType(), values.Shape().Dimensions...), values.Rank()-1)
			return Where(Equal(row, ZerosLike(row)), MulScalar(values, float64(n)), ZerosLike(values))
		}
	}
	objectives := []pucl.Objective{pucl.SSCL(), pucl.PUCL()}
	for i := range objectives {
		objectives[i].Attract = first(objectives[i].Attract)
		objectives[i].Name += ", first anchor"
	}
	meters := must.Get(theory.NewMeters(eng, 1, objectives...))
	defer closeAll(meters)
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}
	for _, world := range []struct {
		name string
		theory.Population
	}{{"signs", TwoSigns()}, {"positives at −1 with probability 1/4", theory.Population{
		Positive: []theory.Atom{{Z: []float64{1}, P: 0.75}, {Z: []float64{-1}, P: 0.25}}, Negative: TwoSigns().Negative}}} {
		gap, _ := varianceGaps(meters, contrastCase{world.Population, d})
		v, _ := must.Get2(world.PairVariance(1))
		if want := (v.Total - v.Linear) * (1 - 1/3.0); !agree(gap, want) {
			must.Fail("claims: the variance of one anchor's attraction is not what Hoeffding's split " +
				"says; the objectives have changed")
		}
		measure(f, gap, "%s: Δσ of one labeled anchor's attraction, m = 2", world.name)
		measure(f, formula(v, d, 3), "%s: formula with n_PL = 2m−1 = 3", world.name)
	}
	f.detail("one labeled anchor's attraction loses (1 − 1/(2m−1))·(Var(s) − ζ₁) of its variance: the formula, with n_PL " +
		"= 2m−1 and for ζ₁ = 0 only")
}

// theorem2SameViews measures Δσ where the second view is the first, which Theorem 2 excludes.
func theorem2SameViews(meters []*theory.Meter, f *Finding) {
	for _, same := range []float64{0.5, theory.IdenticalViews} {
		d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5, SameView: same}
		attraction, loss := varianceGaps(meters, contrastCase{TwoSigns(), d})
		measure(f, attraction, "signs, m = 2, u = 1, views the same with probability %g: Δσ of the attraction", same)
		measure(f, loss, "signs, m = 2, u = 1, views the same with probability %g: Δσ of the loss", same)
	}
	f.detail("without the assumption the inequality falls as well: of identical views ssCL's attraction is 1/τ " +
		"throughout and does not vary, while PUCL's does")
}
