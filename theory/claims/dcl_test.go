package claims

import (
	"math"
	"math/big"
	"testing"

	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/theory"
)

func TestDCLDecompositionHolds(t *testing.T) {
	c, err := check(t, DCLDecomposition())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Corrected == "" || c.Number.Value != 0 || c.Counterexample != "" {
		t.Errorf("%s; %q", c, c.Counterexample)
	}
	f := c.Finding
	near(t, "DCL in proportion", value(t, f, "pucl.DCL on a batch in proportion less the loss with true negatives"), 0, 1e-13)
	if got := value(t, f, "cases that differ, τ⁺ that of the other class"); !(got > 1800) {
		t.Errorf("one τ⁺ is wrong in %g cases only", got)
	}
	near(t, "balanced", value(t, f, "of these with balanced classes"), 0, 0)

	// One τ⁺ = 1/10 for a negative anchor at +1: E_p = 2/10 + (9/10)(5/4) = 53/40, E_{p⁺} = 5/4, so the formula says 4/3 for 2;
	// at −1 E_p = 1/20 + 9/8 = 47/40 and it says 7/6 for ½. The loss is log(1 + g/2)/2 + log(1 + 2g)/2.
	loss := func(g float64) float64 { return (math.Log1p(g/2) + math.Log1p(2*g)) / 2 }
	near(t, "one τ⁺", value(t, f, "π = 0.1, one τ⁺ = π: loss of negative anchors less the true one"),
		(loss(4.0/3)-loss(2)+loss(7.0/6)-loss(0.5))/2, 1e-14)

	near(t, "bias without the floor", value(t, f, "means of 4 and 2 draws: largest bias without the floor"), 0, 1e-13)
	if got := value(t, f, "means of 4 and 2 draws: least bias with the floor"); got < -1e-13 {
		t.Errorf("the floor takes %g from an estimate", got)
	}
	if got := value(t, f, "least ratio of the true mean to the floor"); got < 1-1e-14 {
		t.Errorf("the floor cuts a true mean, which is %g of it", got)
	}
	// v always at the anchor: 2E_p − 2 for 2E_p − E_{p⁺}, which is 5/4 for the positive anchors and 2 for the negative ones.
	near(t, "v at the anchor", value(t, f, "first world: bias if v is always at the anchor's point"), -0.5*0.75, 1e-13)
	floored, none, logged := firstWorld()
	near(t, "bias with the floor", value(t, f, "first world: bias with the floor"), floored, 1e-13)
	near(t, "no logarithm", value(t, f, "first world: chance of an estimate that is not positive"), none, 1e-13)
	near(t, "bias of the logarithm", value(t, f, "first world: bias of the logarithm with the floor"), logged, 1e-13)

	near(t, "ssCL", value(t, f, "two examples at one point, τ = ½: ssCL"), math.Log(3), 1e-14)
	near(t, "rewritten", value(t, f, "two examples at one point, τ = ½: the same with z·z for exp z·z"),
		math.Log(2+2*math.Exp(2))-2, 1e-14)
}

// firstWorld goes through all sequences of four draws of all data and two of the own class for positives at ±1, negatives at
// +1, π = ½, e^s one of 2 and ½.
func firstWorld() (floored, none, logged float64) {
	for _, anchor := range []struct{ p, chance, own, truth float64 }{
		// A draw of all data is at +1 with probability ¾. Seen from +1 it has e^s = 2 there, seen from −1 it has ½.
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
	f := dclDecompositionFinding(&subject{eng: openEngine(t)}, func(all, own, tauPlus *big.Rat) *big.Rat { // not divided by τ⁻
		part := new(big.Rat).Mul(tauPlus, own)
		return part.Sub(all, part)
	})
	if f.Verdict != Fails || !(f.Number.Value > 1900) || f.Counterexample == "" {
		t.Errorf("%s: %s; %q", f.Verdict, f.Sentence, f.Counterexample)
	}
	if got := value(t, f, "means of 4 and 2 draws: largest bias without the floor"); !(got > 0.1) {
		t.Errorf("the bias of a wrong formula is %g", got)
	}
}

// onePositive returns the limit for M = 1 in the counterexample, anchor by anchor, all by hand: E_p e^s is 13/8 seen from +1 and
// 7/8 from −1, v and x⁺ have e^s = 2 or ½ with probability ½ for a positive anchor, and 2 for a negative one.
func onePositive(q float64) float64 {
	loss := func(g float64) float64 { return (math.Log1p(q*g/2) + math.Log1p(2*q*g)) / 2 } // over x⁺
	atPlus := (loss(2*13/8.0-2)+loss(2*13/8.0-0.5))/2 - loss(2)
	atMinus := (loss(0.5)+loss(2*7/8.0-0.5))/2 - loss(0.5) // 7/4 − 2 is below the floor ½
	// For the negative anchor v is always at +1, and 13/4 − 2 = 5/4 is right.
	return atPlus/4 + atMinus/4
}

func TestDCLLimitIsConditional(t *testing.T) {
	c, err := check(t, DCLLimit())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Counterexample == "" || c.Corrected == "" {
		t.Errorf("%s", c)
	}
	f := c.Finding
	near(t, "limit with M = 1", c.Number.Value, onePositive(1), 1e-13)
	near(t, "N = 256", value(t, f, "M = 1, Q = 1: difference in the counterexample, N = 256"), onePositive(1), 2e-3)
	for _, name := range []string{"M = N, Q = 1", "M = N, Q = N"} {
		if got := value(t, f, name+": worlds where the mean size of the difference does not fade"); got != 0 {
			t.Errorf("%s: the difference stays in %g worlds", name, got)
		}
	}
	if got := value(t, f, "M = N, Q = 1, one τ⁺ = π for all anchors: worlds where the mean size of the difference does not "+
		"fade"); !(got > 2) {
		t.Errorf("one τ⁺ for all anchors leaves a difference in %g worlds only", got)
	}
	near(t, "power at the floor", value(t, f, "true mean at the floor: power of 1/N, from N = M = 64 to 256"), 0.5, 0.05)
	near(t, "power above the floor", value(t, f, "true mean above the floor: power of 1/N, from N = M = 64 to 256"), 1, 0.05)
	if got := value(t, f, "cases that break it"); got != 0 {
		t.Errorf("the bound of Theorem 3 is broken in %g cases", got)
	}
	// With Q = N → ∞ only the logarithms of the means over negatives remain.
	log := func(x float64) float64 { return math.Log(x) }
	near(t, "b → ∞", value(t, f, "pucl.DCL less the ideal loss, b → ∞"),
		((log(1.25)+log(2.75))/2-log(2))/4+((log(0.5)+log(1.25))/2-log(0.5))/4, 1e-13)
}

func TestDCLLimitFollowsTheNumbers(t *testing.T) {
	// An estimate that leaves the own class in misses whatever M.
	biased := dclLimitFinding(&subject{}, func(all, _, _ float64) float64 { return all })
	if biased.Verdict != Fails {
		t.Errorf("%s: %s", biased.Verdict, biased.Sentence)
	}
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
	got, err := DCLEstimate(a, 1, 1, q, tauPlus, tau)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "estimate", got, want, 1e-14)
	_, err = DCLEstimate(a, 1, 0, q, tauPlus, tau)
	wantError(t, "no positives", err, "0 draws")
	_, err = DCLEstimate(a, 0, 1, q, tauPlus, tau)
	wantError(t, "no draws", err, "0 draws")
	_, err = DCLEstimate(a, 1, 1, q, 1, tau)
	wantError(t, "τ⁺", err, "τ⁺ = 1")
	_, err = DCLOnePositiveGap(LPosCounterexample(), 1, tau, q)
	wantError(t, "prior", err, "π = 1")
	population := 0.0
	for _, x := range a.Own {
		population += x.P * math.Log(1+q*(0.1*math.Exp(-0.5)+0.9*math.Exp(1))/math.Exp(x.S))
	}
	near(t, "population", DCLPopulation(a, q), population, 1e-14)
}

// Where nothing is random, the estimate is the loss of pucl.DCL on a batch.
func TestDCLEstimateIsThatOfDCL(t *testing.T) {
	const tau, tauPlus = 0.5, 0.3
	same := []float64{1, 0}
	left, up := []float64{-1, 0}, []float64{0, 1}
	batch := [][]float64{same, up, same, up} // one anchor at (1, 0) with its view, and both rows of the other example at (0, 1)
	losses, err := theory.AnchorLosses(openEngine(t), pucl.DCL(pucl.DCLConfig{TauPlus: tauPlus}), [][][]float64{batch, {same,
		left, same, left}}, make([]bool, 2), nil, tau)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range []float64{0, -2} {
		a := theory.Anchor{TauPlus: 0, Own: []theory.Encounter{{S: 2, P: 1}}, Other: []theory.Encounter{{S: s, P: 1}}}
		got, err := DCLEstimate(a, 2, 1, 2, tauPlus, tau)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "loss", got, losses[k][0], 1e-13)
	}
}
