package claims

import (
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// PUCLAsMixed returns the claim that PUCL is mixed contrastive learning with λ = 1 at labeled and λ = 0 at unlabeled
// anchors.
//
// This is true for each anchor. No single λ, as in the family (22), gives PUCL.
func PUCLAsMixed() Claim {
	return Claim{
		ID: "pucl-mcl",
		Statement: "PUCL is a special case of MCL (22): the loss of labeled samples is that of λ = 1, that of unlabeled ones " +
			"that of λ = 0.",
		LaTeX: `\mathcal{L}_{\text{PUCL}} = \frac{1}{n} \sum_{i=1}^n \mathbf{1}(\mathbf{x}_i \in \mathbb{P})\,
			\ell^i_{\text{MCL}}(1) + ` +
			`\mathbf{1}(\mathbf{x}_i \notin \mathbb{P})\, \ell^i_{\text{MCL}}(0)`,
		Source:      "Contrastive Positive Unlabeled Learning, appendix A.5.4, below equation (22)",
		Assumptions: []string{"λ may differ from anchor to anchor, which (22) does not have"},
		rests: grounds{
			objectives: []string{"PUCL"},
			mistakes:   []mistake{{"lambda", "λ is ½ at unlabeled anchors, not 0"}},
		},
		check: mixedFinding,
	}
}

// mixedFinding compares PUCL with MCL, anchor by anchor.
func mixedFinding(s *subject) Finding {
	var f Finding
	puCL, unlabeled := s.objective(pucl.PUCL()), 0.0
	if s.mistaken("lambda") {
		unlabeled = 0.5
	}
	rng := rand.New(rand.NewPCG(7, 0x51))
	batches := lists.Make(20, func(int) theory.GivenBatch { return randomBatch(rng, 5) })
	rows := lists.Map(batches, func(b theory.GivenBatch) [][]float64 { return b.Z })
	measured := func(o pucl.Objective) [][]float64 {
		return must.Get(theory.AnchorLosses(s.eng, o, rows, batches[0].Labeled, nil, 0.5))
	}
	want, atOne, atZero := measured(puCL), measured(pucl.MCL(1)), measured(pucl.MCL(unlabeled))
	anchors, off := 0, 0.0
	for k, b := range batches {
		for i := range b.Z {
			mixed := []float64{atZero[k][i], atOne[k][i]}[oneIf(rowLabeled(b, i))]
			anchors++
			off = farther(off, want[k][i]-mixed)
		}
	}
	off = math.Abs(off)
	least := math.Inf(1) // over λ, the largest difference of an anchor's loss
	zero := measured(pucl.MCL(0))
	for twentieths := range 21 {
		lambda, largest := float64(twentieths)/20, 0.0
		for k := range batches {
			for i, x := range want[k] {
				largest = max(largest, math.Abs(x-lambda*atOne[k][i]-(1-lambda)*zero[k][i]))
			}
		}
		least = min(least, largest)
	}
	notMixed := max(missesFormula(s.eng, pucl.MCL(1), printedLosses("SCL-PU")), missesFormula(s.eng, pucl.MCL(unlabeled),
		printedLosses("ssCL")))
	measure(&f, anchors, "anchors")
	measure(&f, off, "largest difference of an anchor's loss, λ by label")
	measure(&f, least, "least, over one λ for all, of the largest difference")
	measure(&f, notMixed, "largest difference of MCL(1) to (5) and of MCL(0) to (4)")
	f.Number = exactly(least)
	f.Why = "MCL(1) attracts a labeled anchor to the other labeled rows, MCL(0) an unlabeled one to its other view, and the " +
		"log partition is the same in all."
	f.detail("with one λ for all anchors, as (22) has it, the losses of some anchor differ by %.4g at least", least)
	if exceeds(notMixed, contrastTolerance) || exceeds(off, contrastTolerance) {
		f.undecide("MCL as measured is up to %.4g off (4) and (5), and PUCL %.4g off MCL: this is not (22) with λ by the "+
			"anchor's label.", notMixed, off)
		return f
	}
	if !exceeds(least, contrastTolerance) {
		f.conclude(Holds, "The losses of all %d anchors agree to rounding, with one λ for all.", anchors)
		return f
	}
	f.conclude(Conditional, "If λ may depend on the anchor's label, the losses of all %d anchors agree to rounding; with one λ "+
		"for all, as (22) has it, some differ by %.4g at least.", anchors, least)
	f.Corrected = "PUCL is (22) with λ = 1 at labeled and λ = 0 at unlabeled anchors, and with no single λ."
	return f
}
