package experiment

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// Two runs of each series, of seeds that are in another order, and a third one of another seed that has no partner.
func TestPaired(t *testing.T) {
	cells := &Cells{}
	add := func(setting, method string, seed uint64, points ...Point) {
		cells.Standings = append(cells.Standings, Standing{Run: Run{Setting: setting, Method: method, Seed: seed}, State: Done, Result: &Result{Points: points}})
	}
	at := func(accuracies ...float64) (points []Point) {
		for i, a := range accuracies {
			points = append(points, scored("other head", i+1, 1), scored("kNN", i+1, a))
		}
		return points
	}
	add("none labeled", "ssCL", 1, at(0.5, 0.6, 0.7, 0.8)...)
	add("none labeled", "ssCL", 2, at(0.5, 0.75, 0.6, 0.7)...) // as accurate as at its end after 2 steps already
	add("none labeled", "ssCL", 3, at(0.9)...)
	add("labeled", "PUCL", 2, at(0.6, 0.7, 0.8, 0.9)...)
	add("labeled", "PUCL", 1, at(0.8, 0.8, 0.9, 0.7)...)
	add("labeled", "slow", 1, at(0.1, 0.2, 0.3, 0.4)...)
	add("labeled", "slow", 2, at(0.1, 0.2, 0.3, 0.7)...)
	ssCL := Series{"none labeled", "ssCL", "kNN"}
	pucl, slow := Series{"labeled", "PUCL", "kNN"}, Series{"labeled", "slow", "kNN"}
	for _, tt := range []struct {
		above, below      Series
		difference, early float64 // NaN for none
	}{
		{pucl, ssCL, (-0.1 + 0.2) / 2, (3./4 + 0) / 2},
		{slow, ssCL, (-0.4 + 0) / 2, (-1./4 - 2./4) / 2}, // the first one never gets there: one point after its end
		{ssCL, ssCL, 0, 0},
		{pucl, Series{"labeled", "PUCL", "another"}, math.NaN(), math.NaN()},
		{pucl, Series{"labeled", "ssCL", "kNN"}, math.NaN(), math.NaN()},
	} {
		difference, early := cells.Difference(tt.above, tt.below, Last), cells.Sooner(tt.above, tt.below)
		seeds := 2
		if tt.above == tt.below {
			seeds = 3
		}
		if math.IsNaN(tt.difference) {
			seeds = 0
		}
		expect.That(t, difference.Seeds == seeds && early.Seeds == seeds &&
			(seeds <= 0 || near(difference.Mean, tt.difference) && near(early.Mean, tt.early)),
			"%v, %v: %g and %g of %d and %d seeds, want %g and %g of %d", tt.above, tt.below, difference.Mean,
			early.Mean, difference.Seeds, early.Seeds, tt.difference, tt.early, seeds)
	}
}

// Of all settings together, runs are pairs where both setting and seed are the same.
func TestPairedOverSettings(t *testing.T) {
	cells := &Cells{}
	for i, accuracy := range []float64{0.1, 0.2, 0.3} {
		setting := []string{"one", "one", "two"}[i]
		for lead, method := range []string{"b", "a"} {
			cells.Standings = append(cells.Standings, Standing{Run: Run{Setting: setting, Method: method, Seed: uint64(i % 2)}, State: Done,
				Result: &Result{Points: []Point{scored("", 1, accuracy+float64(lead)*accuracy)}}})
		}
	}
	d := cells.Difference(Series{"", "a", ""}, Series{"", "b", ""}, Last)
	expect.That(t, d.Seeds == 3 && near(d.Mean, 0.2) && near(d.StdDev, 0.1), "over all settings %v", d)
	d = cells.Difference(Series{"one", "a", ""}, Series{"two", "b", ""}, Last)
	expect.That(t, d.Seeds == 1 && near(d.Mean, -0.1), "of two settings %v", d)
	for _, series := range [][2]Series{{{"", "a", ""}, {"two", "b", ""}}, {{"two", "a", ""}, {"", "b", ""}}} {
		d := cells.Difference(series[0], series[1], Last)
		expect.That(t, d.Seeds == 0, "of one setting and all %v", d)
	}
}

// Values are compared at the last point of a head, seed by seed, where both runs have them.
func TestValueDifference(t *testing.T) {
	cells := &Cells{}
	add := func(method string, seed uint64, values ...float64) {
		result := &Result{}
		for step, v := range values {
			result.Points = append(result.Points, Point{Head: "probe", Step: step, Values: map[string]float64{"few": v}}, Point{Head: "other", Values: map[string]float64{"few": 9}})
		}
		cells.Standings = append(cells.Standings, Standing{Run: Run{Setting: "s", Method: method, Seed: seed}, State: Done, Result: result})
	}
	add("a", 1, 0.9, 0.5)
	add("a", 2, 0.7)
	add("a", 3, 0.9)
	add("b", 1, 0.1, 0.4)
	add("b", 2, 0.3)
	add("b", 3)
	a, b := Series{"s", "a", "probe"}, Series{"s", "b", "probe"}
	got := cells.ValueDifference(a, b, "few")
	low, high := got.Interval()
	expect.That(t, got.Seeds == 2 && near(got.Mean, 0.25) && (low < 0 && high > 0.5), "%+v", got)
	if got := cells.ValueDifference(a, b, "many"); got.Seeds != 0 {
		t.Errorf("of a value that is not there: %+v", got)
	}
}
