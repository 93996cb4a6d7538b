package theory

import (
	"context"
	"math"
	"testing"

	"github.com/puclab/puclab/pucl"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// An answer that is not finite, the first or the one that confirms it, ends a search with an error: it decides nothing.
func TestSearchNeedsFiniteAnswers(t *testing.T) {
	search := Search{Designs: []Design{{Unlabeled: 2, Prior: 0.5}}, Parts: 1, Atoms: 1, Random: -1, Climbs: -1}
	answer := func(n Number) func(Population, Design) (Number, error) {
		return func(Population, Design) (Number, error) { return n, nil }
	}
	for _, x := range notFinite {
		for _, n := range []Number{Exactly(x), {1, x, 2}} {
			for what, q := range map[string]Question{
				"first answer":   {Ask: answer(n)},
				"confirmation":   {Ask: answer(Exactly(1)), Again: answer(n)},
				"absolute value": {Ask: answer(n.Abs())},
			} {
				if what == "absolute value" && math.IsInf(n.Low, -1) && n.Value == 1 {
					continue // an interval from −∞ holds 0, and its absolute value starts there
				}
				r, err := search.Run(context.Background(), q)
				wantError(t, what, err, "must be finite")
				if r.Found {
					t.Errorf("%s %v was found", what, n)
				}
			}
		}
	}
}

func TestChecksOfNumbersThatAreNotFinite(t *testing.T) {
	good := Population{Uniform([]float64{1}), Uniform([]float64{-1})}
	for _, x := range notFinite {
		for what, err := range map[string]error{
			"share":             checkShare("share", x),
			"temperature":       checkTau(x),
			"point":             Population{Uniform([]float64{x}), good.Negative}.Validate(),
			"probability":       Population{[]Atom{{[]float64{1}, x}}, good.Negative}.Validate(),
			"class prior":       Design{Unlabeled: 1, Prior: x}.Validate(),
			"joint probability": Joint{{x}}.Validate(),
		} {
			if err == nil {
				t.Errorf("%s = %g was accepted", what, x)
			}
		}
		_, err := Rationals([][]float64{{x}})
		wantError(t, "fraction", err, "must be finite")
	}
	_, err := Rationals([][]float64{{1}, {1, 2}})
	wantError(t, "ragged", err, "row 1 has 2 coordinates")
}

// The biases of the parts add up to that of the loss: log partition − attraction.
func TestBiasesOfTheParts(t *testing.T) {
	p := Population{Uniform([]float64{2, 1}, []float64{1, 2}), Uniform([]float64{-2, 1})}
	r, err := Exact(openEngine(t), pucl.SCLPU(), p, Design{Labeled: 1, Unlabeled: 2, Prior: 0.4}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bias", r.PartitionBias().Minus(r.AttractionBias()).Value, r.Bias.Value, 1e-12)
	if r.AttractionBias().Value == 0 || r.PartitionBias().Value == 0 {
		t.Errorf("biases %v and %v", r.AttractionBias(), r.PartitionBias())
	}
}
