package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Cells holds the stored results of a grid, ready for tables.
//
//	cells, err := store.Cells(grid)
//	cell := cells.At("FMNIST-I, 1000 labeled", "PUCL", "PUPL (CE)", experiment.Last)
//	fmt.Println(cell.Accuracy.Percent()) // 93.61 ± 0.41% (95% interval, 5 seeds)
type Cells struct {
	Standings []Standing // of all runs, in the order of the grid
}

// Cell summarizes one head of a method under one rule over the seeds of a setting. Its summaries cover the done runs,
// each a mean with Student's 95% interval; Seeds is 0 in a summary without values.
type Cell struct {
	Accuracy, BalancedAccuracy, AUC evaluate.Summary

	Runs       []Standing // of the setting and method, in any state
	Degenerate int        // number of done runs with a degenerate classifier
	Headless   int        // number of done runs whose head could not be fitted at the rule's point
}

// Cells returns the stored results of a grid. Stale and unreadable results are counted but enter no statistic.
func (s *Store) Cells(grid Grid) (*Cells, error) {
	standings, err := s.LookAll(grid)
	if err != nil {
		return nil, err
	}
	return &Cells{standings}, nil
}

// String counts the runs by their state: "84 of 100 runs done, 15 missing, 1 failed".
func (c *Cells) String() string { return Tell(c.Standings) }

// Extent describes the size of the done runs by their results: "2 seeds, 20 steps", or "3 seeds, 400 to 2000 steps" if
// they differ.
func (c *Cells) Extent() string {
	seeds, least, most := map[uint64]bool{}, 0, 0
	for _, s := range c.Standings {
		if s.State != Done {
			continue
		}
		seeds[s.Run.Seed] = true
		steps := 0
		for _, p := range s.Result.Points {
			steps = max(steps, p.Step)
		}
		if least == 0 || steps < least {
			least = steps
		}
		most = max(most, steps)
	}
	text := fmt.Sprintf("%d seeds", len(seeds))
	if len(seeds) == 1 {
		text = "one seed"
	}
	switch {
	case len(seeds) == 0:
		return "no run is done"
	case most == 0: // no training
		return text
	case least < most:
		return fmt.Sprintf("%s, %d to %d steps", text, least, most)
	}
	return fmt.Sprintf("%s, %d steps", text, most)
}

// Runs returns the runs of a setting ("" means all settings) and a method.
func (c *Cells) Runs(setting, method string) []Standing {
	var of []Standing
	for _, s := range c.Standings {
		if (setting == "" || s.Run.Setting == setting) && s.Run.Method == method {
			of = append(of, s)
		}
	}
	return of
}

// Heads returns the heads that the done runs of a setting and method were evaluated with, in the order of the first
// run; [""] for a method that is itself a classifier.
func (c *Cells) Heads(setting, method string) (names []string) {
	for _, s := range c.done(setting, method) {
		for _, head := range heads(s.Result.Points) {
			if !slices.Contains(names, head) {
				names = append(names, head)
			}
		}
	}
	return names
}

// done returns the done runs of a setting and method.
func (c *Cells) done(setting, method string) []Standing {
	return slices.DeleteFunc(c.Runs(setting, method), func(s Standing) bool { return s.State != Done })
}

// At returns the cell of a setting, method, head and rule. Its summaries have no seeds if nothing was evaluated so.
func (c *Cells) At(setting, method, head string, rule Rule) Cell {
	cell := Cell{Runs: c.Runs(setting, method)}
	var accuracy, balanced, auc []float64
	for _, s := range c.done(setting, method) {
		j, ok := judge(s.Result.Points, head, rule)
		if !ok {
			if headless(s.Result.Points, head, rule) {
				cell.Headless++
			}
			continue
		}
		accuracy, balanced, auc = append(accuracy, j.Accuracy), append(balanced, j.BalancedAccuracy), append(auc, j.AUC)
		if j.Degenerate {
			cell.Degenerate++
		}
	}
	cell.Accuracy, cell.BalancedAccuracy, cell.AUC = summarize(accuracy), summarize(balanced), summarize(auc)
	return cell
}

// Value summarizes the value of that name, see [Point.Values], at the last point of a head over the done runs of a
// setting and method. Runs without the value do not count.
func (c *Cells) Value(setting, method, head, name string) evaluate.Summary {
	return c.Mean(setting, method, func(points []Point) (float64, bool) {
		v, ok := LastPoint(points, head).Values[name]
		return v, ok
	})
}

// Mean summarizes a function of a run's points over the done runs of a setting and method for which it is defined.
func (c *Cells) Mean(setting, method string, of func(points []Point) (float64, bool)) evaluate.Summary {
	var values []float64
	for _, s := range c.done(setting, method) {
		if v, ok := of(s.Result.Points); ok {
			values = append(values, v)
		}
	}
	return summarize(values)
}

// MeanBy is [Cells.Mean] for dependent runs: cluster names the group of a run, such as its table. The values of a group
// are averaged first; the summary is over the groups, with equal weights.
func (c *Cells) MeanBy(cluster func(Run) string, setting, method string, of func([]Point) (float64, bool)) evaluate.Summary {
	groups := clusters{}
	for _, s := range c.done(setting, method) {
		if v, ok := of(s.Result.Points); ok {
			groups[cluster(s.Run)] = append(groups[cluster(s.Run)], v)
		}
	}
	return groups.summarize()
}

// Count returns the number of runs of the cell in a state.
func (c Cell) Count(state State) int { return counts(c.Runs)[state] }

// Gap returns the cost of a rule: the accuracy of [Oracle] minus the accuracy of the rule, by run, summarized over the
// seeds. It has no seeds if either was not evaluated.
func (c *Cells) Gap(setting, method, head string, rule Rule) evaluate.Summary {
	var gaps []float64
	for _, s := range c.done(setting, method) {
		oracle, best := judge(s.Result.Points, head, Oracle)
		chosen, judged := judge(s.Result.Points, head, rule)
		if best && judged {
			gaps = append(gaps, oracle.Accuracy-chosen.Accuracy)
		}
	}
	return summarize(gaps)
}

// summarize returns the summary of the finite values, with no seeds if there are none.
func summarize(values []float64) evaluate.Summary {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	nan := math.NaN()
	summary, err := evaluate.Summarize(values, 0)
	if err != nil { // no values
		return evaluate.Summary{Mean: nan, StdDev: nan, HalfWidth: nan, Confidence: cmp.Or(summary.Confidence, 0.95)}
	}
	return summary
}
