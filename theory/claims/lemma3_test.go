package claims

import (
	"math/big"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
)

func TestLemma3(t *testing.T) {
	c := checked(t, Lemma3())
	if c.Verdict != Fails || c.Corrected == "" {
		t.Errorf("%s; corrected %q", c, c.Corrected)
	}
	for _, want := range []string{"labeled {1}, unlabeled {0, 0, 6}", "100/27, the right side 32/9",
		"in 4 of 4 readings"} { // by hand below
		if !strings.Contains(c.Counterexample, want) {
			t.Errorf("counterexample %q lacks %q", c.Counterexample, want)
		}
	}
	if !strings.Contains(strings.Join(c.Details, "\n"), "labeled {0}, unlabeled {1, 2}: the expected potential is 1, "+
		"the right side 0") {
		t.Errorf("details %q", c.Details)
	}
	// One label at 0, n at 1 and one at r = 100: the left side as for Theorem 3; C* = {n/(n+1), r} leaves n/(n+1)².
	n, r := 100.0, 100.0
	left := (r*r*n + n*(r-1)*(r-1)) / (n + r*r)
	near(t, "number", c.Number.Value, left/(16*n/((n+1)*(n+1))), 1e-12)
	labeled, unlabeled := theory.RationalLine(0), theory.RationalLine(100) // of all readings it is the least
	for range 100 {
		unlabeled = append(unlabeled, theory.RationalLine(1)...)
	}
	sides := measureLemma3(labeled, unlabeled)
	for _, r := range lemma3Readings() {
		bound := decimal(printedLemma3(sides.labeledTerm, r.right(sides)))
		if ratio := decimal(r.left(sides)) / bound; !(ratio >= c.Number.Value*(1-1e-12)) {
			t.Errorf("%s: ratio %g, below %g", r.name, ratio, c.Number.Value)
		}
	}
	for _, name := range []string{"corrected bound: cases above it", "corrected bound: cases above the sharper φ(A) + " +
		"φ(A∖L) + 5Δ(B)"} {
		near(t, name, measuredAs(t, c.Finding, name), 0, 0)
	}
}

// Label at 1, so μ_P = 1; the unlabeled 0, 0 and 6 have weights 1, 1 and 25. From a 0 the 6 costs 25; from the 6 the zeros
// cost 1 each: (2·25 + 25·2)/27. C* for all points is {⅓, 6}, so the zeros cost 2/9; for Z_U it is {0, 6}.
func TestLemma3SidesByHand(t *testing.T) {
	s := measureLemma3(theory.RationalLine(1), theory.RationalLine(0, 0, 6))
	for what, pair := range map[string][2]*big.Rat{
		"all":        {s.all, big.NewRat(100, 27)},
		"unlabeled":  {s.unlabeled, big.NewRat(100, 27)},
		"labeled":    {s.labeledTerm, new(big.Rat)},
		"restricted": {s.restricted, big.NewRat(2, 9)},
		"own":        {s.own, new(big.Rat)},
	} {
		if pair[0].Cmp(pair[1]) != 0 {
			t.Errorf("%s: %s, want %s", what, pair[0].RatString(), pair[1].RatString())
		}
	}
}

// With 100 for 16 the first reading holds on the small sets, the one in which the last term is 0 does not; with a large
// number added all hold.
func TestLemma3VerdictFollowsTheNumbers(t *testing.T) {
	expect.Slow(t)
	for _, tt := range []struct {
		bound   func(labeled, unlabeled *big.Rat) *big.Rat
		verdict Verdict
		words   string
	}{
		{func(l, u *big.Rat) *big.Rat { return plus(times(whole(2), l), times(whole(100), u)) }, Conditional,
			"2 of 4 readings"},
		{func(l, u *big.Rat) *big.Rat { return plus(printedLemma3(l, u), whole(1000)) }, Holds, "(0 do)"},
	} {
		f := lemma3Finding(&subject{}, tt.bound)
		if f.Verdict != tt.verdict || !strings.Contains(f.Sentence, tt.words) {
			t.Errorf("%s: %s", f.Verdict, f.Sentence)
		}
	}
}
