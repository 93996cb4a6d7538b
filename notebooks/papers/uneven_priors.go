package papers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/reduce"
	"github.com/puclab/puclab/pucl/rows"
	"github.com/puclab/puclab/viz"
)

// unevenPriors names the grid of estimates of class priors from labels that are not drawn evenly.
const unevenPriors = "uneven-priors"

// thirds are into how many parts the positives of a table are cut, in the order of their first principal component, so that a table of two
// classes has positives of several kinds.
const thirds = 3

// UnevenPriors is what becomes of estimates of the class prior when labels are not drawn evenly from the positives, which all of them
// suppose: on the tables of [PriorsOnTables], half of the unlabeled rows being positive, with three tenths of the labels there, drawn from
// the positives that are labeled there. Of three parts of the positives the first is labeled more often than the second, and that more often
// than the third, as in [Unevenness]. Unlabeled rows are as ever.
func UnevenPriors(size experiment.Size) (experiment.Grid, error) {
	c, sets, draws, err := tablePriors(size)
	if err != nil {
		return experiment.Grid{}, err
	}
	grid := experiment.Grid{Name: unevenPriors, Size: size}
	for _, set := range sets {
		drawn := priorDraws[set.name][half]
		c.Set, c.Pool, c.Labeled, c.Drawn = set.name, drawn[0], unevenlyLabeled(set.name), [2]int(drawn[1:])
		for _, c.Uneven = range Unevenness() {
			for draw := range draws {
				grid.Runs = append(grid.Runs, set.estimate(c, unevenPriorAt(set.name, c.Uneven), draw+1))
			}
		}
	}
	return grid, nil
}

// unevenPriorAt names the setting of a table with such an unevenness.
func unevenPriorAt(set string, times float64) string {
	return unevenly(settingName(PriorSetting(set, priorShares[half]), unevenlyLabeled(set)), times)
}

// unevenlyLabeled returns how many rows of a table are labeled.
func unevenlyLabeled(set string) int { return 3 * priorDraws[set][half][0] / 10 }

// label draws the labeled rows of a pool of positives, and returns the largest prior that they leave possible if no negative lies among
// the first third of the positives, of which most are labeled: that is a third of them, a larger share of the labeled rows, and p_U/p_P is least there.
func (c TablePrior) label(table *tabular.Table, pool []int, seed uint64) (labeled []int, limit float64, err error) {
	part, err := partsOf(table)
	if err != nil {
		return nil, 0, err
	}
	config := datasets.SplitConfig{Positive: []int{1, 2, 3}, Labeled: c.Labeled, Seed: seed}
	drawUnevenly(&config, part, c.Uneven)
	weight, pooled := config.Propensity, make([]bool, len(part))
	for _, row := range pool {
		pooled[row] = true
	}
	config.Propensity = func(row int) float64 {
		if !pooled[row] {
			return 0
		}
		return weight(row)
	}
	split, err := datasets.NewSplit(part, []string{"negative", "first third", "second third", "last third"}, config)
	if err != nil {
		return nil, 0, err
	}
	labeled = split.Index[:split.NumLabeled()]
	first := 0
	for _, row := range labeled {
		if part[row] == 1 {
			first++
		}
	}
	return labeled, c.prior() / thirds * float64(len(labeled)) / float64(first), nil
}

// partsOf returns, for each row of a table, 0 where it is negative and else which of the thirds of the positives it is in, from 1.
func partsOf(table *tabular.Table) ([]int, error) {
	var positives []int
	for row, class := range table.Labels {
		if class == 1 {
			positives = append(positives, row)
		}
	}
	x, err := rows.Take(table.Features, positives)
	if err != nil {
		return nil, err
	}
	pca, err := reduce.FitPCA(x, 1)
	if err != nil {
		return nil, err
	}
	along, err := pca.Project(x)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(positives))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(along.At(a, 0), along.At(b, 0)) })
	part := make([]int, len(table.Labels))
	for rank, i := range order {
		part[positives[i]] = 1 + thirds*rank/len(order)
	}
	return part, nil
}

// DrawUnevenPriors returns what estimators make of a class prior of one half when labels are not drawn evenly, on average over all done runs,
// and how many of their intervals of level 0.9 contain it, beside the largest prior that such labels leave possible where the first third of
// the positives has no negatives among it.
func DrawUnevenPriors(cells *experiment.Cells) viz.Table {
	out := viz.Table{
		Title: "A class prior of ½ from labels drawn unevenly", RowsHeader: "estimator", Decimals: 3,
		Note: fmt.Sprintf("By how many times as likely a positive is labeled as one of the next third: mean estimate ± 95%% interval over tables and "+
			"draws, and how many percent of the 90%% intervals contain ½. Limit: the largest prior that such labels leave possible, if no "+
			"negative lies among the third that is labeled most; %s.", cells),
	}
	heads := PriorEstimators()
	lines := make([][]viz.Cell, len(heads))
	within := make([][]viz.Cell, len(lines))
	var limits, none []viz.Cell
	var contained []string
	for _, times := range Unevenness() {
		out.Columns = append(out.Columns, fmt.Sprintf("by %g", times))
		contained = append(contained, fmt.Sprintf("contain ½: by %g", times))
		part := ofSets(cells, func(c TablePrior) bool { return c.Uneven == times })
		limits = append(limits, timesOf(part.Value("", priorMethod, heads[0], PriorLimit), 1))
		none = append(none, viz.Cell{Text: "–"})
		for i, head := range heads {
			lines[i] = append(lines[i], timesOf(part.Value("", priorMethod, head, EstimatedPrior), 1))
			contain := containPrior(part, head)
			within[i] = append(within[i], viz.Cell{Text: fmt.Sprintf("%.0f%%", 100*contain.Mean), Missing: contain.Seeds == 0})
		}
	}
	out.Columns = append(out.Columns, contained...)
	out.Add("limit", slices.Concat(limits, none))
	for i, head := range heads {
		out.Add(head, slices.Concat(lines[i], within[i]))
	}
	return out
}

// claimsUnevenPriors returns that the most precise estimators lose, on every table.
func claimsUnevenPriors() (list []Claim) {
	for _, times := range Unevenness()[1:] {
		for _, head := range []string{"BBE", "DEDPUL"} {
			row := Row{priorMethod, head}
			for _, set := range uciSets() {
				list = append(list, Claim{
					Experiment: "priors of uneven labels", Source: "this library", Measure: PriorError,
					Setting: unevenPriorAt(set.name, times), BelowSetting: unevenPriorAt(set.name, 1), Above: row, Below: row,
					Statement: fmt.Sprintf("labels that are drawn unevenly, by %g, lead an estimate of the class prior astray: %s", times, head),
				})
			}
		}
	}
	return list
}
