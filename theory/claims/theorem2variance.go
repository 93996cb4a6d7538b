package claims

import (
	"fmt"
	"math"
	"math/big"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/shapes"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem2Variance returns the claim on the variance of PUCL relative to ssCL, as the proof of Theorem 2 states it.
//
// The inequality is correct, also for the whole loss: PUCL is the mean of ssCL over all pairings of the labeled rows,
// which leave the log partition unchanged. The printed gap is wrong: it uses the variance of a single similarity
// instead of a mean over the batch, and treats the pairs of labeled rows as independent.
func Theorem2Variance() Claim {
	return Claim{
		ID:        "theorem-2-variance",
		Statement: "Δσ = Var(L_ssCL) − Var(L_PUCL) = (1 − 1/n_PL) Var(z_i·z_j : x_i, x_j labeled).",
		LaTeX: `\Delta_\sigma = \mathrm{Var}(\mathcal{L}_{\text{ssCL}}) - \mathrm{Var}(\mathcal{L}_{\text{PUCL}}) = ` +
			`\left(1 - \frac{1}{n_{P_L}}\right)\mathrm{Var}(\mathbf{z}_i\cdot\mathbf{z}_j : \mathbf{x}_i, \mathbf{x}_j ` +
			`\in \mathcal{X}_{P_L})`,
		Source:      "Contrastive Positive Unlabeled Learning, proof of Theorem 2 in appendix A.5; for the inequality see theorem-2-inequality",
		Assumptions: theorem2Assumptions(),
		rests: grounds{
			objectives:  []string{"ssCL", "PUCL"},
			constants:   []string{"1-1/n_PL", "2m(m-1)/((2m-1)b^2)"},
			assumptions: []string{independentViews, caseControl},
			unneeded: []unneeded{
				{"1-1/n_PL", "the formula is anything from 3.4 to 167 times Δσ in the numbers measured, so that no factor mends it"},
				{caseControl, "only labeled anchors differ, and Δσ is the same however the unlabeled examples are mixed"},
			},
		},
		check: func(s *subject) Finding {
			return theorem2VarianceFinding(s, func(v theory.PairVariance, d theory.Design, n int) float64 {
				return s.constant("1-1/n_PL", Theorem2PrintedGap(v, d, n))
			})
		},
	}
}

// Theorem2PrintedGap returns (1 − 1/n)·Var(z_i·z_j), the value of Δσ in the proof of Theorem 2; n is n_PL.
func Theorem2PrintedGap(v theory.PairVariance, _ theory.Design, n int) float64 {
	return (1 - 1/float64(n)) * v.Total
}

// Theorem2Gap returns Δσ = Var(L_ssCL) − Var(L_PUCL) under independent views, exactly:
//
//	2m(m−1)/((2m−1)b²) · ζ₂
//
// with ζ₂ = v.Rest of the positive class. The attractions alone have the same gap.
func Theorem2Gap(v theory.PairVariance, d theory.Design) float64 {
	if d.Labeled == 0 {
		return 0
	}
	m, b := float64(d.Labeled), float64(d.Examples())
	return 2 * m * (m - 1) / ((2*m - 1) * b * b) * v.Rest
}

// gapShare returns the factor of ζ₂ in Δσ in rationals, 2m(m−1)/((2m−1)b²).
func gapShare(m, u int64) *big.Rat {
	if m == 0 {
		return new(big.Rat)
	}
	return big.NewRat(2*m*(m-1), (2*m-1)*(m+u)*(m+u))
}

// gapFormula is a formula for Δσ; n stands for n_PL.
type gapFormula func(v theory.PairVariance, d theory.Design, n int) float64

// Possible meanings of n_PL in a batch of m labeled examples.
var labeledCounts = []struct {
	name string
	of   func(m int) int
}{
	{"labeled examples, m", func(m int) int { return m }},
	{"labeled rows, 2m", func(m int) int { return 2 * m }},
	{"other labeled rows, 2m−1", func(m int) int { return 2*m - 1 }},
}

// varianceGaps measures Δσ of the attraction and of the loss; the meters are those of ssCL and PUCL.
func varianceGaps(meters []*meter, c contrastCase) (attraction, loss float64) {
	var results [2]theory.Result
	for i, m := range meters {
		results[i] = must.Get(m.Exact(c.world, c.design))
	}
	return results[0].Attraction.Variance.Value - results[1].Attraction.Variance.Value,
		results[0].Loss.Variance.Value - results[1].Loss.Variance.Value
}

func theorem2VarianceFinding(s *subject, formula gapFormula) Finding {
	var f Finding
	meters := s.meters(1, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	cases := contrastCases(randomPlanes(4, 4), designsOf(0.4, [][2]int{{1, 1}, {2, 1}, {3, 1}, {2, 2}}))
	agreeing := make([]int, len(labeledCounts))
	negative, least, correction, between := 0, math.Inf(1), 0.0, 0.0
	for _, c := range cases {
		v, _ := must.Get2(c.world.PairVariance(1))
		attraction, loss := varianceGaps(meters, contrastCase{c.world, s.drawn(c.design)})
		for k, n := range labeledCounts {
			agreeing[k] += oneIf(agree(loss, formula(v, c.design, n.of(c.design.Labeled))))
		}
		negative += oneIf(exceeds(-loss, contrastTolerance))
		least = min(least, loss)
		correction = max(correction, math.Abs(loss-s.constant("2m(m-1)/((2m-1)b^2)", Theorem2Gap(v, c.design))))
		between = max(between, math.Abs(loss-attraction))
	}
	for k, n := range labeledCounts {
		measure(&f, agreeing[k], "cases of %d where Δσ is the formula, n_PL = %s", len(cases), n.name)
	}
	measure(&f, negative, "cases with Δσ < 0")
	measure(&f, least, "least Δσ of the loss")
	measure(&f, between, "largest difference between Δσ of the loss and of its attraction")
	measure(&f, correction, "largest error of 2m(m−1)/((2m−1)b²)·ζ₂ for Δσ of the loss")
	smallest := theorem2TwoSigns(meters, formula, &f)
	theorem2FlatPairs(&f, formula)
	unpaired := pairingError(s, s.objective(pucl.SSCL()), s.objective(pucl.PUCL()))
	measure(&f, unpaired, "largest difference of PUCL from the mean of ssCL over all pairings of the labeled rows")
	theorem2OneAnchor(s, &f, formula)
	theorem2SameViews(meters, &f)
	theorem2VarianceJudge(&f, agreeing, negative, len(cases), correction, smallest)
	f.restOn(unpaired, "PUCL is not the mean of ssCL over the ways to pair the labeled rows, as the proof has it: the two differ by "+
		"up to %.4g, so that nothing but the cases tried speaks for Δσ ≥ 0.", unpaired)
	f.restOn(correction, "Δσ of the loss is not what is proved of ssCL and PUCL under independent views: the two differ by up to "+
		"%.4g, so that these are other objectives, or other batches.", correction)
	return f
}

// signGap is Δσ of TwoSigns at m = 2, u = 1.
type signGap struct {
	exact   *big.Rat
	printed float64
	text    string
}

func theorem2VarianceJudge(f *Finding, agreeing []int, negative, cases int, correction float64, smallest signGap) {
	exact := decimal(smallest.exact)
	f.Number = exactly(smallest.printed / exact)
	f.Counterexample = smallest.text
	f.Why = "Under independent views the 2m labeled rows are independent draws of one class. Permuting them changes " +
		"neither their distribution nor log Z of any anchor as a whole, only who is whose other view; the mean of L_ssCL " +
		"over all permutations is L_PUCL, so L_PUCL = E[L_ssCL | the rows as a set], and by Rao and Blackwell " +
		"Var(L_ssCL) − Var(L_PUCL) = E[Var(L_ssCL | set)] ≥ 0, to which log Z adds nothing. For the size split s − μ = " +
		"(g−μ) + (g'−μ) + r with g(z) = E[s|z] (Hoeffding), ζ₁ = Var(g) and ζ₂ = Var(r): m separate pairs have a mean of " +
		"variance (2ζ₁ + ζ₂)/m, all pairs of the 2m rows one of 2ζ₁/m + ζ₂/(m(2m−1)). The difference, times the squared " +
		"share (m/b)² of labeled anchors, is 2m(m−1)/((2m−1)b²)·ζ₂: what single points bring in, ζ₁, is not averaged away."
	if correction <= contrastTolerance {
		f.Corrected = "Under independent views Δσ = 2m(m−1)/((2m−1)b²) · ζ₂ ≥ 0 for a batch of b examples of which m are " +
			"labeled, with ζ₂ = Var(s) − 2 Var(E[s|z]), s = z·z' of two positives; it is 0 for m ≤ 1 and for a class " +
			"that shows one point only."
		f.CorrectedLaTeX = `\Delta_\sigma = \frac{2m(m-1)}{(2m-1)\,b^2}\,\zeta_2,\qquad \zeta_2 = \mathrm{Var}(s) - 2\,\mathrm{Var}(\mathbb{E}[s\mid z]) \ge 0`
	}
	for k, n := range labeledCounts {
		if agreeing[k] == cases && negative == 0 {
			f.conclude(Holds, "The formula is Δσ in all %d cases, with n_PL the number of %s.", cases, n.name)
			f.Counterexample = ""
			return
		}
	}
	if negative > 0 {
		f.conclude(Fails, "Δσ is negative in %d of %d cases, and the formula is %.4g times Δσ in the counterexample.",
			negative, cases, f.Number.Value)
		return
	}
	f.conclude(Fails, "Δσ ≥ 0 is right, for the whole loss too, in all %d cases and by proof, but the printed size is not. "+
		"With two labeled examples, one unlabeled one and positives at ±1 it is %.4g times the true Δσ.", cases, f.Number.Value)
}

// The numbers of Theorem2Variance for classes with points ±1.

// theorem2TwoSigns returns Δσ of two labeled examples and an unlabeled one with random signs: for the attraction by
// enumeration in rationals, and for the loss by the meters.
func theorem2TwoSigns(meters []*meter, formula gapFormula, f *Finding) signGap {
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

// signVariances enumerates all 2^2m signs of the labeled rows and returns the variance of the mean product over the m
// own pairs, and over all pairs.
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

// theorem2FlatPairs shows that the formula can be too large by any factor: positives that are rarely −1.
func theorem2FlatPairs(f *Finding, formula gapFormula) {
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}
	for _, rare := range []float64{0.1, 0.01} {
		p := TwoSigns()
		p.Positive = []theory.Atom{{Z: []float64{1}, P: 1 - rare}, {Z: []float64{-1}, P: rare}}
		v, _ := must.Get2(p.PairVariance(1))
		measure(f, formula(v, d, 2)/Theorem2Gap(v, d), "positives at −1 with probability %g: formula over Δσ", rare)
	}
}

// theorem2OneAnchor measures the variance of a single labeled anchor's attraction, the interpretation closest to the
// proof: its own pair against the mean of its 2m−1 pairs.
func theorem2OneAnchor(s *subject, f *Finding, formula gapFormula) {
	first := func(term pucl.Term) pucl.Term { // n times the first row's, so that the mean over anchors is the first row's
		return func(b *pucl.Block) *Node {
			values := term(b)
			n := values.Shape().Dim(-1)
			row := Iota(values.Graph(), shapes.Make(values.DType(), values.Shape().Dimensions...), values.Rank()-1)
			return Where(Equal(row, ZerosLike(row)), MulScalar(values, float64(n)), ZerosLike(values))
		}
	}
	objectives := []pucl.Objective{s.objective(pucl.SSCL()), s.objective(pucl.PUCL())}
	for i := range objectives {
		objectives[i].Attract = first(objectives[i].Attract)
		objectives[i].Name += ", first anchor"
	}
	meters := s.meters(1, objectives...)
	d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5}
	for _, world := range []struct {
		name string
		theory.Population
	}{{"signs", TwoSigns()}, {"positives at −1 with probability 1/4", theory.Population{
		Positive: onAxis(0.75), Negative: TwoSigns().Negative}}} {
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

// theorem2SameViews measures Δσ for identical views, which Theorem 2 excludes.
func theorem2SameViews(meters []*meter, f *Finding) {
	for _, same := range []float64{0.5, theory.IdenticalViews} {
		d := theory.Design{Labeled: 2, Unlabeled: 1, Prior: 0.5, SameView: same}
		attraction, loss := varianceGaps(meters, contrastCase{TwoSigns(), d})
		measure(f, attraction, "signs, m = 2, u = 1, views the same with probability %g: Δσ of the attraction", same)
		measure(f, loss, "signs, m = 2, u = 1, views the same with probability %g: Δσ of the loss", same)
	}
	f.detail("without the assumption the inequality falls as well: of identical views ssCL's attraction is 1/τ " +
		"throughout and does not vary, while PUCL's does")
}
