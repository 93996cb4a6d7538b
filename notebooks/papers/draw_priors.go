package papers

import (
	"math"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/viz"
)

// priorEstimators are the heads of a run of [PriorsOnTables], in the order in which they are told.
var priorEstimators = []string{"Elkan–Noto e1", "Elkan–Noto e3", "DEDPUL", "BBE", "TED^n", "TIcE", "TIcE of scores", "KM2"}

// publishedPriors are the mean absolute errors of DEDPUL that its program's results hold, of all five shares.
//
// Source: as of [uciSets].
var publishedPriors = map[string]float64{
	"wine": 0.020, "mushroom": 0.012, "shuttle": 0.014, "landsat": 0.014, "spambase": 0.034, "page blocks": 0.090,
}

// priorSums sums up the estimates of some runs.
type priorSums struct{ runs, errors, contained, width float64 }

// add adds what was measured of an estimator.
func (s *priorSums) add(v map[string]float64) {
	s.runs++
	s.errors += math.Abs(v[EstimatedPrior] - v[TruePrior])
	s.width += v[PriorHigh] - v[PriorLow]
	if v[PriorLow] <= v[TruePrior] && v[TruePrior] <= v[PriorHigh] {
		s.contained++
	}
}

// mean returns a sum over the runs as a cell.
func (s priorSums) mean(sum float64) viz.Cell {
	if s.runs == 0 {
		return viz.Cell{Missing: true}
	}
	return viz.Cell{Mean: sum / s.runs}
}

// DrawPriors returns the mean absolute error of each estimator of [PriorsOnTables] on each set and on all, which share of its intervals
// contain the prior, and how wide they are, over all done runs.
func DrawPriors(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "Class priors of six tables", RowsHeader: "estimator", Decimals: 3,
		Note: "Mean absolute error over draws and shares of positives; contained and width: of intervals of level 0.9.",
	}
	sets := uciSets()
	for _, set := range sets {
		out.Columns = append(out.Columns, set.name)
	}
	out.Columns = append(out.Columns, "all", "contained", "width")
	for _, head := range priorEstimators {
		sums := make([]priorSums, len(sets))
		var all priorSums
		for _, s := range cells.Standings {
			c, ok := s.Run.Config.(TablePrior)
			if !ok || s.State != experiment.Done {
				continue
			}
			for _, p := range s.Result.Points {
				if p.Head == head {
					sums[slices.IndexFunc(sets, func(u uciSet) bool { return u.name == c.Set })].add(p.Values)
					all.add(p.Values)
				}
			}
		}
		var line []viz.Cell
		for _, s := range sums {
			line = append(line, s.mean(s.errors))
		}
		out.Add(head, append(line, all.mean(all.errors), all.mean(all.contained), all.mean(all.width)))
	}
	var line []viz.Cell
	var sum priorSums
	for _, set := range sets {
		sum.runs, sum.errors = sum.runs+1, sum.errors+publishedPriors[set.name]
		line = append(line, viz.Cell{Mean: publishedPriors[set.name]})
	}
	out.Add("DEDPUL, published", append(line, sum.mean(sum.errors), viz.Cell{Missing: true}, viz.Cell{Missing: true}))
	return out
}
