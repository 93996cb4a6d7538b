package papers

import (
	"fmt"
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// PriorEstimators lists the heads of a run of [PriorsOnTables] in the order of tables.
func PriorEstimators() []string {
	return []string{"Elkan–Noto e1", "Elkan–Noto e3", "DEDPUL", "BBE", "TED^n", "TIcE", "TIcE of scores", "KM2"}
}

// sourceDEDPUL is the source of the protocol and the published numbers.
const sourceDEDPUL = "D. Ivanov, DEDPUL (ICMLA 2020)"

// publishedPriors are the mean absolute errors of DEDPUL in its program's result files, over all five shares.
//
// Source: that of [uciSets].
var publishedPriors = map[string]float64{
	"wine": 0.020, "mushroom": 0.012, "shuttle": 0.014, "landsat": 0.014, "spambase": 0.034, "page blocks": 0.090,
}

// ofSets returns the cells of the tables and shares for which keep returns true.
func ofSets(cells *experiment.Cells, keep func(TablePrior) bool) *experiment.Cells {
	var part experiment.Cells
	for _, s := range cells.Standings {
		if c, ok := s.Run.Config.(TablePrior); ok && keep(c) {
			part.Standings = append(part.Standings, s)
		}
	}
	return &part
}

// tableOf names the table of a run. The draws of a table share its rows, so they are dependent.
func tableOf(run experiment.Run) string {
	if config, ok := run.Config.(TablePrior); ok {
		return config.Set
	}
	return run.Setting
}

// shareOf names the table and the fraction of positives of a run.
func shareOf(run experiment.Run) string { return run.Setting }

// priorErrors summarizes an estimator's absolute errors of the prior, by groups of runs that share rows.
func priorErrors(cells *experiment.Cells, cluster func(experiment.Run) string, head string) evaluate.Summary {
	return cells.MeanBy(cluster, "", priorMethod, func(points []experiment.Point) (float64, bool) {
		return PriorError.of(points, head, false)
	})
}

// DrawPriors returns the mean absolute error of each estimator of [PriorsOnTables] on each table and on all, over all
// done runs, beside published numbers.
func DrawPriors(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "How far estimates are from the class prior", RowsHeader: "estimator", Decimals: 3,
		Note: fmt.Sprintf("Mean absolute error ± 95%% interval. The ten draws at a share of positives share rows and are averaged "+
			"first: intervals of a table are over five shares, those of all over six tables; %s. Published: result files of %s.",
			cells, sourceDEDPUL),
	}
	sets := uciSets()
	ours := map[string][]viz.Cell{}
	var published []viz.Cell
	mean := 0.0
	for _, set := range sets {
		out.Columns = append(out.Columns, set.name)
		part := ofSets(cells, func(c TablePrior) bool { return c.Set == set.name })
		for _, head := range PriorEstimators() {
			ours[head] = append(ours[head], timesOf(priorErrors(part, shareOf, head), 1))
		}
		published = append(published, viz.Cell{Mean: publishedPriors[set.name]})
		mean += publishedPriors[set.name] / float64(len(sets))
	}
	out.Columns = append(out.Columns, "all")
	for _, head := range PriorEstimators() {
		out.Add(head, append(ours[head], timesOf(priorErrors(cells, tableOf, head), 1)))
	}
	out.Add("DEDPUL, published", append(published, viz.Cell{Mean: mean}))
	return out
}

// DrawPriorIntervals returns, for each estimator, the coverage of its intervals of level 0.9, with Student's 95%
// interval over the tables, their width, and on which side they miss the prior.
func DrawPriorIntervals(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "Intervals of level 0.9", RowsHeader: "estimator",
		Columns: []string{"contain the prior", "mean width", "lie above it", "lie below it"},
		Note: fmt.Sprintf("Percent of the draws that are done, and width in percentage points; ± 95%% interval over six tables, "+
			"since the draws of one share rows; %s.", cells),
	}
	for _, head := range PriorEstimators() {
		width := cells.MeanBy(tableOf, "", priorMethod, func(points []experiment.Point) (float64, bool) {
			v := experiment.LastPoint(points, head).Values
			return v[PriorHigh] - v[PriorLow], v != nil
		})
		above := intervals(cells, head, func(low, truth, _ float64) bool { return low > truth })
		below := intervals(cells, head, func(_, truth, high float64) bool { return high < truth })
		plain := func(s evaluate.Summary) viz.Cell { return viz.Cell{Mean: 100 * s.Mean, Missing: s.Seeds == 0} }
		out.Add(head, Percent(containPrior(cells, head)), plain(width), plain(above), plain(below))
	}
	return out
}

// containPrior returns the coverage of an estimator's intervals, over tables.
func containPrior(cells *experiment.Cells, head string) evaluate.Summary {
	return intervals(cells, head, func(low, truth, high float64) bool { return low <= truth && truth <= high })
}

// intervals returns the fraction of an estimator's intervals for which a condition holds, over tables.
func intervals(cells *experiment.Cells, head string, so func(low, truth, high float64) bool) evaluate.Summary {
	return cells.MeanBy(tableOf, "", priorMethod, func(points []experiment.Point) (share float64, ok bool) {
		v := experiment.LastPoint(points, head).Values
		if so(v[PriorLow], v[TruePrior], v[PriorHigh]) {
			share = 1
		}
		return share, v != nil
	})
}

// PriorCurves returns the mean absolute errors of the class prior, a curve for each estimator over the fraction of
// positives in percent, with 95% intervals over tables. Fractions with fewer than two done runs are omitted.
func PriorCurves(cells *experiment.Cells, heads ...string) (curves []viz.Curve) {
	for _, head := range heads {
		curve := viz.Curve{Name: head}
		for _, percent := range priorShares {
			part := ofSets(cells, func(c TablePrior) bool { return c.percent() == percent })
			addSummary(&curve, float64(percent), priorErrors(part, tableOf, head), 1)
		}
		if len(curve.X) > 0 {
			curves = append(curves, curve)
		}
	}
	return curves
}

// DrawPriorPairs returns the comparison of each claim of [experimentPriors], with intervals that treat every draw,
// every fraction of positives, or every table as an independent observation. Draws of a table share its rows, so only
// tables are independent. Student's interval over tables decides. The bootstrap interval beside it draws tables, and
// fractions of each drawn table, with replacement.
func DrawPriorPairs(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "By how much an estimate is nearer, and what is taken for a sample", RowsHeader: "claim", Decimals: 2,
		Columns: []string{"every draw", "every share of positives", "every table", "tables, bootstrap"},
		Note: "Difference of absolute errors in hundredths, mean ± 95% interval of Student's t. Bootstrap: 95% percentile " +
			"interval over resampled tables, and resampled shares of positives of each.",
	}
	for _, c := range claimsPriors() {
		above, below := c.series()
		draws := cells.Paired(above, below, c.difference)
		shares := cells.PairedBy(shareOf, above, below, c.difference)
		tables := cells.PairedBy(tableOf, above, below, c.difference)
		low, high := cells.PairedBootstrap(tableOf, shareOf, above, below, c.difference)
		bootstrap := viz.Cell{Text: fmt.Sprintf("%.2f to %.2f", 100*low, 100*high), Missing: math.IsNaN(low)}
		out.Add(c.Statement, []viz.Cell{Percent(draws), Percent(shares), Percent(tables), bootstrap})
	}
	return out
}

// experimentPriors names the claims about estimates of class priors.
const experimentPriors = "class priors"

// claimsPriors returns the claims of the estimators' authors about smaller errors of the class prior, on all tables
// together.
func claimsPriors() (list []Claim) {
	const garg = "Garg et al. (2021), Mixture Proportion Estimation and PU Learning, on images and texts"
	add := func(source, nearer string, others ...string) {
		for _, other := range others {
			list = append(list, Claim{
				Experiment: experimentPriors, Statement: fmt.Sprintf("%s is nearer to the class prior than %s", nearer, other), Source: source,
				Above: Row{priorMethod, other}, Below: Row{priorMethod, nearer}, Measure: PriorError,
			})
		}
	}
	add(sourceDEDPUL, "DEDPUL", "TIcE of scores", "TIcE", "KM2", "Elkan–Noto e3", "Elkan–Noto e1")
	add(sourceDEDPUL, "TIcE of scores", "TIcE")
	add(garg, "BBE", "DEDPUL")
	add(garg, "TED^n", "DEDPUL", "BBE")
	return list
}
