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

// unevenPriors names the grid of estimates of class priors from unevenly drawn labels.
const unevenPriors = "uneven-priors"

// thirds is the number of parts of a table's positives in the order of their first principal component, which gives a
// table of two classes several kinds of positives.
const thirds = 3

// UnevenPriors measures estimates of the class prior when labels are not a uniform sample of the positives, which all
// of them assume. It uses the tables of [PriorsOnTables] with half of the unlabeled rows positive, and three tenths of
// its labels, drawn from its labeled positives. Of three parts of the positives the first is labeled more often than
// the second, and the second more often than the third, as in [Unevenness]. Unlabeled rows are unchanged.
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

// unevenlyLabeled returns the number of labeled rows of a table.
func unevenlyLabeled(set string) int { return 3 * priorDraws[set][half][0] / 10 }

// label draws the labeled rows of a pool of positives. It returns the largest prior compatible with them if no negative
// lies among the first third of the positives, which is labeled most. That third has a larger fraction of the labeled
// rows, so p_U/p_P is smallest there.
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

// partsOf returns, for each row of a table, 0 for negatives and else its third of the positives, from 1.
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

// DrawUnevenPriors returns the mean estimates of a class prior of one half from unevenly drawn labels, over all done
// runs, and the coverage of intervals of level 0.9. Beside them is the largest prior compatible with such labels if the
// first third of the positives contains no negatives.
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

// claimsUnevenPriors returns the claims that the most precise estimators lose accuracy on every table.
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
