package experiment

import (
	"maps"
	"slices"

	"github.com/puclab/puclab/pucl/evaluate"
)

// Series names a head of a method in a setting: one classifier of each seed. A setting of "" means all settings of the grid, in each of which
// runs of the same seed are a pair; it has no pair with a series of one setting, where a seed would have several partners.
type Series struct{ Setting, Method, Head string }

// Difference returns by how much the accuracy of one series is above that of another, run by run with the same seed, and then summed
// up over the seeds that both have.
func (c *Cells) Difference(above, below Series, rule Rule) evaluate.Summary {
	return c.Paired(above, below, leads(above.Head, below.Head, rule))
}

// leads returns what tells by how much one head of a run is more accurate than one of another run.
func leads(above, below string, rule Rule) func(a, b []Point) (float64, bool) {
	return func(a, b []Point) (float64, bool) {
		mine, ok := judge(a, above, rule)
		other, both := judge(b, below, rule)
		return mine.Accuracy - other.Accuracy, ok && both
	}
}

// Change returns by how much the [Cells.Difference] is above that of the same methods and heads in another setting, seed by seed, and then
// summed up over the seeds that have all four runs.
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

// ValueDifference returns by how much what was measured by that name, see [Point.Values], is larger at the last point of one series than of
// another, run by run with the same seed, and then summed up over the seeds that have it of both.
func (c *Cells) ValueDifference(above, below Series, name string) evaluate.Summary {
	return c.Paired(above, below, func(a, b []Point) (float64, bool) {
		mine, ok := LastPoint(a, above.Head).Values[name]
		other, both := LastPoint(b, below.Head).Values[name]
		return mine - other, ok && both
	})
}

// Sooner returns how much sooner one series is as accurate on test examples as another is at its end, run by run with the same seed,
// and then summed up: as a share of the steps of the other one, which may have been as accurate before its end too. A run gets there
// at the first of its points where it was judged so; one that never does counts as if it did one point after its end.
func (c *Cells) Sooner(first, other Series) evaluate.Summary {
	return c.Paired(first, other, func(a, b []Point) (float64, bool) {
		end, ok := judge(b, other.Head, Last)
		mine, known := reach(a, first.Head, end.Accuracy)
		theirs, both := reach(b, other.Head, end.Accuracy)
		return (theirs - mine) / float64(end.Step), ok && known && both
	})
}

// reach returns after how many steps a head was first as accurate as level; false where it was judged at no point.
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

// Paired sums up any difference between the points of two runs of the same seed, over the seeds that are done of both series and for which
// there is one.
func (c *Cells) Paired(a, b Series, difference func(a, b []Point) (float64, bool)) evaluate.Summary {
	_, differences := c.differences(a, b, difference)
	return summarize(differences)
}

// PairedBy is [Cells.Paired] for runs that are not independent: cluster names the group of a run, such as its table. The
// differences of a group are averaged first, and the summary is over the groups, which count the same.
func (c *Cells) PairedBy(cluster func(Run) string, a, b Series, difference func(a, b []Point) (float64, bool)) evaluate.Summary {
	groups := clusters{}
	runs, of := c.differences(a, b, difference)
	for i, run := range runs {
		groups[cluster(run)] = append(groups[cluster(run)], of[i])
	}
	return groups.summarize()
}

// clusters are values by the name of their group.
type clusters map[string][]float64

// summarize returns the summary of the means of the groups.
func (c clusters) summarize() evaluate.Summary { return summarize(c.means()) }

// means returns the means of the groups by name, leaving out groups without a finite value.
func (c clusters) means() (means []float64) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if of := summarize(c[name]); of.Seeds > 0 {
			means = append(means, of.Mean)
		}
	}
	return means
}

// differences returns what Paired sums up, with the runs of a.
func (c *Cells) differences(a, b Series, difference func(a, b []Point) (float64, bool)) (runs []Run, differences []float64) {
	if a.Setting != b.Setting && (a.Setting == "" || b.Setting == "") {
		return nil, nil
	}
	type pair struct {
		setting string // "" where the series are of two settings
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
