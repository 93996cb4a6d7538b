package papers

import (
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// CurvesOverMinutes is [CurvesOverSteps] over minutes in place of steps: how long the fastest of the runs of a series took, as others were
// slowed by what else the machine did, all judging included, shared out evenly among its steps.
// A curve has the name of its method and head. Points of a run end one schedule of the learning rate and not each its own: a run that is to
// be short does better than a long one does by then.
func CurvesOverMinutes(cells *experiment.Cells, list ...experiment.Series) (curves []viz.Curve) {
	for _, s := range list {
		for _, curve := range CurvesOverSteps(cells, s) {
			minutes, steps := spent(cells, s)
			for i := range curve.X {
				curve.X[i] *= minutes / float64(steps)
			}
			curve.Name = Row{s.Method, s.Head}.String()
			curves = append(curves, curve)
		}
	}
	return curves
}

// DrawCompute sets side by side how many minutes the fastest runs of series took, with all heads of theirs, and how
// accurate they are in the end, in percent, mean ± half of the 95% interval over seeds. Series without a run that is done are left out.
func DrawCompute(cells *experiment.Cells, list ...experiment.Series) viz.Table {
	out := viz.Table{
		Title: "Where they end", RowsHeader: "classifier", Columns: []string{"minutes", "accuracy (%)"}, Decimals: 1,
		Note: "Minutes of the fastest run on one core, with all its heads. Mean ± 95% interval over seeds; one seed has none.",
	}
	for _, s := range list {
		cell := cells.At(s.Setting, s.Method, s.Head, experiment.Last)
		if cell.Count(experiment.Done) == 0 {
			continue
		}
		minutes, _ := spent(cells, s)
		out.Add(Row{s.Method, s.Head}.String(), []viz.Cell{{Mean: minutes}, Percent(cell.Accuracy)})
	}
	return out
}

// spent returns the minutes of the fastest done run of a series, and the last step after which one was judged.
func spent(cells *experiment.Cells, s experiment.Series) (minutes float64, steps int) {
	minutes = math.Inf(1)
	for _, standing := range cells.Runs(s.Setting, s.Method) {
		if standing.State != experiment.Done {
			continue
		}
		minutes = min(minutes, standing.Result.Seconds/60)
		for _, p := range standing.Result.Points {
			steps = max(steps, p.Step)
		}
	}
	return minutes, steps
}
