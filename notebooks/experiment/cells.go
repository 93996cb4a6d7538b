package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Cells are what a store has of a grid, ready to be set in a table.
//
//	cells, err := store.Cells(grid)
//	cell := cells.At("FMNIST-I, 1000 labeled", "PUCL", "PUPL (CE)", experiment.Last)
//	fmt.Println(cell.Accuracy.Percent()) // 93.61 ± 0.41% (95% interval, 5 seeds)
type Cells struct {
	Standings []Standing // of all runs, in the order of the grid
}

// Cell sums up one head of a method by one rule over the seeds of a setting. Its summaries are of the runs that are done,
// each a mean with Student's 95% interval; Seeds is 0 in one of which there is no value.
type Cell struct {
	Accuracy, BalancedAccuracy, AUC evaluate.Summary

	Runs       []Standing // of the setting and method, whatever their state
	Degenerate int        // of the done runs: how many have a degenerate classifier
	Headless   int        // of the done runs: in how many the head could not be had at the point of the rule
}

// Cells returns what the store has of a grid. Results that are stale or cannot be read are counted, and no part of any number.
func (s *Store) Cells(grid Grid) (*Cells, error) {
	standings, err := s.LookAll(grid)
	if err != nil {
		return nil, err
	}
	return &Cells{standings}, nil
}

// String counts the runs by their state: "84 of 100 runs done, 15 missing, 1 failed".
func (c *Cells) String() string { return Tell(c.Standings) }

// Extent says how large the done runs are, as far as their results tell: "2 seeds, 20 steps", or "3 seeds, 400 to 2000 steps" where they differ.
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
	case most == 0: // what is no training
		return text
	case least < most:
		return fmt.Sprintf("%s, %d to %d steps", text, least, most)
	}
	return fmt.Sprintf("%s, %d steps", text, most)
}

// Runs returns the runs of a setting, "" meaning of all settings, and a method.
func (c *Cells) Runs(setting, method string) []Standing {
	var of []Standing
	for _, s := range c.Standings {
		if (setting == "" || s.Run.Setting == setting) && s.Run.Method == method {
			of = append(of, s)
		}
	}
	return of
}

// Heads returns the heads that the done runs of a setting and method were judged with, in the order of the first run; [""] for
// a method that is a classifier itself.
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

// At returns the cell of a setting, method, head and rule. Where nothing was judged so, its summaries are of no seed.
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

// Value sums up what was measured by that name, see [Point.Values], at the last point of a head over the done runs of a setting and method.
// Runs in which it was not measured do not count.
func (c *Cells) Value(setting, method, head, name string) evaluate.Summary {
	return c.Mean(setting, method, func(points []Point) (float64, bool) {
		v, ok := LastPoint(points, head).Values[name]
		return v, ok
	})
}

// Mean sums up any number that the points of a run tell over the done runs of a setting and method that have it.
func (c *Cells) Mean(setting, method string, of func(points []Point) (float64, bool)) evaluate.Summary {
	var values []float64
	for _, s := range c.done(setting, method) {
		if v, ok := of(s.Result.Points); ok {
			values = append(values, v)
		}
	}
	return summarize(values)
}

// MeanBy is [Cells.Mean] for runs that are not independent: cluster names the group of a run, such as its table. The
// numbers of a group are averaged first, and the summary is over the groups, which count the same.
func (c *Cells) MeanBy(cluster func(Run) string, setting, method string, of func([]Point) (float64, bool)) evaluate.Summary {
	groups := clusters{}
	for _, s := range c.done(setting, method) {
		if v, ok := of(s.Result.Points); ok {
			groups[cluster(s.Run)] = append(groups[cluster(s.Run)], v)
		}
	}
	return groups.summarize()
}

// Count returns how many runs of the cell are in a state.
func (c Cell) Count(state State) int { return counts(c.Runs)[state] }

// Gap returns what choosing by a rule costs: the accuracy of [Oracle] less that of the rule, run by run, and then summed up
// over the seeds. It is of no seed where either was not judged.
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

// summarize returns the summary of those values that are finite, of no seed where there are none.
func summarize(values []float64) evaluate.Summary {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	nan := math.NaN()
	summary, err := evaluate.Summarize(values, 0)
	if err != nil { // no values
		return evaluate.Summary{Mean: nan, StdDev: nan, HalfWidth: nan, Confidence: cmp.Or(summary.Confidence, 0.95)}
	}
	return summary
}
