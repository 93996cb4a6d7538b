package papers

import (
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Errors are averaged by set and over all, and intervals counted; what is not done is left out.
func TestDrawPriors(t *testing.T) {
	cells := &experiment.Cells{}
	add := func(set string, state experiment.State, truth, estimate, low, high float64) {
		cells.Standings = append(cells.Standings, experiment.Standing{
			Run: experiment.Run{Config: TablePrior{Set: set}}, State: state,
			Result: &experiment.Result{Points: []experiment.Point{{Head: "BBE", Values: map[string]float64{
				TruePrior: truth, EstimatedPrior: estimate, PriorLow: low, PriorHigh: high,
			}}}},
		})
	}
	add("spambase", experiment.Done, 0.5, 0.6, 0.45, 0.75)
	add("spambase", experiment.Done, 0.5, 0.3, 0.2, 0.4)
	add("wine", experiment.Done, 0.25, 0.25, 0.2, 0.3)
	add("wine", experiment.Done, 0.25, 0.45, 0.4, 0.5)
	add("wine", experiment.Missing, 0.25, 1, 1, 1)
	table := DrawPriors(cells)
	holds(t, table, "BBE", "0.150", "0.100", "0.125", "0.500", "0.175", "n/a")
	holds(t, table, "DEDPUL, published", "0.034", "0.012", "0.031")
	holds(t, table, "KM2", "n/a")
}
