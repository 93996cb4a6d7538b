package papers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// Draw sets what cells hold of the table beside the published numbers, for results chosen by one rule and in the given settings:
// accuracy on test images in percent, mean ± half of its 95% interval over the seeds. Rows of which nothing was done and nothing
// published are left out; a cell with nothing in it is "n/a".
func (t Table) Draw(cells *experiment.Cells, rule experiment.Rule, settings ...string) viz.Table {
	out := viz.Table{
		Title: fmt.Sprintf("%s; accuracy (%%), point chosen by: %s", t.Title, rule), RowsHeader: "method",
		Note: fmt.Sprintf("Mean ± 95%% interval over seeds, one seed has none; of grid %s, %s.", t.Name, cells),
	}
	for _, setting := range settings {
		out.Columns = append(out.Columns, setting, "published")
	}
	for _, row := range t.Rows {
		var line []viz.Cell
		empty := true
		for _, setting := range settings {
			ours := percent(cells.At(setting, row.Method, row.Head, rule).Accuracy)
			theirs := viz.Cell{Missing: true}
			if p, ok := t.published(setting, row, rule); ok {
				theirs = viz.Cell{Mean: p.Mean, Spread: p.Spread}
			}
			line = append(line, ours, theirs)
			empty = empty && ours.Missing && theirs.Missing
		}
		if !empty {
			out.Add(row.String(), line)
		}
	}
	return out
}

// Costs sets side by side what the rules of choosing make of each row in a setting: the accuracy of the oracle in percent, and by
// how many points those of the other rules are below it, run by run.
func (t Table) Costs(cells *experiment.Cells, setting string) viz.Table {
	rules := []experiment.Rule{experiment.Last, experiment.ProxyAccuracy, experiment.ProxyAUC}
	out := viz.Table{
		Title: "What choosing without negatives costs, " + setting, RowsHeader: "method", Columns: []string{string(experiment.Oracle)},
		Note: "Oracle: accuracy (%) at the best point on test images. The others: points below it, mean ± 95% interval over seeds.",
	}
	for _, rule := range rules {
		out.Columns = append(out.Columns, string(rule))
	}
	for _, row := range t.Rows {
		oracle := percent(cells.At(setting, row.Method, row.Head, experiment.Oracle).Accuracy)
		if oracle.Missing {
			continue
		}
		line := []viz.Cell{oracle}
		for _, rule := range rules {
			line = append(line, percent(cells.Gap(setting, row.Method, row.Head, rule)))
		}
		out.Add(row.String(), line)
	}
	return out
}

// percent returns a summary of shares as a cell in percent.
func percent(s evaluate.Summary) viz.Cell {
	switch {
	case s.Seeds == 0:
		return viz.Cell{Missing: true}
	case math.IsNaN(s.HalfWidth):
		return viz.Cell{Mean: 100 * s.Mean}
	}
	return viz.Cell{Mean: 100 * s.Mean, Spread: 100 * s.HalfWidth}
}
