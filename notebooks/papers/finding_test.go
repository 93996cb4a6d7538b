package papers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// effect returns the summary of the given seeds with this mean and standard deviation.
func effect(t *testing.T, seeds int, mean, spread float64) evaluate.Summary {
	t.Helper()
	values := make([]float64, seeds)
	for i := range values {
		values[i] = float64(i)
	}
	standard := expect.Must(evaluate.Summarize(values, 0))(t)
	for i := range values {
		values[i] = mean + spread*(values[i]-standard.Mean)/standard.StdDev
	}
	of := expect.Must(evaluate.Summarize(values, 0))(t)
	return of
}

// decided decides a claim alone.
func decided(c Claim, cells *experiment.Cells) Finding {
	alone := []Finding{c.find("grid", cells, experiment.Last)}
	decide(alone)
	return alone[0]
}

// verdictsOf decides the claims about a grid alone.
func verdictsOf(grid string, cells *experiment.Cells) (all []Finding) {
	for _, c := range claimed() {
		if c.grid == grid {
			all = append(all, c.find(cells)...)
		}
	}
	decide(all)
	return all
}

// The p-value of a claim is below 0.05 exactly if the 95% interval lies on one side, for every claim.
func TestPValuesAgreeWithIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	decided := 0
	for range 2000 {
		c := Claim{}
		switch rng.IntN(3) {
		case 0:
			c.Within = 1 + 2*rng.Float64()
		case 1:
			c.Less = 2 * rng.Float64()
		}
		of := effect(t, 2+rng.IntN(8), 0.06*(rng.Float64()-0.5), 0.02*rng.Float64())
		low, high := of.Interval()
		margin, least := c.Within/100, -c.Less/100
		agrees := margin == 0 && low > least || margin > 0 && low > -margin && high < margin
		disagrees := margin == 0 && high < least || margin > 0 && (low > margin || high < -margin)
		p, holds := c.test(of)
		if (p < level) != (agrees || disagrees) || p < level && holds != agrees || p < 0 || p > 1 {
			t.Fatalf("%+v, %v: p %g, holds %t; by the interval it agrees %t, disagrees %t", c, of, p, holds, agrees, disagrees)
		}
		if p < level {
			decided++
		}
	}
	expect.That(t, !(decided < 300) && !(decided > 1700), "%d of 2000 are decided: the draws test nothing", decided)
}

// Q-values belong to the families of a paper and of all claims, and a repeated comparison counts once.
func TestDecideCorrects(t *testing.T) {
	finding := func(experiment, above string, p float64, holds bool, seeds int) Finding {
		return Finding{Claim: Claim{Experiment: experiment, Setting: "s", Above: Row{above, ""}, Below: Row{"z", ""}},
			P: p, holds: holds, Effect: evaluate.Summary{Mean: 1, StdDev: 1, Seeds: seeds}}
	}
	const own = "of no document"
	findings := []Finding{
		finding("table 1", "a", 0.01, true, 3), finding("table 1", "b", 0.04, true, 5), finding("table 2", "a", 0.01, true, 3),
		finding(own, "c", 0.03, false, 5), finding(own, "d", 0.5, true, 5), finding(own, "e", math.NaN(), false, 0),
		finding(own, "f", math.NaN(), false, 1),
	}
	swapped := &findings[2] // it names the rows in reverse order
	swapped.Above, swapped.Below, swapped.holds = swapped.Below, swapped.Above, false
	decide(findings)
	want := []struct {
		paper, all float64
		verdict    Verdict
		outcome    string
	}{
		{0.02, 0.04, Agrees, "agrees (exploratory)"}, // two comparisons in the paper, four in all
		{0.04, 0.04 * 4 / 3, Inconclusive, "inconclusive"},
		{0.02, 0.04, Disagrees, "disagrees (exploratory)"},
		{0.06, 0.04 * 4 / 3, Inconclusive, "inconclusive"},
		{0.5, 0.5, Inconclusive, "inconclusive"},
		{math.NaN(), math.NaN(), NotRun, "not run"},
		{math.NaN(), math.NaN(), Inconclusive, "inconclusive"},
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
	for i, f := range findings {
		w := want[i]
		if !near(f.QPaper, w.paper) || !near(f.QAll, w.all) || f.Verdict != w.verdict || f.Outcome() != w.outcome {
			t.Errorf("finding %d: q %g and %g, %s, want %+v", i, f.QPaper, f.QAll, f.Outcome(), w)
		}
	}
}

// Claims about other runs, measures or margins are other comparisons.
func TestComparisonsDiffer(t *testing.T) {
	base := Claim{Setting: "s", Above: Row{"a", "h"}, Below: Row{"b", "h"}}
	change := func(by func(c *Claim)) Claim {
		c := base
		by(&c)
		return c
	}
	other := []Claim{
		base,
		change(func(c *Claim) { c.Setting = "t" }), change(func(c *Claim) { c.BelowSetting = "t" }),
		change(func(c *Claim) { c.Above.Head = "z" }), change(func(c *Claim) { c.Below.Method = "c" }),
		change(func(c *Claim) { c.Within = 1 }), change(func(c *Claim) { c.Less = 1 }),
		change(func(c *Claim) { c.Measure = Steps }), change(func(c *Claim) { c.Measure = Uniformity }),
		change(func(c *Claim) { c.Measure, c.BelowMeasure = Uniformity, PriorError }),
		change(func(c *Claim) { c.Measure, c.Magnitude = Uniformity, true }), change(func(c *Claim) { c.Than = "t" }),
		change(func(c *Claim) { c.Measure, c.Above, c.Below = Steps, c.Below, c.Above }), // fewer steps has a direction
	}
	var keys []string
	for _, c := range other {
		keys = append(keys, Finding{Claim: c, Rule: experiment.Last}.comparison())
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(keys))))
	expect.That(t, distinct == len(other), "%d comparisons of %d", distinct, len(other))
	same := change(func(c *Claim) { c.Above, c.Below, c.Experiment, c.Statement = c.Below, c.Above, "x", "y" })
	got := (Finding{Claim: same, Rule: experiment.Last}).comparison()
	expect.That(t, got == keys[0], "the same comparison is %q and %q", got, keys[0])
}
