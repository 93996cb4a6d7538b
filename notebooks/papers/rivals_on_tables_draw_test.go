package papers

import (
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// All settings of the grid are columns, every method is a row, and claims are about runs that there are.
func TestOnTables(t *testing.T) {
	grid, err := OnTables().Grid(experiment.Laptop)
	if err != nil {
		t.Fatal(err)
	}
	cells := &experiment.Cells{}
	left := map[string]bool{}
	for _, run := range grid.Runs {
		cells.Standings = append(cells.Standings, experiment.Standing{Run: run})
		left[run.Setting], left[run.Method] = true, true
	}
	for _, setting := range TableSettings() {
		delete(left, setting)
	}
	for _, row := range OnTables().Rows {
		delete(left, row.Method)
	}
	if len(left) > 0 {
		t.Errorf("neither columns nor rows: %v", left)
	}
	for _, c := range claimsOnTables() {
		if !c.has(cells) {
			t.Errorf("%s in %s: the grid has no such runs", c.Statement, c.Setting)
		}
	}
}
