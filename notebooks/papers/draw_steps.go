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

// CurvesOverSteps returns a curve for each series: its accuracy in percent over the steps of its evaluations, with the
// 95% interval over seeds. Points with fewer than two seeds, which have no interval, are omitted. A curve has the name
// of its method, and for series of several settings also the distinguishing part of the setting.
func CurvesOverSteps(cells *experiment.Cells, list ...experiment.Series) []viz.Curve {
	return curvesOverSteps(cells, list, percent, func(p experiment.Point, s experiment.Series) (float64, bool) {
		accuracy, tested := p.Accuracy()
		return 100 * accuracy, tested && p.Head == s.Head
	})
}

// limits are the range of a value for axes that should end there.
var limits = map[string][2]float64{OnFloor: {0, 1}}

// ValuesOverSteps is [CurvesOverSteps] of a value of watched runs, such as [Separation].
func ValuesOverSteps(cells *experiment.Cells, value string, list ...experiment.Series) []viz.Curve {
	return curvesOverSteps(cells, list, limits[value], func(p experiment.Point, _ experiment.Series) (float64, bool) {
		v, ok := p.Values[value]
		return v, ok && p.Head == ""
	})
}

func curvesOverSteps(cells *experiment.Cells, list []experiment.Series, within [2]float64, of func(experiment.Point, experiment.Series) (float64, bool)) (
	curves []viz.Curve) {
	for _, s := range list {
		curve := viz.Curve{Name: seriesName(s, list), Within: within}
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
			if summary, err := evaluate.Summarize(at[step], 0); err == nil {
				addSummary(&curve, float64(step), summary, 1)
			}
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// seriesName names one of several series.
func seriesName(s experiment.Series, list []experiment.Series) string {
	task, _, _ := strings.Cut(s.Setting, ", ")
	several, tasks := false, false
	for _, other := range list {
		several = several || other.Setting != s.Setting
		tasks = tasks || !strings.HasPrefix(other.Setting, task+", ")
	}
	switch {
	case !several:
		return s.Method
	case tasks:
		return s.Method + ", " + s.Setting
	}
	return s.Method + ", " + strings.TrimPrefix(s.Setting, task+", ")
}

// PathsOverSteps returns alignment and uniformity of each series over the steps, as means over seeds, for
// [viz.AlignmentUniformity]. Steps at which fewer than two done runs have one of the two are omitted, and series
// without other steps.
func PathsOverSteps(cells *experiment.Cells, list ...experiment.Series) (paths []viz.Path) {
	for _, s := range list {
		alignment, uniformity := ValuesOverSteps(cells, Alignment, s), ValuesOverSteps(cells, Uniformity, s)
		if len(alignment) == 0 || len(uniformity) == 0 {
			continue
		}
		a, u, path := alignment[0], uniformity[0], viz.Path{Name: seriesName(s, list)}
		for i, step := range a.X {
			if j := slices.Index(u.X, step); j >= 0 {
				path.Steps, path.Alignment, path.Uniformity = append(path.Steps, step), append(path.Alignment, a.Y[i]), append(path.Uniformity, u.Y[j])
			}
		}
		if len(path.Steps) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// DrawCurves returns curves as a table: a column per curve, and a row per x of any curve. Numbers have one decimal
// beside an interval and two without, and three if all are below 10. A table with more rows than fit on a screen is
// folded.
func DrawCurves(title, x string, curves []viz.Curve) viz.Table {
	out := viz.Table{Title: title, RowsHeader: x, Decimals: 2}
	var all []float64
	largest := 0.0
	for _, c := range curves {
		if c.High != nil {
			out.Note, out.Decimals = "Mean ± 95% interval over seeds.", 1
		}
		for _, y := range c.Y {
			largest = max(largest, math.Abs(y))
		}
		out.Columns = append(out.Columns, c.Name)
		all = append(all, c.X...)
	}
	if largest < 10 {
		out.Decimals = 3
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
		out.Add(strings.Replace(fmt.Sprint(at), "-", "−", 1), line)
	}
	out.Folded = len(out.Rows) > 12
	return out
}

// DrawSooner shows the final accuracy of series and how much sooner they reach the final accuracy of a reference,
// paired by seed, in percent of its steps: see [experiment.Cells.Sooner].
func DrawSooner(cells *experiment.Cells, reference experiment.Series, list ...experiment.Series) viz.Table {
	out := viz.Table{
		Title:      fmt.Sprintf("Who is sooner where %s ends, %s, by %s", reference.Method, reference.Setting, reference.Head),
		RowsHeader: "method", Columns: []string{"at the end", "sooner by"},
		Note: "Accuracy (%) at the end, and by how many percent of its steps sooner a run is as accurate as " + reference.Method + " with its seed ends. " +
			"Mean ± 95% interval over seeds.",
	}
	all := append([]experiment.Series{reference}, list...)
	for _, s := range all {
		sooner := viz.Cell{Text: "–"}
		if s != reference {
			sooner = Percent(cells.Sooner(s, reference))
		}
		out.Add(seriesName(s, all), []viz.Cell{Percent(cells.At(s.Setting, s.Method, s.Head, experiment.Last).Accuracy), sooner})
	}
	return out
}
