package papers

import (
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// CurvesOverMinutes is [CurvesOverSteps] over minutes instead of steps. Minutes are the time of the fastest run of a
// series, since other load slowed the others, including all evaluations, divided evenly among its steps. A curve has
// the name of its method and head. All points of a run share one learning-rate schedule: a run planned to be short is
// better at its end than a long one at the same time.
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

// DrawCompute shows the last evaluation of each series: the minutes of its fastest run, as in [CurvesOverMinutes], and
// the accuracy in percent, mean ± half of the 95% interval over seeds. Series without a done run are omitted.
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

// spent returns the minutes per step of the fastest done run of a series, and the step of its head's last evaluation.
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
