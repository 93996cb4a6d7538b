package claims

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// Theorem2Inequality returns the claim that PUCL varies no more than ssCL, the inequality of Theorem 2 without the
// printed size of the gap.
func Theorem2Inequality() Claim {
	return Claim{
		ID:          "theorem-2-inequality",
		Statement:   "Var(L_PUCL) ≤ Var(L_ssCL).",
		LaTeX:       `\Delta_\sigma = \mathrm{Var}(\mathcal{L}_{\text{ssCL}}) - \mathrm{Var}(\mathcal{L}_{\text{PUCL}}) \ge 0`,
		Source:      "Contrastive Positive Unlabeled Learning, Theorem 2",
		Assumptions: theorem2Assumptions(),
		Proof: []string{
			"Under the assumption the 2m labeled rows of a batch are independent draws of one class. Given which rows there " +
				"are, as a set S together with the unlabeled examples, every way to pair them into examples is equally likely.",
			"log Z_i sums over all rows but i, however they are paired: it is the same for every pairing. So is all that " +
				"concerns unlabeled anchors.",
			"In L_ssCL a labeled anchor is attracted to its own other view. Over all pairings that is each of the other 2m−1 " +
				"labeled rows equally often, so the mean is their mean similarity: what attracts the anchor in L_PUCL.",
			"Together E[L_ssCL | S] = L_PUCL.",
			"The law of total variance: Var(L_ssCL) = Var(E[L_ssCL | S]) + E[Var(L_ssCL | S)] = Var(L_PUCL) + E[Var(L_ssCL | " +
				"S)] ≥ Var(L_PUCL). This is the theorem of Rao and Blackwell.",
			"The two are equal only if no pairing matters: for m ≤ 1, and where S determines L_ssCL.",
		},
		rests: grounds{objectives: []string{"ssCL", "PUCL"}, assumptions: []string{independentViews}},
		check: theorem2InequalityFinding,
	}
}

func theorem2InequalityFinding(s *subject) Finding {
	var f proven
	objectives := []pucl.Objective{s.objective(pucl.SSCL()), s.objective(pucl.PUCL())}
	meters := s.meters(1, objectives...)
	worlds := append(randomPlanes(4, 12), TwoSigns())
	for i := range worlds[4].Positive { // in the plane, as the others are
		worlds[4].Positive[i].Z = append(worlds[4].Positive[i].Z, 0)
	}
	worlds[4].Negative = worlds[4].Positive
	cases := contrastCases(worlds, withViews(designsOf(0.4, [][2]int{{2, 1}, {2, 2}, {3, 1}, {4, 0}}), s.assumes(independentViews)))
	negative, least, greatest := 0, math.Inf(1), 0.0
	for _, c := range cases {
		_, gap := varianceGaps(meters, c)
		negative += oneIf(exceeds(contrastTolerance, gap)) // they all have two labeled examples and varying points
		least, greatest = min(least, gap), max(greatest, gap)
	}
	f.none(negative, len(cases), "cases without Δσ > 0")
	measure(&f.Finding, least, "least Δσ of the loss over %d cases with m ≥ 2", len(cases))
	measure(&f.Finding, greatest, "greatest Δσ of the loss")
	f.zero(pairingError(s, objectives[0], objectives[1]), contrastTolerance, "largest difference between the mean of ssCL "+
		"over all pairings and PUCL, single batches")
	f.Number = exactly(least)
	f.Why = "PUCL is the conditional expectation of ssCL, given the labeled rows without who is whose other view. Taking a " +
		"conditional expectation takes variance away and never adds any; the log partition does not depend on the pairing, " +
		"so that this is said of the whole loss."
	return f.finish("PUCL is the mean of ssCL over all ways to pair the labeled rows, on every batch tried, so that Δσ ≥ 0 "+
		"for the whole loss. The least of %d cases with two labeled examples or more is %.4g.", len(cases), least)
}

// pairingError compares the mean of one objective's loss over all orders of the labeled rows with the other objective's
// loss. It returns the largest difference over some random batches of two labeled and two unlabeled examples.
func pairingError(s *subject, paired, pooled pucl.Objective) (largest float64) {
	const labeled, unlabeled, batches = 2, 2, 3
	const b = labeled + unlabeled
	rng := rand.New(rand.NewPCG(12, 0x9c1a))
	marks, class := []bool{true, true, false, false}, []int32{1, 1, 0, 1}
	places := []int{0, 1, b, b + 1} // of the labeled rows
	var plain, permuted [][][]float64
	for range batches {
		batch := lists.Table(2*b, 3, func(int, int) float64 { return rng.NormFloat64() })
		plain = append(plain, batch)
		for order := range permutations(len(places)) {
			next := slices.Clone(batch)
			for i, from := range order {
				next[places[i]] = batch[places[from]]
			}
			permuted = append(permuted, next)
		}
	}
	mean := func(rows []float64) float64 {
		sum := 0.0
		for _, x := range rows {
			sum += x
		}
		return sum / float64(len(rows))
	}
	want := must.Get(theory.AnchorLosses(s.eng, pooled, plain, marks, class, 1))
	got := must.Get(theory.AnchorLosses(s.eng, paired, permuted, marks, class, 1))
	orders := len(permuted) / batches
	for k := range plain {
		over := mean(lists.Map(got[k*orders:(k+1)*orders], mean))
		largest = farther(largest, over-mean(want[k]))
	}
	return math.Abs(largest)
}

// permutations yields every order of 0 … n−1, in a slice that is reused.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		order := lists.Make(n, func(i int) int { return i })
		var place func(at int) bool
		place = func(at int) bool {
			if at == n {
				return yield(order)
			}
			for i := at; i < n; i++ {
				order[at], order[i] = order[i], order[at]
				if !place(at + 1) {
					return false
				}
				order[at], order[i] = order[i], order[at]
			}
			return true
		}
		place(0)
	}
}
