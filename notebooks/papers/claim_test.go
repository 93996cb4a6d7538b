package papers

import (
	"math"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// No claim says what deciding it would pass over: leads in two settings are compared by accuracy, both rows in either, magnitudes are of values,
// and Less is about which row is above.
func TestClaimsSayNothingInVain(t *testing.T) {
	for _, of := range claimed() {
		for _, c := range of.list {
			for what, vain := range map[string]bool{
				"Than with Measure":                  c.Than != "" && c.Measure != "",
				"Than with BelowSetting":             c.Than != "" && c.BelowSetting != "",
				"BelowMeasure without values":        c.BelowMeasure != "" && (c.Measure == "" || c.Measure == Steps),
				"Magnitude without values":           c.Magnitude && (c.Measure == "" || c.Measure == Steps),
				"Less with Within":                   c.Less != 0 && c.Within != 0,
				"a negative number":                  c.Less < 0 || c.Within < 0,
				"one of two settings, and all of it": c.BelowSetting != "" && c.Setting == "",
			} {
				if vain {
					t.Errorf("%s, %q: %s", of.grid, c.Statement, what)
				}
			}
		}
	}
}

// Values are compared as they are, or by how far they are from 0, at the end of a run.
func TestDecideByValues(t *testing.T) {
	var cells experiment.Cells
	for seed := range uint64(3) {
		off := 0.01 * float64(seed)
		points := []experiment.Point{{Step: 1, Values: map[string]float64{"bias": 9, "other": -9}}, {Step: 2, Values: map[string]float64{"bias": 0.2 + off, "other": -0.5 + off}}}
		cells.Standings = append(cells.Standings, experiment.Standing{Run: experiment.Run{Setting: "s", Method: "a", Seed: seed}, State: experiment.Done,
			Result: &experiment.Result{Points: points}})
	}
	const bias, other, none = "bias", "other", "none"
	for _, tt := range []struct {
		above, below Measure
		magnitude    bool
		want         Verdict
		effect       float64
	}{
		{bias, other, false, Agrees, 0.7}, {other, bias, false, Disagrees, -0.7}, {bias, other, true, Disagrees, -0.28}, {other, bias, true, Agrees, 0.28},
		{bias, none, false, NotDecided, math.NaN()}, {bias, "", false, NotDecided, 0}, // the same value twice
	} {
		f := Claim{Setting: "s", Above: Row{Method: "a"}, Below: Row{Method: "a"}, Measure: tt.above, BelowMeasure: tt.below,
			Magnitude: tt.magnitude}.Decide(&cells, experiment.Last)
		if f.Verdict != tt.want || math.Abs(f.Effect.Mean-tt.effect) > 1e-12 {
			t.Errorf("%s above %s, magnitudes %t: %s, effect %v, want %s and %g", tt.above, tt.below, tt.magnitude, f.Verdict, f.Effect, tt.want, tt.effect)
		}
	}
}

// A claim is decided by differences within seeds, which may be steady where the accuracies are not.
func TestDecide(t *testing.T) {
	run := func(method string, seed uint64, right int) experiment.Standing {
		test := evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 1000 - right}}
		return experiment.Standing{Run: experiment.Run{Setting: "s", Method: method, Seed: seed}, State: experiment.Done,
			Result: &experiment.Result{Points: []experiment.Point{{Test: &test}}}}
	}
	var cells experiment.Cells
	for seed, right := range []int{500, 700, 900} {
		cells.Standings = append(cells.Standings, run("a", uint64(seed), right+10+seed), run("b", uint64(seed), right),
			run("c", uint64(2-seed), right+4)) // others' seeds in another order
	}
	a, b, c := Row{Method: "a"}, Row{Method: "b"}, Row{Method: "c"}
	for _, tt := range []struct {
		above, below Row
		within       float64
		less         float64
		want         Verdict
	}{
		{a, b, 0, 0, Agrees}, {b, a, 0, 0, Disagrees}, {a, c, 0, 0, NotDecided}, // 1.1 ± 0.25 points, and −39 to 41
		{a, b, 1.4, 0, Agrees}, {a, b, 0.8, 0, Disagrees}, {b, a, 0.8, 0, Disagrees}, {a, b, 1.2, 0, NotDecided}, {a, Row{Method: "none"}, 0, 0, NotDecided},
		{a, b, 0, 2, Agrees}, {b, a, 0, 2, Agrees}, {b, a, 0, 0.8, Disagrees}, {b, a, 0, 1.2, NotDecided}, // a is 1.1 ± 0.25 above b
	} {
		f := Claim{Setting: "s", Above: tt.above, Below: tt.below, Within: tt.within, Less: tt.less}.Decide(&cells, experiment.Last)
		if f.Verdict != tt.want {
			t.Errorf("%s above %s within %g, less %g: %s, effect %s", tt.above, tt.below, tt.within, tt.less, f.Verdict, f.Effect.Percent())
		}
	}
}
