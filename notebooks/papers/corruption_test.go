package papers

import (
	"math"
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Every point of a figure is a setting of the grid, runs at the rate of all other runs are those of the rivals' grid, and all others tell
// their rate.
func TestCorruption(t *testing.T) {
	grid, err := Corruption(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := RivalsOnTables(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]experiment.Run{}
	for _, run := range whole.Runs {
		byPath[run.Path()] = run
	}
	rates, shared := map[string]float64{}, 0
	for _, run := range grid.Runs {
		rates[run.Setting] = run.Config.(TableContrastive).Corrupted
		other, ok := byPath[run.Path()]
		if !ok {
			continue
		}
		shared++
		mine, err := run.Identity()
		theirs, otherErr := other.Identity()
		if err != nil || otherErr != nil || len(mine.Differences(theirs)) > 0 {
			t.Errorf("%s is another run among the rivals: %v, %v, %v", run, mine.Differences(theirs), err, otherErr)
		}
	}
	if len(grid.Runs) != 150 || shared != 30 {
		t.Errorf("%d runs, %d of them shared; want 150 and 30", len(grid.Runs), shared)
	}
	for _, set := range uciSets() {
		sweep, err := OverCorruption(set.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, rate := range CorruptionRates() {
			if got, ok := rates[sweep.Setting(rate)]; !ok || got != rate {
				t.Errorf("%s: runs at a corruption rate of %v, want %v", sweep.Setting(rate), got, rate)
			}
		}
	}
	const want = `there are no rows of "mushrom" (did you mean "mushroom"?)`
	if _, err := OverCorruption("mushrom"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("no such table: %v; want %q in it", err, want)
	}
}

// The rate is chosen seed by seed among the ends of runs, by what the rule takes the highest of; a seed that lacks a rate does not count.
func TestChosenRates(t *testing.T) {
	cells := &experiment.Cells{}
	for seed := range uint64(3) {
		for i, rate := range CorruptionRates() {
			set := uciSets()[1]
			if set.corruption = rate; seed == 2 && rate == 0.8 {
				continue
			}
			of := func(step, right int, auc, agree float64) experiment.Point {
				return experiment.Point{
					Step: step, Head: PUPL, Values: map[string]float64{experiment.ViewsAgree: agree}, PU: &evaluate.PU{ProxyAUC: auc},
					Test: &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalsePositive: 100 - right}},
				}
			}
			end := of(2, 10*i+int(seed), float64(i%3), 0)
			if rate == 0.6 { // in the middle of the run all is better
				cells.Standings = append(cells.Standings, standing(set, seed, of(1, 99, 9, 9), end))
				continue
			}
			end.Values[experiment.ViewsAgree] = -float64(i)
			cells.Standings = append(cells.Standings, standing(set, seed, end))
		}
	}
	chosen := uciSets()[1].overRates(cells, PUPL)
	for rule, want := range map[experiment.Rule]float64{experiment.ProxyAUC: 0.205, experiment.Agreement: 0.005, experiment.Oracle: 0.405} {
		if got := chosen.At("mushroom, 1000 labeled", "PUCL", PUPL, rule).Accuracy; got.Seeds != 2 || math.Abs(got.Mean-want) > 1e-12 {
			t.Errorf("%s chooses an accuracy of %v, want %g of 2 seeds", rule, got, want)
		}
	}
	text, err := DrawChosenRates(cells, PUPL).Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"always 0.6", "mushroom", "31.0 ± 2.5", "40.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// standing is a run of PUCL on a table that is done.
func standing(set uciSet, seed uint64, points ...experiment.Point) experiment.Standing {
	return experiment.Standing{Run: set.contrastive(pucl.PUCL(), experiment.Laptop, seed), State: experiment.Done, Result: &experiment.Result{Points: points}}
}
