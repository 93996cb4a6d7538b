package claims

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/lists"
	"github.com/puclab/puclab/theory/internal/must"
)

// DCLEstimate returns the expected loss of one anchor with n draws of all data, m of its class, weight q and
// temperature tau, using tauPlus as the probability of its class.
func DCLEstimate(a theory.Anchor, n, m int, q, tauPlus, tau float64) (loss float64, err error) {
	defer must.Catch(&err)
	if !(tauPlus >= 0 && tauPlus < 1) || !(q > 0) || !(tau > 0) {
		return 0, fmt.Errorf("claims: τ⁺ = %g, Q = %g and τ = %g; τ⁺ must lie from 0 to below 1, the others must be "+
			"positive", tauPlus, q, tau)
	}
	floor := math.Exp(-1 / tau)
	return expectEstimate(a, n, m, func(all, own float64) float64 {
		return contrastLoss(a, q*max(debiasedMean(all, own, tauPlus), floor))
	}), nil
}

// DCLGap returns the mean over a population's anchors of [DCLEstimate] with n and m draws, each with the probability of
// its own class, minus [DCLPopulation].
func DCLGap(p theory.Population, prior, tau float64, n, m int, q float64) (gap float64, err error) {
	defer must.Catch(&err)
	return world{p, prior}.meanOver(tau, func(a theory.Anchor) float64 {
		return must.Get(DCLEstimate(a, n, m, q, a.TauPlus, tau)) - DCLPopulation(a, q)
	}), nil
}

// DCLPopulation returns the loss of one anchor with expectations: the true mean over negatives, with weight q.
func DCLPopulation(a theory.Anchor, q float64) float64 {
	return contrastLoss(a, q*theory.MeanExp(a.Other))
}

// dclSchedule defines M and Q as functions of N, and the τ⁺ of the anchors.
type dclSchedule struct {
	name string
	m    func(n int) int
	q    func(n int) float64
	one  bool    // all anchors use π
	lift float64 // increase of the log of the floor
}

func weightOne(int) float64      { return 1 }
func weightN(n int) float64      { return float64(n) }
func asManyAsN(n int) int        { return n }
func always(m int) func(int) int { return func(int) int { return m } }

var (
	dclFixed = []dclSchedule{ // M stays
		{"M = 1, Q = 1", always(1), weightOne, false, 0},
		{"M = 1, Q = N", always(1), weightN, false, 0},
		{"M = 4, Q = 1", always(4), weightOne, false, 0},
	}
	dclGrowing = []dclSchedule{ // M grows
		{"M = N, Q = 1", asManyAsN, weightOne, false, 0},
		{"M = N, Q = N", asManyAsN, weightN, false, 0},
		{"M = N, Q = 1, one τ⁺ = π for all anchors", asManyAsN, weightOne, true, 0},
	}
)

// tauPlus returns the τ⁺ that an anchor uses.
func (s dclSchedule) tauPlus(w world, a theory.Anchor) float64 {
	if s.one {
		return w.prior
	}
	return a.TauPlus
}

// negativeEstimate estimates E_{p⁻} e^s from means over all data and over the own class.
type negativeEstimate func(all, own, tauPlus float64) float64

// dclOff returns the mean, over the draws of a schedule with n negatives, of take(loss − loss with expectations). With
// the identity as take it is the difference of the losses; with [math.Abs] nothing cancels.
func dclOff(w world, s dclSchedule, n int, tau float64, estimate negativeEstimate, take func(float64) float64) float64 {
	floor, q := math.Exp(s.lift-1/tau), s.q(n)
	return w.meanOver(tau, func(a theory.Anchor) float64 {
		truth, tauPlus := theory.MeanExp(a.Other), s.tauPlus(w, a)
		inverse := lists.Map(a.Own, func(s theory.Encounter) float64 { return math.Exp(-s.S) })
		return expectEstimate(a, n, s.m(n), func(all, own float64) float64 {
			guess, sum := max(estimate(all, own, tauPlus), floor), 0.0
			for i, e := range inverse {
				sum += a.Own[i].P * take(math.Log((1+q*guess*e)/(1+q*truth*e)))
			}
			return sum
		})
	})
}

func asItIs(x float64) float64 { return x }

// dclLimitDifference returns the limit of the difference for N → ∞ with M fixed: the mean over all data is its
// expectation, while the mean over the own class is still over M draws. For Q = N, N must be large.
func dclLimitDifference(w world, s dclSchedule, tau float64, estimate negativeEstimate) float64 {
	const endless = 1 << 40
	floor, q := math.Exp(s.lift-1/tau), s.q(endless)
	return w.meanOver(tau, func(a theory.Anchor) float64 {
		all := theory.MeanExp(a.All())
		loss := must.Get(theory.ExpectMeanExp(a.Own, s.m(endless), func(own float64) float64 {
			return contrastLoss(a, q*max(estimate(all, own, s.tauPlus(w, a)), floor))
		}))
		return loss - DCLPopulation(a, q)
	})
}

// dclExpectedOff returns the limit of dclOff with [math.Abs] as N and M tend to infinity: both means are their
// expectations.
func dclExpectedOff(w world, s dclSchedule, tau float64, estimate negativeEstimate) float64 {
	const endless = 1 << 40
	floor, q := math.Exp(s.lift-1/tau), s.q(endless)
	return w.meanOver(tau, func(a theory.Anchor) float64 {
		truth := theory.MeanExp(a.Other)
		guess := max(estimate(theory.MeanExp(a.All()), theory.MeanExp(a.Own), s.tauPlus(w, a)), floor)
		return theory.Mean(a.Own, func(s float64) float64 {
			return math.Abs(math.Log((1 + q*guess*math.Exp(-s)) / (1 + q*truth*math.Exp(-s))))
		})
	})
}

// DCLOnePositiveGap returns the limit, for N → ∞, of the loss with M = 1, weight q and temperature tau minus the one
// with expectations: v remains random.
func DCLOnePositiveGap(p theory.Population, prior, tau, q float64) (gap float64, err error) {
	defer must.Catch(&err)
	if !(prior > 0 && prior < 1) || !(q > 0) {
		return 0, fmt.Errorf("claims: π = %g and Q = %g; π must lie between 0 and 1, so that there are both classes, and "+
			"Q be positive", prior, q)
	}
	schedule := dclSchedule{m: always(1), q: func(int) float64 { return q }}
	return dclLimitDifference(world{p, prior}, schedule, tau, debiasedMean), nil
}

// debiasedMean returns (E_p − τ⁺E_{p⁺})/τ⁻.
func debiasedMean(all, own, tauPlus float64) float64 { return (all - tauPlus*own) / (1 - tauPlus) }

// expectEstimate returns E[f(mean over n draws of all data, mean over m draws of the own class)] for one anchor.
func expectEstimate(a theory.Anchor, n, m int, f func(all, own float64) float64) float64 {
	return must.Get(theory.ExpectMeanExp(a.All(), n, func(all float64) float64 {
		return must.Get(theory.ExpectMeanExp(a.Own, m, func(own float64) float64 { return f(all, own) }))
	}))
}
