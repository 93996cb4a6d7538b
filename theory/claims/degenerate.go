package claims

import (
	"fmt"
	"math/big"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/risk"
	"github.com/puclab/puclab/theory/internal/must"
)

// PriorOne returns the claim that with π̂ = 1 all examples are predicted to be positive.
//
// With that prior uPU predicts x positive if p(x|y=0)/p(x|y=1) ≤ (2−π)/(1−π), so it still finds negatives where no
// positive occurs. nnPU clips their contribution: all-positive is among its minimizers, with others.
func PriorOne() Claim {
	return Claim{
		ID: "prior-one",
		Statement: "An estimate π̂ = 1 ≠ π of the class prior leads to the degenerate solution in which all examples are " +
			"predicted positive.",
		LaTeX:  `\hat\pi_p = 1 \neq \pi_p \ \Rightarrow\ \operatorname{argmin}_f \hat{R}_{pu}(f) = \{f \equiv +\}`,
		Source: "Contrastive Positive Unlabeled Learning, footnote 1 (section 1)",
		Assumptions: []string{
			"the risk is that of the population, minimized over all classifiers; the loss is 0 or 1",
		},
		rests: grounds{constants: []string{"threshold"}, mistakes: []mistake{{"prior", "the estimate is told the true prior"}}},
		check: priorOneFinding,
	}
}

// NaiveBoundary returns the claim that cross-entropy with the unlabeled as negatives misses the true boundary, more so
// with fewer labels, and finally diverges.
//
// Its minimum over all classifiers predicts positive if γ·p(x|y=1) ≥ p(x): nowhere for γ < π, and at the true boundary
// for γ = 2π.
func NaiveBoundary() Claim {
	return Claim{
		ID: "naive-boundary",
		Statement: "With unlabeled samples treated as negatives, CE is unable to recover the true decision boundary, deviates " +
			"more as γ falls, and eventually diverges.",
		LaTeX:  `\hat{y}_{\text{CE}}(x) = 1 \iff \gamma\, p(x|y=1) \geq p(x)`,
		Source: "Contrastive Positive Unlabeled Learning, Figure 14 (1), appendices A.6 and A.3.2",
		Assumptions: []string{
			"cross-entropy of the population with a share γ/(1+γ) of labeled examples, minimized over all classifiers",
		},
		rests: grounds{constants: []string{"ratio"}, mistakes: []mistake{{"upu", "the risk is uPU's, with the true prior"}}},
		check: naiveBoundaryFinding,
	}
}

// placesWorld is a population on three places: the number of quarters of each class at each place, and of 16 unlabeled
// examples.
type placesWorld struct {
	positive, negative [3]int64
	prior              *big.Rat // quarters
}

// unlabeledAt returns how many of 16 unlabeled examples lie at place k.
func (w placesWorld) unlabeledAt(k int) int64 {
	quarters := times(w.prior, whole(4)).Num().Int64()
	return quarters*w.positive[k] + (4-quarters)*w.negative[k]
}

// placesWorlds lists populations in which no place is empty.
func placesWorlds() []placesWorld {
	var classes [][3]int64
	for a := range int64(5) {
		for b := range 5 - a {
			classes = append(classes, [3]int64{a, b, 4 - a - b})
		}
	}
	var all []placesWorld
	for i, positive := range classes {
		for j, negative := range classes {
			seen := true
			for k := range 3 {
				seen = seen && positive[k]+negative[k] > 0
			}
			if seen && (i+j)%2 == 0 { // half of them
				all = append(all, placesWorld{positive, negative, big.NewRat(int64(1+(i+2*j)%3), 4)})
			}
		}
	}
	return all
}

// leastRules runs a risk on data in the exact proportions of each population, with copies·4 labeled examples. It does
// so for each of the eight rules that predict + or − at the three places, with logits of the given size. It returns the
// rules with the least risk: bit k of a rule is set if it predicts + at place k.
func leastRules(eng *engine.Engine, worlds []placesWorld, copies int, size float64, r func(w placesWorld) risk.Risk,
	byPrior bool) [][]int {
	runs := map[string]*Exec{}
	defer func() {
		for _, exec := range runs {
			exec.Finalize()
		}
	}()
	labels := slices.Concat(slices.Repeat([]bool{true}, 4*copies), make([]bool, 16))
	var out [][]int
	for _, w := range worlds {
		key := ""
		if byPrior {
			key = w.prior.String()
		}
		if runs[key] == nil {
			runs[key] = must.Get(NewExec(eng.Backend, func(logits, labels *Node) *Node { return r(w)(logits, labels) }))
		}
		var risks []float64
		for rule := range 8 {
			var logits []float64
			at := func(k int, count int64) {
				logits = append(logits, slices.Repeat([]float64{size * float64(2*(rule>>k&1)-1)}, int(count))...)
			}
			for k := range 3 {
				at(k, int64(copies)*w.positive[k])
			}
			for k := range 3 {
				at(k, w.unlabeledAt(k))
			}
			risks = append(risks, tensors.ToScalar[float64](must.Get(runs[key].Call1(logits, labels))))
		}
		var least []int
		for rule, x := range risks {
			if x <= slices.Min(risks)+contrastTolerance {
				least = append(least, rule)
			}
		}
		out = append(out, least)
	}
	return out
}

// rulesWhere returns the rules that predict + where compare is positive and − where it is negative; either where it is
// 0.
func rulesWhere(compare func(k int) int) []int {
	var rules []int
	for rule := range 8 {
		right := true
		for k := range 3 {
			c := compare(k)
			right = right && (c == 0 || (c > 0) == (rule>>k&1 == 1))
		}
		if right {
			rules = append(rules, rule)
		}
	}
	return rules
}

// bayesRules are the rules with the least error: + where π p(x|y=1) > (1−π) p(x|y=0).
func (w placesWorld) bayesRules() []int {
	return rulesWhere(func(k int) int {
		return times(w.prior, whole(w.positive[k])).Cmp(times(minus(whole(1), w.prior), whole(w.negative[k])))
	})
}

const allPositive = 7 // the rule that predicts + everywhere

func priorOneFinding(s *subject) Finding {
	var f Finding
	told, factor := s.mistaken("prior"), s.rational("threshold", whole(1))
	worlds := placesWorlds()
	prior := func(w placesWorld) float64 {
		if told {
			return decimal(w.prior)
		}
		return 1
	}
	uPU := leastRules(s.eng, worlds, 1, 40, func(w placesWorld) risk.Risk { return risk.UPU(prior(w), risk.SigmoidLoss) }, told)
	nnPU := leastRules(s.eng, worlds, 1, 40, func(w placesWorld) risk.Risk { return risk.NNPU(prior(w), risk.SigmoidLoss) }, told)
	formula, degenerate, right, clipped, only := 0, 0, 0, 0, 0
	for i, w := range worlds {
		rest := minus(whole(1), w.prior)
		bound := over(times(factor, minus(whole(2), w.prior)), rest) // of p(x|y=0)/p(x|y=1)
		formula += oneIf(slices.Equal(uPU[i], rulesWhere(func(k int) int {
			return times(bound, whole(w.positive[k])).Cmp(whole(w.negative[k]))
		})))
		degenerate += oneIf(slices.Contains(uPU[i], allPositive))
		right += oneIf(slices.Equal(uPU[i], w.bayesRules()))
		clipped += oneIf(slices.Contains(nnPU[i], allPositive))
		only += oneIf(len(nnPU[i]) == 1 && nnPU[i][0] == allPositive)
		if !slices.Contains(uPU[i], allPositive) && f.Counterexample == "" {
			f.Counterexample = fmt.Sprintf("three places with probabilities %d/4 for positives and %d/4 for negatives, π = "+
				"%s: the least risk of uPU with π̂ = 1 has the rules %03b, read from the third place to the first", w.positive,
				w.negative, w.prior.RatString(), uPU[i])
		}
	}
	measure(&f, len(worlds), "populations on three places")
	measure(&f, formula, "populations in which uPU says + where p(x|y=0)/p(x|y=1) is at most (2−π)/(1−π)")
	measure(&f, degenerate, "populations in which all-positive is least for uPU")
	measure(&f, right, "populations in which uPU is least for the best rule all the same")
	measure(&f, clipped, "populations in which all-positive is among the least for nnPU")
	measure(&f, only, "populations in which nothing else is least for nnPU")
	f.Number = exactly(degenerate)
	f.Why = "With π̂ = 1 the risk is E[ℓ(t) − ℓ(−t)|y=1] + E[ℓ(−t)] over all data, in which x has weight p(x|y=1) for + and " +
		"(1−π)(p(x|y=0) − p(x|y=1)) for −. Clipping the second part at 0 gives all-positive the risk 0, the least there is."
	f.Corrected = "With π̂ = 1 uPU predicts + where p(x|y=0)/p(x|y=1) ≤ (2−π)/(1−π), everywhere only if no place exceeds " +
		"that; nnPU has the all-positive rule among its least, beside others where some rule is wrong about no positive."
	switch {
	case formula < len(worlds):
		f.undecide("uPU says + where the formula does in %d of %d populations: this is not π̂ = 1, or not its threshold.",
			formula, len(worlds))
	case degenerate == len(worlds):
		f.conclude(Holds, "All-positive is least for uPU in all %d populations.", len(worlds))
		f.Corrected, f.Counterexample = "", ""
	case clipped == len(worlds):
		f.conclude(Conditional, "All-positive is least for uPU in %d of %d populations, those where p(x|y=0)/p(x|y=1) nowhere "+
			"exceeds (2−π)/(1−π); for nnPU it is among the least in %d, and alone in %d.", degenerate, len(worlds), clipped, only)
	default:
		f.conclude(Fails, "All-positive is least for uPU in %d of %d populations, for nnPU in "+
			"%d.", degenerate, len(worlds), clipped)
		f.CorrectedLaTeX = `\hat{y}(x) = 1 \iff \frac{p(x|y=0)}{p(x|y=1)} \leq \frac{2 - \pi}{1 - \pi}`
	}
	return f
}

func naiveBoundaryFinding(s *subject) Finding {
	var f Finding
	worlds := placesWorlds()
	wrong, factor := s.mistaken("upu"), s.rational("ratio", whole(1))
	r := func(w placesWorld) risk.Risk {
		if wrong {
			return risk.UPU(decimal(w.prior), risk.LogisticLoss)
		}
		return risk.PN(risk.LogisticLoss)
	}
	formula, total, nowhere, below, twice, twiceRight, others, othersRight, above, covers, wider := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	for _, copies := range []int{1, 2, 3, 4, 6} {
		gamma := big.NewRat(int64(copies), 4)
		for i, least := range leastRules(s.eng, worlds, copies, 1, r, wrong) {
			w := worlds[i]
			total++
			formula += oneIf(slices.Equal(least, rulesWhere(func(k int) int {
				return times(times(factor, gamma), big.NewRat(w.positive[k], 4)).Cmp(big.NewRat(w.unlabeledAt(k), 16))
			})))
			right := slices.Equal(least, w.bayesRules())
			switch gamma.Cmp(w.prior) {
			case -1:
				below++
				nowhere += oneIf(slices.Equal(least, []int{0}))
			}
			if gamma.Cmp(times(whole(2), w.prior)) > 0 {
				above++
				strict := w.bayesRules()[0] // + only where it must be
				covered := !slices.ContainsFunc(least, func(rule int) bool { return strict&^rule != 0 })
				covers += oneIf(covered)
				wider += oneIf(covered && !right)
			}
			if gamma.Cmp(times(whole(2), w.prior)) == 0 {
				twice++
				twiceRight += oneIf(right)
			} else {
				others++
				othersRight += oneIf(right)
			}
		}
	}
	measure(&f, total, "populations on three places, γ from ¼ to 3/2")
	measure(&f, formula, "in which CE says + where γ·p(x|y=1) ≥ p(x)")
	measure(&f, below, "with γ < π")
	measure(&f, nowhere, "of these without any + at all")
	measure(&f, twice, "with γ = 2π")
	measure(&f, twiceRight, "of these with the best rule")
	measure(&f, above, "with γ > 2π")
	measure(&f, covers, "of these with + wherever the best rule has it")
	measure(&f, wider, "of these with + elsewhere too")
	measure(&f, others, "with another γ")
	measure(&f, othersRight, "of these with the best rule, the places being few")
	f.Number = exactly(twiceRight)
	f.Why = "At x the labeled weigh γ·p(x|y=1) and the unlabeled p(x) = πp(x|y=1) + (1−π)p(x|y=0), so that CE says + where " +
		"(γ−π)p(x|y=1) ≥ (1−π)p(x|y=0). The best rule has π in the place of γ − π."
	f.Corrected = "CE says + where p(x|y=0)/p(x|y=1) ≤ (γ−π)/(1−π): the true boundary for γ = 2π, a smaller region for a " +
		"smaller γ, none at all for γ < π, and a larger one for a larger γ."
	switch {
	case formula < total || nowhere < below || covers < above:
		f.undecide("CE says + where the formula does in %d of %d populations, and nowhere in %d of %d with γ < π: this is not "+
			"its minimum, or not the formula.",
			formula, total, nowhere, below)
	case twiceRight == twice && twice > 0:
		f.conclude(Conditional, "True below γ = 2π, where its region of + shrinks as γ falls, to none for γ < π, in all %d. At "+
			"γ = 2π CE has the best rule in all %d populations. Above, its region covers the best rule's in all %d cases, is "+
			"too large in %d, and comes nearer as γ falls.", nowhere, twice, above, wider)
	default:
		f.conclude(Holds, "CE misses the best rule at every γ; for γ < π it says + nowhere.")
		f.Corrected = ""
	}
	return f
}
