package papers

import (
	"math"
	"testing"

	"github.com/puclab/puclab/notebooks/experiment"
)

// Of the results that are committed, every kind has all rules, none of them better than the oracle, and means are those of the gaps by hand.
func TestStudyChoosing(t *testing.T) {
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
