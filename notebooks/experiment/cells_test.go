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

// How large runs are is told by their results, and not by what they were asked to be.
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
