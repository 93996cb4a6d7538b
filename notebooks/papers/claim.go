package papers

import (
	"math"

	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
)

// Claim is what somebody says about two rows in a setting, or about the two in one setting and in another.
type Claim struct {
	Experiment string // that it is read from: "table 1", "figure 13"
	Statement  string
	Source     string
	Setting    string
	Above      Row
	Below      Row
	Within     float64 // 0: Above is above Below. Otherwise: the two are less than so many points of accuracy apart
	Than       string  // another setting, where Above has less of a lead over Below; "" for a claim about Setting alone
}

// Verdict is what runs say about a claim.
type Verdict string

// The verdicts. A claim is decided by the 95% interval of the difference between its two rows, run by run with the same seed: that
// one is above the other where the interval is on one side of 0; that they are close where it is within, or all outside.
const (
	Agrees     Verdict = "agrees"
	Disagrees  Verdict = "disagrees"
	NotDecided Verdict = "not decided" // the interval holds both, or there is none: fewer than two seeds
)

// Finding is a claim with what decides it.
type Finding struct {
	Claim
	Rule    experiment.Rule  // of choosing points
	Effect  evaluate.Summary // by how much the accuracy of Above is above that of Below, a share between −1 and 1; with Than, by how much more
	Verdict Verdict
}

// Decide decides the claim by the runs that are done, points chosen by a rule.
func (c Claim) Decide(cells *experiment.Cells, rule experiment.Rule) Finding {
	f := Finding{Claim: c, Rule: rule, Verdict: NotDecided}
	if c.Than == "" {
		f.Effect = cells.Difference(c.Setting, c.Above.Method, c.Above.Head, c.Below.Method, c.Below.Head, rule)
	} else {
		f.Effect = cells.Change(c.Setting, c.Than, c.Above.Method, c.Above.Head, c.Below.Method, c.Below.Head, rule)
	}
	low, high := f.Effect.Interval()
	margin := c.Within / 100
	switch {
	case math.IsNaN(low):
	case margin == 0 && low > 0, margin > 0 && low > -margin && high < margin:
		f.Verdict = Agrees
	case margin == 0 && high < 0, margin > 0 && (low > margin || high < -margin):
		f.Verdict = Disagrees
	}
	return f
}
