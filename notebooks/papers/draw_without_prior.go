package papers

import (
	"fmt"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/contrast"
	"github.com/puclab/puclab/viz"
)

// DrawCrossFit returns inner values of classifiers of [WithoutPrior] in each setting, in percent, mean ± half of the
// 95% interval over the seeds. They are the class prior of the pseudo-labels, the fraction of correct pseudo-labels,
// and the test accuracy of the single members and of all together. The second encoders are given the first class prior.
// Settings without a done run are omitted.
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

// DrawCrossFitChoice returns the accuracy of classifiers of [WithoutPrior] if a rule without class prior and negatives
// selects the first or the second round. Numbers are in percent, mean ± half of the 95% interval over the seeds. The
// rules maximize a criterion, or are [contrast.Fitted.Best]. For comparison it has the second round, which is the last,
// and the oracle. Settings without a done run are omitted.
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

// bestOf returns the index of the point of a CrossFit run, first or second round, that Best selects.
func bestOf(points []experiment.Point) int {
	second := &contrast.Fitted{HeldOut: points[1].PU, First: &contrast.Fitted{HeldOut: points[0].PU}}
	if second.Best() == second {
		return 1
	}
	return 0
}
