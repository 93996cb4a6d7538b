package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// Sweep is a figure of accuracies over a varying parameter of settings, such as γ.
type Sweep struct {
	Title     string
	XLabel    string
	LogX      bool
	Rows      []Row
	X         []float64
	Setting   func(x float64) string
	Grid      string      // of the runs
	Published []Published // numbers of a paper or its authors for the rows and settings; nil for none
}

// names returns the distinguishing names of the rows: methods if they share a head, heads if they share a method.
func (s Sweep) names() []string {
	methods, heads := map[string]bool{}, map[string]bool{}
	for _, row := range s.Rows {
		methods[row.Method], heads[row.Head] = true, true
	}
	var names []string
	for _, row := range s.Rows {
		switch {
		case len(heads) == 1:
			names = append(names, row.Method)
		case len(methods) == 1:
			names = append(names, row.Head)
		default:
			names = append(names, row.String())
		}
	}
	return names
}

// Draw returns the figure, with the 95% intervals over seeds, and its description in words. The figure is nil if no
// setting has two done seeds of a row; then the words name the command that performs the runs.
func (s Sweep) Draw(cells *experiment.Cells, rule experiment.Rule) (*plot.Plot, string, error) {
	var curves []viz.Curve
	var words []string
	for i, name := range s.names() {
		for _, curve := range CurvesOver(cells, s.Rows[i:i+1], rule, s.X, s.Setting) {
			curve.Name = name
			curves = append(curves, curve)
			words = append(words, ends(curve))
		}
	}
	if len(curves) == 0 {
		return nil, fmt.Sprintf("No setting of this figure has two seeds that are done (%s). `go run ./notebooks grid -size laptop %s` does "+
			"them, in hours on two cores; the figure then draws itself.", cells, s.Grid), nil
	}
	p, err := s.draw(s.Title, curves)
	return p, fmt.Sprintf("%s, over %s, with 95%% intervals over seeds. %s", s.Title, s.XLabel, strings.Join(words, " ")), err
}

// DrawPublished returns the figure of the published numbers, and its description in words. It returns an error if there
// are none.
func (s Sweep) DrawPublished() (*plot.Plot, string, error) {
	var curves []viz.Curve
	var words []string
	for i, name := range s.names() {
		curve := viz.Curve{Name: name, Within: percent}
		for _, x := range s.X {
			if p, ok := s.published(s.Setting(x), s.Rows[i]); ok {
				curve.Add(x, p.Mean)
			}
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
			words = append(words, ends(curve))
		}
	}
	p, err := s.draw(s.Title+", as published", curves)
	return p, fmt.Sprintf("%s, as published, over %s. %s", s.Title, s.XLabel, strings.Join(words, " ")), err
}

// draw draws curves in the axes of the figure, with a range of at least two points of accuracy, so that tenths do not
// look like differences.
func (s Sweep) draw(title string, curves []viz.Curve) (*plot.Plot, error) {
	p, err := viz.LearningCurves(viz.CurvesConfig{
		Figure: viz.Figure{Title: title, XLabel: s.XLabel, YLabel: "accuracy (%)", Height: 3.4 * viz.Inch}, LogX: s.LogX, Whiskers: true,
	}, curves...)
	if err != nil {
		return nil, err
	}
	if short := 2 - (p.Y.Max - p.Y.Min); short > 0 {
		up := min(short/2, max(0, 100-p.Y.Max))
		p.Y.Min, p.Y.Max = p.Y.Min-(short-up), p.Y.Max+up
	}
	return p, nil
}

// ends describes both ends of a curve.
func ends(c viz.Curve) string {
	n := len(c.X) - 1
	return fmt.Sprintf("%s: %.1f%% at %g, %.1f%% at %g.", c.Name, c.Y[0], c.X[0], c.Y[n], c.X[n])
}

// published returns the published number of a row in a setting: of the best point on test images, as for most published
// numbers, or of an unstated rule.
func (s Sweep) published(setting string, row Row) (Published, bool) {
	return Table{Published: s.Published}.published(setting, row, experiment.Oracle)
}

// Table returns the same numbers as a table, a column for each x, with the published ones in rows below. Missing
// numbers are "n/a".
func (s Sweep) Table(cells *experiment.Cells, rule experiment.Rule) viz.Table {
	out := viz.Table{Title: s.Title, RowsHeader: s.XLabel,
		Note: fmt.Sprintf("Accuracy (%%), mean ± 95%% interval over seeds, point chosen by: %s. The whole grid: %s.", rule, cells)}
	for _, x := range s.X {
		out.Columns = append(out.Columns, fmt.Sprintf("%g", x))
	}
	published := viz.Table{}
	var told []string // distinct sources of the published numbers
	for i, name := range s.names() {
		var ours, theirs []viz.Cell
		there := false
		for _, x := range s.X {
			ours = append(ours, Percent(cells.At(s.Setting(x), s.Rows[i].Method, s.Rows[i].Head, rule).Accuracy))
			p, ok := s.published(s.Setting(x), s.Rows[i])
			theirs, there = append(theirs, viz.Cell{Mean: p.Mean, Spread: p.Spread, Missing: !ok}), there || ok
			if from := fmt.Sprintf(" Published: %s; point chosen by: %s.", p.Source, cmp.Or(p.Rule, "not told")); ok && !slices.Contains(told, from) {
				told = append(told, from)
			}
		}
		out.Add(name, ours)
		if there {
			published.Add(name+", published", theirs)
		}
	}
	out.Note += strings.Join(told, "")
	out.Rows, out.Cells = append(out.Rows, published.Rows...), append(out.Cells, published.Cells...)
	return out
}

// Crossing returns the neighbors among X between which the first of two rows rises above the second for good, according
// to the function mean: the last x at which it is not above, and the next. It returns NaN for an end that does not
// exist.
func (s Sweep) Crossing(mean func(setting string, row Row) (float64, bool), above, below Row) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for _, x := range s.X {
		a, ok := mean(s.Setting(x), above)
		b, both := mean(s.Setting(x), below)
		switch {
		case !ok || !both:
		case a <= b:
			low, high = x, math.NaN()
		case math.IsNaN(high):
			high = x
		}
	}
	return low, high
}

// PublishedMean returns the published mean of a row in a setting, for [Sweep.Crossing].
func (s Sweep) PublishedMean(setting string, row Row) (float64, bool) {
	p, ok := s.published(setting, row)
	return p.Mean, ok
}

// MeasuredMean returns a function for [Sweep.Crossing] that returns the means of the done runs.
func MeasuredMean(cells *experiment.Cells, rule experiment.Rule) func(setting string, row Row) (float64, bool) {
	return func(setting string, row Row) (float64, bool) {
		a := cells.At(setting, row.Method, row.Head, rule).Accuracy
		return 100 * a.Mean, a.Seeds > 0
	}
}

// lead returns the lead of one row of a setting over another, paired by seed, each at its last point.
func lead(cells *experiment.Cells, setting string, above, below Row) evaluate.Summary {
	return cells.Difference(above.in(setting), below.in(setting), experiment.Last)
}
