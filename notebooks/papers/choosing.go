package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/viz"
)

// Chosen holds classifiers of one kind of data, each at the points that the selection rules chose.
type Chosen struct {
	Name  string
	Gaps  map[experiment.Rule][]float64 // for every classifier: accuracy of the oracle minus its accuracy
	Means map[experiment.Rule]evaluate.Summary
}

// kindsOfData lists the kinds of data with the prefix of their settings; the last one has all others.
var kindsOfData = []struct{ name, prefix string }{{"Fashion-MNIST", "FMNIST"}, {"CIFAR-10", "CIFAR"}, {"STL-10", "STL"}, {"tables", ""}}

// kindOf returns the index in [kindsOfData] of a setting.
func kindOf(setting string) int {
	return slices.IndexFunc(kindsOfData, func(kind struct{ name, prefix string }) bool { return strings.HasPrefix(setting, kind.prefix) })
}

// StudyChoosing evaluates the selection rules on all stored runs of Tables 1 and 2 and of the baselines on tables at a
// size. It covers each method and head except the fully labeled [TrueLabels] and [Ceiling]. Fashion-MNIST may be used
// to select a rule; CIFAR-10, STL-10 and six tables evaluate it. Means are over runs, of the mean over a run's heads,
// because heads of a run have correlated errors. A kind of data is omitted if no head has a point for every rule.
func StudyChoosing(store *experiment.Store, size experiment.Size) ([]Chosen, error) {
	var standings []experiment.Standing
	for _, name := range []string{"table-1", "table-2", onTables} {
		grid, err := Find(name, size)
		if err != nil {
			return nil, err
		}
		cells, err := store.Cells(grid)
		if err != nil {
			return nil, err
		}
		standings = append(standings, cells.Standings...)
	}
	return choose(standings), nil
}

// choose returns the kinds of data of runs. Runs may repeat, since tables share some.
func choose(standings []experiment.Standing) []Chosen {
	runs := make([][][]experiment.Judgement, len(kindsOfData))
	seen := map[string]bool{}
	for _, s := range standings {
		if s.State != experiment.Done || s.Run.Method == TrueLabels || seen[s.Run.String()] {
			continue
		}
		seen[s.Run.String()] = true
		kind := kindOf(s.Run.Setting)
		runs[kind] = append(runs[kind], experiment.Judgements(s.Result.Points))
	}
	var kinds []Chosen
	for i, kind := range kindsOfData {
		c := Chosen{Name: kind.name}
		c.sumUp(runs[i])
		kinds = append(kinds, c)
	}
	return slices.DeleteFunc(kinds, Chosen.empty)
}

// StudyUnevenChoosing does the same for heads on encoders by PUCL of [UnevenLabels], grouped by the unevenness of their
// labels.
func StudyUnevenChoosing(cells *experiment.Cells) (kinds []Chosen) {
	for _, times := range Unevenness() {
		var runs [][]experiment.Judgement
		for _, s := range cells.Runs(UnevenAt(times), "PUCL") {
			if s.State == experiment.Done {
				runs = append(runs, experiment.Judgements(s.Result.Points))
			}
		}
		c := Chosen{Name: fmt.Sprintf("by %g", times)}
		c.sumUp(runs)
		kinds = append(kinds, c)
	}
	return slices.DeleteFunc(kinds, Chosen.empty)
}

// empty reports whether no head of the kind has a point for every rule.
func (c Chosen) empty() bool { return len(c.Gaps) == 0 }

// sumUp computes the gaps from the judgements of runs.
func (c *Chosen) sumUp(runs [][]experiment.Judgement) {
	c.Gaps, c.Means = map[experiment.Rule][]float64{}, map[experiment.Rule]evaluate.Summary{}
	means := map[experiment.Rule][]float64{}
	for _, run := range runs {
		byHead := map[string]map[experiment.Rule]float64{}
		for _, j := range run {
			if byHead[j.Head] == nil {
				byHead[j.Head] = map[experiment.Rule]float64{}
			}
			byHead[j.Head][j.Rule] = j.Accuracy
		}
		own := map[experiment.Rule][]float64{}
		for head, by := range byHead {
			if head == Ceiling || len(by) < len(experiment.Rules()) { // a rule was not applicable
				continue
			}
			for rule, accuracy := range by {
				own[rule] = append(own[rule], by[experiment.Oracle]-accuracy)
			}
		}
		for rule, gaps := range own {
			slices.Sort(gaps) // so that sums do not depend on map order
			c.Gaps[rule] = append(c.Gaps[rule], gaps...)
			means[rule] = append(means[rule], stat.Mean(gaps, nil))
		}
	}
	for rule, values := range means {
		c.Means[rule], _ = evaluate.Summarize(values, 0) // there are values, and all are finite
	}
}

// Best returns the rule with the smallest mean gap, among the rules with or without a given class prior; "" if none has
// a mean.
func (c Chosen) Best(told bool) (best experiment.Rule) {
	least := math.Inf(1)
	for _, rule := range experiment.Rules() {
		if rule == experiment.Oracle || rule.ToldPrior() != told {
			continue
		}
		if gap := c.Means[rule]; gap.Seeds > 0 && gap.Mean < least {
			best, least = rule, gap.Mean
		}
	}
	return best
}

// DrawChoosing compares the rules: for each kind of data the mean gap to the oracle in points, with its 95% interval
// over runs, and the largest gap.
func DrawChoosing(kinds []Chosen) viz.Table {
	out := viz.Table{Title: "What choosing without negatives costs", RowsHeader: "rule", Decimals: 2, Columns: []string{"told π"}}
	var told []string
	for _, c := range kinds {
		out.Columns = append(out.Columns, c.Name, "at most")
		told = append(told, fmt.Sprintf("%s, %d classifiers from %d runs", c.Name, len(c.Gaps[experiment.Oracle]), c.Means[experiment.Oracle].Seeds))
	}
	out.Note = "Points of accuracy below the best point on test images, mean ± 95% interval over runs. " + strings.Join(told, "; ") + "."
	for _, rule := range experiment.Rules() {
		if rule == experiment.Oracle {
			continue
		}
		line := []viz.Cell{{Text: map[bool]string{true: "yes", false: "no"}[rule.ToldPrior()]}}
		for _, c := range kinds {
			line = append(line, Percent(c.Means[rule]), viz.Cell{Mean: 100 * slices.Max(c.Gaps[rule])})
		}
		out.Add(string(rule), line)
	}
	return out
}
