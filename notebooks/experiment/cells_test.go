package experiment

import (
	"math"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestCells(t *testing.T) {
	store := &Store{t.TempDir()}
	grid := Grid{Name: "table-1", Size: Laptop}
	for _, method := range []string{"PUCL", "nnPU"} {
		for seed := range uint64(5) {
			run := newRun(settings{Steps: 1})
			run.Method, run.Seed = method, seed
			grid.Runs = append(grid.Runs, run)
		}
	}
	for seed, accuracy := range []float64{0.8, 0.9} {
		keep(t, store, grid.Runs[seed], func(r *Result) {
			r.Points = []Point{scored("PUPL (CE)", 1, 0.95), scored("nnPU", 1, 0.5), scored("PUPL (CE)", 2, accuracy)}
			r.Points[2].Test.Constant = seed == 1
			r.Points[0].Values, r.Points[1].Values = map[string]float64{"prior": 9}, map[string]float64{"prior": 8}
			if r.Points[2].Values = nil; seed == 0 {
				r.Points[2].Values = map[string]float64{"prior": 0.3}
			}
		})
	}
	keep(t, store, grid.Runs[2], func(r *Result) { r.Failure = "it diverged" })
	keep(t, store, grid.Runs[3], func(r *Result) { r.Identity.Version = 1 })
	cells := expect.Must(store.Cells(grid))(t)
	const setting = "FMNIST-I, 1000 labeled"
	cell := cells.At(setting, "PUCL", "PUPL (CE)", Last)
	if a := cell.Accuracy; !near(a.Mean, 0.85) || a.Seeds != 2 || !near(a.HalfWidth, 12.706204736174694*0.05) || a.Confidence != 0.95 {
		t.Errorf("%+v", a)
	}
	expect.That(t, cell.Degenerate == 1 && near(cell.BalancedAccuracy.Mean, 0.85) && cell.AUC.Seeds == 0 &&
		math.IsNaN(cell.AUC.Mean), "%+v", cell)
	for state, want := range map[State]int{Done: 2, Failed: 1, Stale: 1, Missing: 1} {
		n := cell.Count(state)
		expect.That(t, n == want, "%d %s, want %d", n, state, want)
	}
	v := cells.Value(setting, "PUCL", "PUPL (CE)", "prior")
	expect.That(t, v.Seeds == 1 && v.Mean == 0.3, "the prior at the last point, known in one of two runs: %+v", v)
	v = cells.Value(setting, "PUCL", "PUPL (CE)", "width")
	expect.That(t, v.Seeds == 0, "what was not measured: %+v", v)
	gap := cells.Gap(setting, "PUCL", "PUPL (CE)", Last)
	expect.That(t, near(gap.Mean, 0.1) && gap.Seeds == 2, "%+v", gap)
	gap = cells.Gap(setting, "PUCL", "PUPL (CE)", ProxyAUC)
	expect.That(t, gap.Seeds == 0, "without held-out examples: %+v", gap)
	expect.Equal(t, cells.Heads(setting, "PUCL"), []string{"PUPL (CE)", "nnPU"})
	none := cells.At(setting, "nnPU", "", Last)
	expect.That(t, none.Accuracy.Seeds == 0 && math.IsNaN(none.Accuracy.Mean) && none.Count(Missing) == 5, "%+v", none)
	expect.Equal(t, cells.String(), "2 of 10 runs done, 6 missing, 1 failed, 1 stale")
	grid.Runs = append(grid.Runs, grid.Runs[0])
	expect.Error(t, expect.Err(store.Cells(grid)), "twice")
}

// Extent takes the size of runs from their results, not from their configuration.
func TestExtent(t *testing.T) {
	run := func(seed uint64, state State, steps ...int) Standing {
		s := Standing{Run: Run{Seed: seed}, State: state, Result: &Result{}}
		for _, step := range steps {
			s.Result.Points = append(s.Result.Points, Point{Step: step})
		}
		return s
	}
	for want, standings := range map[string][]Standing{
		"no run is done":          {run(1, Missing), run(2, Failed, 7)},
		"one seed, 20 steps":      {run(1, Done, 10, 20), run(1, Done, 20, -1), run(2, Missing)},
		"2 seeds, 10 to 20 steps": {run(1, Done, 20), run(2, Done, 10)},
		"2 seeds":                 {run(1, Done), run(2, Done, -1)},
	} {
		expect.Equal(t, (&Cells{standings}).Extent(), want)
	}
}

// Two runs of each series with seeds in different order, and a third run whose seed has no partner.
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
	add("none labeled", "ssCL", 2, at(0.5, 0.75, 0.6, 0.7)...) // reaches its final accuracy after 2 steps
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
		{slow, ssCL, (-0.4 + 0) / 2, (-1./4 - 2./4) / 2}, // the first run never reaches it: one point after its end
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

// Over all settings, runs with equal setting and seed are pairs.
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

// Values are compared at the last point of a head, by seed, if both runs have them.
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
