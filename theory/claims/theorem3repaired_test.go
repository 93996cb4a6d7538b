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
}

// Positives at 0 and 2, one labeled, a negative at 10: with the label at 0 the seed is 2 with probability 4/104, and then the
// negative costs 64; else the hidden positive costs 4. With the label at 2 the same with 6 for 10 from the other side.
func TestLabelMeanByHand(t *testing.T) {
	got := labelMean(theory.RationalLine(0, 2), theory.RationalLine(10), 1, false, false)
	first := plus(times(big.NewRat(4, 104), whole(64)), times(big.NewRat(100, 104), whole(4)))
	second := plus(times(big.NewRat(4, 68), whole(64)), times(big.NewRat(64, 68), whole(4)))
	if want := times(big.NewRat(1, 2), plus(first, second)); got.Cmp(want) != 0 {
		t.Errorf("%s, want %s", got.RatString(), want.RatString())
	}
	if got := labelMean(theory.RationalLine(0, 2), theory.RationalLine(10), 1, true, false); got.Cmp(second) != 0 {
		t.Errorf("worst: %s, want %s", got.RatString(), second.RatString())
	}
	evenly := seedingBy(true, theory.RationalLine(0), theory.RationalLine(2, 10))
	if want := times(big.NewRat(1, 2), whole(64+4)); evenly.constrained.Cmp(want) != 0 || evenly.free.Cmp(want) != 0 {
		t.Errorf("evenly: %s, want %s", evenly.constrained.RatString(), want.RatString())
	}
}
