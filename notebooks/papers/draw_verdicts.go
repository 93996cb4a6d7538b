package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// DrawVerdicts shows the claims of an experiment, such as "figure 13", that the runs of a grid decide, with their
// results. The findings are those of [Verdicts].
func DrawVerdicts(findings []Finding, grid, figure string) viz.Table {
	var chosen []Finding
	several := map[string]bool{}
	for _, f := range findings {
		if f.Grid == grid && f.Experiment == figure {
			chosen = append(chosen, f)
			several[f.Setting] = true
		}
	}
	if len(several) > 1 {
		for i, f := range chosen {
			chosen[i].Statement = fmt.Sprintf("%s: %s", f.Setting, f.Statement)
		}
	}
	out := drawFindings(chosen)
	out.Title, out.Decimals = "What is claimed: "+figure, 2
	return out
}

// DrawClaims shows the two rows of each claim about a setting, in percent, with the verdict and the published numbers.
// The findings are those of [Verdicts].
func (t Table) DrawClaims(findings []Finding, setting string) viz.Table {
	var chosen []Finding
	for _, f := range findings {
		if f.Grid == t.Name && f.Setting == setting && slices.Contains(t.Claims, f.Claim) {
			chosen = append(chosen, f)
		}
	}
	out := drawFindings(chosen)
	name := setting
	if len(chosen) > 0 {
		name = title(chosen[0].cells, setting)
	}
	out.Title = "What is claimed, " + name
	out.Columns = append(out.Columns, "published above", "published below")
	for i, f := range chosen {
		for _, row := range []Row{f.Above, f.Below} {
			p, ok := t.published(setting, row, f.Rule)
			out.Cells[i] = append(out.Cells[i], viz.Cell{Mean: p.Mean, Spread: p.Spread, Missing: !ok})
		}
	}
	return out
}

// drawFindings shows the two rows of each claim with the verdict.
func drawFindings(findings []Finding) viz.Table {
	out := viz.Table{RowsHeader: "claim",
		Columns: []string{"above", "below", "difference", "seeds", "p", "q", "detectable", "verdict"}}
	for _, f := range findings {
		above, below := f.series()
		line := []viz.Cell{f.shown(above, f.Measure), f.shown(below, cmp.Or(f.BelowMeasure, f.Measure)), Percent(f.Effect),
			{Text: fmt.Sprint(f.Effect.Seeds)}, {Text: probability(f.P)}, {Text: probability(f.Q())},
			{Text: "n/a"}, {Text: f.Outcome()}}
		if smallest := 100 * f.Detectable(); !math.IsNaN(smallest) {
			line[6].Text = fmt.Sprintf("%.2f", smallest)
		}
		out.Add(f.Statement, line)
	}
	out.Note = noteOf(findings)
	return out
}

// noteOf explains a table of findings.
func noteOf(findings []Finding) string {
	measured := func(f Finding) bool { return f.Measure != "" && f.Measure != Steps }
	some := func(what func(Finding) bool) bool { return slices.ContainsFunc(findings, what) }
	note := "Accuracy (%)"
	if len(findings) > 0 && !some(func(f Finding) bool { return !measured(f) }) {
		note = "Hundredths of what is measured"
	}
	note += ", mean ± 95% interval over seeds. The difference is taken run by run with the same seed. q is the p-value corrected " +
		"for the number of claims, within the paper or over all, whichever is larger: a claim is decided below 0.05. Detectable: " +
		"the difference that as many seeds find with a probability of 80%. Exploratory: three seeds or fewer."
	if note[0] == 'A' && some(measured) {
		note += " Of a claim by another measure than accuracy the numbers are hundredths of that measure."
	}
	if some(func(f Finding) bool { return f.Measure == Steps }) {
		note += " Of a claim about who is sooner the difference is in steps, in percent of all steps of the other run."
	}
	if some(func(f Finding) bool { return f.Magnitude }) {
		note += " Where it says less biased, the difference is that of the distances from 0."
	}
	if some(func(f Finding) bool { return f.Setting == "" }) {
		note += " A table counts as one seed, since its draws share rows."
	}
	var left []string
	for _, f := range findings {
		above, below := f.series()
		for _, s := range []experiment.Series{above, below} {
			if text := leftOut(f.cells.At(s.Setting, s.Method, s.Head, f.Rule), s); text != "" && !slices.Contains(left, text) {
				left = append(left, text)
			}
		}
	}
	if len(left) > 0 {
		note += " Seeds are left out that failed or whose head could not be had: " + strings.Join(left, "; ") + "."
	}
	return note
}

// shown returns the table cell of a series: its accuracy, or the measured value.
func (f Finding) shown(s experiment.Series, measure Measure) viz.Cell {
	if measure == "" || measure == Steps {
		return Percent(f.cells.At(s.Setting, s.Method, s.Head, f.Rule).Accuracy)
	}
	of := func(points []experiment.Point) (float64, bool) { return measure.of(points, s.Head, false) }
	if s.Setting == "" {
		return Percent(f.cells.MeanBy(tableOf, "", s.Method, of))
	}
	return Percent(f.cells.Mean(s.Setting, s.Method, of))
}

// leftOut states how many runs of a series have no result for its head, "" if all have one.
func leftOut(cell experiment.Cell, s experiment.Series) string {
	failed := cell.Count(experiment.Failed)
	if failed+cell.Headless == 0 {
		return ""
	}
	return fmt.Sprintf("%s in %d of %d runs of %s", Row{s.Method, s.Head}, failed+cell.Headless,
		failed+cell.Count(experiment.Done), s.Setting)
}

// probability formats a p-value or a q-value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "n/a"
	case p < 0.0001:
		return "<\u00a00.0001" // with a non-breaking space
	case p < 0.1:
		return fmt.Sprintf("%.4f", p)
	}
	return fmt.Sprintf("%.2f", p)
}
