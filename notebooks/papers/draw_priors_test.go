package papers

import (
	"strings"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Errors are averaged by set, by share and over all, intervals counted, and estimators compared draw by draw; what is not done is left out.
func TestDrawPriors(t *testing.T) {
	cells := &experiment.Cells{}
	add := func(set string, drawn [2]int, state experiment.State, truth, estimate, low, high float64) {
		of := func(head string, off float64) experiment.Point {
			return experiment.Point{Head: head, Values: map[string]float64{
				TruePrior: truth, EstimatedPrior: estimate + off, PriorLow: low, PriorHigh: high,
			}}
		}
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Setting: set, Method: priorMethod, Seed: uint64(len(cells.Standings)), Config: TablePrior{Set: set, Drawn: drawn}}, State: state,
			Result: &experiment.Result{Points: []experiment.Point{of("BBE", 0), of("DEDPUL", 0.3)}},
		})
	}
	add("spambase", [2]int{2, 2}, experiment.Done, 0.5, 0.6, 0.45, 0.75)
	add("spambase", [2]int{2, 2}, experiment.Done, 0.5, 0.3, 0.2, 0.4)
	add("wine", [2]int{1, 3}, experiment.Done, 0.25, 0.25, 0.2, 0.3)
	add("wine", [2]int{1, 3}, experiment.Done, 0.25, 0.45, 0.4, 0.5)
	add("wine", [2]int{1, 3}, experiment.Missing, 0.25, 1, 1, 1)
	table := DrawPriors(cells)
	holds(t, table, "BBE", "0.150 ± 0.635", "0.100 ± 1.271", "0.125 ± 0.152", "n/a")
	holds(t, table, "DEDPUL", "0.250", "0.400", "0.325")
	holds(t, table, "DEDPUL, published", "0.034", "0.012", "0.031")
	holds(t, table, "KM2", "n/a")
	holds(t, DrawPriorIntervals(cells), "BBE", "50.0", "15.0 to 85.0", "17.5", "25.0", "25.0")
	holds(t, DrawPriorIntervals(cells), "KM2", "n/a")
	curves := PriorCurves(cells, "BBE", "KM2")
	if len(curves) != 1 || len(curves[0].X) != 2 || curves[0].X[0] != 25 || curves[0].Y[1] != 0.15 {
		t.Errorf("curves %+v", curves)
	}
	holds(t, DrawVerdicts(cells, experimentPriors), "BBE is nearer", "32.50", "12.50", "20.00 ± 31.82", "not decided")
	for _, c := range claimsPriors() {
		for _, row := range []Row{c.Above, c.Below} {
			if !strings.Contains(strings.Join(PriorEstimators(), ","), row.Head) || !strings.Contains(c.Statement, row.Head) {
				t.Errorf("%s: no estimator %s", c.Statement, row.Head)
			}
		}
	}
}
