package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

// dclRateDetail measures with which power of N = M the difference fades, in a world without opposite points and in one where
// the negatives are opposite to the positives, so that the true mean is the floor.
func dclRateDetail(f *Finding) {
	right, up := []float64{1, 0}, []float64{0, 1}
	worlds := []world{
		{theory.Population{Positive: theory.Uniform(right, up), Negative: theory.Uniform(right)}, 0.5},
		{theory.Population{Positive: onAxis(1), Negative: onAxis(0)}, 0.5},
	}
	names := []string{"true mean above the floor", "true mean at the floor"}
	for k, w := range worlds {
		gap := func(n int) float64 { return must.Get(DCLGap(w.Population, w.prior, halfTau, n, n, 1)) }
		power := math.Log(gap(64)/gap(256)) / math.Log(4)
		measure(f, power, "%s: power of 1/N, from N = M = 64 to 256", names[k])
		f.detail("%s: from N = M = 64 to 256 the difference fades like N^(−%.2f)", names[k], power)
	}
}

// dclSmallerDetail looks for something left with M = 1 in worlds smaller than the counterexample.
func dclSmallerDetail(f *Finding, rng *rand.Rand) {
	largest := 0.0
	for range 50 {
		w := randomWorld(rng, 1, 1)
		gap := must.Get(DCLOnePositiveGap(w.Population, w.prior, 1, 1))
		largest = max(largest, math.Abs(gap))
	}
	measure(f, largest, "one point a class, M = 1: largest difference in the limit of 50 worlds")
	f.detail("one point a class, M = 1: v is not random, and in 50 worlds at most %.1g is left in the limit; so three "+
		"atoms are the fewest", largest)
}

// dclBoundDetail holds the difference against the bound of Chuang et al., Theorem 3, at unit temperature and balanced
// classes: e^{3/2}/τ⁻·√(π/2N) + e^{3/2}τ⁺/τ⁻·√(π/2M), with Q = N.
func dclBoundDetail(f *Finding, rng *rand.Rand) {
	largest, broken, cases := 0.0, 0, 0
	for i := range 12 {
		w := randomWorld(rng, 1+rng.IntN(2), 1+rng.IntN(2))
		if i == 0 {
			w.Population = LPosCounterexample()
		}
		for _, n := range []int{1, 4, 16} {
			for _, m := range []int{1, 4, 16} {
				gap := must.Get(DCLGap(w.Population, 0.5, 1, n, m, float64(n)))
				bound := math.Exp(1.5) * (2*math.Sqrt(math.Pi/2/float64(n)) + math.Sqrt(math.Pi/2/float64(m)))
				cases++
				broken += oneIf(exceeds(math.Abs(gap), bound))
				largest = max(largest, math.Abs(gap)/bound)
			}
		}
	}
	measure(f, cases, "bound of Chuang et al., Theorem 3: cases")
	measure(f, broken, "cases that break it")
	measure(f, largest, "largest share of it that is used")
	f.detail("the bound e^{3/2}/τ⁻·√(π/2N) + e^{3/2}τ⁺/τ⁻·√(π/2M) of Chuang et al. (2020), Theorem 3, at τ = 1, Q = N "+
		"and balanced classes: broken in %d of %d cases; at most %.2g of it is used", broken, cases, largest)
}

// dclBatchDetail follows pucl.DCL on whole batches, N = 2b−2 rows in pairs of views, M = 1 and v = x⁺, against the ideal
// loss.
func dclBatchDetail(eng *engine.Engine, f *Finding) {
	w := world{LPosCounterexample(), 0.5}
	m := must.Get(theory.NewMeter(eng, pucl.DCL(pucl.DCLConfig{TauPlus: 0.5}), halfTau))
	defer m.Close()
	text := "pucl.DCL with τ⁺ = π = ½ in a batch of b examples less the ideal loss (3):"
	for _, b := range []int{2, 4, 32} {
		d := theory.Design{Unlabeled: b, Prior: w.prior}
		var r theory.Result
		if b <= 4 {
			r = must.Get(m.Exact(w.Population, d))
		} else {
			r = must.Get(m.MonteCarlo(w.Population, d, theory.Draws{Batches: 4000, Seed: 1}))
		}
		measure(f, r.Bias, "pucl.DCL less the ideal loss, b = %d", b)
		text += fmt.Sprintf(" %s for b = %d,", r.Bias, b)
	}
	// In the limit, with Q = N, only the logarithms of the means over negatives remain.
	limit := w.meanOver(halfTau, func(a theory.Anchor) float64 {
		all := theory.MeanExp(a.All())
		return theory.Mean(a.Own, func(v float64) float64 {
			return math.Log(max((all-a.TauPlus*math.Exp(v))/(1-a.TauPlus), math.Exp(-1/halfTau)))
		}) - math.Log(theory.MeanExp(a.Other))
	})
	measure(f, limit, "pucl.DCL less the ideal loss, b → ∞")
	f.detail("%s and %.6g as b → ∞: one positive an anchor does not become more by larger batches", text, limit)
}
