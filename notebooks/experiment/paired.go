package experiment

import (
	"maps"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Series names a head of a method in a setting: one classifier per seed. Setting "" means all settings of the grid;
// runs with equal setting and seed are then pairs. Such a series has no pairs with a series of one setting, since a
// seed would have several partners.
type Series struct{ Setting, Method, Head string }

// Difference returns the accuracy of above minus the accuracy of below, paired by seed and summarized over the seeds
// that both have.
func (c *Cells) Difference(above, below Series, rule Rule) evaluate.Summary {
	return c.Paired(above, below, leads(above.Head, below.Head, rule))
}

// leads returns a function for the difference in accuracy between a head of one run and a head of another.
func leads(above, below string, rule Rule) func(a, b []Point) (float64, bool) {
	return func(a, b []Point) (float64, bool) {
		mine, ok := judge(a, above, rule)
		other, both := judge(b, below, rule)
		return mine.Accuracy - other.Accuracy, ok && both
	}
}

// Change returns the [Cells.Difference] minus the difference of the same methods and heads in another setting, by seed,
// summarized over the seeds that have all four runs.
func (c *Cells) Change(above, below Series, than string, rule Rule) evaluate.Summary {
	lead := leads(above.Head, below.Head, rule)
	runs, here := c.differences(above, below, lead)
	above.Setting, below.Setting = than, than
	others, there := c.differences(above, below, lead)
	var changes []float64
	for i, run := range runs {
		if j := slices.IndexFunc(others, func(other Run) bool { return other.Seed == run.Seed }); j >= 0 {
			changes = append(changes, here[i]-there[j])
		}
	}
	return summarize(changes)
}

// ValueDifference returns the difference of the value of that name, see [Point.Values], between the last points of two
// series. It is paired by seed and summarized over the seeds that have both values.
func (c *Cells) ValueDifference(above, below Series, name string) evaluate.Summary {
	return c.Paired(above, below, func(a, b []Point) (float64, bool) {
		mine, ok := LastPoint(a, above.Head).Values[name]
		other, both := LastPoint(b, below.Head).Values[name]
		return mine - other, ok && both
	})
}

// Sooner returns how many steps earlier the series first reaches the final test accuracy of other, paired by seed and
// summarized, as a fraction of the steps of other. Other may also reach this accuracy before its end. A run reaches it
// at the first evaluated point with at least this accuracy; a run that never does counts as one point after its end.
func (c *Cells) Sooner(first, other Series) evaluate.Summary {
	return c.Paired(first, other, func(a, b []Point) (float64, bool) {
		end, ok := judge(b, other.Head, Last)
		mine, known := reach(a, first.Head, end.Accuracy)
		theirs, both := reach(b, other.Head, end.Accuracy)
		return (theirs - mine) / float64(end.Step), ok && known && both
	})
}

// reach returns the number of steps at which a head first reaches the accuracy level; false if no point was evaluated.
func reach(points []Point, head string, level float64) (steps float64, ok bool) {
	last, judged := 0, 0
	for _, p := range points {
		accuracy, tested := p.Accuracy()
		if p.Head != head || !tested {
			continue
		}
		if accuracy >= level {
			return float64(p.Step), true
		}
		last, judged = max(last, p.Step), judged+1
	}
	return float64(last) * (1 + 1/float64(max(judged, 1))), judged > 0
}

// Paired summarizes a difference between the points of two runs with the same seed, over the seeds that are done in
// both series and have a difference.
func (c *Cells) Paired(a, b Series, difference func(a, b []Point) (float64, bool)) evaluate.Summary {
	_, differences := c.differences(a, b, difference)
	return summarize(differences)
}

// PairedBy is [Cells.Paired] for dependent runs: cluster names the group of a run, such as its table. The differences
// of a group are averaged first; the summary is over the groups, with equal weights.
func (c *Cells) PairedBy(cluster func(Run) string, a, b Series, difference func(a, b []Point) (float64, bool)) evaluate.Summary {
	groups := clusters{}
	runs, of := c.differences(a, b, difference)
	for i, run := range runs {
		groups[cluster(run)] = append(groups[cluster(run)], of[i])
	}
	return groups.summarize()
}

// clusters holds values by the name of their group.
type clusters map[string][]float64

// summarize returns the summary of the means of the groups.
func (c clusters) summarize() evaluate.Summary { return summarize(c.means()) }

// means returns the means of the groups by name, without groups that have no finite value.
func (c clusters) means() (means []float64) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if of := summarize(c[name]); of.Seeds > 0 {
			means = append(means, of.Mean)
		}
	}
	return means
}

// differences returns the differences that Paired summarizes, with the runs of a.
func (c *Cells) differences(a, b Series, difference func(a, b []Point) (float64, bool)) (runs []Run, differences []float64) {
	if a.Setting != b.Setting && (a.Setting == "" || b.Setting == "") {
		return nil, nil
	}
	type pair struct {
		setting string // "" for series of two settings
		seed    uint64
	}
	of := func(run Run) pair {
		if a.Setting != b.Setting {
			return pair{"", run.Seed}
		}
		return pair{run.Setting, run.Seed}
	}
	others := map[pair][]Point{}
	for _, s := range c.done(b.Setting, b.Method) {
		others[of(s.Run)] = s.Result.Points
	}
	for _, s := range c.done(a.Setting, a.Method) {
		if other, both := others[of(s.Run)]; both {
			if d, ok := difference(s.Result.Points, other); ok {
				runs, differences = append(runs, s.Run), append(differences, d)
			}
		}
	}
	return runs, differences
}
