package papers

import (
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Of four done runs one is warned of rightly, one falsely, one is missed and one is well; of a fifth nothing was kept, and a sixth is not done.
// The last point counts.
func TestWarnings(t *testing.T) {
	cells := &experiment.Cells{}
	add := func(state experiment.State, values ...map[string]float64) {
		r := &experiment.Result{}
		for i, v := range values {
			r.Points = append(r.Points, experiment.Point{Head: PUPL, Step: i + 1, Values: v}, experiment.Point{Head: Mixture, Step: i + 1})
		}
		run := experiment.Run{Setting: "wine", Method: "PUCL", Seed: uint64(len(cells.Standings))}
		cells.Standings = append(cells.Standings, experiment.Standing{Run: run, State: state, Result: r})
	}
	of := func(disagreement, right float64) map[string]float64 {
		return map[string]float64{Disagreement: disagreement, LabelsRight: right}
	}
	add(experiment.Done, of(0, 1), of(0.5, 0.5))
	add(experiment.Done, of(0.2, 0.9))
	add(experiment.Done, of(0.1, 0.84))
	add(experiment.Done, of(0.15, 0.86))
	add(experiment.Done, map[string]float64{LabelsRight: 0.9})
	add(experiment.Missing, of(0.5, 0.5))
	if got, want := warningsOf(cells.Standings, PUPL), (warnings{runs: 4, warned: 2, missed: 1, false: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	table := DrawWarnings(cells)
	text, err := table.Text()
	if err != nil || len(table.Rows) != 1 || !strings.Contains(text, "wine, PUCL, PUPL (CE)") || !strings.Contains(table.Note, "2 of 4 warnings") {
		t.Errorf("%v\n%s", err, text)
	}
}
