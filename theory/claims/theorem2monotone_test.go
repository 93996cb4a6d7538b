package claims

import (
	"math/big"
	"strings"
	"testing"
)

func TestTheorem2MonotoneVerdict(t *testing.T) {
	c, err := check(t, Theorem2Monotone())
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Conditional || c.Corrected == "" || !strings.Contains(c.Sentence, "only for a fixed number of "+
		"examples in all") {
		t.Errorf("%s; corrected: %s", c, c.Corrected)
	}
	// 2·3·2/(5·16) = 3/20 for three labeled examples and one unlabeled, 2·4·3/(7·25) = 24/175 for four.
	near(t, "number", c.Number.Value, 24.0/175-3.0/20, 1e-15)
	if !strings.Contains(c.Counterexample, "3/20 = 0.15000 falls to 24/175 = 0.13714, by 9/700") {
		t.Error(c.Counterexample)
	}
	for name, want := range map[string]float64{
		"signs, m = 3, u = 1: Δσ of the loss":                                                        3.0 / 20,
		"signs, m = 4, u = 1: Δσ of the loss":                                                        24.0 / 175,
		"largest difference of these to the formula searched":                                        0,
		"identical views, m = 1, u = 4: Δσ of the loss":                                              0,
		"falls of E Δσ as the rate of labels grows from 0.1 to 0.9, batches of 2 to 8, in rationals": 0,
	} {
		near(t, name, findMeasured(t, c.Finding, name), want, 1e-12)
	}
	// Without independent views the gain is a loss, so that it does not grow from m = 1 on.
	if gap := findMeasured(t, c.Finding, "identical views, m = 2, u = 3: Δσ of the loss"); gap > -0.04 {
		t.Errorf("identical views: Δσ = %g", gap)
	}
}

// Other formulas get other verdicts, and one that is not what the losses do decides nothing.
func TestTheorem2MonotoneVerdictFollowsTheNumbers(t *testing.T) {
	printed := func(m, _ int64) *big.Rat { // 1 − 1/n_PL, for n_PL = m
		if m == 0 {
			return new(big.Rat)
		}
		return big.NewRat(m-1, m)
	}
	// 1 − 1/m does not fall at a fixed number of unlabeled examples, nor at a fixed number in all; among any numbers it does,
	// since γ may grow while m gets less.
	f := searchedMonotone(printed)
	if f.Verdict != Conditional || !strings.Contains(f.Sentence, "unlabeled examples and a fixed number of examples "+
		"in all") || !strings.Contains(f.Sentence, "the theorem does not exclude") {
		t.Errorf("printed: %s: %s", f.Verdict, f.Sentence)
	}
	ratio := func(m, u int64) *big.Rat {
		if u == 0 {
			return big.NewRat(1000*m, 1) // stands for infinity
		}
		return big.NewRat(m, u)
	}
	f = searchedMonotone(ratio)
	if f.Verdict != Holds || f.Counterexample != "" || f.Number.Value != 0 {
		t.Errorf("γ itself: %s: %s", f.Verdict, f.Sentence)
	}
	f = searchedMonotone(func(m, u int64) *big.Rat { return new(big.Rat).Neg(ratio(m, u)) })
	if f.Verdict != Fails {
		t.Errorf("−γ: %s: %s", f.Verdict, f.Sentence)
	}
	f = theorem2MonotoneFinding(&subject{eng: openEngine(t)}, printed)
	if f.Verdict != Undecided || f.Counterexample != "" {
		t.Errorf("a formula that the losses do not follow: %s: %s", f.Verdict, f.Sentence)
	}
}

// A formula that falls once: two labeled examples and one unlabeled one have less than one and one.
func TestSearchMonotoneFindsTheSmallest(t *testing.T) {
	share := func(m, u int64) *big.Rat {
		if m == 1 && u == 1 {
			return big.NewRat(5, 1)
		}
		return big.NewRat(m, u)
	}
	pairs, broken, smallest := searchMonotone(share, 3, monotoneReadings[0].allows)
	// u = 1: m = 0, 1, 2; u = 2: m = 0, 1: three pairs and one, of which (2, 1) against (1, 1) falls.
	if pairs != 4 || broken != 1 || smallest == nil || *smallest != (fallingPair{2, 1, 1, 1}) {
		t.Errorf("%d pairs, %d broken, %v", pairs, broken, smallest)
	}
	if falls := randomLabelsFalling(func(m, u int64) *big.Rat { return big.NewRat(-m, 1) }, 3); falls != 16 {
		t.Errorf("the mean of −m falls %d times, want twice eight", falls)
	}
}
