package claims

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/puclab/puclab/pucl/cluster"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// VariantAgreement returns the probability, over the draw of the start of Algorithm 1(B), that the pseudo code assigns
// the same labels to all unlabeled rows of x. leaves reports whether a labeled row leaves the positive cluster in the
// pseudo code.
func VariantAgreement(x *mat.Dense, labeled []bool) (probability float64, leaves bool, err error) {
	defer must.Catch(&err)
	weights, total := must.Get(cluster.SeedingWeights(x, labeled)), 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		must.Fail("claims: every unlabeled row equals the mean of the labeled ones; Algorithm 1(B) has nothing to draw")
	}
	code := must.Get(cluster.PseudoCode(x, labeled))
	for i, w := range weights {
		if w > 0 && slices.Equal(must.Get(cluster.From(x, labeled, i)).Positive, code.Positive) {
			probability += w / total
		}
	}
	// Labeled rows are positive in every result; the others are positive if they are nearer to the positive center.
	return probability, !slices.Equal(code.Positive, code.NearPositive), nil
}

// AgreementApart averages [VariantAgreement] over data sets of two round normal clusters in the plane, apart standard
// deviations from each other: 10 labeled points of one, and 20 unlabeled points of each. left is the number of data
// sets in which a labeled point leaves. The draws depend on the seed and on the integer part of the distance.
func AgreementApart(apart float64, sets int, seed uint64) (agreement float64, left int, err error) {
	rng := rand.New(rand.NewPCG(seed, uint64(apart)))
	for range sets {
		x, labeled := mat.NewDense(50, 2, nil), make([]bool, 50)
		for i := range labeled {
			labeled[i] = i < 10
			x.SetRow(i, []float64{apart*float64(oneIf(i < 30)) + rng.NormFloat64(), rng.NormFloat64()})
		}
		probability, leaves, err := VariantAgreement(x, labeled)
		if err != nil {
			return 0, 0, err
		}
		agreement += probability / float64(sets)
		left += oneIf(leaves)
	}
	return agreement, left, nil
}

// agreementBySeparation measures the agreement on clusters 1 to 8 standard deviations apart.
func agreementBySeparation(f *Finding) {
	const sets = 40
	for _, apart := range []float64{1, 2, 4, 8} {
		agreement, left := must.Get2(AgreementApart(apart, sets, 11))
		name := fmt.Sprintf("two normal clusters %g standard deviations apart, %d data sets of 10 labeled and 40 "+
			"unlabeled points", apart, sets)
		measure(f, agreement, "%s: probability of the same labels", name)
		measure(f, left, "%s: data sets in which a labeled point leaves", name)
	}
}

// separationCheck holds the counts for the corrected statement: two groups that are far enough apart get the same
// labels.
type separationCheck struct {
	on *subject

	separated   int // random sets that meet the condition
	code, start int // separated sets in which the pseudo code, or a start in the other group, did not find the groups
	rarer       int // separated sets in which Algorithm 1(B) agrees less often than the bound
}

// checkSeparation tries random groups on a grid: A, with the labeled points and some unlabeled ones, and B, unlabeled.
// Let δ be the larger diameter, D the smallest distance between the groups and f the fraction of B among the unlabeled
// points. If f·D > 2δ, the pseudo code, and every start in B, must label A positive and B negative. Distances are
// squared fractions.
func (s *subject) checkSeparation() separationCheck {
	c := separationCheck{on: s}
	rng := rand.New(rand.NewPCG(5, 8))
	for range 200 {
		group := func(n int, shift int64) theory.RationalPoints {
			return lists.Make(n, func(int) []*big.Rat { return []*big.Rat{whole(shift + rng.Int64N(4)), whole(rng.Int64N(4))} })
		}
		shift := 5 + rng.Int64N(40)
		labeled, hidden, others := group(1+rng.IntN(3), 0), group(rng.IntN(4), 0), group(1+rng.IntN(3), shift)
		a := union(labeled, hidden)
		diameter, distance := new(big.Rat), (*big.Rat)(nil)
		for _, set := range []theory.RationalPoints{a, others} {
			for _, x := range set {
				for _, y := range set {
					diameter = larger(diameter, theory.RationalPoints{x}.Potential(y))
				}
			}
		}
		for _, x := range a {
			for _, y := range others {
				if d := (theory.RationalPoints{x}).Potential(y); distance == nil || d.Cmp(distance) < 0 {
					distance = d
				}
			}
		}
		f := big.NewRat(int64(len(others)), int64(len(hidden)+len(others)))
		twice := s.rational("2delta", whole(2))
		if times(times(f, f), distance).Cmp(times(times(twice, twice), diameter)) <= 0 {
			continue
		}
		c.separated++
		delta, apart := math.Sqrt(decimal(diameter)), math.Sqrt(decimal(distance))
		c.visit(labeled, hidden, others, decimal(f), delta, apart)
	}
	return c
}

func (c *separationCheck) visit(labeled, hidden, others theory.RationalPoints, f, diameter, distance float64) {
	unlabeled := union(hidden, others)
	want := lists.Make(len(unlabeled), func(i int) bool { return i < len(hidden) })
	code := must.Get(theory.RationalPUPLPseudoCode(labeled, unlabeled))
	c.code += oneIf(!slices.Equal(code.Labels, want) || slices.Contains(code.Labeled, false))
	s := must.Get(theory.EnumerateRationalSeeding(labeled, unlabeled))
	same := 0.0
	for _, start := range s.Starts {
		if slices.Equal(start.Labels, want) {
			same += decimal(start.Probability)
		} else if start.Seed >= len(hidden) {
			c.start++
		}
	}
	far := f * (distance - diameter) * (distance - diameter)
	c.rarer += oneIf(exceeds(c.on.constant("chance", far/(far+(1-f)*diameter*diameter))-1e-12, same))
}

// checkCode runs the training code on the example, and ends the check if it differs from the exact results.
func (e variantExample) checkCode(variant puplVariant) {
	rows := union(e.labeled, e.unlabeled)
	labeled := lists.Make(len(rows), func(i int) bool { return i < len(e.labeled) })
	x := mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows.Floats()...))
	code, exact := must.Get(cluster.PseudoCode(x, labeled)), must.Get(variant(e.labeled, e.unlabeled))
	same := slices.Equal(code.NearPositive, slices.Concat(exact.Labeled, exact.Labels))
	for i := range e.unlabeled {
		code := must.Get(cluster.From(x, labeled, len(e.labeled)+i)).Positive[len(e.labeled):]
		same = same && slices.Equal(code, must.Get(theory.RationalPUPLFrom(e.labeled, e.unlabeled, i)).Labels)
	}
	if !same {
		must.Fail("labeled %s, unlabeled %s: package cluster and exact arithmetic give different labels",
			places(e.labeled), places(e.unlabeled))
	}
}
