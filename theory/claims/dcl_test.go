package claims

import (
	"math"
	"math/big"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestDCLDecompositionHolds(t *testing.T) {
	c := check(t, DCLDecomposition())
	expect.That(t, c.Verdict == Conditional && c.Corrected != "" && c.Number.Value == 0 && c.Counterexample == "",
		"%s; %q", c, c.Counterexample)
	f := c.Finding
	measured(t, f, "pucl.DCL on a batch in proportion less the loss with true negatives", 0, 1e-13)
	got := value(t, f, "cases that differ, τ⁺ that of the other class")
	expect.That(t, got > 1800, "one τ⁺ is wrong in %g cases only", got)
	measured(t, f, "of these with balanced classes", 0, 0)

	// One τ⁺ = 1/10 for a negative anchor at +1: E_p = 2/10 + (9/10)(5/4) = 53/40, E_{p⁺} = 5/4, so the formula gives
	// 4/3 instead of 2. At −1 E_p = 1/20 + 9/8 = 47/40 and it gives 7/6 instead of ½. The loss is log(1 + g/2)/2 +
	// log(1 + 2g)/2.
	loss := func(g float64) float64 { return (math.Log1p(g/2) + math.Log1p(2*g)) / 2 }
	near(t, "one τ⁺", value(t, f, "π = 0.1, one τ⁺ = π: loss of negative anchors less the true one"),
		(loss(4.0/3)-loss(2)+loss(7.0/6)-loss(0.5))/2, 1e-14)

	measured(t, f, "means of 4 and 2 draws: largest bias without the floor", 0, 1e-13)
	if got := value(t, f, "means of 4 and 2 draws: least bias with the floor"); got < -1e-13 {
		t.Errorf("the floor takes %g from an estimate", got)
	}
	if got := value(t, f, "least ratio of the true mean to the floor"); got < 1-1e-14 {
		t.Errorf("the floor cuts a true mean, which is %g of it", got)
	}
	// v always at the anchor: 2E_p − 2 instead of 2E_p − E_{p⁺}, where E_{p⁺} is 5/4 for the positive anchors and 2 for
	// the negative ones.
	measured(t, f, "first world: bias if v is always at the anchor's point", -0.5*0.75, 1e-13)
	floored, none, logged := firstWorld()
	measured(t, f, "first world: bias with the floor", floored, 1e-13)
	measured(t, f, "first world: chance of an estimate that is not positive", none, 1e-13)
	measured(t, f, "first world: bias of the logarithm with the floor", logged, 1e-13)

	measured(t, f, "two examples at one point, τ = ½: ssCL", math.Log(3), 1e-14)
	near(t, "rewritten", value(t, f, "two examples at one point, τ = ½: the same with z·z for exp z·z"),
		math.Log(2+2*math.Exp(2))-2, 1e-14)
}

// firstWorld enumerates all sequences of four draws of all data and two of the own class for positives at ±1, negatives
// at +1, π = ½, e^s = 2 or ½.
func firstWorld() (floored, none, logged float64) {
	for _, anchor := range []struct{ p, chance, own, truth float64 }{
		// A draw of all data is at +1 with probability ¾. For an anchor at +1 it then has e^s = 2, for one at −1 it has
		// ½.
		{0.25, 0.75, 0.5, 2}, {0.25, 0.25, 0.5, 0.5}, {0.5, 0.75, 1, 1.25},
	} {
		for draws := range 64 {
			p, all, own := 1.0, 0.0, 0.0
			for k := range 6 {
				near := draws>>k&1 == 1
				e, chance := 0.5, anchor.chance
				if k >= 4 {
					chance = anchor.own
				}
				if near {
					e, p = 2, p*chance
				} else {
					p *= 1 - chance
				}
				if k < 4 {
					all += e / 4
				} else {
					own += e / 2
				}
			}
			estimate := 2*all - own
			if estimate <= 0 {
				none += anchor.p * p
			}
			floored += anchor.p * p * (max(estimate, 0.5) - anchor.truth)
			logged += anchor.p * p * (math.Log(max(estimate, 0.5)) - math.Log(anchor.truth))
		}
	}
	return floored, none, logged
}

func TestDCLDecompositionFollowsTheNumbers(t *testing.T) {
	f := dclDecompositionFinding(onBench(t), func(all, own, tauPlus *big.Rat) *big.Rat { // not divided by τ⁻
		part := new(big.Rat).Mul(tauPlus, own)
		return part.Sub(all, part)
	})
	expect.That(t, f.Verdict == Fails && f.Number.Value > 1900 && f.Counterexample != "",
		"%s: %s; %q", f.Verdict, f.Sentence, f.Counterexample)
	got := value(t, f, "means of 4 and 2 draws: largest bias without the floor")
	expect.That(t, got > 0.1, "the bias of a wrong formula is %g", got)
}

// onePositive returns the limit for M = 1 in the counterexample, calculated by hand for each anchor. E_p e^s is 13/8
// for an anchor at +1 and 7/8 for one at −1. v and x⁺ have e^s = 2 or ½ with probability ½ for a positive anchor, and 2
// for a negative one.
func onePositive(q float64) float64 {
	loss := func(g float64) float64 { return (math.Log1p(q*g/2) + math.Log1p(2*q*g)) / 2 } // over x⁺
	atPlus := (loss(2*13/8.0-2)+loss(2*13/8.0-0.5))/2 - loss(2)
	atMinus := (loss(0.5)+loss(2*7/8.0-0.5))/2 - loss(0.5) // 7/4 − 2 is below the floor ½
	// For the negative anchor v is always at +1, and 13/4 − 2 = 5/4 is correct.
	return atPlus/4 + atMinus/4
}

func TestDCLLimitIsConditional(t *testing.T) {
	c := check(t, DCLLimit())
	expect.That(t, c.Verdict == Conditional && c.Counterexample != "" && c.Corrected != "", "%s", c)
	f := c.Finding
	near(t, "limit with M = 1", c.Number.Value, onePositive(1), 1e-13)
	measured(t, f, "M = 1, Q = 1: difference in the counterexample, N = 256", onePositive(1), 2e-3)
	for _, name := range []string{"M = N, Q = 1", "M = N, Q = N"} {
		expect.Equal(t, value(t, f, name+": worlds where the mean size of the difference does not fade"),
			0, "%s: the difference stays in some worlds", name)
	}
	got := value(t, f, "M = N, Q = 1, one τ⁺ = π for all anchors: worlds where the mean size of the difference does not "+
		"fade")
	expect.That(t, got > 2, "one τ⁺ for all anchors leaves a difference in %g worlds only", got)
	measured(t, f, "true mean at the floor: power of 1/N, from N = M = 64 to 256", 0.5, 0.05)
	measured(t, f, "true mean above the floor: power of 1/N, from N = M = 64 to 256", 1, 0.05)
	expect.Equal(t, value(t, f, "cases that break it"), 0, "the bound of Theorem 3 is broken in some cases")
	// With Q = N → ∞ only the logarithms of the means over negatives remain.
	log := func(x float64) float64 { return math.Log(x) }
	near(t, "b → ∞", value(t, f, "pucl.DCL less the ideal loss, b → ∞"),
		((log(1.25)+log(2.75))/2-log(2))/4+((log(0.5)+log(1.25))/2-log(0.5))/4, 1e-13)
}

func TestDCLLimitFollowsTheNumbers(t *testing.T) {
	expect.Slow(t)
	// An estimate that keeps the own class is wrong for every M.
	biased := dclLimitFinding(onBench(t), func(all, _, _ float64) float64 { return all })
	expect.That(t, biased.Verdict == Fails, "%s: %s", biased.Verdict, biased.Sentence)
}

// With one draw for each mean and M = 1, by loops.
func TestDCLEstimateAgainstLoops(t *testing.T) {
	const tau, q, tauPlus = 0.8, 3.0, 0.3
	a := theory.Anchor{
		TauPlus: 0.4,
		Own:     []theory.Encounter{{S: 0.2, P: 0.6}, {S: -1, P: 0.4}},
		Other:   []theory.Encounter{{S: -0.5, P: 0.1}, {S: 1, P: 0.9}},
	}
	want := 0.0
	for _, x := range a.Own {
		for _, v := range a.Own {
			for _, u := range a.Own {
				for _, w := range a.Other {
					for _, all := range []theory.Encounter{{S: u.S, P: 0.4 * u.P * w.P}, {S: w.S, P: 0.6 * u.P * w.P}} {
						g := max((math.Exp(all.S)-tauPlus*math.Exp(v.S))/(1-tauPlus), math.Exp(-1/tau))
						want += x.P * v.P * all.P * math.Log((math.Exp(x.S)+q*g)/math.Exp(x.S))
					}
				}
			}
		}
	}
	got := expect.Must(DCLEstimate(a, 1, 1, q, tauPlus, tau))(t)
	near(t, "estimate", got, want, 1e-14)
	wantError(t, "no positives", expect.Err(DCLEstimate(a, 1, 0, q, tauPlus, tau)), "0 draws")
	wantError(t, "no draws", expect.Err(DCLEstimate(a, 0, 1, q, tauPlus, tau)), "0 draws")
	wantError(t, "τ⁺", expect.Err(DCLEstimate(a, 1, 1, q, 1, tau)), "τ⁺ = 1")
	wantError(t, "prior", expect.Err(DCLOnePositiveGap(LPosCounterexample(), 1, tau, q)), "π = 1")
	population := 0.0
	for _, x := range a.Own {
		population += x.P * math.Log(1+q*(0.1*math.Exp(-0.5)+0.9*math.Exp(1))/math.Exp(x.S))
	}
	near(t, "population", DCLPopulation(a, q), population, 1e-14)
}

// Without randomness the estimate equals the loss of pucl.DCL on a batch.
func TestDCLEstimateIsThatOfDCL(t *testing.T) {
	const tau, tauPlus = 0.5, 0.3
	same := []float64{1, 0}
	left, up := []float64{-1, 0}, []float64{0, 1}
	batch := [][]float64{same, up, same, up} // one anchor at (1, 0) with its view, and both rows of the other example at (0, 1)
	losses, err := theory.AnchorLosses(openEngine(t), pucl.DCL(pucl.DCLConfig{TauPlus: tauPlus}), [][][]float64{batch, {same,
		left, same, left}}, make([]bool, 2), nil, tau)
	expect.NoError(t, err)
	for k, s := range []float64{0, -2} {
		a := theory.Anchor{TauPlus: 0, Own: []theory.Encounter{{S: 2, P: 1}}, Other: []theory.Encounter{{S: s, P: 1}}}
		got := expect.Must(DCLEstimate(a, 2, 1, 2, tauPlus, tau))(t)
		near(t, "loss", got, losses[k][0], 1e-13)
	}
}

func TestDCLLimitRepairedVerdict(t *testing.T) {
	c := checkAs(t, Holds, DCLLimitRepaired())
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
	// At (1, 0) the mean over v is 2 or 1 and g = 2 + 1.5 − v, so 1.5 or 2.5 instead of 2. At (0, 1) v is 1 or 2 and g
	// is ½ or 1½ instead of 1.
	log := func(g, e float64) float64 { return math.Log1p(g / e) }
	first := (log(1.5, 2)+log(2.5, 2)+log(1.5, 1)+log(2.5, 1))/4 - (log(2, 2)+log(2, 1))/2
	second := (log(0.5, 1)+log(1.5, 1)+log(0.5, 2)+log(1.5, 2))/4 - (log(1, 1)+log(1, 2))/2
	near(t, "left at M = 1", c.Number.Value, (first+second)/4, 1e-12) // half of the anchors are negatives, for which v is constant
}

// At M = 1 the gap is 0 for a population in which the floor raises the loss as much as Jensen's inequality lowers it.
// This holds although s(x, ·) is not constant on p⁺ and the mean over negatives, 1 at every anchor, lies above the
// floor, ½. From some M on the gap is not 0.
func TestDCLLimitAtAFewPositives(t *testing.T) {
	w := world{dclFloored(), dclEvenPrior()}
	near(t, "above the floor", w.meanOver(halfTau, func(a theory.Anchor) float64 { return theory.MeanExp(a.Other) }), 1, 1e-12)
	left := func(m int) float64 {
		return dclLimitDifference(w, dclSchedule{m: always(m), q: weightOne}, halfTau, debiasedMean)
	}
	near(t, "left at M = 1", left(1), 0, 1e-12)
	rate := dclRate(w, halfTau)
	expect.That(t, rate > 0.01 && left(64) < -rate/128, "w = %g, left at M = 64: %g", rate, left(64))
	for _, side := range []float64{0.1, 0.9} {
		gap := expect.Must(DCLOnePositiveGap(dclFloored(), side, halfTau, 1))(t)
		expect.That(t, (gap < 0) == (side < 0.5), "π = %g: %g", side, gap)
	}
}

// The classes of onePoint are constant.
func TestDCLRateOfOnePoint(t *testing.T) {
	near(t, "w", dclRate(onePoint(), 1), 0, 0)
	expect.That(t, !aboveFloor(world{TwoPoints(), 0.5}, 1), "of opposite points the mean over negatives is the floor")
}
