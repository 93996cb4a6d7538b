package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/theory"
	"github.com/puclab/puclab/theory/internal/must"
	"github.com/puclab/puclab/theory/internal/theorytest"
)

// loopStudy returns the moments of an objective by plain loops over all batches.
func loopStudy(p theory.Population, d theory.Design, tau float64, objective string) theorytest.Moments {
	return theorytest.Study(worldOf(p, d), tau, nil, objective)[objective]
}

// loopIdeal returns the ideal loss (3) and its attraction, by enumerating each negative.
func loopIdeal(p theory.Population, prior float64, negatives int, tau float64) (loss, attraction float64) {
	attraction, partition := theorytest.Ideal(worldOf(p, theory.Design{Prior: prior}), negatives, tau)
	return partition - attraction, attraction
}

// worldOf returns a population and a design in the form of the loops in theorytest.
func worldOf(p theory.Population, d theory.Design) theorytest.World {
	w := theorytest.World{Positive: theorytest.Atoms(p.Positive), Negative: theorytest.Atoms(p.Negative), Labeled: d.Labeled,
		Unlabeled: d.Unlabeled, Prior: d.Prior, SameView: d.SameView}
	if d.Scheme == theory.SingleDataset {
		w.LabelRate = d.LabelRate
	}
	return w
}

// The random populations must not be special: no class is one point, none is symmetric.
func TestRandomPlanesAreOrdinary(t *testing.T) {
	for k, p := range randomPlanes(4, 1) {
		expect.NoError(t, p.Validate())
		positive, negative := expect.Must2(p.PairVariance(1))(t)
		for _, v := range []theory.PairVariance{positive, negative} {
			expect.That(t, v.Linear >= 1e-4 && v.Rest >= 1e-3, "world %d: %+v", k, v)
		}
	}
	expect.That(t, fmt.Sprint(randomPlanes(2, 1)) != fmt.Sprint(randomPlanes(2, 2)), "the seed does not count")
}

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// NaN, for which every comparison is false, must not support a claim.
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
		expect.That(t, !wrong, "%v", what)
	}
	var e seedingExtreme
	e.meet(nan, nil, 0, 0)
	e.meet(1, nil, 0, 0)
	expect.That(t, math.IsNaN(e.ratio), "the largest ratio of NaN and 1 is %g", e.ratio)
}

// A number that is not finite leaves a claim undecided, for any verdict of its check.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, x := range notFinite {
		for what, f := range map[string]Finding{
			`"number"`: {Verdict: Holds, Number: theory.Exactly(x)},
			`"gap"`:    {Verdict: Fails, Measured: []Measurement{{"sound", theory.Exactly(0)}, {"gap", theory.Number{Value: 1, Low: x, High: 2}}}},
		} {
			c, err := Claim{ID: "x", check: func(*subject) Finding { return f }}.Check(nil)
			wantError(t, what, err, what, "nothing is decided", "must be finite")
			expect.That(t, c.Verdict == Undecided, "%s: verdict %s", what, c.Verdict)
		}
	}
}

// Formulas and objectives that give NaN or infinity leave the claims undecided.
func TestClaimsOnNumbersThatAreNotFinite(t *testing.T) {
	expect.Slow(t)
	nan := math.NaN()
	for what, check := range map[string]func(*subject) Finding{
		"infonce-mi, ∞": func(*subject) Finding { return infoNCEFinding(onCounts(), func(int) float64 { return math.Inf(1) }) },
		"infonce-mi":    func(*subject) Finding { return infoNCEFinding(onCounts(), func(int) float64 { return nan }) },
		"dcl-limit": func(*subject) Finding {
			return dclLimitFinding(onBench(t), func(float64, float64, float64) float64 { return nan })
		},
		"lpos-limit": func(*subject) Finding {
			return lposLimitFinding(onCounts(), func(theory.Anchor, float64) float64 { return nan })
		},
		"theorem-1": func(*subject) Finding {
			return theorem1Finding(onBench(t), func(theory.Population, theory.Design, float64) (float64, error) { return nan, nil })
		},
		"theorem-2-variance": func(*subject) Finding {
			return theorem2VarianceFinding(onBench(t), func(theory.PairVariance, theory.Design, int) float64 { return nan })
		},
	} {
		c, err := Claim{ID: what, check: check}.Check(openEngine(t))
		expect.That(t, err != nil && strings.Contains(err.Error(), "finite") && c.Verdict == Undecided,
			"%s: %s, %v", what, c.Verdict, err)
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
