package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// Draw compares the results of the table with the published numbers, if there are any, for points chosen by one rule
// and in the given settings: accuracy on test images in percent, mean ± half of its 95% interval over the seeds. Rows
// without runs in the grid and without published numbers are omitted; missing numbers are "n/a". The note counts the
// done runs, and names cells with fewer runs than the grid has, failed runs, degenerate classifiers, and baselines with
// fewer passes than others. [Table.Sources] gives the sources of published numbers.
func (t Table) Draw(cells *experiment.Cells, rule experiment.Rule, settings ...string) viz.Table {
	out := viz.Table{Title: fmt.Sprintf("%s. Point chosen by: %s. Accuracy (%%)", t.Title, rule), RowsHeader: "method"}
	for _, setting := range settings {
		if out.Columns = append(out.Columns, title(cells, setting)); len(t.Published) > 0 {
			out.Columns = append(out.Columns, "published")
		}
	}
	var fewer, degenerate, headless []string
	for _, row := range t.Rows {
		var line []viz.Cell
		there := false
		for _, setting := range settings {
			cell := cells.At(setting, row.Method, row.Head, rule)
			ours, theirs := Percent(cell.Accuracy), viz.Cell{Missing: true}
			if p, ok := t.published(setting, row, rule); ok {
				theirs = viz.Cell{Mean: p.Mean, Spread: p.Spread}
			}
			if line = append(line, ours); len(t.Published) > 0 {
				line = append(line, theirs)
			}
			there = there || len(cell.Runs) > 0 || !theirs.Missing
			some := cell.Count(experiment.Done) > 0 && cell.Count(experiment.Done) < len(cell.Runs)
			text := fmt.Sprintf("%s in %s: %s", row.Method, setting, experiment.Tell(cell.Runs))
			if (some || cell.Count(experiment.Failed) > 0) && !slices.Contains(fewer, text) {
				fewer = append(fewer, text)
			}
			if cell.Degenerate > 0 {
				degenerate = append(degenerate, fmt.Sprintf("%s in %d of %d runs of %s", row, cell.Degenerate, cell.Accuracy.Seeds, setting))
			}
			if cell.Headless > 0 {
				headless = append(headless, fmt.Sprintf("%s in %d of %d runs of %s", row, cell.Headless, cell.Count(experiment.Done), setting))
			}
		}
		if there {
			out.Add(row.String(), line)
		}
	}
	out.Note = fmt.Sprintf("Mean ± 95%% interval over seeds; one seed has none, nor have seeds that are all equal. The whole grid: %s.", cells)
	if len(fewer) > 0 {
		out.Note += " A mean of fewer runs, and so of those that went well where some failed: " + strings.Join(fewer, "; ") + "."
	}
	if len(degenerate) > 0 {
		out.Note += " One answer for all images: " + strings.Join(degenerate, "; ") + "."
	}
	if passes := fewerPasses(cells, settings); len(passes) > 0 {
		out.Note += " " + strings.Join(passes, " ")
	}
	if len(headless) > 0 {
		out.Note += " No head could be had of the embedding, and the mean is of the other runs: " + strings.Join(headless, "; ") + "."
	}
	return out
}

// Sources returns the sources of the published numbers, one line per source with its protocol and its choice of epoch.
// It adds numbers that [Table.Draw] does not show because another source has the same cell by the same rule.
func (t Table) Sources() string {
	rows, more := map[string][]string{}, map[string]string{}
	var order []string
	for _, p := range t.Published {
		if !slices.Contains(order, p.Source) {
			order = append(order, p.Source)
		}
		if row := p.Row.String(); !slices.Contains(rows[p.Source], row) {
			rows[p.Source] = append(rows[p.Source], row)
		}
		if first, _ := t.published(p.Setting, p.Row, p.Rule); first != p {
			more[p.Source] += fmt.Sprintf(" Not in the tables: %s, %s, %.4g.", p.Row, p.Setting, p.Mean)
		}
	}
	var lines []string
	for _, source := range order {
		lines = append(lines, fmt.Sprintf("%s: %s.%s", strings.Join(rows[source], "; "), source, more[source]))
	}
	return strings.Join(lines, "\n")
}

// fewerPasses lists, for each setting, the done baselines with fewer passes over the unlabeled images than others.
func fewerPasses(cells *experiment.Cells, settings []string) (told []string) {
	for _, setting := range settings {
		passes, most := map[string]int{}, 0
		for _, s := range cells.Standings {
			if config, ok := s.Run.Config.(Baseline); ok && s.Run.Setting == setting {
				most = max(most, config.Epochs)
				if s.State == experiment.Done {
					passes[s.Run.Method] = config.Epochs
				}
			}
		}
		var fewer []string
		for _, method := range slices.Sorted(maps.Keys(passes)) {
			if passes[method] < most {
				fewer = append(fewer, fmt.Sprintf("%s %d", method, passes[method]))
			}
		}
		if len(fewer) > 0 {
			told = append(told, fmt.Sprintf("Fewer passes than the %d of other baselines: %s in %s.", most, strings.Join(fewer, ", "), setting))
		}
	}
	return told
}

// title returns the name of a setting, with the files of its runs if these are not the usual ones.
func title(cells *experiment.Cells, setting string) string {
	for _, s := range cells.Standings {
		var data Data
		switch config := s.Run.Config.(type) {
		case Contrastive:
			data = config.Data
		case Baseline:
			data = config.Data
		}
		if s.Run.Setting == setting && data.Files == JPEGCopies {
			return setting + fmt.Sprintf(" (%s)", data.Files)
		}
	}
	return setting
}

// Costs compares the selection rules for each row in a setting: the accuracy of the oracle in percent, and by how many
// points the other rules are below it, as a mean over runs.
func (t Table) Costs(cells *experiment.Cells, setting string) viz.Table {
	rules := experiment.Rules()
	rules = slices.DeleteFunc(rules, func(r experiment.Rule) bool { return r == experiment.Oracle })
	out := viz.Table{
		Title: "What choosing without negatives costs, " + title(cells, setting), RowsHeader: "method",
		Columns: []string{"oracle"},
		Note:    "Oracle: accuracy (%) at the best point on test images. The others: points below it, run by run, mean ± 95% interval over seeds.",
	}
	published := map[experiment.Rule]map[Row]float64{} // of the rules with a number for a row of the table
	for _, rule := range rules {
		out.Columns = append(out.Columns, string(rule))
		if slices.ContainsFunc(t.Rows, func(r Row) bool { _, ok := publishedCosts[rule][r]; return ok }) {
			out.Columns, published[rule] = append(out.Columns, "published"), publishedCosts[rule]
		}
	}
	if len(published) > 0 {
		out.Note += " Published: " + sourceCosts + "."
	}
	for _, row := range t.Rows {
		cell := cells.At(setting, row.Method, row.Head, experiment.Oracle)
		if len(cell.Runs) == 0 || row.Method == TrueLabels { // evaluated once: nothing to select
			continue
		}
		line := []viz.Cell{Percent(cell.Accuracy)}
		for _, rule := range rules {
			line = append(line, Percent(cells.Gap(setting, row.Method, row.Head, rule)))
			if costs, ok := published[rule]; ok {
				cost, ok := costs[row]
				line = append(line, viz.Cell{Mean: cost, Missing: !ok})
			}
		}
		out.Add(row.String(), line)
	}
	return out
}

// publishedCosts is the accuracy of the best epoch minus that of the epochs with the highest proxy accuracy and the
// highest proxy AUC.
var publishedCosts = map[experiment.Rule]map[Row]float64{
	experiment.ProxyAccuracy: {{"nnPU", ""}: 82.40 - 82.03, {"Dist-PU", ""}: 83.56 - 81.64},
	experiment.ProxyAUC:      {{"nnPU", ""}: 82.40 - 75.56, {"Dist-PU", ""}: 83.56 - 79.31},
}

// sourceCosts is the source of publishedCosts.
const sourceCosts = "W. Wang et al. (2025), arXiv 2509.24228, Table 1, CIFAR-10 in another split"

// Percent returns a summary of fractions as a cell in percent, missing if no run was evaluated.
func Percent(s evaluate.Summary) viz.Cell { return timesOf(s, 100) }

// timesOf returns a summary times a factor as a cell, missing if it is empty.
func timesOf(s evaluate.Summary, times float64) viz.Cell {
	switch {
	case s.Seeds == 0:
		return viz.Cell{Missing: true}
	case math.IsNaN(s.HalfWidth):
		return viz.Cell{Mean: times * s.Mean}
	}
	return viz.Cell{Mean: times * s.Mean, Spread: times * s.HalfWidth}
}
