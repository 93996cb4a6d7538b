package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// LossCode returns the claim that Algorithm 1(A) and the pseudo code of appendix A.7.4 compute (4), (5), (6) and (14).
//
// The code is reproduced line by line in plain loops, with its blocks, masks and subtracted maxima, and compared with
// the objectives of package pucl on random batches. The loss of Algorithm 1, which is composed of log P_ij, is compared
// as well.
func LossCode() Claim {
	return Claim{
		ID: "loss-code",
		Statement: "Algorithm 1(A) and the classes SelfSupConLoss, SupConLoss and PUConLoss compute L_ssCL (4), L_SCL-PU (5), " +
			"L_SCL (14) and L_PUCL (6).",
		LaTeX: `\mathcal{L}_{\text{PUCL}} = -\frac{1}{|\mathbb{I}|} \sum_{i \in \mathbb{I}} \left[ \mathbf{1}(i \in \mathbb{P}) ` +
			`\frac{1}{|\mathbb{P} \setminus i|} \sum_{j \in \mathbb{P}} \mathbf{1}(j \neq i) \log P_{i,j} + \mathbf{1}(i \in ` +
			`\mathbb{U}) \log P_{i,a(i)} \right]`,
		Source:      "Contrastive Positive Unlabeled Learning, Algorithm 1(A) (appendix A.4), pseudo code in appendix A.7.4",
		Assumptions: []string{"numbers are exact enough that no exp underflows to 0, where the code leaves out the logarithm"},
		rests: grounds{
			objectives: []string{"ssCL", "SCL-PU", "SCL", "PUCL"},
			mistakes:   []mistake{{"count", "the sum over the rows of a label is divided by their number with the anchor"}},
		},
		check: lossCodeFinding,
	}
}

// lossFormula returns the losses ℓ_i of a batch, row by row, in plain numbers.
type lossFormula func(b theory.GivenBatch, tau float64) []float64

// printedLosses returns the losses of the named objective by its equation.
func printedLosses(objective string) lossFormula {
	return func(b theory.GivenBatch, tau float64) []float64 {
		return lists.Make(len(b.Z), func(i int) float64 {
			attraction, partition := equations[objective].terms(b, i, tau)
			return partition - attraction
		})
	}
}

// missesFormula returns the largest difference, over anchors and random batches, between the losses of an objective and
// a formula.
func missesFormula(eng *engine.Engine, o pucl.Objective, formula lossFormula) float64 {
	return missesFormulas(eng, o, formula)[0]
}

// missesFormulas returns the same for several formulas.
func missesFormulas(eng *engine.Engine, o pucl.Objective, formulas ...lossFormula) []float64 {
	rng := rand.New(rand.NewPCG(6, 0x51))
	batches := lists.Make(8, func(int) theory.GivenBatch { return randomBatch(rng, 5) })
	rows := lists.Map(batches, func(b theory.GivenBatch) [][]float64 { return b.Z })
	losses := must.Get(theory.AnchorLosses(eng, o, rows, batches[0].Labeled, batches[0].Class, 0.5))
	return lists.Map(formulas, func(formula lossFormula) float64 {
		off := 0.0
		for k, b := range batches {
			for i, want := range formula(b, 0.5) {
				off = farther(off, losses[k][i]-want)
			}
		}
		return math.Abs(off)
	})
}

// supConCode follows SupConLoss line by line: labels are per example; extra is the number subtracted from the count of
// a row's label, 1 there.
func supConCode[T float32 | float64](z [][]float64, labels []int, tau T, extra T) []float64 {
	n, b := len(z), len(labels)
	unit := lists.Make(n, func(i int) []T {
		square := T(0)
		for _, x := range z[i] {
			square += T(x) * T(x)
		}
		return lists.Map(z[i], func(x float64) T { return T(x) / T(math.Sqrt(float64(square))) })
	})
	return lists.Make(n, func(i int) float64 {
		nll, largest := make([]T, n), T(math.Inf(-1))
		for j := range nll {
			for k := range unit[i] {
				nll[j] += unit[i][k] * unit[j][k]
			}
			nll[j] /= tau
			largest = max(largest, nll[j])
		}
		total := T(0)
		for j := range nll {
			nll[j] = T(math.Exp(float64(nll[j] - largest)))
			if j == i {
				nll[j] = 0
			}
			total += nll[j]
		}
		sum, count := T(0), T(0)
		for j := range nll {
			if nll[j] /= total; nll[j] != 0 {
				nll[j] = -T(math.Log(float64(nll[j])))
			}
			if labels[i%b] == labels[j%b] {
				sum, count = sum+nll[j], count+1
			}
		}
		return float64(sum / (count - extra))
	})
}

// selfSupConCode follows SelfSupConLoss: cross-entropy of the blocks, where the label of row i is column i mod b.
func selfSupConCode(z [][]float64, b int, tau float64) []float64 {
	return lists.Make(2*b, func(i int) float64 {
		first := i / b * b // the rows of the anchor's view are first … first+b−1
		var logits []float64
		for j := range b { // the other view
			logits = append(logits, cosine(z[i], z[b-first+j])/tau)
		}
		for j := range b { // the same view, without the row itself
			if first+j != i {
				logits = append(logits, cosine(z[i], z[first+j])/tau)
			}
		}
		total := 0.0
		for _, x := range logits {
			total += math.Exp(x)
		}
		return math.Log(total) - logits[i%b]
	})
}

// lossCodeFinding compares five pieces of code with four objectives.
func lossCodeFinding(s *subject) Finding {
	var f Finding
	extra := 1.0
	if s.mistaken("count") {
		extra = 0
	}
	labels := func(b theory.GivenBatch) []int { return lists.Map(b.Labeled, oneIf) }
	classes := func(b theory.GivenBatch) []int { return lists.Map(b.Class, func(c int32) int { return int(c) }) }
	compared := []struct {
		o        pucl.Objective
		names    []string
		formulas []lossFormula
	}{
		{s.objective(pucl.SSCL()), []string{"SelfSupConLoss and " +
			"(4)"}, []lossFormula{func(b theory.GivenBatch, tau float64) []float64 {
			return selfSupConCode(b.Z, len(b.Labeled), tau)
		}}},
		{s.objective(pucl.SCLPU()), []string{"SupConLoss with PU labels and (5)"}, []lossFormula{
			func(b theory.GivenBatch, tau float64) []float64 { return supConCode(b.Z, labels(b), tau, extra) }}},
		{s.objective(pucl.SCL()), []string{"SupConLoss with classes and (14)"}, []lossFormula{
			func(b theory.GivenBatch, tau float64) []float64 { return supConCode(b.Z, classes(b), tau, extra) }}},
		{s.objective(pucl.PUCL()), []string{"PUConLoss and (6)", "Algorithm 1(A) and (6)"}, []lossFormula{
			func(b theory.GivenBatch, tau float64) []float64 {
				labeled, unlabeled := supConCode(b.Z, labels(b), tau, extra), selfSupConCode(b.Z, len(b.Labeled), tau)
				return lists.Make(len(b.Z), func(i int) float64 { return []float64{unlabeled[i], labeled[i]}[oneIf(rowLabeled(b, i))] })
			}, algorithmLoss}},
	}
	pieces, differing, largest := 0, 0, 0.0
	for _, c := range compared {
		off := missesFormulas(s.eng, c.o, c.formulas...)
		for k, name := range c.names {
			pieces++
			differing += oneIf(exceeds(off[k], contrastTolerance))
			largest = farther(largest, off[k])
			measure(&f, off[k], "%s: largest difference of an anchor's loss", name)
		}
	}
	f.Number = exactly(differing)
	f.Why = "The blocks laid side by side hold each row's similarities with all others; cross-entropy with the own view as " +
		"the class is log Z − s. The mask of equal labels holds the anchor, whose entry was set to 0, so that one less is the " +
		"number of the others. Weights that add up to one take log Z out of the sum over log P_ij."
	text, lowest := "", 0.0
	for _, tau := range []float64{0.07, 0.03, 0.02, 0.018, 0.01} {
		opposite := [][]float64{{1, 0}, {-1, 0}, {1, 0}, {-1, 0}}
		single, double := supConCode(opposite, []int{1, 1}, float32(tau), 1), supConCode(opposite, []int{1, 1}, tau, 1)
		off := math.Abs(single[0] - double[0])
		text += fmt.Sprintf(", %.3g at τ = %g", off, tau)
		if off > 1e-3 && lowest == 0 {
			lowest = tau
		}
	}
	measure(&f, lowest, "largest τ tried at which SupConLoss in single precision is off, two opposite rows of one label")
	f.detail("exp(s − max) that underflows to 0 is left out of the sum, where log P should be large: two opposite examples of "+
		"one label in single precision are off by%s", text[1:])
	if differing > 0 {
		f.undecide("The code followed differs from the objectives in %d of %d pieces, by up to %.4g an anchor: it is not the "+
			"code printed.", differing,
			pieces, largest)
		return f
	}
	if lowest == 0 {
		f.conclude(Holds, "Of %d pieces of code %d differ from the objectives by more than rounding, anchor by anchor and with "+
			"factor 1.", pieces, differing)
		return f
	}
	f.conclude(Conditional, "If no exp underflows, which is not printed, %d of %d pieces of code differ from the objectives by more "+
		"than rounding, anchor by anchor and with factor 1. In single precision SupConLoss is off from τ = %g downwards, with "+
		"two opposite examples of one label.", differing, pieces, lowest)
	f.Corrected = "The code computes the equations where every exp(s − max) is above the least positive number of its precision."
	return f
}

// algorithmLoss is the loss of Algorithm 1(A), by log P_ij.
func algorithmLoss(b theory.GivenBatch, tau float64) []float64 {
	return lists.Make(len(b.Z), func(i int) float64 {
		z := 0.0
		for k := range b.Z {
			if k != i {
				z += math.Exp(cosine(b.Z[i], b.Z[k]) / tau)
			}
		}
		logP := func(j int) float64 { return math.Log(math.Exp(cosine(b.Z[i], b.Z[j])/tau) / z) }
		if !rowLabeled(b, i) {
			return -logP((i + len(b.Labeled)) % len(b.Z))
		}
		sum, count := 0.0, 0.0
		for j := range b.Z {
			if j != i && rowLabeled(b, j) {
				sum, count = sum+logP(j), count+1
			}
		}
		return -sum / count
	})
}

func rowLabeled(b theory.GivenBatch, i int) bool { return b.Labeled[i%len(b.Labeled)] }
