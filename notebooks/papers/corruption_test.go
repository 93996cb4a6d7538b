package papers

import (
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
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
