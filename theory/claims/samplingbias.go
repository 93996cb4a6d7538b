package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// SamplingBias returns the claim that ssCL is a biased estimate of the ideal loss because negatives drawn from all data
// can have the anchor's class.
//
// The check removes the false negatives: a batch of one sample of the anchor's class and b−1 of the other has exactly
// the ideal loss as its mean, for each class. With false negatives the mean differs.
func SamplingBias() Claim {
	return Claim{
		ID: "sampling-bias",
		Statement: "L_ssCL (4) is biased compared to L*_CL (3), since some of the samples treated as negative may belong to " +
			"the anchor's class (sampling bias).",
		LaTeX: `\mathbb{E}[\mathcal{L}_{\text{ssCL}}] \neq \mathcal{L}^*_{\text{CL}},
			\qquad \mathbb{E}[\ell_i \mid y_i,\ y_k \neq y_i\ ` +
			`\forall k] = \mathcal{L}^*_{\text{CL}}(y_i)`,
		Source: "Contrastive Positive Unlabeled Learning, appendix A.5.4 (DCL); Chuang et al., Debiased Contrastive Learning " +
			"(2020), sampling bias; M. A. Nikitina, slides, false negatives",
		Assumptions: []string{"views are independent draws of their sample's class; both losses count as losses; N = 2b − 2"},
		rests:       grounds{objectives: []string{"ssCL"}, assumptions: []string{"independent views"}},
		check:       samplingBiasFinding,
	}
}

// labeledAnchors returns the objective that is factor times o at labeled anchors and 0 at others.
func labeledAnchors(o pucl.Objective, factor float64) pucl.Objective {
	only := func(term pucl.Term) pucl.Term { return pucl.Scale(factor, pucl.ByLabel(term, pucl.Nothing)) }
	return pucl.Objective{Name: o.Name + " at labeled anchors", Attract: only(o.Attract), Repel: only(o.Repel)}
}

func samplingBiasFinding(s *subject) Finding {
	var f Finding
	o, same := s.objective(pucl.SSCL()), viewsOf(s)
	m := s.meters(1, o)[0]
	cases, biased, largest, off := 0, 0, 0.0, 0.0
	share := math.Inf(1)
	for b := 2; b <= 3; b++ {
		alone := must.Get(theory.NewMeter(s.eng, labeledAnchors(o, float64(b)), 1))
		defer alone.Close()
		for _, world := range randomPlanes(4, 9) {
			const prior = 0.4
			r := must.Get(m.Exact(world, theory.Design{Unlabeled: b, Prior: prior, SameView: same}))
			// One sample of a class, marked by its label, among b−1 of the other: prior 0 makes all others negative.
			d := theory.Design{Labeled: 1, Unlabeled: b - 1, SameView: same}
			positive := must.Get(alone.Exact(world, d)).Loss.Mean.Value
			negative := must.Get(alone.Exact(theory.Population{Positive: world.Negative, Negative: world.Positive},
				d)).Loss.Mean.Value
			clean := prior*positive + (1-prior)*negative
			cases++
			biased += oneIf(!agree(r.Bias.Value, 0))
			largest = farther(largest, r.Bias.Value)
			off = farther(off, clean-r.Ideal.Loss.Value)
			share = min(share, math.Abs(r.Bias.Value))
		}
	}
	measure(&f, cases, "cases of a population and a batch size")
	measure(&f, biased, "cases in which ssCL is biased")
	measure(&f, largest, "bias farthest from 0")
	measure(&f, share, "least |bias|")
	measure(&f, math.Abs(off), "largest bias where no negative is of the anchor's class")
	for _, prior := range []float64{0.5, 0.1} {
		measure(&f, prior*prior+(1-prior)*(1-prior), "π = %g: chance that a draw is of the anchor's class, π² + (1−π)²", prior)
	}
	f.Number = exactly(largest)
	f.Why = "The anchor's other view is a draw of its class, and the views of b−1 samples of the other class are 2b−2 draws " +
		"of that: given that no negative is false, an anchor's loss has the expectation that (3) has for its class."
	f.detail("the same paper's Theorem 2 says that ssCL is unbiased; see theorem-2-unbiased")
	switch {
	case exceeds(math.Abs(off), contrastTolerance):
		f.undecide("Without false negatives the mean is up to %.4g off the ideal loss: these are not independent views.",
			math.Abs(off))
	case biased == cases:
		f.conclude(Holds, "ssCL is biased in all %d cases, by up to %.4f nats; where no negative is of the anchor's class its "+
			"mean is the ideal loss, to rounding.", cases, math.Abs(largest))
	default:
		f.conclude(Fails, "ssCL is biased in %d of %d cases.", biased, cases)
		f.Counterexample = fmt.Sprintf("one of the %d cases without bias", cases-biased)
		f.Corrected, f.CorrectedLaTeX = "ssCL can be unbiased.", `\exists\,
			p:\ \mathbb{E}[\mathcal{L}_{\text{ssCL}}] = \mathcal{L}^*_{\text{CL}}`
	}
	return f
}
