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
			perStep, _ := spent(cells, s)
			for i := range curve.X {
				curve.X[i] *= perStep
			}
			curve.Name = Row{s.Method, s.Head}.String()
			curves = append(curves, curve)
		}
	}
	return curves
}

// DrawCompute sets side by side after how many minutes of the fastest of its runs, as [CurvesOverMinutes] counts them, a series is judged for
// the last time, and how accurate it is then, in percent, mean ± half of the 95% interval over seeds. Series without a run that is done are left out.
func DrawCompute(cells *experiment.Cells, list ...experiment.Series) viz.Table {
	out := viz.Table{
		Title: "Where they end", RowsHeader: "classifier", Columns: []string{"minutes", "accuracy (%)"}, Decimals: 1,
		Note: "Minutes of the fastest run on one core, with all its heads, until this one ends. Mean ± 95% interval over seeds; one seed has none.",
	}
	for _, s := range list {
		cell := cells.At(s.Setting, s.Method, s.Head, experiment.Last)
		if cell.Count(experiment.Done) == 0 {
			continue
		}
		perStep, last := spent(cells, s)
		out.Add(Row{s.Method, s.Head}.String(), []viz.Cell{{Mean: perStep * float64(last)}, Percent(cell.Accuracy)})
	}
	return out
}

// spent returns how many minutes a step of the fastest done run of a series took, and after which step its head is judged for the last time.
func spent(cells *experiment.Cells, s experiment.Series) (perStep float64, last int) {
	perStep = math.Inf(1)
	for _, standing := range cells.Runs(s.Setting, s.Method) {
		if standing.State != experiment.Done {
			continue
		}
		steps := 0
		for _, p := range standing.Result.Points {
			if steps = max(steps, p.Step); p.Head == s.Head {
				last = max(last, p.Step)
			}
		}
		perStep = min(perStep, standing.Result.Seconds/60/float64(steps))
	}
	return perStep, last
}
