package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// NaN, of which every comparison is false, must not count for a claim.
func TestComparisonsWithNaN(t *testing.T) {
	nan := math.NaN()
	for what, wrong := range map[string]bool{
		"NaN does not exceed a limit":   !exceeds(nan, 1),
		"nothing exceeds a limit NaN":   !exceeds(0, nan),
		"NaN agrees":                    agree(nan, 0) || agree(0, nan) || agree(nan, nan),
		"NaN fades":                     fades(1, nan) || fades(nan, 0),
		"NaN vanishes":                  vanishes(1, nan) || vanishes(nan, 0),
		"NaN is lost as the farthest":   !math.IsNaN(farther(nan, 1)) || !math.IsNaN(farther(1, nan)),
		"1 does not exceed 0":           !exceeds(1, 0) || exceeds(0, 0),
		"equal numbers do not agree":    !agree(1, 1) || agree(1, 1.1),
		"the farther number is another": farther(-2, 1) != -2 || farther(1, -2) != -2,
	} {
		if wrong {
			t.Error(what)
		}
	}
	var e seedingExtreme
	e.meet(nan, nil, 0, 0)
	if e.meet(1, nil, 0, 0); !math.IsNaN(e.ratio) {
		t.Errorf("the largest ratio of NaN and 1 is %g", e.ratio)
	}
}

// A number that is not finite leaves a claim undecided, whatever verdict its check came to.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, x := range notFinite {
		for what, f := range map[string]Finding{
			`"number"`: {Verdict: Holds, Number: theory.Exactly(x)},
			`"gap"`:    {Verdict: Fails, Measured: []Measurement{{"sound", theory.Exactly(0)}, {"gap", theory.Number{Value: 1, Low: x, High: 2}}}},
		} {
			c, err := Claim{ID: "x", check: func(*subject) Finding { return f }}.Check(nil)
			wantError(t, what, err, what, "nothing is decided", "must be finite")
			if c.Verdict != Undecided {
				t.Errorf("%s: verdict %s", what, c.Verdict)
			}
		}
	}
}

// Formulas and objectives that give NaN or infinity leave the claims that are checked with them undecided.
func TestClaimsOnNumbersThatAreNotFinite(t *testing.T) {
	nan := math.NaN()
	for what, check := range map[string]func(*subject) Finding{
		"infonce-mi, ∞": func(*subject) Finding { return infoNCEFinding(&subject{}, func(int) float64 { return math.Inf(1) }) },
		"infonce-mi":    func(*subject) Finding { return infoNCEFinding(&subject{}, func(int) float64 { return nan }) },
		"dcl-limit": func(*subject) Finding {
			return dclLimitFinding(&subject{}, func(float64, float64, float64) float64 { return nan })
		},
		"lpos-limit": func(*subject) Finding {
			return lposLimitFinding(&subject{}, func(theory.Anchor, float64) float64 { return nan })
		},
		"theorem-1": func(s *subject) Finding {
			return theorem1Finding(&subject{eng: s.eng}, func(theory.Population, theory.Design, float64) (float64, error) { return nan, nil })
		},
		"theorem-2-variance": func(s *subject) Finding {
			return theorem2VarianceFinding(&subject{eng: s.eng}, func(theory.PairVariance, theory.Design, int) float64 { return nan })
		},
	} {
		c, err := Claim{ID: what, check: check}.Check(openEngine(t))
		if err == nil || !strings.Contains(err.Error(), "finite") || c.Verdict != Undecided {
			t.Errorf("%s: %s, %v", what, c.Verdict, err)
		}
	}
	placements := func() (err error) {
		defer must.Catch(&err)
		leastPlacements([]float64{1, nan, 2})
		return nil
	}
	wantError(t, "placements", placements(), "not all numbers")
	var counts tally
	compare := func() (err error) {
		defer must.Catch(&err)
		counts.add(nan, 1)
		return nil
	}
	wantError(t, "gradient biases", compare(), "cannot be compared")
}
