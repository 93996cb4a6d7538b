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

// TemperatureLimits returns the claim on the effect of τ on the softmax in the InfoNCE loss. A small τ makes it the
// maximum, so that only hard negatives count, and a large τ the uniform distribution.
//
// Two inequalities state it exactly. With c the cosines of an anchor, τ·ℓ lies between max(c) − c_own and that plus τ
// log(2b−1); and ℓ lies within 2/τ of log(2b−1). The check measures both, and the softmax probabilities, on the
// training loss.
func TemperatureLimits() Claim {
	return Claim{
		ID: "temperature-limits",
		Statement: "The smaller τ, the nearer the softmax is to the true maximum, so that only hard negatives act on the " +
			"loss; the larger τ, the nearer it is to the uniform distribution.",
		LaTeX:  `\lim_{\tau\to 0} \tau\,\ell_i = \max_j c_{ij} - c_{i,a(i)}, \qquad \lim_{\tau\to\infty} P_{ij} = \frac{1}{2b-1}`,
		Source: "Introduction to contrastive learning (in Chinese), section on the InfoNCE loss",
		Assumptions: []string{
			"rows that are equally near to the anchor, and nearest, share the maximum",
		},
		rests: grounds{objectives: []string{"ssCL"}, constants: []string{"slack"}},
		check: func(s *subject) Finding {
			return temperatureFinding(s, s.objective(pucl.SSCL()), s.constant("slack", 1))
		},
	}
}

// temperatureFinding compares the loss with its limits; the slack of the second is slack·τ·log(2b−1).
func temperatureFinding(s *subject, o pucl.Objective, slack float64) Finding {
	var f Finding
	rng := rand.New(rand.NewPCG(5, 0x51))
	const b = 4
	others := math.Log(2*b - 1)
	batches := lists.Make(20, func(int) theory.GivenBatch { return randomBatch(rng, b) })
	equal := theory.GivenBatch{Z: slices.Repeat([][]float64{{1, 0, 0}}, 2*b), Labeled: batches[0].Labeled,
		Class: batches[0].Class}
	anchors, below, above, far := 0, 0, 0, 0
	var tight float64 // largest used fraction of slack·τ·log(2b−1)
	for _, tau := range []float64{0.02, 0.5, 2, 50} {
		least, most := 1.0, 0.0 // softmax probability of the largest cosine
		all := append(slices.Clone(batches), equal)
		rows := lists.Map(all, func(batch theory.GivenBatch) [][]float64 { return batch.Z })
		losses := must.Get(theory.AnchorLosses(s.eng, o, rows, equal.Labeled, equal.Class, tau))
		for k, batch := range all {
			for i, loss := range losses[k] {
				best, own := math.Inf(-1), cosine(batch.Z[i], batch.Z[(i+b)%(2*b)])
				sum := 0.0
				for j := range batch.Z {
					if j != i {
						best = max(best, cosine(batch.Z[i], batch.Z[j]))
						sum += math.Exp(cosine(batch.Z[i], batch.Z[j]) / tau)
					}
				}
				anchors++
				gap := tau*loss - (best - own)
				below += oneIf(exceeds(-gap, contrastTolerance))
				above += oneIf(exceeds(gap, slack*tau*others+contrastTolerance*min(1, tau)))
				far += oneIf(exceeds(math.Abs(loss-others), 2/tau+contrastTolerance))
				tight = max(tight, gap/(tau*others))
				if k < len(batches) {
					share := math.Exp(best/tau) / sum
					least, most = min(least, share), max(most, share)
				}
			}
		}
		measure(&f, least, "τ = %g: least share of the nearest row in the softmax", tau)
		measure(&f, most, "τ = %g: largest share of it", tau)
	}
	measure(&f, anchors, "anchors and temperatures")
	measure(&f, below, "anchors with τ·ℓ below max c − c_own")
	measure(&f, above, "anchors with τ·ℓ above it by more than τ·log(2b−1)")
	measure(&f, tight, "largest share of τ·log(2b−1) that is taken (all rows equal)")
	measure(&f, far, "anchors with ℓ farther than 2/τ from log(2b−1)")
	f.Number = exactly(tight)
	f.Why = "ℓ = log Σ exp(c_ij/τ) − c_own/τ, and a sum of 2b−1 terms lies between its largest and 2b−1 times that. The " +
		"cosines lie in [−1, 1], so that exp(c/τ) lies within e^(±1/τ), and so does each share of 1/(2b−1) within e^(±2/τ)."
	f.detail("the slope by a negative's similarity is its share P_ij/2b of the softmax: for small τ it is 0 but for the row " +
		"nearest to the anchor, and 0 for all where that is the own view")
	switch {
	case below+far > 0:
		f.undecide("The loss measured leaves its limits at %d of %d anchors: it is not the InfoNCE loss.", below+far, anchors)
	case above > 0 || !agree(tight, slack):
		f.undecide("The loss measured takes up to %.6g of τ·log(2b−1) where %.6g was to be: the loss is not the InfoNCE loss, "+
			"or the bound not the least.", tight, slack)
	default:
		f.conclude(Holds, "τ·ℓ lies above max c − c_own by at most %.4g times τ·log(2b−1), which equal rows take, and ℓ "+
			"within 2/τ of log(2b−1), for all %d anchors.", tight, anchors)
	}
	return f
}
