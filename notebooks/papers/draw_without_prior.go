package papers

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/viz"
)

// DrawCrossFit returns what is known of the inside of classifiers of [WithoutPrior] in each setting, in percent, mean ± half of the 95%
// interval over the seeds: the class prior by which pseudo-labels were made (the first one is told to the second encoders), how many of these
// are right, and the accuracy on test images of the members, each by itself, and of all together. Settings without a run that is done are
// left out.
func DrawCrossFit(cells *experiment.Cells, settings ...string) viz.Table {
	out := viz.Table{
		Title: "Inside the classifiers", RowsHeader: "classifier",
		Columns: []string{"π", "pseudo-labels right", "members alone", "together"},
		Note:    fmt.Sprintf("Percent, mean ± 95%% interval over seeds; one seed has none. The whole grid: %s.", cells),
	}
	for _, setting := range settings {
		for _, head := range []string{FirstTime, SecondTime} {
			cell := cells.At(setting, crossFitMethod, head, experiment.Last)
			if cell.Count(experiment.Done) == 0 {
				continue
			}
			var line []viz.Cell
			for _, name := range []string{EstimatedPrior, LabelsRight, MembersAlone} {
				line = append(line, Percent(cells.Value(setting, crossFitMethod, head, name)))
			}
			out.Add(fmt.Sprintf("%s: %s", setting, Row{crossFitMethod, head}), append(line, Percent(cell.Accuracy)))
		}
	}
	return out
}

// DrawCrossFitChoice returns what the classifiers of [WithoutPrior] come to where a rule that is told no class prior and sees no negative chooses
// between the first time and the second, in percent, mean ± half of the 95% interval over the seeds: rules that take the higher of two
// numbers, and [contrast.Fitted.Best]; beside it the second, which comes last, and the oracle. Settings without a run that is done are
// left out.
func DrawCrossFitChoice(cells *experiment.Cells, settings ...string) viz.Table {
	const both = "either time"
	joined, best := &experiment.Cells{}, &experiment.Cells{}
	for _, s := range cells.Standings {
		if s.Run.Method != crossFitMethod || s.State != experiment.Done {
			continue
		}
		points := slices.Clone(s.Result.Points)
		for i := range points {
			points[i].Head = both
		}
		of := func(points []experiment.Point) experiment.Standing {
			result := *s.Result
			result.Points = points
			return experiment.Standing{Run: s.Run, State: s.State, Result: &result}
		}
		joined.Standings = append(joined.Standings, of(points))
		best.Standings = append(best.Standings, of(points[bestOf(points):][:1]))
	}
	out := viz.Table{
		Title: "CrossFit by who chooses between the first time and the second", RowsHeader: "chosen by",
		Note: "Accuracy (%) on test images, mean ± 95% interval over seeds. All but the oracle are told no class prior and no negative.",
	}
	settings = slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return len(joined.Runs(s, crossFitMethod)) == 0 })
	out.Columns = settings
	add := func(name string, of *experiment.Cells, rule experiment.Rule) {
		var line []viz.Cell
		for _, setting := range settings {
			line = append(line, Percent(of.At(setting, crossFitMethod, both, rule).Accuracy))
		}
		out.Add(name, line)
	}
	add(string(experiment.Last), joined, experiment.Last)
	for _, rule := range []experiment.Rule{experiment.RiskOwnPrior, experiment.LeeLiu, experiment.ProxyAUC} {
		add(string(rule), joined, rule)
	}
	add("Lee–Liu by a standard error", best, experiment.Last)
	add(string(experiment.Oracle), joined, experiment.Oracle)
	return out
}

// bestOf returns which of the points of a run of CrossFit, that of the first time and that of the second, Best takes.
func bestOf(points []experiment.Point) int {
	second := &contrast.Fitted{HeldOut: points[1].PU, First: &contrast.Fitted{HeldOut: points[0].PU}}
	if second.Best() == second {
		return 1
	}
	return 0
}
