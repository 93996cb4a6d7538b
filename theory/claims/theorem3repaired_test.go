package claims

import (
	"math/big"
	"testing"

	"github.com/puclab/puclab/theory"
)

func TestTheorem3RepairedVerdict(t *testing.T) {
	c, err := Theorem3Repaired().Check(nil)
	if err != nil || c.Verdict != Holds {
		t.Fatalf("%s, %v", c, err)
	}
	near(t, "number", c.Number.Value, 5*513/516.0, 1e-15) // 5w/(w+4) over w/(w+1)
	for _, m := range c.Measured {
		t.Log(m.Name, m.Value)
	}
	// k is a constant of the seeding: with a far negative the rounds leave less.
	if after := c.Measured[len(c.Measured)-1].Value.Value; !(after < 0.8) {
		t.Errorf("after all rounds a share of %g of k Δ(positives) is left", after)
	}
}

// Positives at 0 and 2, one labeled, a negative at 10: the rounds part the negative from the positives, whose spread is 2, but where
// the label is at 2 and the seed at 0, with probability 4/68. There the negative stays with the label, each 4 from their mean.
func TestSettledPotentialByHand(t *testing.T) {
	got := overChoices(theory.RationalLine(0, 2), theory.RationalLine(10), 1, settledPotential)
	label2 := plus(times(big.NewRat(64, 68), whole(2)), times(big.NewRat(4, 68), whole(32)))
	if want := times(big.NewRat(1, 2), plus(whole(2), label2)); got.Cmp(want) != 0 {
		t.Errorf("%s, want %s", got.RatString(), want.RatString())
	}
}

// Positives at 0 and 2, one labeled, a negative at 10: with the label at 0 the seed is 2 with probability 4/104, and then the
// negative costs 64; else the hidden positive costs 4. With the label at 2 the same with 6 for 10 from the other side.
func TestOverLabelsByHand(t *testing.T) {
	got := (&subject{}).overLabels(theory.RationalLine(0, 2), theory.RationalLine(10), 1)
	first := plus(times(big.NewRat(4, 104), whole(64)), times(big.NewRat(100, 104), whole(4)))
	second := plus(times(big.NewRat(4, 68), whole(64)), times(big.NewRat(64, 68), whole(4)))
	if want := times(big.NewRat(1, 2), plus(first, second)); got.Cmp(want) != 0 {
		t.Errorf("%s, want %s", got.RatString(), want.RatString())
	}
	worst := &subject{plant: Plant{assumption: uniformLabels}}
	if got := worst.overLabels(theory.RationalLine(0, 2), theory.RationalLine(10), 1); got.Cmp(second) != 0 {
		t.Errorf("worst: %s, want %s", got.RatString(), second.RatString())
	}
	even := &subject{plant: Plant{assumption: squaredDistance}}
	if got := even.seedingPotentials(theory.RationalLine(0), theory.RationalLine(2, 10)); got.constrained.Cmp(whole(34)) != 0 ||
		got.free.Cmp(whole(34)) != 0 { // (64 + 4)/2
		t.Errorf("drawn evenly: %s and %s, want 34", got.constrained.RatString(), got.free.RatString())
	}
}
