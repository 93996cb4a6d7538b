package papers

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Of the results that are committed, every kind has all rules, none of them better than the oracle, and means are those of the gaps by hand.
func TestStudyChoosing(t *testing.T) {
	expect.Slow(t)
	store, err := experiment.Open("../results")
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := StudyChoosing(store, experiment.Laptop)
	if err != nil || len(kinds) < 2 {
		t.Fatalf("%d kinds of data, %v", len(kinds), err)
	}
	for _, c := range kinds {
		for _, rule := range experiment.Rules() {
			if len(c.Gaps[rule]) != len(c.Gaps[experiment.Oracle]) {
				t.Errorf("%s: %d classifiers by %s, %d by the oracle", c.Name, len(c.Gaps[rule]), rule, len(c.Gaps[experiment.Oracle]))
			}
			for _, gap := range c.Gaps[rule] {
				if !(gap >= 0) || rule == experiment.Oracle && gap > 0 {
					t.Errorf("%s: %s is above the oracle by %g", c.Name, rule, -gap)
				}
			}
		}
		for _, told := range []bool{true, false} {
			best := c.Best(told)
			for _, rule := range experiment.Rules() {
				if rule != experiment.Oracle && rule.ToldPrior() == told && c.Means[rule].Mean < c.Means[best].Mean {
					t.Errorf("%s: %s is called best, and %s is better", c.Name, best, rule)
				}
			}
		}
	}
	t.Log(DrawChoosing(kinds))
}

// A run counts once, by the mean over its heads; the head that sees all classes and one that a rule cannot judge do not count.
func TestGapsOfRuns(t *testing.T) {
	judged := func(head string, oracle, other float64, rules ...experiment.Rule) (list []experiment.Judgement) {
		for _, rule := range rules {
			accuracy := other
			if rule == experiment.Oracle {
				accuracy = oracle
			}
			list = append(list, experiment.Judgement{Head: head, Rule: rule, Accuracy: accuracy})
		}
		return list
	}
	all := experiment.Rules()
	first := append(judged("a", 0.9, 0.8, all...), judged("b", 0.9, 0.6, all...)...)
	first = append(append(first, judged(Ceiling, 0.9, 0.1, all...)...), judged("c", 0.9, 0.1, all[:3]...)...)
	var c Chosen
	c.sumUp([][]experiment.Judgement{first, judged("a", 0.9, 0.9, all...)})
	if got := c.Means[experiment.Last]; got.Seeds != 2 || math.Abs(got.Mean-0.1) > 1e-12 || len(c.Gaps[experiment.Last]) != 3 {
		t.Errorf("a mean of %v over %d classifiers, want 0.2 and 0 of 3", got, len(c.Gaps[experiment.Last]))
	}
}

// chosenRun returns a done run of two points, of which rules can choose by all rules, the first being the better on test images.
func chosenRun(setting, method, head string, seed uint64) experiment.Standing {
	point := func(step, right int, agree float64) experiment.Point {
		return experiment.Point{
			Head: head, Step: step, Values: map[string]float64{experiment.ViewsAgree: agree},
			Test: &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: right, FalseNegative: 100 - right}},
			PU: &evaluate.PU{Recall: 0.5, Predicted: 0.4, ProxyAUC: 0.6, Prior: 0.5, Labeled: 10, Unlabeled: 100,
				Below: slices.Repeat(evaluate.Counts{60}, 10)},
		}
	}
	return experiment.Standing{Run: experiment.Run{Setting: setting, Method: method, Seed: seed}, State: experiment.Done,
		Result: &experiment.Result{Points: []experiment.Point{point(1, 90, 0.5), point(2, 80, 0.4)}}}
}

// lessAgreement returns the run without what a rule chooses by.
func lessAgreement(run experiment.Standing) experiment.Standing {
	for i := range run.Result.Points {
		run.Result.Points[i].Values = nil
	}
	return run
}

// What is shown all classes does not count, nor a run that two tables have twice, and a kind of data of which no head has a point by every rule
// is left out.
func TestChosenRuns(t *testing.T) {
	const set = "FMNIST-I, 1000 labeled"
	run := chosenRun(set, "PUCL", PUPL, 1)
	kinds := choose([]experiment.Standing{run, run, chosenRun(set, "nnPU", "", 1), chosenRun(set, TrueLabels, "", 1),
		chosenRun(set, "PUCL", Ceiling, 2), lessAgreement(chosenRun("CIFAR-I, 1000 labeled", "PUCL", PUPL, 1))})
	if len(kinds) != 1 || kinds[0].Name != "Fashion-MNIST" {
		t.Fatalf("%+v, want Fashion-MNIST alone", kinds)
	}
	if c := kinds[0]; len(c.Gaps[experiment.Last]) != 2 || c.Means[experiment.Last].Seeds != 2 || math.Abs(c.Means[experiment.Last].Mean-0.1) > 1e-12 {
		t.Errorf("%+v, want 2 classifiers with a gap of 0.1", c.Gaps)
	}
}

// Labels are drawn in three ways, of which one has no run and one no head with a point by every rule: the third is drawn.
func TestUnevenChoosingOfSome(t *testing.T) {
	times := Unevenness()
	cells := &experiment.Cells{Standings: []experiment.Standing{
		lessAgreement(chosenRun(UnevenAt(times[0]), "PUCL", PUPL, 1)), chosenRun(UnevenAt(times[1]), "PUCL", PUPL, 1),
	}}
	kinds := StudyUnevenChoosing(cells)
	if len(kinds) != 1 || kinds[0].Name != fmt.Sprintf("by %g", times[1]) {
		t.Fatalf("%+v, want those by %g alone", kinds, times[1])
	}
	if drawn := DrawChoosing(kinds); len(drawn.Rows) != len(experiment.Rules())-1 || len(drawn.Columns) != 3 {
		t.Errorf("%+v", drawn)
	}
}

// A rule that no head could be chosen by is not the best one.
func TestBestHasAMean(t *testing.T) {
	c := Chosen{Means: map[experiment.Rule]evaluate.Summary{experiment.Last: {Mean: 0.2, Seeds: 2}, experiment.LeeLiu: {Mean: 0.1, Seeds: 2}}}
	if best := c.Best(false); best != experiment.LeeLiu {
		t.Errorf("the best is %q, want %q", best, experiment.LeeLiu)
	}
	if best := c.Best(true); best != "" {
		t.Errorf("the best is %q, want none", best)
	}
}

// Every setting of the three grids is of the kind of its data, at each size.
func TestKindOf(t *testing.T) {
	want := map[string]string{"Fashion-MNIST": "Fashion-MNIST", "CIFAR-10": "CIFAR-10", "STL-10": "STL-10"}
	for _, size := range sizes {
		list, err := settings(size)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if got := kindsOfData[kindOf(s.Name)].name; got != want[s.benchmark.Set] {
				t.Errorf("%s, data of %s: filed under %s", s.Name, s.benchmark.Set, got)
			}
		}
	}
	for _, u := range uciSets() {
		if got := kindsOfData[kindOf(u.setting())].name; got != "tables" {
			t.Errorf("%s: filed under %s", u.name, got)
		}
	}
}
