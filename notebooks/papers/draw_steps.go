package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// CurvesOverSteps returns a curve for each series: its accuracy in percent over the steps after which it was judged, with the 95%
// interval over seeds. What fewer than two seeds have, which has no interval, is left out. A curve has the name of its method, with the
// setting where the series are of several.
func CurvesOverSteps(cells *experiment.Cells, list ...experiment.Series) []viz.Curve {
	return curvesOverSteps(cells, list, func(p experiment.Point, s experiment.Series) (float64, bool) {
		if p.Head != s.Head || p.Test == nil {
			return 0, false
		}
		return 100 * p.Test.Accuracy(), true
	})
}

// ValuesOverSteps is [CurvesOverSteps] of a value that watched runs have, such as [Separation].
func ValuesOverSteps(cells *experiment.Cells, value string, list ...experiment.Series) []viz.Curve {
	return curvesOverSteps(cells, list, func(p experiment.Point, _ experiment.Series) (float64, bool) {
		v, ok := p.Values[value]
		return v, ok && p.Head == ""
	})
}

func curvesOverSteps(cells *experiment.Cells, list []experiment.Series, of func(experiment.Point, experiment.Series) (float64, bool)) (curves []viz.Curve) {
	for _, s := range list {
		curve := viz.Curve{Name: s.Method}
		if slices.ContainsFunc(list, func(other experiment.Series) bool { return other.Setting != s.Setting }) {
			curve.Name = fmt.Sprintf("%s, %s", s.Method, s.Setting)
		}
		at := map[int][]float64{}
		for _, standing := range cells.Runs(s.Setting, s.Method) {
			if standing.State != experiment.Done {
				continue
			}
			for _, p := range standing.Result.Points {
				if v, ok := of(p, s); ok && !math.IsNaN(v) {
					at[p.Step] = append(at[p.Step], v)
				}
			}
		}
		for _, step := range slices.Sorted(maps.Keys(at)) {
			if summary, err := evaluate.Summarize(at[step], 0); err == nil && summary.Seeds > 1 {
				low, high := summary.Interval()
				curve.AddInterval(float64(step), summary.Mean, low, high)
			}
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// DrawCurves sets curves that have intervals as a table: a column for each, and a row for each x that one of them has.
func DrawCurves(title, x string, curves []viz.Curve) viz.Table {
	out := viz.Table{Title: title, RowsHeader: x}
	var all []float64
	for _, c := range curves {
		if c.High != nil {
			out.Note = "Mean ± 95% interval over seeds."
		}
		out.Columns = append(out.Columns, c.Name)
		all = append(all, c.X...)
	}
	slices.Sort(all)
	for _, at := range slices.Compact(all) {
		var line []viz.Cell
		for _, c := range curves {
			cell := viz.Cell{Missing: true}
			if i := slices.Index(c.X, at); i >= 0 {
				cell = viz.Cell{Mean: c.Y[i]}
				if c.High != nil {
					cell.Spread = c.High[i] - c.Y[i]
				}
			}
			line = append(line, cell)
		}
		out.Add(fmt.Sprint(at), line)
	}
	return out
}

// DrawVerdicts sets the claims of an experiment, such as "figure 13", beside what came out of the runs that are done, each judged at its last
// point. Claims about settings of which the grid has no run are left out.
func DrawVerdicts(cells *experiment.Cells, figure string) viz.Table {
	var findings []Finding
	several := map[string]bool{}
	for _, c := range claimed() {
		for _, claim := range c.list {
			if claim.Experiment == figure && claim.has(cells) {
				findings = append(findings, claim.Decide(cells, experiment.Last))
				several[claim.Setting] = true
			}
		}
	}
	if len(several) > 1 {
		for i, f := range findings {
			findings[i].Statement = fmt.Sprintf("%s: %s", f.Setting, f.Statement)
		}
	}
	out := drawFindings(cells, findings)
	out.Title, out.Decimals = "What is claimed: "+figure, 2
	return out
}
