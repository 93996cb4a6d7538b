package papers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Verdict is the decision of runs about a claim.
type Verdict string

// The verdicts. A claim is decided if its q-values are below 0.05, see [Finding].
const (
	Agrees       Verdict = "agrees"
	Disagrees    Verdict = "disagrees"
	Inconclusive Verdict = "inconclusive" // the runs do not decide it
	NotRun       Verdict = "not run"      // no seed has runs of both rows
)

// Outcome returns the verdict in words: "agrees (exploratory)".
func (v Verdict) Outcome(exploratory bool) string {
	if exploratory {
		return string(v) + " (exploratory)"
	}
	return string(v)
}

const (
	// level is the bound on q-values for a decision.
	level = 0.05
	// power is the probability of detecting a detectable effect.
	power = 0.8
	// exploratory is the largest number of seeds whose verdicts are called exploratory.
	exploratory = 3
)

// Finding is a claim with its test.
//
// P is the p-value of Student's t test on the differences between the two rows, paired by seed. It is two-sided for a
// claim that one is above the other. For a claim that they are close it is twice the larger p-value of the two
// one-sided tests that the difference is inside the margin, or twice the p-value of the one-sided test that it is
// outside. P is below 0.05 exactly if the 95% interval lies on one side.
//
// Many claims are decided at once, so P alone would decide one in twenty wrongly. The q-values bound the fraction of
// wrong decisions among all decisions: QPaper among the claims about one document, QAll among all claims. A comparison
// that several claims make counts once.
type Finding struct {
	Claim
	Grid string          // whose runs decide
	Rule experiment.Rule // for the choice of points
	// Effect is Above minus Below, as a fraction of the test images or of the steps; with Than, the difference of two
	// leads.
	Effect evaluate.Summary

	P, QPaper, QAll float64 // NaN with fewer than two seeds
	Verdict         Verdict

	holds bool // the mean is on the side of the claim
	cells *experiment.Cells
}

// Q returns the larger q-value, which decides.
func (f Finding) Q() float64 { return max(f.QPaper, f.QAll) }

// Exploratory reports whether a verdict rests on three seeds or fewer.
func (f Finding) Exploratory() bool {
	return (f.Verdict == Agrees || f.Verdict == Disagrees) && f.Effect.Seeds <= exploratory
}

// Detectable returns the smallest effect, in the unit of Effect, that the same number of seeds with the same spread
// would detect with a probability of 80%, before the correction for many claims; NaN with fewer than two seeds, and for
// a claim that two rows are close.
func (f Finding) Detectable() float64 {
	if f.Within > 0 {
		return math.NaN()
	}
	return f.Effect.Detectable(power)
}

// Outcome returns the verdict in words: "agrees (exploratory)".
func (f Finding) Outcome() string {
	return f.Verdict.Outcome(f.Exploratory())
}

// find measures the effect of the claim in the done runs, at points chosen by a rule. It leaves the verdict to
// [decide]. A claim about steps uses all points, for every rule. A claim about all settings is paired by tables, whose
// draws share rows.
func (c Claim) find(grid string, cells *experiment.Cells, rule experiment.Rule) Finding {
	f := Finding{Claim: c, Grid: grid, Rule: rule, cells: cells}
	above, below := c.series()
	switch {
	case c.Measure == Steps:
		f.Effect = cells.Sooner(above, below)
	case c.Measure != "" && c.Setting == "":
		f.Effect = cells.PairedBy(tableOf, above, below, c.difference)
	case c.Measure != "":
		f.Effect = cells.Paired(above, below, c.difference)
	case c.Than != "":
		f.Effect = cells.Change(above, below, c.Than, rule)
	default:
		f.Effect = cells.Difference(above, below, rule)
	}
	f.P, f.holds = c.test(f.Effect)
	return f
}

// difference returns the measure of Above minus the measure of Below in two runs.
func (c Claim) difference(a, b []experiment.Point) (float64, bool) {
	more, ok := c.Measure.of(a, c.Above.Head, c.Magnitude)
	less, both := cmp.Or(c.BelowMeasure, c.Measure).of(b, c.Below.Head, c.Magnitude)
	return more - less, ok && both
}

// test returns the p-value of an effect, see [Finding], and whether its mean is on the side of the claim.
func (c Claim) test(effect evaluate.Summary) (p float64, holds bool) {
	margin, least := c.Within/100, -c.Less/100
	if margin == 0 {
		above := effect.PAbove(least)
		return 2 * min(above, 1-above), effect.Mean > least
	}
	overLow, overHigh := effect.PAbove(-margin), effect.PAbove(margin)
	if math.Abs(effect.Mean) < margin {
		return min(1, 2*max(overLow, 1-overHigh)), true
	}
	return 2 * min(1-overLow, overHigh), false
}

// decide sets the q-values and the verdicts of findings. They are one family for QAll.
func decide(findings []Finding) {
	all := make([]*Finding, len(findings))
	papers := map[string][]*Finding{} // by document, "" for claims of this library
	documents := documentsOfExperiments()
	for i := range findings {
		all[i] = &findings[i]
		paper := documents[findings[i].Experiment]
		papers[paper] = append(papers[paper], all[i])
	}
	correct(all, func(f *Finding, q float64) { f.QAll = q })
	for _, family := range papers {
		correct(family, func(f *Finding, q float64) { f.QPaper = q })
	}
	for _, f := range all {
		switch {
		case f.Effect.Seeds == 0:
			f.Verdict = NotRun
		case !(f.Q() < level):
			f.Verdict = Inconclusive
		case f.holds:
			f.Verdict = Agrees
		default:
			f.Verdict = Disagrees
		}
	}
}

// correct calls set with the q-value of each finding of a family, in which a comparison counts once.
func correct(family []*Finding, set func(f *Finding, q float64)) {
	of := map[string][]*Finding{} // by comparison
	for _, f := range family {
		of[f.comparison()] = append(of[f.comparison()], f)
	}
	same := slices.Collect(maps.Values(of))
	p := make([]float64, len(same))
	for i, findings := range same {
		p[i] = findings[0].P
	}
	for i, q := range evaluate.FalseDiscoveryRates(p) {
		for _, f := range same[i] {
			set(f, q)
		}
	}
}

// comparison identifies the test of a finding. Claims of two experiments that compare the same runs by the same measure
// are one comparison, regardless of the order of the rows.
func (f Finding) comparison() string {
	above, below := f.series()
	grid := ""
	if f.Setting == "" {
		grid = f.Grid // all settings of the grid
	}
	rows := []string{fmt.Sprintf("%q %s", above, f.Measure), fmt.Sprintf("%q %s", below, cmp.Or(f.BelowMeasure, f.Measure))}
	if f.Measure != Steps && f.Less == 0 { // both directions have the same test
		slices.Sort(rows)
	}
	return fmt.Sprintf("%q %s %q %t %g %g %s", rows, grid, f.Than, f.Magnitude, f.Within, f.Less, f.Rule)
}

// documentsOfExperiments returns the document of each experiment in the [Index].
func documentsOfExperiments() map[string]string {
	documents := map[string]string{}
	for _, place := range Index() {
		for _, experiment := range place.Experiments {
			documents[experiment] = place.Document
		}
	}
	return documents
}
