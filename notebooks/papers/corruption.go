package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/naming"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl"
	"github.com/puclab/puclab/viz"
)

// corruptionRates names the grid over the fraction of a row's features that a view takes from other rows.
const corruptionRates = "corruption-rates"

// CorruptionRates are the fractions of features in [Corruption]. SCARF and all other runs use 0.6.
func CorruptionRates() []float64 { return []float64{0.1, 0.2, 0.4, 0.6, 0.8} }

// Corruption measures the effect of the fraction of replaced features on PUCL for the six tables of
// [BaselinesOnTables], with which it shares runs of PUCL. With few replaced features the kept ones identify the pair of
// views; with many the row is lost.
func Corruption(size experiment.Size) (experiment.Grid, error) {
	seeds, sets := 5, uciSets()
	switch size {
	case experiment.Smoke:
		seeds, sets = 1, sets[:1]
	case experiment.Laptop, experiment.Paper: // a GPU gives no speedup here
	default:
		return experiment.Grid{}, size.Unknown()
	}
	grid := experiment.Grid{Name: corruptionRates, Size: size}
	for seed := range uint64(seeds) {
		for _, set := range sets {
			for _, set.corruption = range CorruptionRates() {
				grid.Runs = append(grid.Runs, set.contrastive(pucl.PUCL(), size, seed+1))
			}
		}
	}
	return grid, nil
}

// OverCorruption is the figure of [Corruption] for a table, such as "mushroom". It returns an error if there is no such
// table.
func OverCorruption(table string) (Sweep, error) {
	sets := uciSets()
	at := slices.IndexFunc(sets, func(u uciSet) bool { return u.name == table })
	if at < 0 {
		var names []string
		for _, set := range sets {
			names = append(names, set.name)
		}
		return Sweep{}, fmt.Errorf("papers: there are no rows of %q%s; there are those of %s", table, naming.DidYouMean(table, names), strings.Join(names, ", "))
	}
	s := Sweep{
		Title: fmt.Sprintf("PUCL on %s", sets[at].setting()), XLabel: "corruption rate", X: CorruptionRates(), Grid: corruptionRates,
		Setting: func(rate float64) string {
			set := sets[at]
			set.corruption = rate
			return set.setting()
		},
	}
	for _, head := range []string{PUPL, PUPLOnZ, Mixture, NNPU, Ceiling} {
		s.Rows = append(s.Rows, Row{"PUCL", head})
	}
	return s, nil
}

// DrawChosenRates shows whether the corruption rate can be selected without negatives. For each table it gives the
// accuracy of PUCL with a head at the usual rate, and at a rate selected among [CorruptionRates]. A rule selects it by
// seed, from measurements at the end of each run. A seed counts once its runs at all rates are done.
func DrawChosenRates(cells *experiment.Cells, head string) viz.Table {
	out := viz.Table{
		Title: "PUCL with " + head + ", its corruption rate chosen without negatives", RowsHeader: "table",
		Columns: []string{fmt.Sprintf("always %g", corrupted)},
		Note:    fmt.Sprintf("Accuracy (%%), mean ± 95%% interval over seeds, at the end of runs. The whole grid: %s.", cells),
	}
	rules := slices.DeleteFunc(experiment.Rules(), func(r experiment.Rule) bool { return r == experiment.Last || r.ToldPrior() })
	for _, rule := range rules {
		out.Columns = append(out.Columns, string(rule))
	}
	for _, set := range uciSets() {
		line := []viz.Cell{Percent(cells.At(set.setting(), "PUCL", head, experiment.Last).Accuracy)}
		chosen := set.overRates(cells, head)
		for _, rule := range rules {
			line = append(line, Percent(chosen.At(set.setting(), "PUCL", head, rule).Accuracy))
		}
		out.Add(set.name, line)
	}
	return out
}

// overRates returns one run per seed whose points are the ends of its runs at all corruption rates.
func (u uciSet) overRates(cells *experiment.Cells, head string) *experiment.Cells {
	ends, by := map[uint64][]experiment.Point{}, &experiment.Cells{}
	for _, u.corruption = range CorruptionRates() {
		for _, s := range cells.Runs(u.setting(), "PUCL") {
			if s.State == experiment.Done {
				ends[s.Run.Seed] = append(ends[s.Run.Seed], experiment.LastPoint(s.Result.Points, head))
			}
		}
	}
	u.corruption = 0
	for _, s := range cells.Runs(u.setting(), "PUCL") {
		if points := ends[s.Run.Seed]; len(points) == len(CorruptionRates()) {
			s.Result = &experiment.Result{Points: points}
			by.Standings = append(by.Standings, s)
		}
	}
	return by
}
