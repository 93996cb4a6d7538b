package papers

import (
	"fmt"

	"github.com/puclab/puclab/notebooks/experiment"
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
